//! The flags that give values, and the order in which they are laid over each other.

use goyaml::{Mapping, Value};

use super::set::{Reading, SetError, set};
use crate::load::{ValuesFileError, merge_maps, read_values};

/// The values a user asked for, by flag. Files come first, then the flags in the order of the fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueOptions {
    /// `-f`/`--values`: paths, addresses, or `-` for standard input.
    pub files: Vec<String>,
    /// `--set-json`.
    pub json: Vec<String>,
    /// `--set`.
    pub set: Vec<String>,
    /// `--set-string`.
    pub strings: Vec<String>,
    /// `--set-file`.
    pub from_files: Vec<String>,
    /// `--set-literal`.
    pub literals: Vec<String>,
}

/// Where a flag's contents come from. The caller reads it, so that this crate needs no network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'a> {
    /// `-`.
    Stdin,
    /// A path, or an address if its scheme is one the caller can fetch.
    Location(&'a str),
}

/// Why the values a user gave cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ValuesError {
    /// A file cannot be read; the words are the reader's.
    #[error("{message}")]
    Read {
        /// What was asked for.
        location: String,
        /// What went wrong.
        message: String,
    },
    /// A file does not hold values.
    #[error("failed to parse {file}: {source}")]
    File {
        /// The file.
        file: String,
        /// What is wrong with it.
        source: ValuesFileError,
    },
    /// `--set-json` with an object that is none.
    #[error("failed parsing --set-json data JSON: {expression}")]
    JsonObject {
        /// The whole argument.
        expression: String,
    },
    /// `--set-json` with an expression that is none.
    #[error("failed parsing --set-json data {expression}")]
    Json {
        /// The whole argument.
        expression: String,
        /// Which part is wrong.
        source: SetError,
    },
    /// Another of the `--set` family.
    #[error("failed parsing --{flag} data: {source}")]
    Set {
        /// The flag's name.
        flag: &'static str,
        /// The whole argument.
        expression: String,
        /// What is wrong with it.
        source: SetError,
    },
}

impl ValueOptions {
    /// All values in one tree. `read` gives the contents of files, addresses and standard input, or says why not.
    pub fn merge(
        &self,
        read: &mut dyn FnMut(Source<'_>) -> Result<Vec<u8>, String>,
    ) -> Result<Mapping, ValuesError> {
        let mut read = |location: &str| {
            let source = if location.trim() == "-" { Source::Stdin } else { Source::Location(location) };
            read(source)
        };
        let mut values = Mapping::new();
        for file in &self.files {
            let data = read(file).map_err(|message| ValuesError::Read { location: file.clone(), message })?;
            let document =
                read_values(&data).map_err(|source| ValuesError::File { file: file.clone(), source })?;
            merge_maps(&mut values, document);
        }
        for expression in &self.json {
            apply_json(expression, &mut values)?;
        }
        let flags = [("set", &self.set), ("set-string", &self.strings)];
        for (flag, expressions) in flags {
            for expression in expressions {
                let reading = if flag == "set" { Reading::Typed } else { Reading::Text };
                apply(flag, expression, &mut values, reading)?;
            }
        }
        for expression in &self.from_files {
            let mut contents =
                |path: &str| read(path).map(|data| goyaml::carried::carried(&data).into_owned());
            apply("set-file", expression, &mut values, Reading::File(&mut contents))?;
        }
        for expression in &self.literals {
            apply("set-literal", expression, &mut values, Reading::Literal)?;
        }
        Ok(values)
    }
}

fn apply(
    flag: &'static str,
    expression: &str,
    values: &mut Mapping,
    reading: Reading<'_>,
) -> Result<(), ValuesError> {
    set(expression, values, reading).map_err(|source| ValuesError::Set {
        flag,
        expression: expression.to_owned(),
        source,
    })
}

/// Either a whole object, or `key=json` expressions.
fn apply_json(expression: &str, values: &mut Mapping) -> Result<(), ValuesError> {
    let trimmed = expression.trim();
    if trimmed.starts_with('{') {
        let Ok(Value::Mapping(object)) = goyaml::json::from_str(trimmed).map(Value::numbers_as_float64)
        else {
            return Err(ValuesError::JsonObject { expression: expression.to_owned() });
        };
        merge_maps(values, object);
        return Ok(());
    }
    set(expression, values, Reading::Json)
        .map_err(|source| ValuesError::Json { expression: expression.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(options: &ValueOptions) -> Result<String, String> {
        let mut read = |source: Source<'_>| match source {
            Source::Stdin => Ok(b"a: stdin\nonly: here\n".to_vec()),
            Source::Location("one.yaml") => {
                Ok(b"a: 1\nt:\n  x: 1\n---\nt:\n  v: 2\nbig: 12345678\n".to_vec())
            }
            Source::Location("two.yaml") => Ok(b"t: {x: null}\nl: [1]\r\n".to_vec()),
            Source::Location("bad.yaml") => Ok(b"- 1\n".to_vec()),
            Source::Location("sep.yaml") => Ok(b"a: 1\n--- b\n".to_vec()),
            Source::Location(other) => Err(format!("open {other}: no such file or directory")),
        };
        let values = options.merge(&mut read).map_err(|error| error.to_string())?;
        Ok(goyaml::json::to_string(&Value::Mapping(values)).unwrap())
    }

    fn files(names: &[&str]) -> ValueOptions {
        ValueOptions {
            files: names.iter().map(|name| (*name).to_owned()).collect(),
            ..ValueOptions::default()
        }
    }

    #[test]
    fn later_files_win_and_tables_merge() {
        assert_eq!(
            merged(&files(&["one.yaml", "two.yaml"])).unwrap(),
            r#"{"a":1,"big":12345678,"l":[1],"t":{"v":2,"x":null}}"#
        );
        assert_eq!(
            merged(&files(&["one.yaml", "-"])).unwrap(),
            r#"{"a":"stdin","big":12345678,"only":"here","t":{"v":2,"x":1}}"#
        );
    }

    #[test]
    fn flags_are_laid_over_files_in_helms_order() {
        let options = ValueOptions {
            files: vec!["one.yaml".into()],
            json: vec![r#"{"a":"json","t":{"z":[1]}}"#.into(), r#"t.w={"k":1}"#.into()],
            set: vec!["a=2".into()],
            strings: vec!["a=3,b=4".into()],
            from_files: vec!["b=-".into()],
            literals: vec!["c={1}".into()],
        };
        assert_eq!(
            merged(&options).unwrap(),
            r#"{"a":"3","b":"a: stdin\nonly: here\n","big":12345678,"c":"{1}","t":{"v":2,"w":{"k":1},"x":1,"z":[1]}}"#
        );
    }

    #[test]
    fn refusals_name_the_flag_and_the_file() {
        for (options, message) in [
            (files(&["none.yaml"]), "open none.yaml: no such file or directory"),
            (
                files(&["bad.yaml"]),
                "failed to parse bad.yaml: cannot unmarshal yaml document: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
            ),
            (
                files(&["sep.yaml"]),
                "failed to parse sep.yaml: error reading yaml document: invalid Yaml document separator: b",
            ),
            (
                ValueOptions { set: vec!["a".into()], ..ValueOptions::default() },
                "failed parsing --set data: key \"a\" has no value",
            ),
            (
                ValueOptions { json: vec!["{".into()], ..ValueOptions::default() },
                "failed parsing --set-json data JSON: {",
            ),
            (
                ValueOptions { json: vec!["a=x".into()], ..ValueOptions::default() },
                "failed parsing --set-json data a=x",
            ),
        ] {
            assert_eq!(merged(&options).unwrap_err(), message);
        }
    }
}
