//! Makes the answers of two servers comparable: what each server chooses for itself is replaced by the order in which
//! it first appeared. Two answers are then alike if they say the same of the same things.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value, json};

use crate::server::Answer;

static UID: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
static TIME: LazyLock<Regex> = LazyLock::new(|| pattern(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"));
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b10\.(?:9[6-9]|10\d|11[01])\.\d+\.\d+\b"));
static VERSION: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)(resource ?version[^0-9]{0,24})(\d+)"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?s)(Invalid value: )("\{(?:[^"\\]|\\.)*")"#));
static PORT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(:|\{(?:TCP|UDP|SCTP) )(3[0-2]\d{3})([/}])"));
static PORT_SHOWN: LazyLock<Regex> = LazyLock::new(|| pattern(r#"([nN]odePort\\*":)(\d+)(\b)"#));
static GENERATED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(.*[a-z]\d+-)[bcdfghjklmnpqrstvwxz2456789]{5}$"));
static OLDEST: LazyLock<Regex> = LazyLock::new(|| pattern(r"(too old resource version: \S+) \(\d+\)"));
static UNDECLARED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(: [^:]*\.)[^.:]+(: field not declared in schema)$"));
static TYPE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bselfType\d+"));
static AGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(\d+[smhdy])+$"));

/// A pattern of this file, all of which are read by every test.
fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The names that stand for what one server has chosen, in one replay.
#[derive(Debug, Default)]
pub struct Names {
    seen: HashMap<(&'static str, String), usize>,
    generated: Vec<(String, String)>,
}

impl Names {
    /// An answer in which nothing is left that differs by nature.
    pub fn normal(&mut self, answer: &Answer) -> Answer {
        let mut body = answer.body.clone();
        if answer.content_type.starts_with("application/yaml")
            && let Some(read) = body.as_str().and_then(|text| goyaml::from_str_as(text).ok())
        {
            body = read;
        }
        self.learn_generated(&body);
        match &mut body {
            Value::Array(events) => {
                // When a server tells how far it is, of its own accord, is its own affair.
                events.retain(|event| event["type"] != "BOOKMARK" || ends_beginning(event));
                for event in events {
                    self.event(event);
                }
            }
            other => self.top(other),
        }
        let warnings = answer.warnings.iter().map(|warning| self.text(warning)).collect();
        Answer { code: answer.code, content_type: answer.content_type.clone(), warnings, body }
    }

    fn event(&mut self, event: &mut Value) {
        if event["type"] == "BOOKMARK" {
            event["object"]["metadata"]["resourceVersion"] = json!("*");
        }
        self.top(&mut event["object"]);
    }

    /// A whole object, list or table: the versions of lists belong to the server, those of objects to the object.
    fn top(&mut self, value: &mut Value) {
        let list = value["items"].is_array()
            || value.get("rows").is_some_and(|rows| rows.is_array() || rows.is_null())
            || value["items"].is_null() && value["kind"].as_str().is_some_and(|kind| kind.ends_with("List"));
        if list && value["metadata"].is_object() {
            for field in ["resourceVersion", "continue"] {
                if value["metadata"][field].as_str().is_some_and(|text| !text.is_empty()) {
                    value["metadata"][field] = json!("*");
                }
            }
        }
        if value["kind"] == "Table" {
            cells(value);
        }
        // Conflicts with one manager come in any order.
        if value["reason"] == "Conflict"
            && let Some(causes) = value.pointer_mut("/details/causes").and_then(Value::as_array_mut)
        {
            causes.sort_by_key(ToString::to_string);
        }
        if value["kind"] == "TokenRequest" {
            value["status"]["token"] = json!("*");
        }
        self.walk("", value);
    }

    /// Names that were made from a `generateName`.
    fn learn_generated(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.learn_generated(item)),
            Value::Object(map) => {
                for key in ["items", "object", "rows"] {
                    if let Some(inner) = map.get(key) {
                        self.learn_generated(inner);
                    }
                }
                if let Some(name) = map.get("details").and_then(|details| details["name"].as_str())
                    && let Some(found) = GENERATED.captures(name)
                {
                    self.generated(&found[1], name);
                }
                let Some(metadata) = map.get("metadata") else { return };
                if let (Some(prefix), Some(name)) =
                    (metadata["generateName"].as_str(), metadata["name"].as_str())
                {
                    self.generated(prefix, name);
                }
            }
            _ => {}
        }
    }

    fn generated(&mut self, prefix: &str, name: &str) {
        let made = name.len() > prefix.len() && name.starts_with(prefix);
        if made && !self.generated.iter().any(|(known, _)| known == name) {
            let number = self.generated.len();
            self.generated.push((name.to_owned(), format!("{prefix}«{number}»")));
        }
    }

    fn walk(&mut self, key: &str, value: &mut Value) {
        match value {
            Value::String(text) => {
                if key == "resourceVersion" && !text.is_empty() && text != "*" {
                    *text = self.nth("version", text);
                } else {
                    *text = self.text(text);
                }
            }
            Value::Number(_) if key == "nodePort" || key == "healthCheckNodePort" => {
                *value = json!(self.nth("port", &value.to_string()));
            }
            Value::Array(items) => {
                if key == "managedFields" {
                    by_manager(items);
                }
                for item in items {
                    self.walk(key, item);
                }
            }
            Value::Object(map) => {
                if let Some(metadata) = map.get_mut("metadata") {
                    by_name(metadata);
                }
                let odd: Vec<String> = map.keys().filter(|name| self.text(name) != **name).cloned().collect();
                for name in odd {
                    if let Some(value) = map.remove(&name) {
                        map.insert(self.text(&name), value);
                    }
                }
                map.iter_mut().for_each(|(name, value)| self.walk(name, value));
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) -> String {
        let mut text = in_order(text);
        for (name, sign) in &self.generated {
            if text.contains(name.as_str()) {
                text = text.replace(name.as_str(), sign);
            }
        }
        if text.len() < 7 {
            return text;
        }
        let text = QUOTED
            .replace_all(&text, |found: &Captures<'_>| format!("{}{}", &found[1], quoted(&found[2])))
            .into_owned();
        let text = UID.replace_all(&text, |found: &Captures<'_>| self.nth("uid", &found[0])).into_owned();
        let mut text = text;
        for pattern in [&PORT, &PORT_SHOWN] {
            let numbered =
                |found: &Captures<'_>| format!("{}{}{}", &found[1], self.nth("port", &found[2]), &found[3]);
            text = pattern.replace_all(&text, numbered).into_owned();
        }
        let text = TIME.replace_all(&text, "TIME").into_owned();
        let text =
            ADDRESS.replace_all(&text, |found: &Captures<'_>| self.nth("address", &found[0])).into_owned();
        // Types of expressions are numbered by how many were compiled before.
        let text = TYPE.replace_all(&text, "selfType").into_owned();
        // Of several fields that a schema does not have, the first in a Go map is told. Tests of `fields` hold its name.
        let text = UNDECLARED.replace_all(&text, "$1*$2").into_owned();
        // From when on a server can tell depends on what others did.
        let text = OLDEST.replace_all(&text, "$1 (*)").into_owned();
        VERSION
            .replace_all(&text, |found: &Captures<'_>| match &found[2] {
                // No version at all.
                "0" => found[0].to_owned(),
                version => format!("{}{}", &found[1], self.nth("version", version)),
            })
            .into_owned()
    }

    fn nth(&mut self, sort: &'static str, text: &str) -> String {
        let next = self.seen.keys().filter(|(other, _)| *other == sort).count() + 1;
        let number = *self.seen.entry((sort, text.to_owned())).or_insert(next);
        format!("{sort}#{number}")
    }
}

/// What is wrong with an object that is applied is found field by field in a Go map, so it is told in any order.
fn in_order(text: &str) -> String {
    let Some((before, errors)) = text.split_once(": errors:\n  ") else { return text.to_owned() };
    let mut errors: Vec<&str> = errors.split("\n  ").collect();
    errors.sort_unstable();
    format!("{before}: errors:\n  {}", errors.join("\n  "))
}

/// Whether an event says that all that was there at the beginning has been told.
fn ends_beginning(event: &Value) -> bool {
    event["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true"
}

/// The real server keeps the finalizers of a namespace that is deleted in a Go map, so they come in any order.
fn by_name(metadata: &mut Value) {
    let namespace = metadata["labels"]["kubernetes.io/metadata.name"].is_string();
    if namespace
        && metadata["deletionTimestamp"].is_string()
        && let Some(finalizers) = metadata.get_mut("finalizers").and_then(Value::as_array_mut)
    {
        finalizers.sort_by_key(ToString::to_string);
    }
}

/// Managers stand in the order of the seconds in which they wrote. Which calls fell into one second differs, so they are
/// brought into another order, and what is compared is whether the server kept to its own.
fn by_manager(entries: &mut [Value]) {
    let part = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let parts = |entry: &Value, fields: &[&str]| -> Vec<String> {
        fields.iter().map(|field| part(entry, field)).collect()
    };
    let kept = entries.is_sorted_by_key(|entry| {
        parts(entry, &["operation", "time", "manager", "apiVersion", "subresource"])
    });
    entries.sort_by_key(|entry| parts(entry, &["operation", "manager", "apiVersion", "subresource"]));
    entries
        .iter_mut()
        .filter(|entry| entry["manager"] == "kube-apiserver")
        .for_each(|entry| forget(&mut entry["fieldsV1"]));
    if !kept {
        for entry in entries {
            entry["order"] = json!("not by operation, time, manager, version, subresource");
        }
    }
}

/// The server owns the time of a condition only if it wrote it in another second than before.
fn forget(fields: &mut Value) {
    if let Some(map) = fields.as_object_mut() {
        map.remove("f:lastTransitionTime");
        map.values_mut().for_each(forget);
    }
}

/// An object that is shown in the words of a refusal, with its managers in order.
fn quoted(text: &str) -> String {
    let inner: Option<String> = serde_json::from_str(text).ok();
    let Some(mut object) = inner.and_then(|inner| serde_json::from_str::<Value>(&inner).ok()) else {
        return text.to_owned();
    };
    if let Some(entries) = object.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut) {
        by_manager(entries);
    }
    Value::String(object.to_string()).to_string()
}

/// Ages in the cells of a table depend on the second in which it is asked for, and what its columns mean is prose.
fn cells(table: &mut Value) {
    for column in table["columnDefinitions"].as_array_mut().into_iter().flatten() {
        column["description"] = json!("*");
    }
    for row in table["rows"].as_array_mut().into_iter().flatten() {
        for cell in row["cells"].as_array_mut().into_iter().flatten() {
            if cell.as_str().is_some_and(|text| AGE.is_match(text)) {
                *cell = json!("AGE");
            }
        }
    }
}

/// An object's keys in order, as text: for reports.
pub fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| key.as_str());
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(names: &mut Names, body: Value) -> Value {
        names.normal(&Answer { code: 200, body, ..Answer::default() }).body
    }

    #[test]
    fn what_a_server_chooses_is_numbered_as_it_appears() {
        let object = |uid: &str, version: &str| json!({"metadata": {"uid": uid, "resourceVersion": version}});
        let (first, second) =
            ("6d5ebf3e-0a2b-4c55-9d7e-2f3a4b5c6d7e", "00000000-0a2b-4c55-9d7e-2f3a4b5c6d7e");
        let mut names = Names::default();
        assert_eq!(normal(&mut names, object(first, "70")), object("uid#1", "version#1"));
        assert_eq!(normal(&mut names, object(second, "71")), object("uid#2", "version#2"));
        assert_eq!(normal(&mut names, object(first, "70")), object("uid#1", "version#1"));
    }

    #[test]
    fn words_are_normal_too() {
        let cases = [
            ("at 2026-11-16T10:00:00Z", "at TIME"),
            (
                "ResourceVersion in precondition: 12, ResourceVersion in object meta: 13",
                "ResourceVersion in precondition: version#1, ResourceVersion in object meta: version#2",
            ),
            ("80:30123/TCP", "80:port#1/TCP"),
            ("duplicate nodePort: {TCP 30123}", "duplicate nodePort: {TCP port#1}"),
            (
                r#"Invalid value: "{\"spec\":{\"ports\":[{\"nodePort\":30123,\"port\":80}]}}""#,
                r#"Invalid value: "{\"spec\":{\"ports\":[{\"nodePort\":port#1,\"port\":80}]}}""#,
            ),
            ("10.96.3.4 and 10.111.3.5 and 10.96.3.4", "address#1 and address#2 and address#1"),
            (
                "metadata.resourceVersion: Invalid value: 0: x",
                "metadata.resourceVersion: Invalid value: 0: x",
            ),
            ("too old resource version: 12 (51937)", "too old resource version: version#1 (*)"),
            ("no such overload for selfType17.size", "no such overload for selfType.size"),
            (
                "typed: errors:\n  .spec.b: x\n  .metadata.a: y",
                "typed: errors:\n  .metadata.a: y\n  .spec.b: x",
            ),
            (
                "typed (a): .spec.b: field not declared in schema",
                "typed (a): .spec.*: field not declared in schema",
            ),
            ("nothing of the kind", "nothing of the kind"),
        ];
        for (said, meant) in cases {
            assert_eq!(Names::default().text(said), meant);
        }
    }

    #[test]
    fn finalizers_of_a_namespace_that_goes_have_no_order() {
        let namespace = |finalizers: Value, gone: Value| json!({"metadata": {"labels": {"kubernetes.io/metadata.name": "n"}, "finalizers": finalizers, "deletionTimestamp": gone}});
        let time = json!("2026-01-01T00:00:00Z");
        let normal = |body: Value| normal(&mut Names::default(), body);
        assert_eq!(
            normal(namespace(json!(["b", "a"]), time.clone())),
            normal(namespace(json!(["a", "b"]), time))
        );
        assert_ne!(
            normal(namespace(json!(["b", "a"]), Value::Null)),
            normal(namespace(json!(["a", "b"]), Value::Null))
        );
    }

    #[test]
    fn generated_names_are_known_by_what_they_were_generated_from() {
        let mut names = Names::default();
        normal(&mut names, json!({"metadata": {"generateName": "b1-", "name": "b1-x7k2p"}}));
        assert_eq!(names.text("configmaps \"b1-x7k2p\" not found"), "configmaps \"b1-«0»\" not found");
    }

    #[test]
    fn managers_are_compared_in_any_order_that_the_server_may_have_chosen() {
        let entry = |manager: &str, second: u8| json!({"manager": manager, "operation": "Update", "time": format!("2026-01-01T00:00:0{second}Z")});
        let body = |entries: Value| json!({"metadata": {"managedFields": entries}});
        let apart = normal(&mut Names::default(), body(json!([entry("b", 1), entry("a", 2)])));
        let together = normal(&mut Names::default(), body(json!([entry("a", 1), entry("b", 1)])));
        assert_eq!(apart, together);
        let unlawful = normal(&mut Names::default(), body(json!([entry("b", 1), entry("a", 1)])));
        assert_ne!(unlawful, together);
    }
}
