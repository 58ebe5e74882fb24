//! Lists: borrowed from JSON, with or without a schema, or made by an expression.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;

use super::key::lossless_int;
use super::{Key, Text, Value};
use crate::error::{EvalError, Outcome};
use crate::schema::{ListKind, Schema};

/// A list.
#[derive(Debug, Clone)]
pub struct List<'a> {
    items: Items<'a>,
    /// What the schema says of the list, if there is one.
    kind: Option<&'a ListKind>,
}

#[derive(Debug, Clone)]
enum Items<'a> {
    Json(&'a [Json], Option<&'a Schema>),
    Values(Arc<Vec<Value<'a>>>),
}

impl<'a> From<Vec<Value<'a>>> for List<'a> {
    fn from(items: Vec<Value<'a>>) -> Self {
        Self { items: Items::Values(Arc::new(items)), kind: None }
    }
}

impl<'a> List<'a> {
    pub(super) fn from_json(items: &'a [Json], schema: Option<(&'a Schema, &'a ListKind)>) -> Self {
        Self { items: Items::Json(items, schema.map(|(items, _)| items)), kind: schema.map(|(_, kind)| kind) }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        match &self.items {
            Items::Json(items, _) => items.len(),
            Items::Values(items) => items.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn has_schema(&self) -> bool {
        self.kind.is_some()
    }

    /// The item at that place.
    pub fn get(&self, index: usize) -> Option<Outcome<Value<'a>>> {
        match &self.items {
            Items::Json(items, schema) => items.get(index).map(|item| Value::from_json(item, *schema)),
            Items::Values(items) => items.get(index).cloned().map(Ok),
        }
    }

    /// The items.
    pub fn iter(&self) -> impl Iterator<Item = Outcome<Value<'a>>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The items, made into values.
    pub(crate) fn values(&self) -> Outcome<Vec<Value<'a>>> {
        self.iter().collect()
    }

    /// The item that an index of any number type names; nothing if the list is too short.
    pub(crate) fn index(&self, index: &Value<'a>) -> Outcome<Option<Value<'a>>> {
        let position = match index {
            Value::Int(number) => *number,
            Value::Uint(number) => match i64::try_from(*number) {
                Ok(number) => number,
                Err(_) => return Err(unsupported_index(index)),
            },
            Value::Double(number) => lossless_int(*number).ok_or_else(|| unsupported_index(index))?,
            other => {
                let message = format!("unsupported index type '{}' in list", other.type_name());
                return Err(EvalError::Function(message));
            }
        };
        let item = usize::try_from(position).ok().and_then(|position| self.get(position));
        if item.is_some() && self.kind.is_some() && !matches!(index, Value::Int(_)) {
            return Err(EvalError::Function(format!("unsupported index: {index}")));
        }
        item.transpose()
    }

    /// Whether one of the items equals the value.
    pub(crate) fn contains(&self, wanted: &Value<'a>) -> Outcome<bool> {
        let mut problem = None;
        for item in self.iter() {
            let equal = match item {
                Ok(item) if self.has_schema() => item.equals(wanted),
                Ok(item) => wanted.equals(&item),
                Err(error) => Err(error),
            };
            match equal {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => problem = problem.or(Some(error)),
            }
        }
        match problem {
            Some(error) if self.has_schema() => Err(error),
            _ => Ok(false),
        }
    }

    /// Both lists in one. A list that is a set or a map takes each item once.
    pub(crate) fn concat(&self, other: &List<'a>) -> Outcome<List<'a>> {
        if self.is_empty() && self.kind.is_none() {
            return Ok(other.clone());
        }
        if other.is_empty() {
            return Ok(self.clone());
        }
        let mut items = self.values()?;
        match self.kind {
            Some(ListKind::Set) => {
                let mut known: BTreeSet<Key<'a>> =
                    items.iter().filter_map(|item| Key::new(item).ok()).collect();
                for item in other.iter() {
                    let item = item?;
                    if Key::new(&item).map_or(true, |key| known.insert(key)) {
                        items.push(item);
                    }
                }
            }
            Some(ListKind::Map(names)) => {
                let mut places: BTreeMap<Vec<Option<Key<'a>>>, usize> =
                    items.iter().enumerate().map(|(place, item)| (identity(item, names), place)).collect();
                for item in other.iter() {
                    let item = item?;
                    if let Some(place) = places.get(&identity(&item, names)) {
                        items[*place] = item;
                    } else {
                        places.insert(identity(&item, names), items.len());
                        items.push(item);
                    }
                }
            }
            Some(ListKind::Atomic) | None => {
                for item in other.iter() {
                    items.push(item?);
                }
            }
        }
        Ok(List { items: Items::Values(Arc::new(items)), kind: self.kind })
    }

    /// Adds an item at the end, in place if nobody else holds the list.
    pub(crate) fn push(&mut self, item: Value<'a>) -> Outcome<()> {
        if let Items::Json(..) = self.items {
            self.items = Items::Values(Arc::new(self.values()?));
        }
        if let Items::Values(items) = &mut self.items {
            Arc::make_mut(items).push(item);
        }
        Ok(())
    }

    /// Whether both hold the same; a set in any order, a map by its keys.
    pub(super) fn equals(&self, other: &List<'a>) -> Outcome<bool> {
        if self.len() != other.len() {
            return Ok(false);
        }
        match self.kind {
            Some(ListKind::Set) => {
                let known: BTreeSet<Key<'a>> =
                    self.iter().filter_map(|item| item.ok().and_then(|item| Key::new(&item).ok())).collect();
                Ok(other
                    .iter()
                    .all(|item| item.is_ok_and(|item| Key::new(&item).is_ok_and(|key| known.contains(&key)))))
            }
            Some(ListKind::Map(names)) => {
                let mut known = BTreeMap::new();
                for item in self.iter() {
                    let item = item?;
                    known.insert(identity(&item, names), item);
                }
                for item in other.iter() {
                    let item = item?;
                    match known.get(&identity(&item, names)) {
                        Some(ours) if ours.equals(&item)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            Some(ListKind::Atomic) => {
                for (ours, theirs) in self.iter().zip(other.iter()) {
                    if !ours?.equals(&theirs?)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            // Items that cannot be compared count as equal, as in cel-go.
            None => {
                for (ours, theirs) in self.iter().zip(other.iter()) {
                    if matches!(ours?.equals(&theirs?), Ok(false)) {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}

fn unsupported_index(index: &Value<'_>) -> EvalError {
    EvalError::Function(format!("unsupported index value {index} in list"))
}

/// The keys of an item of a list that is a map.
fn identity<'a>(item: &Value<'a>, names: &[String]) -> Vec<Option<Key<'a>>> {
    let Value::Map(map) = item else { return Vec::new() };
    let key = |name: &String| match map.raw_field(name) {
        Some(Ok(value)) => Key::new(&value).ok(),
        _ => None,
    };
    names.iter().map(key).collect()
}

impl<'a> From<Vec<&'a str>> for List<'a> {
    fn from(items: Vec<&'a str>) -> Self {
        items.into_iter().map(|text| Value::String(Text::Borrowed(text))).collect::<Vec<_>>().into()
    }
}
