//! Lists in annotations, in all the spellings that charts use.

use goyaml::Value;
use thiserror::Error;

/// Why the value of an annotation is not a list.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ListError {
    /// It begins as a JSON array, but is none.
    #[error("{text:?} begins as a JSON array, but is none: {problem}")]
    Json {
        /// The whole value.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An element, or the whole value, that is not a plain one.
    #[error("a {kind} stands where a text should")]
    NotText {
        /// What stands there.
        kind: &'static str,
    },
}

/// The elements of an annotation that is a list: a YAML list, a JSON array in a text, or a text with commas. Commas
/// divide inside an element too (`["database, queue"]` has two), except within quotes and brackets. Empty elements
/// are dropped.
pub fn annotation_list(value: &Value) -> Result<Vec<String>, ListError> {
    let mut elements = Vec::new();
    match value {
        Value::Sequence(items) => divide_all(items, &mut elements)?,
        Value::String(text) if text.trim_start().starts_with('[') => {
            match goyaml::json::from_str(text.trim()) {
                Ok(Value::Sequence(items)) => divide_all(&items, &mut elements)?,
                Ok(other) => return Err(ListError::NotText { kind: kind(&other) }),
                Err(error) => return Err(ListError::Json { text: text.clone(), problem: error.to_string() }),
            }
        }
        other => divide_all(std::slice::from_ref(other), &mut elements)?,
    }
    Ok(elements)
}

fn divide_all(items: &[Value], elements: &mut Vec<String>) -> Result<(), ListError> {
    for item in items {
        match item {
            Value::Null => {}
            Value::Sequence(_) | Value::Mapping(_) => return Err(ListError::NotText { kind: kind(item) }),
            scalar => divide(&crate::go_text::text(scalar), elements),
        }
    }
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Sequence(_) => "list",
        Value::Mapping(_) => "mapping",
        _ => "scalar",
    }
}

fn divide(text: &str, elements: &mut Vec<String>) {
    let mut quote = None;
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                push(&text[start..at], elements);
                start = at + 1;
            }
            _ => {}
        }
    }
    push(&text[start..], elements);
}

fn push(part: &str, elements: &mut Vec<String>) {
    let part = part.trim();
    if !part.is_empty() {
        elements.push(part.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_the_same_list() {
        for spelling in [
            "[database, queue]",
            "'database, queue'",
            "'database,queue,'",
            "[\"database, queue\"]",
            "'[\"database\", \"queue\"]'",
            "'[\"database, queue\"]'",
            "|\n  [\"database\",\n   \"queue\"]\n",
        ] {
            let value = goyaml::from_str(spelling).unwrap();
            let expected = vec!["database".to_owned(), "queue".to_owned()];
            assert_eq!(annotation_list(&value), Ok(expected), "{spelling}");
        }
    }

    #[test]
    fn commas_inside_of_brackets_and_quotes_do_not_divide() {
        for (text, expected) in [
            ("{.a[0,1]} == 1, b==2", &["{.a[0,1]} == 1", "b==2"][..]),
            ("a == 'x, y',b==1", &["a == 'x, y'", "b==1"]),
            ("conditions[?(@.type==\"A,B\")].status==True", &["conditions[?(@.type==\"A,B\")].status==True"]),
            ("", &[]),
            (" , ,", &[]),
        ] {
            assert_eq!(annotation_list(&Value::String(text.into())).unwrap(), expected, "{text}");
        }
        assert_eq!(annotation_list(&goyaml::from_str("[1, true, null]").unwrap()).unwrap(), ["1", "true"]);
    }

    #[test]
    fn what_is_no_list_says_so() {
        for (yaml, message) in [
            ("{a: b}", "a mapping stands where a text should"),
            ("[[a]]", "a list stands where a text should"),
            ("'[a]'", "\"[a]\" begins as a JSON array, but is none: "),
        ] {
            let error = annotation_list(&goyaml::from_str(yaml).unwrap()).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
