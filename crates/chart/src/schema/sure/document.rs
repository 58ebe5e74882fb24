//! JSON whose texts stay where they are, and whose objects are sorted lists.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    Integer(i128),
    /// A number with a point or an exponent.
    Float(f64),
    String(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    /// Sorted by key, and no key is there twice.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// What an object has under a key.
    pub(super) fn get(&self, key: &str) -> Option<&Json<'a>> {
        let Self::Object(entries) = self else { return None };
        let index = entries.binary_search_by(|(other, _)| (**other).cmp(key)).ok()?;
        Some(&entries[index].1)
    }
}

/// A text, borrowed if it holds no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JsonVisitor;
        impl<'de> Visitor<'de> for JsonVisitor {
            type Value = Json<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Json::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Json::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
                Ok(Json::Integer(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
                Ok(Json::Integer(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Json::Float(value))
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Json::String(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Json::String(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut array = Vec::new();
                while let Some(item) = items.next_element()? {
                    array.push(item);
                }
                Ok(Json::Array(array))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries: Vec<(Cow<'de, str>, Json<'de>)> = Vec::new();
                while let Some((Text(key), value)) = map.next_entry()? {
                    entries.push((key, value));
                }
                entries.sort_unstable_by(|left, right| left.0.cmp(&right.0));
                if entries.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    return Err(A::Error::custom("a key is there twice"));
                }
                Ok(Json::Object(entries))
            }
        }
        deserializer.deserialize_any(JsonVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_borrowed_and_objects_sorted() {
        let json: Json<'_> =
            serde_json::from_str(r#"{"b": [1, -2.5, null], "a": "x\ny", "c": true}"#).unwrap();
        let Json::Object(entries) = &json else { panic!("{json:?}") };
        assert_eq!(entries.iter().map(|(key, _)| &**key).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(entries.iter().all(|(key, _)| matches!(key, Cow::Borrowed(_))));
        let numbers = Json::Array(vec![Json::Integer(1), Json::Float(-2.5), Json::Null]);
        assert_eq!(json.get("b"), Some(&numbers));
        assert_eq!(json.get("a"), Some(&Json::String("x\ny".into())));
        assert_eq!(json.get("d"), None);
        assert!(serde_json::from_str::<Json<'_>>(r#"{"a": 1, "a": 1}"#).is_err());
    }
}
