//! Names that are derived and not chosen, so that doing something again finds the same.

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// What a broker knows a thing by: what the user chose, or the object's UID; after that was used up, another that follows
/// from it.
pub fn external_id(chosen: Option<&str>, uid: &str, incarnation: u32) -> String {
    let first = chosen.filter(|chosen| !chosen.is_empty()).unwrap_or(uid);
    if incarnation == 0 {
        return first.to_owned();
    }
    let mut bytes: [u8; 32] = Sha256::digest(format!("{first}/{incarnation}")).into();
    // The form of a UUID made from a hash (version 8).
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes[..16]);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// The name of the object for a class or plan with this identifier: the identifier itself if it can be one.
pub fn object_name(external_id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let parts = || external_id.split('.');
    let fits = !external_id.is_empty()
        && external_id.len() <= 253
        && external_id.bytes().all(|byte| plain(byte) || matches!(byte, b'-' | b'.'))
        && parts()
            .all(|part| part.bytes().next().is_some_and(plain) && part.bytes().last().is_some_and(plain));
    if fits { external_id.to_owned() } else { format!("id-{}", &hex(&Sha256::digest(external_id))[..40]) }
}

/// What parameters are recognised by without being kept: nothing for none.
pub fn parameter_checksum(parameters: Option<&Map<String, Value>>) -> String {
    let Some(parameters) = parameters else { return String::new() };
    hex(&Sha256::digest(canonical(&Value::Object(parameters.clone())).to_string()))
}

/// With keys in order, however the map keeps them.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().collect();
            pairs.sort_by_key(|(key, _)| key.as_str());
            pairs
                .into_iter()
                .map(|(key, value)| (key.clone(), canonical(value)))
                .collect::<Map<_, _>>()
                .into()
        }
        Value::Array(items) => items.iter().map(canonical).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |digit: u8| char::from(b"0123456789abcdef"[usize::from(digit)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn identifiers_follow_from_the_object_and_are_never_used_twice() {
        assert_eq!(external_id(None, "uid-1", 0), "uid-1");
        assert_eq!(external_id(Some("mine"), "uid-1", 0), "mine");
        let (one, two) = (external_id(None, "uid-1", 1), external_id(None, "uid-1", 2));
        assert_eq!(one, external_id(None, "uid-1", 1));
        assert_ne!(one, two);
        assert_ne!(one, external_id(Some("mine"), "uid-1", 1));
        assert_eq!((one.len(), &one[14..15]), (36, "8"));
    }

    #[test]
    fn identifiers_of_brokers_become_names_of_objects() {
        assert_eq!(object_name("4f6e6cf6-ffdd.x"), "4f6e6cf6-ffdd.x");
        for other in ["", "Upper", "a_b", "-a", "a-", "a..b", "ü"] {
            let name = object_name(other);
            assert!(name.starts_with("id-") && name.len() == 43, "{other} {name}");
        }
        assert_ne!(object_name("A"), object_name("a"));
    }

    #[test]
    fn parameters_are_recognised_whatever_their_order() {
        let of = |value: Value| parameter_checksum(value.as_object());
        assert_eq!(of(json!({"a": 1, "b": {"c": 1, "d": 2}})), of(json!({"b": {"d": 2, "c": 1}, "a": 1})));
        assert_ne!(of(json!({"a": 1})), of(json!({"a": "1"})));
        assert_eq!(of(Value::Null), "");
        assert_eq!(of(json!({})).len(), 64);
    }
}
