//! One object as people read it: fields under each other, and how it stands.

use std::fmt::Write as _;

use catalog::kinds::{DELETED, FAILED, READY};
use extension::ExtensionStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde_json::{Map, Value};

/// The condition that tells how an object stands: what is final before what is not.
fn telling(status: Option<&ExtensionStatus>) -> Option<&Condition> {
    let status = status?;
    let holds = |kind| status.condition(kind).filter(|condition| condition.status == "True");
    holds(DELETED).or_else(|| holds(FAILED)).or_else(|| status.condition(READY))
}

/// How an object stands, in a word: a condition that holds, or why the one that should does not.
pub(super) fn short(status: Option<&ExtensionStatus>) -> String {
    telling(status).map(word).unwrap_or_default()
}

fn word(condition: &Condition) -> String {
    if condition.status == "True" { condition.type_.clone() } else { condition.reason.clone() }
}

/// How an object stands, in a sentence.
pub(super) fn full(status: Option<&ExtensionStatus>) -> String {
    let Some(condition) = telling(status) else { return String::new() };
    let message = condition.message.trim_end_matches('.');
    let time = condition.last_transition_time.0.strftime("%Y-%m-%d %H:%M:%S UTC");
    if message.is_empty() {
        format!("{} @ {time}", word(condition))
    } else {
        format!("{} - {message} @ {time}", word(condition))
    }
}

/// Fields under each other; what is empty is left out.
pub(super) fn fields(pairs: &[(&str, String)]) -> String {
    let told = || pairs.iter().filter(|(_, value)| !value.is_empty());
    let width = told().map(|(name, _)| name.len() + 1).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in told() {
        let _ = writeln!(text, "  {:<width$}  {value}", format!("{name}:"));
    }
    text
}

/// A part with a heading.
pub(super) fn part(heading: &str, body: &str, none: &str) -> String {
    let body = body.trim_end();
    if body.is_empty() { format!("\n{heading}:\n  {none}\n") } else { format!("\n{heading}:\n{body}\n") }
}

/// Parameters, as YAML two columns in.
pub(super) fn parameters(parameters: Option<&Map<String, Value>>, from: &[String]) -> String {
    let mut text = String::new();
    if let Some(parameters) = parameters.filter(|parameters| !parameters.is_empty()) {
        for line in goyaml::to_string(parameters).unwrap_or_default().lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    for source in from {
        let _ = writeln!(text, "  (from the Secret {source})");
    }
    text
}

/// So many classes and plans.
pub(super) fn counted(classes: u32, plans: u32) -> String {
    let many = |count: u32, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    format!("{}, {}", many(classes, "class", "classes"), many(plans, "plan", "plans"))
}
