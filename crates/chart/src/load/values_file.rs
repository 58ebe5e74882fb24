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
    let unified: Cow<'_, [u8]> = if memchr::memmem::find(data, b"\r\n").is_some() {
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
    let mut offset = 0;
    for (index, line) in unified.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let end = offset + line.len();
        if let Some(rest) = line.strip_prefix(b"---") {
            let rest = goyaml::text_of(rest);
            let rest = rest.trim();
            if !rest.is_empty() && !rest.starts_with('#') {
                return Err(ValuesFileError::Separator { text: rest.to_owned(), line: index + 1 });
            }
            if start < offset {
                merge_document(&mut values, &unified[start..offset], first_line)?;
                start = end;
                first_line = index + 2;
            }
        }
        offset = end;
    }
    if start < offset {
        merge_document(&mut values, &unified[start..], first_line)?;
    }
    Ok(values)
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
