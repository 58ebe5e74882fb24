//! Bytes as Go writes them, each followed by the same object in JSON.

use schema::Tree;

use super::*;

const CASES: &str = include_str!("cases.txt");

fn cases() -> Vec<(Vec<u8>, Value)> {
    let lines: Vec<&str> = CASES.lines().collect();
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    };
    lines.chunks(2).map(|pair| (bytes(pair[0]), serde_json::from_str(pair[1]).unwrap())).collect()
}

/// The object as Go would write it in JSON: what is empty is left out as its type says.
fn written(object: Value) -> Value {
    let name =
        message_type(object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap()).unwrap();
    let view = schema::types().named(&name).unwrap();
    schema::decode(view, Tree::from(object), true).unwrap().value
}

#[test]
fn what_go_writes_is_read() {
    for (bytes, object) in cases() {
        assert_eq!(written(decode(&bytes, "", "").unwrap()), written(object));
    }
}

#[test]
fn what_is_written_is_read_again() {
    for (_, object) in cases() {
        let bytes = encode(&object).unwrap();
        assert_eq!(written(decode(&bytes, "", "").unwrap()), written(object));
    }
}

#[test]
fn other_bytes_are_refused() {
    assert_eq!(decode(b"{}", "v1", "Pod"), Err(DecodeError::NotProtobuf));
    let unknown = Message::of_texts([(2, "")]).into_bytes();
    let error = decode(&[PREFIX, &unknown].concat(), "x.dev/v1", "Widget").unwrap_err();
    assert!(error.to_string().starts_with("no kind \"Widget\" is registered for version \"x.dev/v1\""));
    for (bytes, _) in cases() {
        for end in PREFIX.len()..bytes.len() {
            // A body that was cut anywhere is refused or read in part, and never ends the process.
            let _ = decode(&bytes[..end], "", "");
        }
        assert!(decode(&bytes[..bytes.len() - 1], "", "").is_err());
    }
}
