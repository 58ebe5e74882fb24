//! Reading decoded objects as Go reads its structs: what is absent reads as the zero value.

use serde_json::{Map, Value};

/// What stands where nothing stands.
static NOTHING: Value = Value::Null;

/// Fields of an object by name, with Go's zero values for what is absent.
pub(crate) trait Read {
    /// The field, or null.
    fn at(&self, name: &str) -> &Value;

    /// Whether the field is there and not null: a pointer that is not nil.
    fn has(&self, name: &str) -> bool {
        !self.at(name).is_null()
    }

    /// The text of the field, or no text.
    fn text(&self, name: &str) -> &str {
        self.at(name).as_str().unwrap_or_default()
    }

    /// The number of the field, if there is one.
    fn number(&self, name: &str) -> Option<i64> {
        self.at(name).as_i64()
    }

    /// The number of the field, or zero.
    fn int(&self, name: &str) -> i64 {
        self.number(name).unwrap_or_default()
    }

    /// Whether the field is true.
    fn flag(&self, name: &str) -> bool {
        self.at(name).as_bool().unwrap_or_default()
    }

    /// The items of the field, or none.
    fn list(&self, name: &str) -> &[Value] {
        self.at(name).as_array().map_or(&[], Vec::as_slice)
    }

    /// The entries of the field, or none.
    fn entries(&self, name: &str) -> Entries<'_>;
}

/// The entries of a map, in the order of their keys.
pub(crate) type Entries<'a> = std::iter::Flatten<std::option::IntoIter<serde_json::map::Iter<'a>>>;

impl Read for Value {
    fn at(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NOTHING)
    }

    fn entries(&self, name: &str) -> Entries<'_> {
        self.at(name).as_object().map(Map::iter).into_iter().flatten()
    }
}

/// The text of a value that is text, or no text.
pub(crate) fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Whether two values mean the same to the server: absent, null, and empty lists and maps are alike.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            a.iter().all(|(key, value)| same(value, b.get(key).unwrap_or(&NOTHING)))
                && b.iter().all(|(key, value)| a.contains_key(key) || same(value, &NOTHING))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(one, other)| same(one, other))
        }
        (Value::Null, other) | (other, Value::Null) => match other {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            _ => false,
        },
        _ => left == right,
    }
}

/// Puts a value where nothing, or no text, stands. Says nothing of values that are not objects.
pub(crate) fn fill(object: &mut Value, name: &str, default: impl Into<Value>) {
    let Some(fields) = object.as_object_mut() else { return };
    let missing = match fields.get(name) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(_) => false,
    };
    if missing {
        fields.insert(name.to_owned(), default.into());
    }
}

/// Puts a value where nothing stands; text that is empty stays, as a pointer to it does.
pub(crate) fn fill_absent(object: &mut Value, name: &str, default: impl Into<Value>) {
    let Some(fields) = object.as_object_mut() else { return };
    if fields.get(name).is_none_or(Value::is_null) {
        fields.insert(name.to_owned(), default.into());
    }
}

/// Puts a number where nothing or zero stands.
pub(crate) fn fill_zero(object: &mut Value, name: &str, default: i64) {
    if object.int(name) == 0
        && let Some(fields) = object.as_object_mut()
    {
        fields.insert(name.to_owned(), default.into());
    }
}

/// Sets a field of an object.
pub(crate) fn set(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value.into());
    }
}

/// Removes a field of an object.
pub(crate) fn unset(object: &mut Value, name: &str) {
    if let Some(fields) = object.as_object_mut() {
        fields.remove(name);
    }
}

/// The field to change, if it is there.
pub(crate) fn at_mut<'a>(object: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    object.get_mut(name).filter(|value| !value.is_null())
}

/// The items of a field to change.
pub(crate) fn list_mut<'a>(object: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    object.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// The field as an object, made if it is not there.
pub(crate) fn child_mut<'a>(object: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    fill_absent(object, name, Value::Object(Map::new()));
    object.get_mut(name)
}
