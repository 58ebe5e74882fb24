//! `FieldsV1`: sets of fields as they stand in `metadata.managedFields`.

use serde_json::{Map, Value};

use crate::element::{ElementError, PathElement};
use crate::gotext::write_json_string;
use crate::set::{FieldSet, Node};

/// Why stored fields cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldsError {
    /// A step is not an object.
    #[error("expect {{ or n, but found {0}")]
    NotAnObject(String),
    /// A step cannot be read.
    #[error("parsing key as path element: {0}")]
    Element(#[from] ElementError),
}

impl<'a> FieldSet<'a> {
    /// Reads `FieldsV1`. Steps of kinds that nobody knows are passed over.
    pub fn from_fields(fields: &'a Value) -> Result<Self, FieldsError> {
        Ok(read(fields)?.0)
    }

    /// The set as `FieldsV1`.
    pub fn to_fields(&self) -> Value {
        Value::Object(write(self, false))
    }

    /// The set as `FieldsV1` in text, in the very order of the real server.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write_text(self, false, &mut out);
        out
    }
}

/// The members below a step, and whether the step itself is one. A step with nothing below it is a member.
fn read(fields: &Value) -> Result<(FieldSet<'_>, bool), FieldsError> {
    let mut set = FieldSet::default();
    let steps = match fields {
        Value::Object(steps) => steps,
        Value::Null => return Ok((set, true)),
        other => return Err(FieldsError::NotAnObject(other.to_string())),
    };
    let mut member = false;
    for (step, below) in steps {
        if step == "." {
            member = true;
            continue;
        }
        let element = match PathElement::parse(step) {
            Ok(element) => element,
            Err(ElementError::Unknown) => continue,
            Err(error) => return Err(error.into()),
        };
        let (children, member) = read(below)?;
        set.push(Node { element, member, children });
    }
    let alone = set.is_empty();
    Ok((set, member || alone))
}

fn write(set: &FieldSet<'_>, member: bool) -> Map<String, Value> {
    let mut fields = Map::new();
    if member && !set.is_empty() {
        fields.insert(".".into(), Value::Object(Map::new()));
    }
    for node in set.nodes() {
        let mut step = String::new();
        node.element.write(&mut step);
        fields.insert(step, Value::Object(write(&node.children, node.member)));
    }
    fields
}

fn write_text(set: &FieldSet<'_>, member: bool, out: &mut String) {
    out.push('{');
    let mut first = true;
    if member && !set.is_empty() {
        out.push_str("\".\":{}");
        first = false;
    }
    let mut step = String::new();
    for node in set.nodes() {
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        step.clear();
        node.element.write(&mut step);
        write_json_string(out, &step, false);
        out.push(':');
        write_text(&node.children, node.member, out);
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_with_members_below_carry_a_dot() {
        let set = FieldSet::of_fields(["metadata.labels", "metadata.labels.app", "data.a"]);
        let fields = json!({"f:data": {"f:a": {}}, "f:metadata": {"f:labels": {".": {}, "f:app": {}}}});
        assert_eq!(set.to_fields(), fields);
        assert_eq!(FieldSet::from_fields(&fields).unwrap(), set);
    }

    #[test]
    fn what_others_wrote_is_read() {
        for (fields, json) in [
            (json!({}), "{}"),
            (json!(null), "{}"),
            (json!({"f:a": null}), r#"{"f:a":{}}"#),
            (json!({"f:a": {".": {}}}), r#"{"f:a":{}}"#),
            (json!({"f:a": {"x:new": {}}}), r#"{"f:a":{}}"#),
            (json!({".": {}}), "{}"),
            (json!({"k:{\"a\":1,\"b\":2}": {}, "k:{\"b\":2,\"a\":1}": {}}), r#"{"k:{\"a\":1,\"b\":2}":{}}"#),
        ] {
            assert_eq!(FieldSet::from_fields(&fields).unwrap().to_json(), json);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for fields in [json!({"f:a": 1}), json!([]), json!({"a": {}}), json!({"i:x": {}}), json!({"v:": {}})]
        {
            assert!(FieldSet::from_fields(&fields).is_err(), "{fields}");
        }
    }

    #[test]
    fn text_is_in_the_order_of_steps() {
        let set = FieldSet::of([
            vec![PathElement::field("l"), PathElement::key([("port", json!(10))])],
            vec![PathElement::field("l"), PathElement::key([("port", json!(9))])],
            vec![PathElement::field("l"), PathElement::value("<")],
        ]);
        assert_eq!(set.to_json(), r#"{"f:l":{"k:{\"port\":9}":{},"k:{\"port\":10}":{},"v:\"\\u003c\"":{}}}"#);
    }
}
