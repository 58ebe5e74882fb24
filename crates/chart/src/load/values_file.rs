//! Values as files hold them: one or more YAML documents, later ones laid over earlier ones.

use std::borrow::Cow;

use goyaml::{Mapping, Value};

use crate::DecodeError;

/// Why a file of values cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ValuesFileError {
    /// Something other than a comment follows `---`.
    #[error("error reading yaml document: invalid Yaml document separator: {text}")]
    Separator {
        /// What follows.
        text: String,
        /// The line, from 1.
        line: usize,
    },
    /// One of the documents is not a table of values.
    #[error("cannot unmarshal yaml document: {source}")]
    Document {
        /// What is wrong.
        source: DecodeError,
        /// The line its document starts on, from 1.
        first_line: usize,
    },
}

/// Reads all documents of a file and merges them. Numbers become `float64`, as they pass through JSON in Helm.
pub fn read_values(data: &[u8]) -> Result<Mapping, ValuesFileError> {
    // Helm's reader takes lines apart and puts them together with plain line feeds.
    let unified: Cow<'_, [u8]> = if memchr::memchr(b'\r', data).is_some() {
        let plain = |line: &[u8]| {
            line.strip_suffix(b"\r\n").map_or_else(|| line.to_vec(), |line| [line, b"\n"].concat())
        };
        data.split_inclusive(|byte| *byte == b'\n').flat_map(plain).collect()
    } else {
        data.into()
    };

    let mut values = Mapping::new();
    let mut start = 0;
    let mut first_line = 1;
    let (mut line, mut counted) = (1, 0);
    for offset in separators(&unified) {
        line += memchr::memchr_iter(b'\n', &unified[counted..offset]).count();
        counted = offset;
        let end = memchr::memchr(b'\n', &unified[offset..]).map_or(unified.len(), |end| offset + end + 1);
        let rest = goyaml::text_of(&unified[offset + 3..end]);
        let rest = rest.trim();
        if !rest.is_empty() && !rest.starts_with('#') {
            return Err(ValuesFileError::Separator { text: rest.to_owned(), line });
        }
        if start < offset {
            merge_document(&mut values, &unified[start..offset], first_line)?;
            start = end;
            first_line = line + 1;
        }
    }
    if start < unified.len() {
        merge_document(&mut values, &unified[start..], first_line)?;
    }
    Ok(values)
}

/// Where lines begin with `---`.
fn separators(text: &[u8]) -> impl Iterator<Item = usize> {
    let first = text.starts_with(b"---").then_some(0);
    first.into_iter().chain(memchr::memmem::find_iter(text, b"\n---").map(|at| at + 1))
}

fn merge_document(values: &mut Mapping, text: &[u8], first_line: usize) -> Result<(), ValuesFileError> {
    let refused = |source| ValuesFileError::Document { source, first_line };
    let document = match goyaml::from_slice(text).map_err(|error| refused(error.into()))? {
        Value::Null => return Ok(()),
        document => document.numbers_as_float64(),
    };
    let sort = match document {
        Value::Mapping(document) => {
            merge_maps(values, document);
            return Ok(());
        }
        Value::Bool(_) => "bool",
        Value::String(_) => "string",
        Value::Sequence(_) => "array",
        _ => "number",
    };
    Err(refused(DecodeError::Mismatch {
        message: format!("json: cannot unmarshal {sort} into Go value of type map[string]interface {{}}"),
        field: String::new(),
    }))
}

/// Lays `over` on `base`: tables are merged, everything else is replaced.
pub fn merge_maps(base: &mut Mapping, over: Mapping) {
    if base.is_empty() {
        *base = over;
        return;
    }
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Mapping(below)), Value::Mapping(above)) => merge_maps(below, above),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_laid_over_each_other() {
        for (text, expected) in [
            ("", "{}"),
            ("a: 1\nb: 1", r#"{"a":1,"b":1}"#),
            ("---\na: 1\n", r#"{"a":1}"#),
            ("---\r\na: 1\r\n---  # more\r\na: 2\r\n", r#"{"a":2}"#),
            ("a: {x: 1}\n---\na: {z: 2}\n---\n", r#"{"a":{"x":1,"z":2}}"#),
            ("a: 1\n---\n---\nb: 2\n---", r#"{"a":1,"b":2}"#),
            ("a: 1\n ---\n", r#"{"a":"1 ---"}"#),
        ] {
            let values = read_values(text.as_bytes()).unwrap();
            assert_eq!(goyaml::json::to_string(&Value::Mapping(values)).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let separator = read_values(b"a: 1\n\n---\nb: 2\n--- no\n").unwrap_err();
        assert_eq!(separator, ValuesFileError::Separator { text: "no".to_owned(), line: 5 });
        let document = read_values(b"a: 1\n---\n# a list\n- 1\n").unwrap_err();
        assert!(matches!(document, ValuesFileError::Document { first_line: 3, .. }), "{document:?}");
    }
}
