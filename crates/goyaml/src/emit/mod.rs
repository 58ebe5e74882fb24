//! From values to text: the emitters of goyaml v2 (through JSON) and v3, straight into one string.

mod layout;
mod order;
mod scalar;
mod serializer;

use serde::Serialize;

use crate::json;
use crate::{Error, from_str};
use layout::{Dialect, Layout};
use serializer::{Node, Stop};

/// Writes `value` as `sigs.k8s.io/yaml.Marshal` does.
///
/// Go writes JSON first, reads that back as YAML and writes the result. The detour shows only with
/// texts that do not survive it, such as those with control characters; these are sent on it here too.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    match write(value, Dialect::V2) {
        Ok(text) => Ok(text),
        Err(Stop::Detour) => {
            let json = json::to_string(value).map_err(Error::Encode)?;
            let read = from_str(&json).map_err(Error::unwrapped)?;
            write(&read, Dialect::V2Reread).map_err(Stop::into_error)
        }
        Err(stop) => Err(stop.into_error()),
    }
}

/// Writes `value` as Helm's `toYamlPretty` does: `go.yaml.in/yaml/v3` with an indent of two.
pub fn to_string_pretty<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    write(value, Dialect::V3).map_err(Stop::into_error)
}

fn write<T: Serialize + ?Sized>(value: &T, dialect: Dialect) -> Result<String, Stop> {
    let mut layout = Layout::new(dialect);
    value.serialize(Node::root(&mut layout))?;
    Ok(layout.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use proptest::prelude::*;

    fn yaml(json: &str) -> String {
        to_string(&json::from_str(json).unwrap().numbers_as_float64()).unwrap()
    }

    fn pretty(json: &str) -> String {
        to_string_pretty(&json::from_str(json).unwrap().numbers_as_float64()).unwrap()
    }

    #[test]
    fn scalars() {
        let cases = [
            (r#""a""#, "a\n"),
            (r#""""#, "\"\"\n"),
            (r#""yes""#, "\"yes\"\n"),
            (r#""1""#, "\"1\"\n"),
            (r#""0x1F""#, "\"0x1F\"\n"),
            (r#""12:30""#, "\"12:30\"\n"),
            (r#""2001-01-01""#, "\"2001-01-01\"\n"),
            (r#""a: b""#, "'a: b'\n"),
            (r##""#a""##, "'#a'\n"),
            (r#""{{ x }}""#, "'{{ x }}'\n"),
            (r#""it's: \"q\"""#, "'it''s: \"q\"'\n"),
            (r#"" a""#, "' a'\n"),
            (r#""a\tb""#, "\"a\\tb\"\n"),
            (r#""😀""#, "\"\\U0001F600\"\n"),
            (r#""é""#, "é\n"),
            (r#""a\nb\n""#, "|\n  a\n  b\n"),
            (r#""a\nb""#, "|-\n  a\n  b\n"),
            (r#""a\n\n""#, "|+\n  a\n\n"),
            (r#"" a\nb""#, "|2-\n   a\n  b\n"),
            (r#""a \nb""#, "\"a \\nb\"\n"),
            ("null", "null\n"),
            ("true", "true\n"),
            ("1e6", "1000000\n"),
            ("1.5", "1.5\n"),
            ("123456789.5", "1.234567895e+08\n"),
            ("1e20", "1e+20\n"),
            ("1e-7", "1e-07\n"),
            ("-0", "0\n"),
            ("{}", "{}\n"),
            ("[]", "[]\n"),
        ];
        for (json, expected) in cases {
            assert_eq!(yaml(json), expected, "{json}");
        }
    }

    #[test]
    fn collections() {
        let json = r#"{"b":{"d":[1,{"x":1,"y":[]},[2,[3]]],"c":{}},"a10":"z","a2":null,"A":[{}]}"#;
        let expected = "A:\n- {}\na2: null\na10: z\nb:\n  c: {}\n  d:\n  - 1\n  - x: 1\n    \"y\": []\n  - - 2\n    - - 3\n";
        assert_eq!(yaml(json), expected);
        let expected = "A:\n  - {}\na2: null\na10: z\nb:\n  c: {}\n  d:\n    - 1\n    - x: 1\n      \"y\": []\n    - - 2\n      - - 3\n";
        assert_eq!(pretty(json), expected);
    }

    #[test]
    fn entries_are_reordered_whatever_they_end_in() {
        let json = r#"[{"a10":"x\ny\n","a9":"p\nq","a1":[1],"_":0}]"#;
        assert_eq!(yaml(json), "- _: 0\n  a1:\n  - 1\n  a9: |-\n    p\n    q\n  a10: |\n    x\n    y\n");
    }

    #[test]
    fn long_lines_and_long_keys() {
        let words = ["word"; 30].join(" ");
        let folded = format!("k: {}\n  {}\n", ["word"; 16].join(" "), ["word"; 14].join(" "));
        assert_eq!(yaml(&format!(r#"{{"k":"{words}"}}"#)), folded);
        assert_eq!(pretty(&format!(r#"{{"k":"{words}"}}"#)), format!("k: {words}\n"));
        let key = "k".repeat(129);
        assert_eq!(yaml(&format!(r#"{{"{key}":{{"a":[1]}}}}"#)), format!("? {key}\n: a:\n  - 1\n"));
        assert_eq!(yaml(r#"{"a\nb":1}"#), "? |-\n  a\n  b\n: 1\n");
    }

    #[test]
    fn what_json_does_to_a_text_on_its_way() {
        assert_eq!(to_string("\x7f").unwrap_err().to_string(), "yaml: control characters are not allowed");
        assert_eq!(to_string("a \u{85} b").unwrap(), "a b\n");
        let key = Value::from([("k".repeat(1100), 1)]);
        assert_eq!(to_string(&key).unwrap_err().to_string(), "yaml: did not find expected ',' or '}'");
        let error = to_string(&f64::NAN).unwrap_err().to_string();
        assert_eq!(error, "error marshaling into JSON: json: unsupported value: NaN");
    }

    #[test]
    fn numbers_keep_their_value_not_their_digits() {
        let number = |digits: &str| Value::Number(digits.into());
        assert_eq!(to_string(&number("1.0")).unwrap(), "1\n");
        assert_eq!(to_string(&number("18446744073709551615")).unwrap(), "18446744073709551615\n");
        assert_eq!(json::to_string(&number("1.0")).unwrap(), "1.0");
        assert_eq!(to_string_pretty(&number("1")).unwrap(), "\"1\"\n");
        let error = to_string(&number("x")).unwrap_err().to_string();
        assert_eq!(
            error,
            "error marshaling into JSON: json: invalid number literal, trying to marshal \"x\""
        );
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[ -~]{0,12}",
            "[a-z \n:#'\"-]{0,20}",
            "[\u{20}-\u{7e}\u{a0}-\u{d7ff}\u{10000}-\u{1ffff}\n\t]{0,8}"
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            text.clone().prop_map(Value::String),
        ];
        // Go writes this key without quotes, and then takes it for a merge.
        let key = text.prop_filter("a merge key", |text| text != "<<");
        leaf.prop_recursive(4, 32, 5, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Sequence),
                proptest::collection::btree_map(key.clone(), inner, 0..4).prop_map(Value::Mapping),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in any_value()) {
            let written = to_string(&value).unwrap();
            prop_assert_eq!(from_str(&written).unwrap(), value, "{}", written);
        }

        #[test]
        fn what_is_written_prettily_reads_back(value in any_value()) {
            let written = to_string_pretty(&value).unwrap();
            // goyaml v3 writes tabs into block scalars, where the reader takes them for bad indentation.
            prop_assume!(!written.contains('\t'));
            prop_assert_eq!(from_str(&written).unwrap(), value, "{}", written);
        }

        #[test]
        fn json_reads_back(value in any_value()) {
            let written = json::to_string(&value).unwrap();
            let read = json::from_str(&written).unwrap();
            prop_assert_eq!(read, value.clone().numbers_as_json_number());
            prop_assert_eq!(json::from_str(&json::to_string_pretty(&value).unwrap()).unwrap(), value.numbers_as_json_number());
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[ -~\n\t\u{85}\u{feff}é]{0,60}") {
            let whole = from_str(&text);
            let strict = crate::from_str_strict(&text);
            prop_assert!(whole.is_ok() || strict.is_err());
        }
    }
}
