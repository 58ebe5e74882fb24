//! Compares two traces, and says where they part.

use std::fmt::Write as _;

use serde_json::Value;

use crate::normal::{Names, sorted};
use crate::replay::Trace;
use crate::sequence::{Action, Call, Sequence};
use crate::server::Answer;

/// The first step at which two servers differ.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The number of the step.
    pub step: usize,
    /// What differences of this sort have in common.
    pub signature: String,
    /// Each place that differs: what the real server says, and the other.
    pub places: Vec<(String, Option<Value>, Option<Value>)>,
    /// The two answers, normalised.
    pub answers: (Answer, Answer),
}

/// The first difference of two traces of one sequence.
pub fn compare(sequence: &Sequence, left: &Trace, right: &Trace) -> Option<Difference> {
    let (mut left_names, mut right_names) = (Names::default(), Names::default());
    for ((step, one), (_, other)) in left.answers.iter().zip(&right.answers) {
        let (one, other) = (left_names.normal(one), right_names.normal(other));
        let places = places(&one, &other);
        if places.is_empty() {
            continue;
        }
        let call =
            sequence.steps.iter().find(|candidate| candidate.id == *step).and_then(|step| {
                match &step.action {
                    Action::Call(call) => Some(call),
                    Action::Settle(_) => None,
                }
            })?;
        let signature = signature(call, &one, &other, &places[0].0);
        return Some(Difference { step: *step, signature, places, answers: (one, other) });
    }
    None
}

fn places(one: &Answer, other: &Answer) -> Vec<(String, Option<Value>, Option<Value>)> {
    let mut places = Vec::new();
    if one.code != other.code {
        places.push(("code".to_owned(), Some(one.code.into()), Some(other.code.into())));
    }
    if one.content_type != other.content_type {
        let (one, other) = (one.content_type.clone(), other.content_type.clone());
        places.push(("Content-Type".to_owned(), Some(one.into()), Some(other.into())));
    }
    if one.warnings != other.warnings {
        places.push((
            "Warning".to_owned(),
            Some(one.warnings.clone().into()),
            Some(other.warnings.clone().into()),
        ));
    }
    parts("", Some(&one.body), Some(&other.body), &mut places);
    places
}

fn parts(
    path: &str,
    one: Option<&Value>,
    other: Option<&Value>,
    places: &mut Vec<(String, Option<Value>, Option<Value>)>,
) {
    match (one, other) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            for (key, value) in sorted(left) {
                parts(&format!("{path}.{key}"), Some(value), right.get(key), places);
            }
            for (key, value) in sorted(right) {
                if !left.contains_key(key) {
                    parts(&format!("{path}.{key}"), None, Some(value), places);
                }
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) => {
            for at in 0..left.len().max(right.len()) {
                parts(&format!("{path}[{at}]"), left.get(at), right.get(at), places);
            }
        }
        (one, other) if one == other => {}
        (one, other) => places.push((path.to_owned(), one.cloned(), other.cloned())),
    }
}

fn signature(call: &Call, one: &Answer, other: &Answer, place: &str) -> String {
    let mut text = String::new();
    let kind =
        call.path.split('/').rfind(|part| part.ends_with('s') && !part.contains('⟨') && *part != "status");
    let slash = if call.subresource.is_empty() { "" } else { "/" };
    let _ = write!(text, "{} {}{slash}{}", call.verb.name(), kind.unwrap_or("?"), call.subresource);
    if one.code == other.code {
        let _ = write!(text, " {}", one.code);
    } else {
        let _ = write!(text, " {}→{}", one.code, other.code);
    }
    let mut plain = String::new();
    let mut inside = false;
    for letter in place.chars() {
        match letter {
            '[' => inside = true,
            ']' => {
                inside = false;
                plain.push_str("[]");
            }
            _ if inside => {}
            _ => plain.push(letter),
        }
    }
    // The fields that somebody manages are as many as there are fields.
    let end = plain.find(".fieldsV1").map_or(plain.len(), |at| at + ".fieldsV1".len());
    let _ = write!(text, " {}", &plain[..end]);
    if plain == ".message" || plain.starts_with(".details.causes") {
        let reason = one.body["message"].as_str().unwrap_or_default();
        let words: String = reason.rsplit(": ").next().unwrap_or_default().chars().take(40).collect();
        let _ = write!(text, " ({words})");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_told_by_their_place() {
        let answer = |code: u16, body: Value| Answer { code, body, ..Answer::default() };
        let cases = [
            (answer(200, json!({"a": 1})), answer(200, json!({"a": 1})), vec![]),
            (answer(200, json!({"a": [1, 2]})), answer(200, json!({"a": [1]})), vec![".a[1]"]),
            (answer(200, json!({"a": 1})), answer(409, json!({"b": 1})), vec!["code", ".a", ".b"]),
        ];
        for (one, other, expected) in cases {
            let found: Vec<_> = places(&one, &other).into_iter().map(|(path, ..)| path).collect();
            assert_eq!(found, expected);
        }
    }
}
