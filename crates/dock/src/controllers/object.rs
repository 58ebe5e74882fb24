//! Reading and writing the parts of an object that controllers care about.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// What controllers ask an object. Whatever is missing reads as empty.
pub trait Object {
    /// The value at a dotted path of fields, null if there is none.
    fn at(&self, path: &str) -> &Value;
    /// The string at a path.
    fn text(&self, path: &str) -> &str {
        self.at(path).as_str().unwrap_or_default()
    }
    /// The number at a path.
    fn int(&self, path: &str) -> Option<i64> {
        self.at(path).as_i64()
    }
    /// The number at a path, zero if there is none.
    fn count(&self, path: &str) -> i64 {
        self.int(path).unwrap_or_default()
    }
    /// Whether the path holds `true`.
    fn flag(&self, path: &str) -> bool {
        self.at(path).as_bool().unwrap_or_default()
    }
    /// The list at a path.
    fn items(&self, path: &str) -> &[Value] {
        self.at(path).as_array().map(Vec::as_slice).unwrap_or_default()
    }
    /// The moment at a path.
    fn moment(&self, path: &str) -> Option<Timestamp> {
        self.text(path).parse().ok()
    }
    /// Its kind.
    fn kind(&self) -> &str {
        self.text("kind")
    }
    /// Its name.
    fn name(&self) -> &str {
        self.text("metadata.name")
    }
    /// Its namespace, empty for objects of the cluster.
    fn namespace(&self) -> &str {
        self.text("metadata.namespace")
    }
    /// Its identity.
    fn uid(&self) -> &str {
        self.text("metadata.uid")
    }
    /// How often its specification changed.
    fn generation(&self) -> i64 {
        self.count("metadata.generation")
    }
    /// A label's value.
    fn label(&self, key: &str) -> Option<&str> {
        self.at("metadata.labels").get(key)?.as_str()
    }
    /// An annotation's value.
    fn annotation(&self, key: &str) -> Option<&str> {
        self.at("metadata.annotations").get(key)?.as_str()
    }
    /// What it belongs to.
    fn owners(&self) -> &[Value] {
        self.items("metadata.ownerReferences")
    }
    /// The reference to the one owner that manages it.
    fn controller(&self) -> Option<&Value> {
        self.owners().iter().find(|owner| owner["controller"] == true)
    }
    /// Whether the object with this UID manages it.
    fn is_controlled_by(&self, uid: &str) -> bool {
        self.controller().is_some_and(|owner| owner["uid"] == uid)
    }
    /// Whether its deletion has begun.
    fn is_deleting(&self) -> bool {
        self.at("metadata.deletionTimestamp").is_string()
    }
    /// Whether it has this finalizer.
    fn has_finalizer(&self, finalizer: &str) -> bool {
        self.items("metadata.finalizers").iter().any(|held| held == finalizer)
    }
    /// The condition of this type.
    fn condition(&self, kind: &str) -> Option<&Value> {
        self.items("status.conditions").iter().find(|condition| condition["type"] == kind)
    }
    /// Whether the condition of this type is `True`.
    fn is(&self, kind: &str) -> bool {
        self.condition(kind).is_some_and(|condition| condition["status"] == "True")
    }
}

impl Object for Value {
    fn at(&self, path: &str) -> &Value {
        path.split('.').fold(self, |value, field| value.get(field).unwrap_or(&Value::Null))
    }
}

/// A moment as objects show it, to the second.
pub fn stamp(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Puts a value at a dotted path, and makes the objects on the way.
pub fn set(object: &mut Value, path: &str, value: impl Into<Value>) {
    let mut place = object;
    for field in path.split('.') {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[field];
    }
    *place = value.into();
}

/// The map at a dotted path, made if it is not there.
pub fn map<'a>(object: &'a mut Value, path: &str) -> &'a mut Map<String, Value> {
    let mut place = object;
    for field in path.split('.') {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[field];
    }
    if !place.is_object() {
        *place = json!({});
    }
    match place {
        Value::Object(map) => map,
        _ => unreachable!("it was just made an object"),
    }
}

/// Removes the field at a dotted path.
pub fn unset(object: &mut Value, path: &str) {
    let (parent, field) = path.rsplit_once('.').unwrap_or(("", path));
    let parent = if parent.is_empty() {
        Some(object)
    } else {
        parent.split('.').try_fold(object, |value, field| value.get_mut(field))
    };
    if let Some(Value::Object(fields)) = parent {
        fields.remove(field);
    }
}

/// Counters as Go writes them: a zero is left out.
pub fn put_counts(status: &mut Value, counts: &[(&str, i64)]) {
    for (field, count) in counts {
        if *count != 0 {
            status[*field] = (*count).into();
        }
    }
}

/// The reference by which a controller owns what it makes.
pub fn controller_reference(owner: &Value) -> Value {
    json!({
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner.name(),
        "uid": owner.uid(),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// A number or a percentage of a whole, as `maxSurge` and its like.
pub fn scaled(value: &Value, whole: i64, round_up: bool) -> Option<i64> {
    if let Some(number) = value.as_i64() {
        return Some(number);
    }
    let percent: i64 = value.as_str()?.strip_suffix('%')?.parse().ok()?;
    let product = percent.checked_mul(whole)?;
    Some(if round_up {
        product.div_euclid(100) + i64::from(product.rem_euclid(100) > 0)
    } else {
        product.div_euclid(100)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_rounded_as_asked() {
        let cases = [
            (json!(3), 10, true, Some(3)),
            (json!("25%"), 10, true, Some(3)),
            (json!("25%"), 10, false, Some(2)),
            (json!("0%"), 10, true, Some(0)),
            (json!("100%"), 7, false, Some(7)),
            (json!("nonsense"), 7, false, None),
            (json!(null), 7, false, None),
        ];
        for (value, whole, up, expected) in cases {
            assert_eq!(scaled(&value, whole, up), expected, "{value} of {whole}");
        }
    }

    #[test]
    fn paths_are_made_and_removed() {
        let mut object = json!({"metadata": {"name": "a"}, "status": null});
        set(&mut object, "status.phase", "Bound");
        set(&mut object, "metadata.labels.app", "x");
        assert_eq!(
            object,
            json!({"metadata": {"name": "a", "labels": {"app": "x"}}, "status": {"phase": "Bound"}})
        );
        unset(&mut object, "metadata.labels");
        unset(&mut object, "spec.nothing");
        assert_eq!(object, json!({"metadata": {"name": "a"}, "status": {"phase": "Bound"}}));
    }
}
