//! From text to values.

use serde::de::DeserializeOwned;

use crate::compose::compose;
use crate::json::{self, Strictness};
use crate::scan::Input;
use crate::utf16;
use crate::{Error, Value};

/// Reads the first document of `text`, as `sigs.k8s.io/yaml.Unmarshal` into `interface{}` does.
///
/// Integers keep their kind; [`Value::numbers_as_float64`] gives what Go's `interface{}` would hold.
pub fn from_str(text: &str) -> Result<Value, Error> {
    compose(Input::new(text), false).map_err(Error::Yaml)
}

/// Like [`from_str`], for bytes in UTF-8 or, with a byte order mark, in UTF-16.
pub fn from_slice(bytes: &[u8]) -> Result<Value, Error> {
    if let Some(text) = utf16::decode(bytes) {
        return from_str(&text.map_err(Error::Yaml)?);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => from_str(text),
        Err(error) => {
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            let valid = std::str::from_utf8(valid).unwrap_or_default();
            compose(Input::broken(valid, utf8_problem(rest)), false).map_err(Error::Yaml)
        }
    }
}

/// What Go's reader says of bytes that do not begin with a UTF-8 character.
fn utf8_problem(bytes: &[u8]) -> &'static str {
    let width = match bytes.first() {
        Some(0xc0..0xe0) => 2,
        Some(0xe0..0xf0) => 3,
        Some(0xf0..0xf8) => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    if bytes.len() < width {
        return "incomplete UTF-8 octet sequence";
    }
    if bytes[1..width].iter().any(|byte| byte & 0xc0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    match (bytes[0], bytes[1]) {
        (0xc0 | 0xc1, _) | (0xe0, ..0xa0) | (0xf0, ..0x90) => "invalid length of a UTF-8 sequence",
        _ => "invalid Unicode character",
    }
}

/// Like [`from_str`], but a key that appears twice in one mapping is an error.
pub fn from_str_strict(text: &str) -> Result<Value, Error> {
    compose(Input::new(text), true).map_err(Error::Yaml)
}

/// Reads the first document of `text` into `T`, ignoring fields `T` does not have.
pub fn from_str_as<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    json::from_value_with(from_str(text)?, Strictness::Yaml).map_err(Error::Decode)
}

/// Like [`from_str_as`], but unknown and duplicate fields are errors, as `UnmarshalStrict` has it.
pub fn from_str_as_strict<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    json::from_value_with(from_str_strict(text)?, Strictness::YamlStrict).map_err(Error::Decode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    fn error(text: &str) -> String {
        from_str(text).map(|value| format!("{value:?}")).unwrap_err().to_string()
    }

    #[test]
    fn documents() {
        let cases = [
            ("", "null"),
            ("---\n", "null"),
            ("a: 1\n---\nb: [", r#"{"a":1}"#),
            ("a: b\nc:\n- d\n- e: f\n  g: h\n", r#"{"a":"b","c":["d",{"e":"f","g":"h"}]}"#),
            ("yes: on\nn: off\n1.50: x\n0x10: z\n", r#"{"1.5":"x","16":"z","false":false,"true":true}"#),
            ("a: 1\na: 2\n", r#"{"a":2}"#),
            (
                "a: &x {k: 1, l: 2}\nb:\n  l: 0\n  <<: *x\n  k: 3\n",
                r#"{"a":{"k":1,"l":2},"b":{"k":3,"l":2}}"#,
            ),
            ("<<: [{a: 1, b: 1}, {a: 2, c: 2}]\n", r#"{"a":1,"b":1,"c":2}"#),
            ("a: |\n  x\n   y\n\n  z\nb: >-\n  f\n  g\n\n  h\n", r#"{"a":"x\n y\n\nz\n","b":"f g\nh"}"#),
            ("a: |2+\n   x\n\n\nb: |1\n x\n", r#"{"a":" x\n\n\n","b":"x\n"}"#),
            ("plain\n  text\n\n  here # not\n", r#""plain text\nhere""#),
            ("\"a\\\n   b\\x41\\u00e9\\\n  \"", r#""abAé""#),
            ("'it''s\n\n  so'", r#""it's\nso""#),
            ("{a: [b, c: d], ? e, f: }", r#"{"a":["b",{"c":"d"}],"e":null,"f":null}"#),
            ("? a\n: b\n? c\n", r#"{"a":"b","c":null}"#),
            ("!!str 1: !!binary aGk=\nb: !custom 1\nc: ! 2\n", r#"{"1":"hi","b":"1","c":"2"}"#),
            (
                "a: 12345678901234567890\nb: 123456789012345678901\n",
                r#"{"a":12345678901234567890,"b":123456789012345680000}"#,
            ),
            ("a: 2001-01-01\nb: 0o17\nc: 0777\nd: 1_000\n", r#"{"a":"2001-01-01","b":15,"c":511,"d":1000}"#),
            ("\u{feff}a: b\r\nc: d\r\n", r#"{"a":"b","c":"d"}"#),
            ("%YAML 1.1\n%TAG !x! tag:yaml.org,2002:\n--- !x!str 1\n...\n", r#""1""#),
            ("a:\tb\n", r#"{"a":"b"}"#),
            // To Go, both zeros are one key, and the last one set stays.
            ("-0.0: a\n0.0: b\n", r#"{"0":"b"}"#),
            ("0.0: a\n-0.0: b\n", r#"{"-0":"b"}"#),
            ("-0.0: a\n'-0': b\n0: c\n0.0: c\n", r#"{"-0":"b","0":"c"}"#),
            ("0.0: {~: a}\n-0.0: b\n", r#"{"-0":"b"}"#),
            (
                "a: &a {0.0: a, x: z}\nb:\n  -0.0: b\n  <<: *a\nc:\n  <<: *a\n  -0.0: c\n",
                r#"{"a":{"0":"a","x":"z"},"b":{"0":"a","x":"z"},"c":{"-0":"c","x":"z"}}"#,
            ),
        ];
        for (text, expected) in cases {
            let value = from_str(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            let written = json::to_string(&value).unwrap();
            assert_eq!(written, expected, "{text:?}");
        }
    }

    #[test]
    fn errors_in_gos_words() {
        let cases = [
            ("a: b: c", "yaml: mapping values are not allowed in this context"),
            ("a: 1\nb: 2\nc: d: e", "yaml: line 3: mapping values are not allowed in this context"),
            ("a:\n  - b\n c: d\n", "yaml: line 2: did not find expected key"),
            ("a:\n- b\n  c: d\n", "yaml: line 3: mapping values are not allowed in this context"),
            ("a\nb: c", "yaml: line 2: mapping values are not allowed in this context"),
            ("x: 1\na", "yaml: line 3: could not find expected ':'"),
            ("[a, b", "yaml: line 1: did not find expected ',' or ']'"),
            ("\"abc", "yaml: found unexpected end of stream"),
            ("a: @b", "yaml: found character that cannot start any token"),
            ("a:\n\t- b", "yaml: line 2: found character that cannot start any token"),
            ("a: *x", "yaml: unknown anchor 'x' referenced"),
            ("a: &x [*x]", "yaml: anchor 'x' value contains itself"),
            ("a: !!int x", "yaml: cannot decode !!str `x` as a !!int"),
            ("<<: 1", "yaml: map merge requires map or sequence of maps as the value"),
            ("{{ x }}: 1", r#"yaml: invalid map key: map[interface {}]interface {}{"x":interface {}(nil)}"#),
            ("a: {{ x }}", r#"yaml: invalid map key: map[interface {}]interface {}{"x":interface {}(nil)}"#),
            ("[a]: 1", r#"yaml: invalid map key: []interface {}{"a"}"#),
            ("~: 1", "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1"),
            ("NULL: a\n!b : c", "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"a\""),
            (
                "18446744073709551615: a",
                "unsupported map key of type: uint64, key: 0xffffffffffffffff, value: \"a\"",
            ),
            ("a: .inf", "json: unsupported value: +Inf"),
            ("a: \u{1}", "yaml: control characters are not allowed"),
            ("%YAML 1.2\n---\na", "yaml: found incompatible YAML document"),
            ("a: |0\n  x", "yaml: found an indentation indicator equal to 0"),
            ("a: !x!y z", "yaml: found undefined tag handle"),
            ("- a\nb", "yaml: line 3: could not find expected ':'"),
            ("a: [\n---\n]", "yaml: line 1: did not find expected node content"),
        ];
        for (text, expected) in cases {
            assert_eq!(error(text), format!("error converting YAML to JSON: {expected}"), "{text:?}");
        }
        assert_eq!(from_str("a: 1\nb: c: d").unwrap_err().line(), Some(2));
        assert_eq!(from_str("a: b: c").unwrap_err().line(), None);
    }

    #[test]
    fn a_key_set_twice_is_an_error_only_when_strict() {
        let text = "a: 1\nb:\n  c: 1\n  1: x\n  c: 2\na: 3\n";
        assert!(from_str(text).is_ok());
        let error = from_str_strict(text).unwrap_err();
        let expected = "error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key \"c\" already set in map\n  line 6: key \"a\" already set in map";
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.line(), Some(5));
        let error = from_str_strict("0.0: a\n-0.0: b\n").unwrap_err().to_string();
        assert!(error.ends_with("line 2: key -0 already set in map"), "{error}");
    }

    #[test]
    fn aliases_may_not_explode() {
        let mut text = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, before) in
            ["b", "c", "d", "e", "f", "g", "h"].iter().zip(["a", "b", "c", "d", "e", "f", "g"])
        {
            let nine = vec![format!("*{before}"); 9].join(", ");
            text.extend([name, ": &", name, " [", &nine, "]\n"]);
        }
        assert_eq!(error(&text), "error converting YAML to JSON: yaml: document contains excessive aliasing");
    }

    #[test]
    fn nesting_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(from_str(&nested(1000)).is_ok());
        for depth in [1001, 20_000] {
            assert_eq!(
                error(&nested(depth)),
                "error converting YAML to JSON: yaml: exceeded max depth of 1000"
            );
        }
        assert!(json::from_str(&nested(1001)).is_err());
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        let utf16: Vec<u8> =
            [0xfe, 0xff].into_iter().chain("a: é\n".encode_utf16().flat_map(u16::to_be_bytes)).collect();
        assert_eq!(from_slice(&utf16).unwrap().get("a").and_then(Value::as_str), Some("é"));
        let cases: [(&[u8], &str); 4] = [
            (b"a: \xff", "invalid leading UTF-8 octet"),
            (b"a: \xe2\x82", "incomplete UTF-8 octet sequence"),
            (b"a: \xe2xx", "invalid trailing UTF-8 octet"),
            (b"a: \xc0\x80", "invalid length of a UTF-8 sequence"),
        ];
        for (bytes, expected) in cases {
            let error = from_slice(bytes).unwrap_err().to_string();
            assert_eq!(error, format!("error converting YAML to JSON: yaml: {expected}"));
        }
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, rename = "v2.Metadata")]
    struct Metadata {
        name: String,
        version: String,
        size: i64,
        keywords: Vec<String>,
        annotations: std::collections::BTreeMap<String, String>,
        deprecated: bool,
        maintainers: Vec<Maintainer>,
        icon: Option<String>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, rename = "v2.Maintainer")]
    struct Maintainer {
        email: String,
    }

    #[test]
    fn structs() {
        let text = "name: 5\nversion: 1.10\nkeywords: [a, 1]\nannotations: {a: true}\nunknown: {}\nsize: ~\nicon: x\n";
        let read: Metadata = from_str_as(text).unwrap();
        let expected = Metadata {
            name: "5".to_owned(),
            version: "1.1".to_owned(),
            keywords: vec!["a".to_owned(), "1".to_owned()],
            annotations: [("a".to_owned(), "true".to_owned())].into(),
            icon: Some("x".to_owned()),
            ..Metadata::default()
        };
        assert_eq!(read, expected);
        assert_eq!(from_str_as::<Metadata>("").unwrap(), Metadata::default());
        assert_eq!(from_str_as::<Vec<Option<u8>>>("[1, ~]").unwrap(), [Some(1), None]);
    }

    #[test]
    fn structs_refuse_in_gos_words() {
        let cases = [
            ("name: [1]", "cannot unmarshal array into Go struct field Metadata.name of type string"),
            (
                "keywords: x",
                "cannot unmarshal string into Go struct field Metadata.keywords of type []string",
            ),
            (
                "annotations: [a]",
                "cannot unmarshal array into Go struct field Metadata.annotations of type map[string]string",
            ),
            ("size: x", "cannot unmarshal string into Go struct field Metadata.size of type int"),
            ("size: 1.5", "cannot unmarshal number 1.5 into Go struct field Metadata.size of type int"),
            (
                "deprecated: x",
                "cannot unmarshal string into Go struct field Metadata.deprecated of type bool",
            ),
            (
                "maintainers: {}",
                "cannot unmarshal object into Go struct field Metadata.maintainers of type []v2.Maintainer",
            ),
            (
                "maintainers: [{email: {}}]",
                "cannot unmarshal object into Go struct field Maintainer.maintainers.email of type string",
            ),
            ("- a", "cannot unmarshal array into Go value of type v2.Metadata"),
        ];
        for (text, expected) in cases {
            let error = from_str_as::<Metadata>(text).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("error unmarshaling JSON: while decoding JSON: json: {expected}"),
                "{text}"
            );
        }
        let unknown = from_str_as_strict::<Metadata>("name: a\nother: 1\n").unwrap_err().to_string();
        assert_eq!(unknown, "error unmarshaling JSON: while decoding JSON: json: unknown field \"other\"");
    }
}
