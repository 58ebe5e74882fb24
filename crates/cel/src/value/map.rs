//! Maps and objects: borrowed from JSON, with or without a schema, or made by an expression.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::{Key, Text, Value};
use crate::error::{EvalError, Outcome};
use crate::escape::{escape, unescape};
use crate::schema::Schema;

type Fields = serde_json::Map<String, Json>;

/// A map or an object.
#[derive(Debug, Clone)]
pub struct Map<'a>(Repr<'a>);

#[derive(Debug, Clone)]
enum Repr<'a> {
    Json(&'a Fields),
    /// Entries as a schema describes them.
    Typed(&'a Fields, &'a Schema),
    Values(Arc<BTreeMap<Key<'a>, Value<'a>>>),
}

impl<'a> From<BTreeMap<Key<'a>, Value<'a>>> for Map<'a> {
    fn from(entries: BTreeMap<Key<'a>, Value<'a>>) -> Self {
        Self(Repr::Values(Arc::new(entries)))
    }
}

impl<'a> Map<'a> {
    pub(super) fn from_json(fields: &'a Fields, schema: Option<&'a Schema>) -> Self {
        Self(schema.map_or(Repr::Json(fields), |schema| Repr::Typed(fields, schema)))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Json(fields) | Repr::Typed(fields, _) => fields.len(),
            Repr::Values(entries) => entries.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn has_schema(&self) -> bool {
        matches!(self.0, Repr::Typed(..))
    }

    /// The value of a key, if there is one. An object is asked by escaped names.
    pub fn get(&self, key: &Value<'a>) -> Outcome<Option<Value<'a>>> {
        match &self.0 {
            Repr::Json(fields) => match key {
                Value::String(name) => {
                    fields.get(&**name).map(|value| Value::from_json(value, None)).transpose()
                }
                _ => Ok(None),
            },
            Repr::Typed(..) => match key {
                Value::String(name) => self.field(name),
                _ => Err(EvalError::no_overload()),
            },
            Repr::Values(entries) => {
                let Ok(key) = Key::new(key) else { return Ok(None) };
                if let Some(value) = entries.get(&key) {
                    return Ok(Some(value.clone()));
                }
                Ok(key.alternatives().iter().find_map(|key| entries.get(key)).cloned())
            }
        }
    }

    /// The value of a field, by the name that stands in the expression.
    pub(crate) fn field(&self, name: &str) -> Outcome<Option<Value<'a>>> {
        let Repr::Typed(fields, schema) = &self.0 else {
            return self.get(&Value::string(name));
        };
        let unescaped;
        let name = if schema.is_object() {
            let Some(plain) = unescape(name) else { return Ok(None) };
            unescaped = plain;
            &*unescaped
        } else {
            name
        };
        match (fields.get(name), schema.field(name)) {
            (Some(Json::Null), Some(_)) if schema.is_object() => Ok(None),
            (Some(value), Some(schema)) => Value::from_json(value, Some(schema)).map(Some),
            _ => Ok(None),
        }
    }

    /// The value of a field, by the name it has in JSON, whether or not a schema knows it.
    pub(super) fn raw_field(&self, name: &str) -> Option<Outcome<Value<'a>>> {
        match &self.0 {
            Repr::Json(fields) | Repr::Typed(fields, _) => {
                fields.get(name).map(|value| Value::from_json(value, None))
            }
            Repr::Values(entries) => entries.get(&Key::String(Text::Shared(name.into()))).cloned().map(Ok),
        }
    }

    /// The keys, in order.
    pub fn keys(&self) -> Vec<Value<'a>> {
        match &self.0 {
            Repr::Json(fields) => fields.keys().map(|name| name.as_str().into()).collect(),
            Repr::Typed(fields, schema) => {
                let known = fields.keys().filter(|name| schema.field(name).is_some());
                if schema.is_object() {
                    known
                        .map(|name| escape(name).map_or_else(|| name.as_str().into(), Value::string))
                        .collect()
                } else {
                    known.map(|name| name.as_str().into()).collect()
                }
            }
            Repr::Values(entries) => entries.keys().map(Key::value).collect(),
        }
    }

    /// The map with one more entry; the key must be new. In place if nobody else holds the map.
    pub(crate) fn insert(&mut self, key: &Value<'a>, value: Value<'a>) -> Outcome<()> {
        if self.get(key)?.is_some() {
            return Err(EvalError::Function(format!("insert failed: key {key} already exists")));
        }
        if !matches!(self.0, Repr::Values(_)) {
            let mut entries = BTreeMap::new();
            for key in self.keys() {
                if let Some(value) = self.get(&key)? {
                    entries.insert(Key::new(&key)?, value);
                }
            }
            *self = entries.into();
        }
        let key = Key::new(key)?;
        if let Repr::Values(entries) = &mut self.0 {
            Arc::make_mut(entries).insert(key, value);
        }
        Ok(())
    }

    /// Whether both hold the same.
    pub(super) fn equals(&self, other: &Map<'a>) -> Outcome<bool> {
        if self.len() != other.len() {
            return Ok(false);
        }
        let Repr::Typed(fields, schema) = &self.0 else {
            for key in self.keys() {
                let (Some(ours), Some(theirs)) = (self.get(&key)?, other.get(&key)?) else {
                    return Ok(false);
                };
                // Values that cannot be compared count as equal, as in cel-go.
                if matches!(ours.equals(&theirs), Ok(false)) {
                    return Ok(false);
                }
            }
            return Ok(true);
        };
        for (name, value) in *fields {
            if schema.field(name).is_some() {
                match (self.field(name)?, other.field(name)?) {
                    (Some(ours), Some(theirs)) if ours.equals(&theirs)? => {}
                    (None, None) => {}
                    _ => return Ok(false),
                }
            } else {
                let Repr::Typed(theirs, _) = &other.0 else { return Err(EvalError::no_overload()) };
                if theirs.get(name).is_some_and(|theirs| theirs != value) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
