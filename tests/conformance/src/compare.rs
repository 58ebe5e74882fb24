//! Compares two traces, and says where they part.

use std::fmt::Write as _;

use serde_json::Value;

use crate::normal::{Names, sorted};
use crate::replay::Trace;
use crate::sequence::{Action, Call, Sequence};
use crate::server::Answer;

/// A place in the answer to a step at which two servers differ.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The number of the step.
    pub step: usize,
    /// What differences of this sort have in common.
    pub signature: String,
    /// Whether the servers were alike until then, so that it cannot come from another difference.
    pub first: bool,
    /// Each place that differs: what the real server says, and the other.
    pub places: Vec<Place>,
    /// The two answers, normalised.
    pub answers: (Answer, Answer),
}

/// A path, and what is there on both sides.
pub type Place = (String, Option<Value>, Option<Value>);

/// How many places of one answer are told apart.
const PLACES: usize = 3;

/// The differences of two traces of one sequence, each sort once.
pub fn compare(sequence: &Sequence, left: &Trace, right: &Trace) -> Vec<Difference> {
    let (mut left_names, mut right_names) = (Names::default(), Names::default());
    let mut differences: Vec<Difference> = Vec::new();
    for ((step, one), (_, other)) in left.answers.iter().zip(&right.answers) {
        let (one, other) = (left_names.normal(one), right_names.normal(other));
        let places = places(&one, &other);
        let call = sequence.steps.iter().find(|candidate| candidate.id == *step).and_then(|step| match &step
            .action
        {
            Action::Call(call) => Some(call),
            Action::Settle(_) => None,
        });
        let Some(call) = call else { continue };
        let first = differences.is_empty();
        for (at, place) in places.iter().enumerate().take(PLACES) {
            // Numbers of what a server has chosen go on being others once one was left out.
            let chosen = matches!(place.0.rsplit('.').next(), Some("resourceVersion" | "uid"));
            if !first && chosen {
                continue;
            }
            let signature = signature(call, &one, &other, &place.0);
            if differences.iter().any(|known| known.signature == signature) {
                continue;
            }
            // The place that gave the name is told first.
            let mut places = places.clone();
            places[..=at].rotate_right(1);
            let answers = (one.clone(), other.clone());
            differences.push(Difference { step: *step, signature, first, places, answers });
            if one.code != other.code {
                break;
            }
        }
    }
    differences
}

fn places(one: &Answer, other: &Answer) -> Vec<Place> {
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

fn parts(path: &str, one: Option<&Value>, other: Option<&Value>, places: &mut Vec<Place>) {
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

/// What is alike in many differences: the kind and the place, and where the answer itself is another, the verb.
fn signature(call: &Call, one: &Answer, other: &Answer, place: &str) -> String {
    let kind =
        call.path.split('/').rfind(|part| part.ends_with('s') && !part.contains('⟨') && *part != "status");
    let kind = kind.unwrap_or("?");
    let slash = if call.subresource.is_empty() { "" } else { "/" };
    let plain = plain(place);
    if call.history && one.code == other.code {
        return format!("{kind} in their history, {}", plain.rsplit('.').next().unwrap_or_default());
    }
    let good = (200..300).contains(&one.code) && one.code == other.code;
    if good
        && plain.starts_with('.')
        && !plain.starts_with(".rows")
        && !plain.starts_with(".columnDefinitions")
    {
        return format!("{kind} {plain}");
    }
    let mut text = format!("{} {kind}{slash}{} {}", call.verb.name(), call.subresource, one.code);
    if one.code != other.code {
        let _ = write!(text, "→{}", other.code);
    }
    let _ = write!(text, " {plain}");
    if plain == ".message" || plain.starts_with(".details.causes") || one.code != other.code {
        let said = [&one.body, &other.body].into_iter().find_map(|body| body["message"].as_str());
        // Numbers may be others when it is asked again.
        let plain = |letter: char| if letter.is_ascii_digit() { '#' } else { letter };
        let words = said.unwrap_or_default().rsplit(": ").next().unwrap_or_default();
        let words: String = words.chars().take(40).map(plain).collect();
        let _ = write!(text, " ({})", words.replace('\n', " "));
    }
    text
}

/// A path without the numbers of items, the names of fields that somebody manages, and where in an answer the object is.
fn plain(place: &str) -> String {
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
    let end = plain.find(".fieldsV1").map_or(plain.len(), |at| at + ".fieldsV1".len());
    plain.truncate(end);
    for wrapping in [".items[].", "[].object."] {
        if let Some(rest) = plain.strip_prefix(wrapping) {
            return format!(".{rest}");
        }
    }
    plain
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
