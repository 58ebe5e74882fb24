//! Strategic merge patches: merges that know the types, so that lists are merged by their items' keys.
//!
//! Where the patch has a field, null removes it, objects are merged, and lists are merged if the type says so, else
//! replaced. Directives among the fields say more: `$patch` replaces or deletes what it stands in, `$retainKeys` names
//! all fields that stay, `$setElementOrder/x` gives the order of list `x`, and `$deleteFromPrimitiveList/x` names what
//! goes from it.

use goyaml::strconv::quote;
use serde_json::{Map, Value};

use super::items::{ItemKind, go_type};
use super::order::{arrange, partition};
use super::{Merged, PatchError, items, parse};
use crate::decode::check_fields;
use crate::json::{show, show_all};
use crate::structure::{Scalar, Shape, View};

pub(super) const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList";
const ELEMENT_ORDER: &str = "$setElementOrder";

type Fields = Map<String, Value>;

/// Why a strategic merge patch cannot be applied, in the server's words.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StrategicError {
    /// `$deleteFromPrimitiveList` without the name of a list.
    #[error("invalid patch format of primitive list")]
    PrimitiveListFormat,
    /// `$retainKeys` is no list, or lacks a field that the patch has.
    #[error("invalid patch format of retainKeys")]
    RetainKeysFormat,
    /// `$setElementOrder` without the name of a list.
    #[error("invalid patch format of setElementOrder list")]
    ElementOrderFormat,
    /// A list that is merged has lists as items.
    #[error("lists of lists are not supported")]
    ListOfLists,
    /// A `$patch` that nobody knows.
    #[error("unknown patch type: {} in map: {}", spoken(.0), show(.1))]
    Directive(Value, Value),
    /// `$patch: merge` in the item of a list.
    #[error("merging lists cannot yet be specified in the patch")]
    MergeInList,
    /// Another type of value was needed.
    #[error("expected a {expected}, but received a {}", received(.actual))]
    WrongType {
        /// Go's name of it.
        expected: &'static str,
        /// What was there.
        actual: Value,
    },
    /// An item has no key.
    #[error("map: {} does not contain declared merge key: {key}", show(.item))]
    NoMergeKey {
        /// The item.
        item: Value,
        /// The key that its list is merged by.
        key: String,
    },
    /// Objects are merged, but the list has no key.
    #[error("cannot merge lists without merge key for {0}")]
    NoKeyOfList(&'static str),
    /// An item is no object.
    #[error("value for key {0} is not a map")]
    NotAMap(usize),
    /// Items of different types.
    #[error("list element types are not identical: {}", show_all(.0))]
    MixedItems(Vec<Value>),
    /// An order for a list that has no items.
    #[error("no elements in any of the given slices")]
    NoItems,
    /// The order contradicts the patch.
    #[error("The order in patch list:\n{}\n doesn't match {ELEMENT_ORDER} list:\n{}\n", show_all(.patch), show_all(.order))]
    OrderMismatch {
        /// The items of the patch.
        patch: Vec<Value>,
        /// The order that was given.
        order: Vec<Value>,
    },
    /// The type has no such field.
    #[error("unable to find api field in struct {structure} for the json field {}", quote(.field))]
    NoField {
        /// The type.
        structure: String,
        /// The field.
        field: String,
    },
    /// Objects are merged where the type has none.
    #[error("merging an object in json but data type is not struct, instead is: {0}")]
    NotAStructure(&'static str),
    /// A list is ordered where the type has none.
    #[error("expected slice or array type, but got: {0}")]
    NotAList(&'static str),
    /// The server does not survive it, and says so.
    #[error("This request caused apiserver to panic. Look in the logs for details.")]
    Panic,
}

fn spoken(directive: &Value) -> String {
    match directive {
        Value::String(text) => text.clone(),
        Value::Null => "%!s(<nil>)".to_owned(),
        other => format!("%!s({}={})", go_type(other), show(other)),
    }
}

fn received(value: &Value) -> &'static str {
    if value.is_null() { "%!s(<nil>)" } else { go_type(value) }
}

/// Applies a strategic merge patch to an object of the type. `strict` is whether the server validates fields, which it
/// does unless told to ignore them.
///
/// # Errors
/// The patch is no JSON object, or it does not fit the type or the object.
pub fn strategic_merge_patch(
    view: View<'_>,
    object: Value,
    patch: &str,
    strict: bool,
) -> Result<Merged, PatchError> {
    let tree = parse(patch, "")?;
    let complaints = check_fields(&tree).map_err(|error| PatchError::Unreadable(error.to_string()))?;
    let mut patch = match tree.into_value() {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let mut fields = match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    merge(&mut fields, &mut patch, view)?;
    let complaints = if strict { complaints } else { Vec::new() };
    Ok(Merged { object: Value::Object(fields), patch: Value::Object(patch), complaints })
}

/// Merges a patch into fields. What is left of the patch is what has not been obeyed as a directive.
pub(super) fn merge(fields: &mut Fields, patch: &mut Fields, view: View<'_>) -> Result<(), StrategicError> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                fields.clone_from(patch);
            }
            Some("delete") => fields.clear(),
            _ => return Err(StrategicError::Directive(directive.clone(), Value::Object(patch.clone()))),
        }
        return Ok(());
    }
    retain_keys(fields, patch)?;
    let ordered: Vec<String> = patch.keys().filter(|key| key.starts_with(ELEMENT_ORDER)).cloned().collect();
    for directive in ordered {
        order_list(fields, patch, view, &directive)?;
    }
    let names: Vec<String> = patch.keys().cloned().collect();
    for name in names {
        if let Some(value) = patch.get_mut(&name) {
            merge_field(fields, &name, value, view)?;
        }
    }
    Ok(())
}

fn retain_keys(fields: &mut Fields, patch: &mut Fields) -> Result<(), StrategicError> {
    let Some(keys) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let Value::Array(keys) = keys else { return Err(StrategicError::RetainKeysFormat) };
    let retained = |name: &str| keys.iter().any(|key| key == name);
    let directive = |name: &str| name.starts_with(DELETE_FROM) || name.starts_with(ELEMENT_ORDER);
    if patch.iter().any(|(name, value)| !value.is_null() && !directive(name) && !retained(name)) {
        return Err(StrategicError::RetainKeysFormat);
    }
    fields.retain(|name, _| retained(name));
    Ok(())
}

/// Merges the list that an order was given for, and brings it in this order.
fn order_list(
    fields: &mut Fields,
    patch: &mut Fields,
    view: View<'_>,
    directive: &str,
) -> Result<(), StrategicError> {
    let list = |value: Option<Value>| match value {
        None => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items)),
        Some(actual) => Err(StrategicError::WrongType { expected: "[]interface {}", actual }),
    };
    let order = list(patch.remove(directive))?.unwrap_or_default();
    let name = directive
        .strip_prefix(ELEMENT_ORDER)
        .and_then(|rest| rest.strip_prefix('/'))
        .ok_or(StrategicError::ElementOrderFormat)?;
    let current = list(fields.get(name).cloned())?;
    let changes = list(patch.get(name).cloned())?;
    let (place, item) = list_place(view, name)?;
    let key = place.patching().key.as_deref();
    check_order(changes.as_deref().unwrap_or_default(), &order, key)?;
    let mut mixed = current.clone().unwrap_or_default();
    mixed.extend(changes.clone().unwrap_or_default());
    let merged = match (current.clone(), changes.clone()) {
        (None, None) => return Ok(()),
        (Some(current), None) => current,
        (None, Some(changes)) => changes.into_iter().filter_map(without_directives).collect(),
        (Some(current), Some(changes)) if place.patching().merge => {
            merge_list(current, changes, item, key, false)?
        }
        (Some(_), Some(changes)) => changes,
    };
    let (named, others) = partition(merged, &order, key)?;
    let kind = items::kind(&current.clone().unwrap_or_default(), &changes.unwrap_or_default())?;
    let arranged = arrange(named, others, &order, &current.unwrap_or_default(), key, kind)?;
    fields.insert(name.to_owned(), Value::Array(arranged));
    patch.remove(name);
    Ok(())
}

/// The items of the patch must stand in the order that was given.
fn check_order(patch: &[Value], order: &[Value], key: Option<&str>) -> Result<(), StrategicError> {
    if patch.is_empty() || order.is_empty() {
        return Ok(());
    }
    let mut waiting = Vec::new();
    for item in patch {
        match (key, item) {
            (Some(_), Value::Object(fields)) if fields.get(DIRECTIVE).is_some_and(|it| it == "delete") => {}
            (Some(_), Value::Object(_)) | (None, _) => waiting.push(item),
            (Some(_), actual) => {
                let actual = actual.clone();
                return Err(StrategicError::WrongType { expected: "map[string]interface {}", actual });
            }
        }
    }
    let (mut at, mut next) = (0, 0);
    while at < waiting.len() && next < order.len() {
        if items::has_directive(waiting[at]) {
            at += 1;
            continue;
        }
        if items::same_key(waiting[at], &order[next], key)? {
            at += 1;
        }
        next += 1;
    }
    if at < waiting.len() && next >= order.len() {
        return Err(StrategicError::OrderMismatch { patch: patch.to_vec(), order: order.to_vec() });
    }
    Ok(())
}

fn merge_field(
    fields: &mut Fields,
    name: &str,
    value: &mut Value,
    view: View<'_>,
) -> Result<(), StrategicError> {
    let deletes = name.starts_with(DELETE_FROM);
    let name = match name.strip_prefix(DELETE_FROM) {
        Some(rest) => rest.strip_prefix('/').ok_or(StrategicError::PrimitiveListFormat)?,
        None => name,
    };
    if value.is_null() {
        fields.remove(name);
        return Ok(());
    }
    let Some(current) = fields.get_mut(name).filter(|current| items::same_type(current, value)) else {
        if !deletes {
            discard_nulls(value);
            match without_directives(value.clone()) {
                Some(value) => fields.insert(name.to_owned(), value),
                None => fields.remove(name),
            };
        }
        return Ok(());
    };
    match (current, value) {
        (Value::Object(current), Value::Object(changes)) => {
            let place = field_place(view, name)?;
            if place.patching().replace {
                current.clone_from(changes);
                return Ok(());
            }
            merge(current, changes, place)
        }
        (Value::Array(current), Value::Array(changes)) => {
            let (place, item) = list_place(view, name)?;
            if !place.patching().merge && !deletes {
                current.clone_from(changes);
                return Ok(());
            }
            let key = place.patching().key.as_deref();
            *current = merge_list(std::mem::take(current), changes.clone(), item, key, deletes)?;
            Ok(())
        }
        (current, value) => {
            current.clone_from(value);
            Ok(())
        }
    }
}

/// Where a field of a structure leads.
fn field_place<'a>(view: View<'a>, name: &str) -> Result<View<'a>, StrategicError> {
    match view.shape() {
        Shape::Object { fields, .. } if fields.contains_key(name) => {
            view.field(name).ok_or(StrategicError::NotAStructure("struct"))
        }
        Shape::Object { .. } | Shape::Untyped => {
            let structure = view.go_name().rsplit('.').next().unwrap_or_default().to_owned();
            Err(StrategicError::NoField { structure, field: name.to_owned() })
        }
        _ => Err(StrategicError::NotAStructure(go_kind(view))),
    }
}

/// Where a list in a structure leads, and its items.
fn list_place<'a>(view: View<'a>, name: &str) -> Result<(View<'a>, View<'a>), StrategicError> {
    let place = field_place(view, name)?;
    match place.shape() {
        Shape::List { .. } => Ok((place, place.items().unwrap_or(place))),
        Shape::Scalar(Scalar::Bytes) => Ok((place, place)),
        _ if place.schema().encoding.pointer => Ok((place, place)),
        _ => Err(StrategicError::NotAList(if view.schema().encoding.pointer { "ptr" } else { "struct" })),
    }
}

/// What Go's reflection calls the type of a place.
fn go_kind(view: View<'_>) -> &'static str {
    match view.shape() {
        Shape::Object { .. } | Shape::Untyped | Shape::Named(_) => "struct",
        Shape::Map { .. } => "map",
        Shape::List { .. } | Shape::Scalar(Scalar::Bytes) => "slice",
        Shape::Scalar(scalar) => match scalar {
            Scalar::Int32 => "int32",
            Scalar::Int64 => "int64",
            Scalar::Float => "float64",
            Scalar::Boolean => "bool",
            Scalar::String | Scalar::Bytes => "string",
            Scalar::Time | Scalar::MicroTime | Scalar::IntOrString | Scalar::Quantity => "struct",
        },
    }
}

fn merge_list(
    current: Vec<Value>,
    changes: Vec<Value>,
    item: View<'_>,
    key: Option<&str>,
    deletes: bool,
) -> Result<Vec<Value>, StrategicError> {
    if current.is_empty() && changes.is_empty() {
        return Ok(current);
    }
    let kind = items::kind(&current, &changes)?;
    let (merged, current, changes) = if kind == ItemKind::Scalar {
        if deletes {
            return Ok(current.into_iter().filter(|item| !changes.contains(item)).collect());
        }
        let both = current.iter().chain(&changes).cloned().collect();
        (items::without_doubles(both), current, changes)
    } else {
        let key = key.ok_or_else(|| StrategicError::NoKeyOfList(go_kind(item)))?;
        let (current, mut changes) = obey(current, changes, key)?;
        let mut merged = current.clone();
        for change in &mut changes {
            let Value::Object(fields) = change else { continue };
            let Some(wanted) = fields.get(key).cloned() else {
                return Err(StrategicError::NoMergeKey { item: change.clone(), key: key.to_owned() });
            };
            match items::find(&merged, key, &wanted)? {
                Some(at) => {
                    if let Value::Object(target) = &mut merged[at] {
                        merge(target, fields, item)?;
                    }
                }
                None => merged.push(change.clone()),
            }
        }
        (merged, current, changes)
    };
    let (named, others) = partition(merged, &changes, key)?;
    arrange(named, others, &changes, &current, key, kind)
}

/// Obeys the directives among the items of a patch: what remains of the list, and of the patch.
fn obey(
    mut current: Vec<Value>,
    changes: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), StrategicError> {
    let mut rest = Vec::with_capacity(changes.len());
    let mut replace = false;
    for change in changes {
        let Some(directive) = change.get(DIRECTIVE).cloned() else {
            rest.push(change);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let Some(wanted) = change.get(key) else {
                    return Err(StrategicError::NoMergeKey { item: change, key: key.to_owned() });
                };
                while let Some(at) = items::find(&current, key, wanted)? {
                    current.remove(at);
                }
            }
            Some("replace") => replace = true,
            Some("merge") => return Err(StrategicError::MergeInList),
            _ => return Err(StrategicError::Directive(directive, change)),
        }
    }
    Ok(if replace { (rest, Vec::new()) } else { (current, rest) })
}

/// Without the fields that are null, at any depth.
fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(discard_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

/// A value that is new has nothing that its directives could change: what they stand in is left out.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(fields) if fields.contains_key(DIRECTIVE) => None,
        Value::Object(fields) => Some(Value::Object(
            fields
                .into_iter()
                .filter_map(|(name, value)| without_directives(value).map(|value| (name, value)))
                .collect(),
        )),
        Value::Array(items) => Some(Value::Array(items.into_iter().filter_map(without_directives).collect())),
        value => Some(value),
    }
}
