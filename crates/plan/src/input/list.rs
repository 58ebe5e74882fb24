//! Lists of names, and single values, as annotations hold them.

use std::borrow::Cow;

use goyaml::Value;
use objects::{ListError, annotation_list};

/// Hands every name of a list to `each`. A single text, which is what most are, is divided without copying.
pub(crate) fn names(value: &Value, each: &mut impl FnMut(&str)) -> Result<(), ListError> {
    if let Value::String(text) = value
        && !text.contains(['[', '"', '\''])
    {
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).for_each(each);
        return Ok(());
    }
    annotation_list(value)?.iter().for_each(|name| each(name));
    Ok(())
}

/// A single value as the text it would be in JSON's string map.
pub(crate) fn scalar(value: &Value) -> Result<Cow<'_, str>, ListError> {
    Ok(match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        Value::Int(value) => Cow::Owned(value.to_string()),
        Value::Uint(value) => Cow::Owned(value.to_string()),
        Value::Float(value) => Cow::Owned(goyaml::json::float_text(*value)),
        Value::Number(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        Value::Sequence(_) => return Err(ListError::NotText { kind: "list" }),
        Value::Mapping(_) => return Err(ListError::NotText { kind: "mapping" }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(yaml: &str) -> Result<Vec<String>, ListError> {
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
        assert_eq!(read("{a: b}"), Err(ListError::NotText { kind: "mapping" }));
        assert_eq!(read("[[a]]"), Err(ListError::NotText { kind: "list" }));
        assert!(matches!(read("'[\"a\"'"), Err(ListError::Json { .. })));
    }
}
