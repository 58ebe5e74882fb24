//! `status.conditions`, read as Kubernetes' converter reads them.

use goyaml::Value;

use super::fields::Malformed;
use crate::go_text;

/// What kstatus looks at in a condition; absent texts are empty.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::readiness) struct Condition<'a> {
    pub(in crate::readiness) kind: &'a str,
    pub(in crate::readiness) status: &'a str,
    pub(in crate::readiness) reason: &'a str,
    pub(in crate::readiness) message: &'a str,
    pub(in crate::readiness) observed_generation: Option<i64>,
}

impl Condition<'_> {
    pub(super) fn is(&self, kind: &str, status: &str) -> bool {
        self.kind == kind && self.status == status
    }
}

/// All conditions in their order.
pub(in crate::readiness) fn conditions(object: &Value) -> Result<Vec<Condition<'_>>, Malformed> {
    let status = match object.get("status") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(status @ Value::Mapping(_)) => status,
        Some(other) => return Err(not_a_struct(other)),
    };
    match status.get("conditions") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Sequence(items)) => items.iter().map(condition).collect(),
        Some(other) => Err(Malformed(format!("cannot restore slice from {}", go_text::kind(other)))),
    }
}

fn condition(item: &Value) -> Result<Condition<'_>, Malformed> {
    match item {
        Value::Null => Ok(Condition::default()),
        Value::Mapping(_) => Ok(Condition {
            kind: text(item.get("type"), "string")?,
            status: text(item.get("status"), "v1.ConditionStatus")?,
            reason: text(item.get("reason"), "string")?,
            message: text(item.get("message"), "string")?,
            observed_generation: item.get("observedGeneration").and_then(Value::as_i64),
        }),
        other => Err(not_a_struct(other)),
    }
}

fn text<'a>(value: Option<&'a Value>, type_name: &str) -> Result<&'a str, Malformed> {
    match value {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        // Go could turn a number into a character, so its converter has words of its own for integers.
        Some(number) if go_text::kind(number) == "int64" => {
            Err(Malformed(format!("cannot convert int64 to {type_name}")))
        }
        Some(_) => Err(Malformed("unrecognized type: string".to_owned())),
    }
}

fn not_a_struct(value: &Value) -> Malformed {
    Malformed(format!("cannot restore struct from: {}", go_text::kind(value)))
}
