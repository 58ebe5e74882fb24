//! JSON patches: a list of operations, each on a place in the object.
//!
//! The server's library follows RFC 6902 with habits of its own, kept here: `replace` creates a missing field, `test`
//! takes a missing field for null, negative indexes count from the end, and values are equal if their spelling is.

use std::sync::LazyLock;

use goyaml::strconv::atoi;
use serde_json::Value;

use super::{MAX_OPERATIONS, PatchError, Patched, parse};
use crate::decode::decode;
use crate::json::Tree;
use crate::structure::{Encoding, ListKind, Omit, Schema, Types};

/// Why an operation cannot be applied, in the words of the server's library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// The path of an operation is missing or no text.
    #[error("{operation} operation failed to decode {field}: {reason}")]
    NoPath {
        /// The operation.
        operation: &'static str,
        /// `path` or `from`.
        field: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// There is nothing that could hold the place.
    #[error("{operation} operation does not apply: {}is missing {what}: {path}: missing value", subject(.operation))]
    NoPlace {
        /// The operation.
        operation: &'static str,
        /// Which path.
        what: &'static str,
        /// The path, as the message shows it.
        path: String,
    },
    /// The place cannot be reached or changed.
    #[error("error in {action}: '{path}': {reason}")]
    Place {
        /// What was done.
        action: &'static str,
        /// Where.
        path: String,
        /// Why it failed.
        reason: String,
    },
    /// A copied value cannot be put where it should go.
    #[error("error while adding value during copy: {0}")]
    Copy(String),
    /// The whole object can only be replaced by an object or a list.
    #[error("replace operation value must be object or array: %!w(<nil>)")]
    NotAnObject,
    /// The value is another one.
    #[error("testing value {0} failed: test failed")]
    TestFailed(String),
    /// Nobody knows such an operation.
    #[error("Unexpected kind: {0}")]
    Unknown(String),
}

/// What the messages say the place is missing from.
fn subject(operation: &str) -> &'static str {
    if operation == "test" { "" } else { "doc " }
}

/// One step of a patch.
struct Operation {
    fields: Tree,
}

static OPERATIONS: LazyLock<Schema> = LazyLock::new(|| {
    let typed = |mut schema: Schema, go_type: &str| {
        let go_type = Some(go_type.into());
        schema.encoding = Encoding { go_type, pointer: false, omit: Omit::Never, embedded: None };
        schema
    };
    let text = || typed(Schema::string(), "string");
    let operation =
        Schema::object([("op", text()), ("path", text()), ("from", text()), ("value", Schema::untyped())]);
    let operation = typed(operation, "handlers.jsonPatchOp");
    typed(Schema::list(operation, ListKind::Atomic), "[]handlers.jsonPatchOp")
});

/// Applies operations one after another. `strict` is whether the server validates fields, which it does unless told to
/// ignore them.
///
/// # Errors
/// The patch cannot be read, is too long, or one of its operations does not apply.
pub fn json_patch(object: Value, patch: &str, strict: bool) -> Result<Patched<Tree>, PatchError> {
    let prefix = if strict { "error decoding patch: " } else { "" };
    let patch = parse(patch, prefix)?;
    let mut complaints = Vec::new();
    if strict {
        let types = Types::default();
        let read = decode(types.view(&OPERATIONS), patch.clone(), true)
            .map_err(|error| PatchError::Unreadable(format!("{prefix}{error}")))?;
        complaints = read.complaints.iter().map(|complaint| format!("json patch {complaint}")).collect();
    }
    let operations = operations(patch)?;
    if operations.len() > MAX_OPERATIONS {
        return Err(PatchError::TooLarge(operations.len()));
    }
    let mut object = Tree::from(object);
    for operation in operations {
        operation.apply(&mut object)?;
    }
    Ok(Patched { object, complaints })
}

fn operations(patch: Tree) -> Result<Vec<Operation>, PatchError> {
    let refuse = |tree: &Tree, go_type: &str| {
        let kind = tree.kind();
        PatchError::Unreadable(format!(
            "json: cannot unmarshal {kind} into Go value of type jsonpatch.{go_type}"
        ))
    };
    let items = match patch {
        Tree::List(items) => items,
        Tree::Null => Vec::new(),
        other => return Err(refuse(&other, "Patch")),
    };
    items
        .into_iter()
        .map(|fields| match fields {
            Tree::Object(_) | Tree::Null => Ok(Operation { fields }),
            other => Err(refuse(&other, "Operation")),
        })
        .collect()
}

impl Operation {
    fn text(&self, field: &str) -> Result<Option<&str>, String> {
        match self.fields.get(field) {
            None | Some(Tree::Null) => Ok(None),
            Some(Tree::String(text)) => Ok(Some(text.as_str())),
            Some(other) => {
                Err(format!("json: cannot unmarshal {} into Go value of type string", other.kind()))
            }
        }
    }

    /// Where the operation acts. Some operations hide what is wrong with it.
    fn path(&self, operation: &'static str) -> Result<&str, OperationError> {
        const MISSING: &str = "missing value";
        let hides = matches!(operation, "add" | "remove" | "copy");
        let reason = match self.text("path") {
            Ok(Some(path)) => return Ok(path),
            _ if hides => MISSING.to_owned(),
            Ok(None) => format!("operation missing path field: {MISSING}"),
            Err(reason) => reason,
        };
        Err(OperationError::NoPath { operation, field: "path", reason })
    }

    fn from(&self, operation: &'static str) -> Result<&str, OperationError> {
        let reason = match self.text("from") {
            Ok(Some(from)) => return Ok(from),
            Ok(None) => "operation, missing from field: missing value".to_owned(),
            Err(reason) => reason,
        };
        Err(OperationError::NoPath { operation, field: "from", reason })
    }

    fn value(&self) -> Tree {
        self.fields.get("value").cloned().unwrap_or(Tree::Null)
    }

    fn apply(&self, object: &mut Tree) -> Result<(), OperationError> {
        match self.text("op") {
            Ok(Some("add")) => self.add(object),
            Ok(Some("remove")) => self.remove(object),
            Ok(Some("replace")) => self.replace(object),
            Ok(Some("move")) => self.relocate(object),
            Ok(Some("test")) => self.test(object),
            Ok(Some("copy")) => self.copy(object),
            Ok(Some(other)) => Err(OperationError::Unknown(other.to_owned())),
            Ok(None) | Err(_) => Err(OperationError::Unknown("unknown".to_owned())),
        }
    }

    fn add(&self, object: &mut Tree) -> Result<(), OperationError> {
        let path = self.path("add")?;
        let (holder, key) =
            find(object, path).ok_or_else(|| no_place("add", "path", &format!("\"{path}\"")))?;
        add(holder, &key, self.value()).map_err(|reason| place("add for path", path, reason))
    }

    fn remove(&self, object: &mut Tree) -> Result<(), OperationError> {
        let path = self.path("remove")?;
        let (holder, key) =
            find(object, path).ok_or_else(|| no_place("remove", "path", &format!("\"{path}\"")))?;
        remove(holder, &key).map(|_| ()).map_err(|reason| place("remove for path", path, reason))
    }

    fn replace(&self, object: &mut Tree) -> Result<(), OperationError> {
        let path = self.path("replace")?;
        if path.is_empty() {
            let value = self.value();
            if !matches!(value, Tree::Object(_) | Tree::List(_)) {
                return Err(OperationError::NotAnObject);
            }
            *object = value;
            return Ok(());
        }
        let (holder, key) = find(object, path).ok_or_else(|| no_place("replace", "path", path))?;
        match holder {
            Tree::List(items) => {
                let index = index(&key, items.len()).map_err(|_| no_place("replace", "key", path))?;
                items[index] = self.value();
            }
            holder => set(holder, &key, self.value()),
        }
        Ok(())
    }

    fn relocate(&self, object: &mut Tree) -> Result<(), OperationError> {
        let from = self.from("move")?;
        let (holder, key) = find(object, from).ok_or_else(|| no_place("move", "from path", from))?;
        let value = remove(holder, &key).map_err(|reason| place("move for path", &key, reason))?;
        let path = self.path("move")?;
        let (holder, key) = find(object, path).ok_or_else(|| no_place("move", "destination path", path))?;
        add(holder, &key, value).map_err(|reason| place("move for path", path, reason))
    }

    fn copy(&self, object: &mut Tree) -> Result<(), OperationError> {
        let from = self.from("copy")?;
        let (holder, key) = find(object, from).ok_or_else(|| no_place("copy", "from path", from))?;
        let value = get(holder, &key).map_err(|reason| place("copy for from", from, reason))?.clone();
        let path = self.path("copy")?;
        let (holder, key) = find(object, path).ok_or_else(|| no_place("copy", "destination path", path))?;
        add(holder, &key, value).map_err(OperationError::Copy)
    }

    fn test(&self, object: &mut Tree) -> Result<(), OperationError> {
        let path = self.path("test")?;
        let expected = self.value();
        if path.is_empty() {
            let same = equal(object, &expected);
            return if same { Ok(()) } else { Err(OperationError::TestFailed(String::new())) };
        }
        let (holder, key) = find(object, path).ok_or_else(|| no_place("test", "path", path))?;
        let value = get(holder, &key).map_err(|reason| place("test for path", path, reason))?;
        if equal(value, &expected) { Ok(()) } else { Err(OperationError::TestFailed(path.to_owned())) }
    }
}

fn no_place(operation: &'static str, what: &'static str, path: &str) -> OperationError {
    OperationError::NoPlace { operation, what, path: path.to_owned() }
}

fn place(action: &'static str, path: &str, reason: String) -> OperationError {
    OperationError::Place { action, path: path.to_owned(), reason }
}

/// Whether two values are spelled alike; fields in any order.
fn equal(a: &Tree, b: &Tree) -> bool {
    match (a, b) {
        (Tree::Object(fields), Tree::Object(others)) => {
            fields.len() == others.len()
                && fields.iter().all(|(name, value)| {
                    others
                        .iter()
                        .find(|(other, _)| other == name)
                        .is_some_and(|(_, other)| equal(value, other))
                })
        }
        (Tree::List(items), Tree::List(others)) => {
            items.len() == others.len() && items.iter().zip(others).all(|(a, b)| equal(a, b))
        }
        (a, b) => a == b,
    }
}

/// The holder of the place that a path names, and its name or index there. What comes before the first slash is
/// ignored.
fn find<'a>(object: &'a mut Tree, path: &str) -> Option<(&'a mut Tree, String)> {
    let mut steps: Vec<&str> = path.split('/').collect();
    let last = steps.pop()?;
    if steps.is_empty() {
        return None;
    }
    let mut place = object;
    for step in &steps[1..] {
        let key = unescaped(step);
        place = match place {
            Tree::Object(entries) => {
                entries.iter_mut().rev().find(|(name, _)| *name == key).map(|(_, value)| value)?
            }
            Tree::List(items) => {
                let index = index(&key, items.len()).ok()?;
                items.get_mut(index)?
            }
            _ => return None,
        };
        if !matches!(place, Tree::Object(_) | Tree::List(_)) {
            return None;
        }
    }
    Some((place, unescaped(last)))
}

/// `~1` is a slash and `~0` a tilde.
fn unescaped(step: &str) -> String {
    let mut text = String::with_capacity(step.len());
    let mut rest = step;
    while let Some(at) = rest.find('~') {
        text.push_str(&rest[..at]);
        let (c, length) = match rest.as_bytes().get(at + 1) {
            Some(b'1') => ('/', 2),
            Some(b'0') => ('~', 2),
            _ => ('~', 1),
        };
        text.push(c);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    text
}

fn invalid_index(index: i64) -> String {
    format!("Unable to access invalid index: {index}: invalid index referenced")
}

/// The index of an item; negative ones count from the end.
fn index(key: &str, length: usize) -> Result<usize, String> {
    let number = atoi(key).map_err(|error| error.to_string())?;
    let index = if number < 0 { number + length as i64 } else { number };
    usize::try_from(index).ok().filter(|index| *index < length).ok_or_else(|| invalid_index(number))
}

/// What stands at a place; a missing field is null.
fn get<'a>(holder: &'a Tree, key: &str) -> Result<&'a Tree, String> {
    match holder {
        Tree::List(items) => Ok(&items[index(key, items.len())?]),
        holder => Ok(holder.get(key).unwrap_or(&Tree::Null)),
    }
}

fn set(holder: &mut Tree, key: &str, value: Tree) {
    let Tree::Object(entries) = holder else { return };
    entries.retain(|(name, _)| name != key);
    entries.push((key.to_owned(), value));
}

fn add(holder: &mut Tree, key: &str, value: Tree) -> Result<(), String> {
    let Tree::List(items) = holder else {
        set(holder, key, value);
        return Ok(());
    };
    if key == "-" {
        items.push(value);
        return Ok(());
    }
    atoi(key).map_err(|error| format!("value was not a proper array index: '{key}': {error}"))?;
    let index = index(key, items.len() + 1)?;
    items.insert(index, value);
    Ok(())
}

fn remove(holder: &mut Tree, key: &str) -> Result<Tree, String> {
    match holder {
        Tree::List(items) => {
            let index = index(key, items.len())?;
            Ok(items.remove(index))
        }
        Tree::Object(entries) => {
            let value = entries.iter().rposition(|(name, _)| name == key).map(|at| entries.remove(at).1);
            entries.retain(|(name, _)| name != key);
            value.ok_or_else(|| format!("Unable to remove nonexistent key: {key}: missing value"))
        }
        _ => Err(format!("Unable to remove nonexistent key: {key}: missing value")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn apply(object: Value, patch: &str) -> Result<Value, String> {
        json_patch(object, patch, true)
            .map(|patched| patched.object.into_value())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn operations_change_the_object() {
        let object = json!({"a": {"b": 1}, "l": ["x", "y"]});
        let cases = [
            (r#"[{"op":"add","path":"/a/c","value":2}]"#, json!({"a": {"b": 1, "c": 2}, "l": ["x", "y"]})),
            (r#"[{"op":"add","path":"/l/-","value":"z"}]"#, json!({"a": {"b": 1}, "l": ["x", "y", "z"]})),
            (r#"[{"op":"add","path":"/l/0","value":"z"}]"#, json!({"a": {"b": 1}, "l": ["z", "x", "y"]})),
            (r#"[{"op":"remove","path":"/l/-1"}]"#, json!({"a": {"b": 1}, "l": ["x"]})),
            (
                r#"[{"op":"replace","path":"/new","value":null}]"#,
                json!({"a": {"b": 1}, "l": ["x", "y"], "new": null}),
            ),
            (r#"[{"op":"move","from":"/a/b","path":"/b"}]"#, json!({"a": {}, "b": 1, "l": ["x", "y"]})),
            (
                r#"[{"op":"copy","from":"/l","path":"/a/l"}]"#,
                json!({"a": {"b": 1, "l": ["x", "y"]}, "l": ["x", "y"]}),
            ),
            (
                r#"[{"op":"test","path":"/missing"},{"op":"test","path":"/a","value":{"b":1}}]"#,
                object.clone(),
            ),
            (
                r#"[{"op":"add","path":"/x~1y~0z","value":1}]"#,
                json!({"a": {"b": 1}, "l": ["x", "y"], "x/y~z": 1}),
            ),
            (r#"[{"op":"replace","path":"","value":{}}]"#, json!({})),
            ("null", object.clone()),
        ];
        for (patch, expected) in cases {
            assert_eq!(apply(object.clone(), patch).as_ref(), Ok(&expected), "{patch}");
        }
    }

    #[test]
    fn refusals_are_the_servers() {
        let cases = [
            (
                "{}",
                "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
            ),
            (
                r#"[{"op":1}]"#,
                "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
            ),
            (
                r#"[{"op":"add","path":"/x/y","value":1}]"#,
                r#"add operation does not apply: doc is missing path: "/x/y": missing value"#,
            ),
            (r#"[{"op":"add","value":1}]"#, "add operation failed to decode path: missing value"),
            (
                r#"[{"op":"remove","path":"/x"}]"#,
                "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
            ),
            (
                r#"[{"op":"replace","path":"/l/9","value":1}]"#,
                "replace operation does not apply: doc is missing key: /l/9: missing value",
            ),
            (
                r#"[{"op":"replace","path":"/x/y","value":1}]"#,
                "replace operation does not apply: doc is missing path: /x/y: missing value",
            ),
            (r#"[{"op":"test","path":"/a","value":{"b":1.0}}]"#, "testing value /a failed: test failed"),
            (
                r#"[{"op":"test","path":"/x/y"}]"#,
                "test operation does not apply: is missing path: /x/y: missing value",
            ),
            (
                r#"[{"op":"add","path":"/l/x","value":1}]"#,
                r#"error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax"#,
            ),
            (
                r#"[{"op":"add","path":"/l/7","value":1}]"#,
                "error in add for path: '/l/7': Unable to access invalid index: 7: invalid index referenced",
            ),
            (
                r#"[{"op":"move","path":"/x"}]"#,
                "move operation failed to decode from: operation, missing from field: missing value",
            ),
            (r#"[{"op":"jump","path":"/x"}]"#, "Unexpected kind: jump"),
            ("[{}]", "Unexpected kind: unknown"),
        ];
        for (patch, expected) in cases {
            assert_eq!(apply(json!({"a": {"b": 1}, "l": []}), patch), Err(expected.to_owned()), "{patch}");
        }
    }

    #[test]
    fn long_patches_are_refused() {
        let patch = format!("[{}{{}}]", "{},".repeat(MAX_OPERATIONS));
        let error = json_patch(json!({}), &patch, true).unwrap_err();
        assert_eq!(error.code(), 413);
        assert_eq!(error.to_string(), "The allowed maximum operations in a JSON patch is 10000, got 10001");
    }

    #[test]
    fn unknown_fields_of_operations_are_named() {
        let patched =
            json_patch(json!({}), r#"[{"op":"add","path":"/a","value":{"x":1,"x":2},"why":1}]"#, true)
                .unwrap();
        assert_eq!(
            patched.complaints,
            [r#"json patch duplicate field "[0].value.x""#, r#"json patch unknown field "[0].why""#]
        );
    }
}
