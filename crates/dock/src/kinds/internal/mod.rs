//! Objects as the server remembers them, which its refusals show: every field of its own structs, in their order, with
//! their own names.
//!
//! The structs are in `types.txt`, one in a line: for each field how it is shown (`?` if it is left out when empty,
//! nothing if its fields are shown in place of it), its name in JSON, and its type.

mod unified;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use serde_json::Value;

use super::read::{Read, at_mut, set};

/// A field of a struct: as it is shown, its name in JSON, and its type.
type Field = (&'static str, &'static str, &'static str);

fn types() -> &'static HashMap<&'static str, Vec<Field>> {
    static TYPES: OnceLock<HashMap<&'static str, Vec<Field>>> = OnceLock::new();
    TYPES.get_or_init(|| {
        let line = |line: &'static str| {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            let fields = words.filter_map(|word| {
                let mut parts = word.splitn(3, ':');
                Some((parts.next()?, parts.next()?, parts.next()?))
            });
            (name, fields.collect())
        };
        include_str!("types.txt").lines().map(line).collect()
    })
}

/// An object in the server's memory, as one line of JSON.
pub(crate) fn shown(kind: &'static str, value: &Value) -> String {
    let mut writer = Writer { text: String::new(), pretty: false, depth: 0 };
    writer.value(kind, value);
    writer.text
}

/// What differs between two objects in the server's memory, as it tells it: lines of JSON, old ones and new ones.
pub(crate) fn difference(kind: &'static str, one: &Value, other: &Value) -> String {
    let lines = |value: &Value| {
        let mut writer = Writer { text: String::new(), pretty: true, depth: 0 };
        writer.value(kind, value);
        writer.text
    };
    unified::difference(&lines(one), &lines(other))
}

struct Writer {
    text: String,
    pretty: bool,
    depth: usize,
}

impl Writer {
    fn value(&mut self, kind: &str, value: &Value) {
        if let Some(pointed) = kind.strip_prefix('*') {
            return if value.is_null() { self.text.push_str("null") } else { self.value(pointed, value) };
        }
        if let Some(item) = kind.strip_prefix("[]") {
            return self.list(item, value);
        }
        if let Some(item) = kind.strip_prefix("map[").and_then(|rest| rest.strip_suffix(']')) {
            return self.map(item, value);
        }
        match (kind, types().get(kind)) {
            ("core.PodSpec", Some(fields)) => {
                let value = with_namespaces(value);
                self.structure(fields, &value);
            }
            (_, Some(fields)) => self.structure(fields, value),
            ("string", None) => self.scalar(&Value::from(value.as_str().unwrap_or_default())),
            ("bool", None) => self.scalar(&Value::from(value == true)),
            ("Quantity", None) => self.scalar(&Value::from(value.as_str().unwrap_or("0"))),
            ("IntOrString", None) if value.is_string() => self.scalar(value),
            ("Time", None) => self.scalar(value),
            _ => self.scalar(&Value::from(value.as_i64().unwrap_or_default())),
        }
    }

    /// Go writes signs that mean something in HTML as their numbers.
    fn scalar(&mut self, value: &Value) {
        for c in value.to_string().chars() {
            match c {
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    // Writing to a string does not fail.
                    let _ = write!(self.text, "\\u{:04x}", u32::from(c));
                }
                c => self.text.push(c),
            }
        }
    }

    fn open(&mut self, sign: char) {
        self.text.push(sign);
        self.depth += 1;
    }

    fn close(&mut self, sign: char, empty: bool) {
        self.depth -= 1;
        if !empty {
            self.line();
        }
        self.text.push(sign);
    }

    fn line(&mut self) {
        if self.pretty {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(' ', self.depth));
        }
    }

    fn next(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.text.push(',');
        }
        self.line();
    }

    fn key(&mut self, name: &str) {
        self.scalar(&Value::from(name));
        self.text.push_str(if self.pretty { ": " } else { ":" });
    }

    fn structure(&mut self, fields: &[Field], value: &Value) {
        self.open('{');
        let mut first = true;
        self.fields(fields, value, &mut first);
        self.close('}', first);
    }

    fn fields(&mut self, fields: &[Field], value: &Value, first: &mut bool) {
        for (shown, name, kind) in fields {
            let inner = if name.is_empty() { value } else { value.at(name) };
            if shown.is_empty() {
                let fields = types().get(kind).map(Vec::as_slice).unwrap_or_default();
                self.fields(fields, inner, first);
                continue;
            }
            let shown = match shown.strip_suffix('?') {
                Some(_) if is_empty(inner) => continue,
                Some(shown) => shown,
                None => shown,
            };
            self.next(first);
            self.key(shown);
            self.value(kind, inner);
        }
    }

    fn list(&mut self, item: &str, value: &Value) {
        let Some(items) = value.as_array() else { return self.text.push_str("null") };
        self.open('[');
        let mut first = true;
        for value in items {
            self.next(&mut first);
            self.value(item, value);
        }
        self.close(']', first);
    }

    fn map(&mut self, item: &str, value: &Value) {
        let Some(entries) = value.as_object() else { return self.text.push_str("null") };
        self.open('{');
        let mut first = true;
        let mut keys: Vec<&String> = entries.keys().collect();
        keys.sort();
        for key in keys {
            self.next(&mut first);
            self.key(key);
            self.value(item, &entries[key]);
        }
        self.close('}', first);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_i64() == Some(0),
    }
}

/// The server keeps which namespaces of the host a pod uses in its security context.
fn with_namespaces(spec: &Value) -> Value {
    let mut spec = spec.clone();
    let moved = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];
    let values: Vec<Value> = moved.iter().map(|field| spec.at(field).clone()).collect();
    if let Some(context) = at_mut(&mut spec, "securityContext") {
        for (field, value) in moved.iter().zip(values) {
            set(context, field, value);
        }
    }
    spec
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn structs_are_shown_whole() {
        let policy =
            json!({"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]});
        assert_eq!(
            shown("batch.PodFailurePolicy", &policy),
            r#"{"Rules":[{"Action":"FailJob","OnExitCodes":{"ContainerName":null,"Operator":"In","Values":[1]},"OnPodConditions":null}]}"#
        );
    }

    #[test]
    fn what_is_embedded_stands_in_its_place() {
        let template =
            json!({"metadata": {"labels": {"a": "<b>"}}, "spec": {"hostPID": true, "securityContext": {}}});
        let text = shown("core.PodTemplateSpec", &template);
        assert!(text.starts_with(r#"{"labels":{"a":"\u003cb\u003e"},"Spec":{"Volumes":null,"#), "{text}");
        assert!(text.contains(r#""SecurityContext":{"HostNetwork":false,"HostPID":true,"#), "{text}");
    }

    #[test]
    fn differences_are_told_in_lines() {
        let rule = |count: i64| json!({"rules": [{"succeededIndexes": "0", "succeededCount": count}]});
        assert_eq!(
            difference("batch.SuccessPolicy", &rule(1), &rule(2)),
            "@@ -2,7 +2,7 @@\n  \"Rules\": [\n   {\n    \"SucceededIndexes\": \"0\",\n-   \"SucceededCount\": \
             1\n+   \"SucceededCount\": 2\n   }\n  ]\n }\n"
        );
    }
}
