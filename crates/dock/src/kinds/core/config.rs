//! Config maps and secrets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::field::{FieldError, Path, quoted};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, child_mut, fill, same, set, text_of, unset};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, names};

const MAX: usize = 1024 * 1024;

/// The rules of `ConfigMap`.
pub(crate) struct ConfigMap;

/// The rules of `Secret`.
pub(crate) struct Secret;

fn size(encoded: &Value) -> usize {
    let text = text_of(encoded);
    text.len() / 4 * 3 - text.bytes().rev().take(2).filter(|byte| *byte == b'=').count()
}

/// What was said to be immutable may not change, nor cease to be so.
fn immutable(object: &Value, old: &Value, fields: &[&str], errors: &mut Errors) {
    if !old.flag("immutable") {
        return;
    }
    let words = "field is immutable when `immutable` is set";
    if !object.flag("immutable") {
        errors.forbidden(&Path::new("immutable"), words);
    }
    for field in fields {
        let empty = |value: &Value| value.as_object().is_none_or(serde_json::Map::is_empty);
        let (new, old) = (object.at(field), old.at(field));
        let alike = same(new, old) || empty(new) && empty(old);
        if !alike {
            errors.forbidden(&Path::new(*field), words);
        }
    }
}

fn config_map(object: &Value, errors: &mut Errors) {
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, errors);
    let mut total = 0;
    for (key, value) in object.entries("data") {
        let path = Path::new("data").key(key);
        errors.invalid_each(&path, key, names::config_key(key));
        if object.at("binaryData").get(key).is_some() {
            errors.invalid(&path, key.as_str(), "duplicate of key present in binaryData");
        }
        total += text_of(value).len();
    }
    for (key, value) in object.entries("binaryData") {
        errors.invalid_each(&Path::new("binaryData").key(key), key, names::config_key(key));
        total += size(value);
    }
    if total > MAX {
        errors.too_long(&Path::new("[]"), MAX);
    }
}

impl Rules for ConfigMap {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        config_map(object, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        immutable(object, old, &["data", "binaryData"], &mut errors);
        config_map(object, &mut errors);
        errors.found()
    }
}

fn secret(object: &Value, errors: &mut Errors) {
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, errors);
    let path = Path::new("data");
    let mut total = 0;
    for (key, value) in object.entries("data") {
        errors.invalid_each(&path.key(key), key, names::config_key(key));
        total += size(value);
    }
    if total > MAX {
        errors.too_long(&path, MAX);
    }
    let data = object.at("data");
    match object.text("type") {
        "kubernetes.io/service-account-token" => {
            let key = "kubernetes.io/service-account.name";
            if object.at("metadata").at("annotations").text(key).is_empty() {
                errors.required(&Path::new("metadata").child("annotations").key(key), "");
            }
        }
        "kubernetes.io/dockercfg" => registry(data, ".dockercfg", &path, errors),
        "kubernetes.io/dockerconfigjson" => registry(data, ".dockerconfigjson", &path, errors),
        "kubernetes.io/basic-auth" if data.get("username").is_none() && data.get("password").is_none() => {
            errors.required(&path.key("username"), "");
            errors.required(&path.key("password"), "");
        }
        "kubernetes.io/ssh-auth" if data.text("ssh-privatekey").is_empty() => {
            errors.required(&path.key("ssh-privatekey"), "");
        }
        "kubernetes.io/tls" => {
            for key in ["tls.crt", "tls.key"] {
                if data.get(key).is_none() {
                    errors.required(&path.key(key), "");
                }
            }
        }
        _ => {}
    }
}

/// Credentials of registries are JSON.
fn registry(data: &Value, key: &str, path: &Path, errors: &mut Errors) {
    let path = path.key(key);
    let Some(value) = data.get(key) else {
        errors.required(&path, "");
        return;
    };
    let bytes = STANDARD.decode(text_of(value)).unwrap_or_default();
    if let Some(words) = not_an_object(&bytes) {
        errors.invalid(&path, "<secret contents redacted>", words);
    }
}

/// Why Go's decoder would not read an object from the bytes, in its words.
fn not_an_object(bytes: &[u8]) -> Option<String> {
    let kind = match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(_) | Value::Null) => return None,
        Ok(Value::Array(_)) => "array",
        Ok(Value::String(_)) => "string",
        Ok(Value::Number(_)) => "number",
        Ok(Value::Bool(_)) => "bool",
        Err(_) => {
            let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
            return Some(match first {
                Some(first) if !b"{[\"tfn-0123456789".contains(first) => {
                    let shown = quoted(&char::from(*first).to_string());
                    let shown = shown.trim_matches('"');
                    format!("invalid character '{shown}' looking for beginning of value")
                }
                _ => "unexpected end of JSON input".into(),
            });
        }
    };
    Some(format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"))
}

/// What is written as text is kept as bytes, and wins over what was there.
fn take_texts(object: &mut Value) {
    let texts = object.at("stringData").clone();
    unset(object, "stringData");
    let Some(texts) = texts.as_object().filter(|texts| !texts.is_empty()) else { return };
    let Some(data) = child_mut(object, "data") else { return };
    for (key, text) in texts {
        set(data, key, STANDARD.encode(text_of(text)));
    }
}

impl Rules for Secret {
    fn default(&self, object: &mut Value) {
        fill(object, "type", "Opaque");
        take_texts(object);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        fill(object, "type", old.text("type"));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        secret(object, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        errors.immutable(object.at("type"), old.at("type"), &Path::new("type"));
        immutable(object, old, &["data"], &mut errors);
        secret(object, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        if object.text("type") != "kubernetes.io/tls" {
            return Vec::new();
        }
        let holds_pem = |key: &str| {
            let bytes = STANDARD.decode(object.at("data").text(key)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains("-----BEGIN ")
        };
        if !holds_pem("tls.crt") {
            return vec!["tls: failed to find any PEM data in certificate input".into()];
        }
        if !holds_pem("tls.key") {
            return vec!["tls: failed to find any PEM data in key input".into()];
        }
        Vec::new()
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["type"]
    }
}
