//! Lists of names in every form in which people write them into annotations.

use std::borrow::Cow;

use goyaml::Value;

/// Why a value is not a list of names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadList {
    /// It begins like a JSON array, but is none.
    #[error("expected a JSON array of names, found {text:?}")]
    Array {
        /// What was found.
        text: String,
    },
    /// It is, or contains, something that is no name.
    #[error("expected a list of names, found {found}")]
    Kind {
        /// What was found.
        found: &'static str,
    },
}

/// Hands every name of a list to `each`: of a YAML list, of a JSON array in a text, or between commas, and between
/// commas inside of one element too. Blanks around names and empty names are dropped.
pub(crate) fn names(value: &Value, each: &mut impl FnMut(&str)) -> Result<(), BadList> {
    match value {
        Value::Null => Ok(()),
        Value::Sequence(items) => elements(items, each),
        _ => {
            let text = scalar(value)?;
            let text = text.trim();
            if !text.starts_with('[') {
                split(text, each);
                return Ok(());
            }
            let bad = || BadList::Array { text: text.to_owned() };
            match goyaml::from_str(text) {
                Ok(Value::Sequence(items)) => elements(&items, each).map_err(|_| bad()),
                _ => Err(bad()),
            }
        }
    }
}

/// The texts of a list whose elements may hold commas of their own, such as readiness expressions: a list, a JSON
/// array in a text, or one text.
pub(crate) fn texts(value: &Value) -> Result<Vec<String>, BadList> {
    let of = |items: &[Value]| items.iter().map(|item| scalar(item).map(Cow::into_owned)).collect();
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Sequence(items) => of(items),
        _ => {
            let text = scalar(value)?;
            match goyaml::from_str(&text) {
                Ok(Value::Sequence(items)) if text.trim_start().starts_with('[') => of(&items),
                _ => Ok(vec![text.into_owned()]),
            }
        }
    }
}

/// A single value as the text it would be in JSON's string map.
pub(crate) fn scalar(value: &Value) -> Result<Cow<'_, str>, BadList> {
    Ok(match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        Value::Int(value) => Cow::Owned(value.to_string()),
        Value::Uint(value) => Cow::Owned(value.to_string()),
        Value::Float(value) => Cow::Owned(goyaml::json::float_text(*value)),
        Value::Number(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        Value::Sequence(_) => return Err(BadList::Kind { found: "a list" }),
        Value::Mapping(_) => return Err(BadList::Kind { found: "a mapping" }),
    })
}

fn elements(items: &[Value], each: &mut impl FnMut(&str)) -> Result<(), BadList> {
    for item in items {
        split(&scalar(item)?, each);
    }
    Ok(())
}

fn split(text: &str, each: &mut impl FnMut(&str)) {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).for_each(each);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(yaml: &str) -> Result<Vec<String>, BadList> {
        let mut found = Vec::new();
        names(&goyaml::from_str(yaml).unwrap(), &mut |name: &str| found.push(name.to_owned()))?;
        Ok(found)
    }

    #[test]
    fn every_form_of_a_list_is_read() {
        for form in [
            "[database, queue]",
            r#"["database, queue"]"#,
            r#"'["database", "queue"]'"#,
            r#"'["database, queue"]'"#,
            "database, queue",
            "database,queue,",
            "- database\n- queue\n",
            "'[database, queue]'",
        ] {
            assert_eq!(read(form).unwrap(), ["database", "queue"], "{form}");
        }
    }

    #[test]
    fn nothing_is_an_empty_list_and_numbers_are_names() {
        assert_eq!(read("~").unwrap(), [""; 0]);
        assert_eq!(read("''").unwrap(), [""; 0]);
        assert_eq!(read("[1, true]").unwrap(), ["1", "true"]);
    }

    #[test]
    fn what_is_no_list_of_names_is_refused() {
        assert_eq!(read("{a: b}"), Err(BadList::Kind { found: "a mapping" }));
        assert_eq!(read("[[a]]"), Err(BadList::Kind { found: "a list" }));
        assert_eq!(read("'[\"a\"'"), Err(BadList::Array { text: "[\"a\"".into() }));
    }

    #[test]
    fn expressions_keep_their_commas() {
        let value = goyaml::from_str(r#"["{.a} == 'x, y'", "b==1"]"#).unwrap();
        assert_eq!(texts(&value).unwrap(), ["{.a} == 'x, y'", "b==1"]);
        assert_eq!(texts(&Value::from(r#"["b==1"]"#)).unwrap(), ["b==1"]);
        assert_eq!(texts(&Value::from("b==1")).unwrap(), ["b==1"]);
    }
}
