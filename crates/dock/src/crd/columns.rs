//! The columns of tables of custom resources.

use jiff::Timestamp;
use objects::jsonpath::JsonPath;
use serde_json::{Value, json};

use super::definition::{Column, Version};

const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some \
                    resources may allow a client to request the generation of an appropriate name automatically. Name \
                    is primarily intended for creation idempotence and configuration definition. Cannot be updated. \
                    More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It \
                       is not guaranteed to be set in happens-before order across separate operations. Clients may not \
                       set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. \
                       Read-only. Null for lists. More info: \
                       https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// The columns of a version.
#[derive(Debug)]
pub struct Columns {
    columns: Vec<(Column, JsonPath)>,
}

impl Columns {
    /// The columns of a version: those it names, or else the age. A path that cannot be read ends them.
    pub fn of(version: &Version) -> Self {
        let age = Column {
            name: "Age".into(),
            kind: "date".into(),
            description: CREATED.into(),
            json_path: ".metadata.creationTimestamp".into(),
            ..Column::default()
        };
        let columns = if version.columns.is_empty() { std::slice::from_ref(&age) } else { &version.columns };
        let columns = columns.iter().map_while(|column| {
            let path = JsonPath::parse(&format!("{{{}}}", column.json_path)).ok()?;
            Some((column.clone(), path))
        });
        Self { columns: columns.collect() }
    }

    /// `columnDefinitions` of a table.
    pub fn definitions(&self) -> Vec<Value> {
        let name =
            json!({"name": "Name", "type": "string", "format": "name", "description": NAME, "priority": 0});
        let custom = self.columns.iter().map(|(column, _)| {
            let description = match column.description.as_str() {
                "" => {
                    format!("Custom resource definition column (in JSONPath format): {}", column.json_path)
                }
                text => text.to_owned(),
            };
            json!({
                "name": column.name,
                "type": column.kind,
                "format": column.format,
                "description": description,
                "priority": column.priority,
            })
        });
        std::iter::once(name).chain(custom).collect()
    }

    /// The cells of a row.
    pub fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let custom = self.columns.iter().map(|(column, path)| {
            first(path, object).map_or(Value::Null, |value| cell(&column.kind, value, now))
        });
        std::iter::once(Value::from(name)).chain(custom).collect()
    }
}

/// The first thing that a path finds.
pub(super) fn first(path: &JsonPath, object: &Value) -> Option<Value> {
    let data = to_yaml(object);
    let found = path.find(&data);
    found.first().map(|value| from_yaml(value))
}

fn to_yaml(value: &Value) -> goyaml::Value {
    goyaml::json::from_str(&value.to_string()).unwrap_or_default()
}

fn from_yaml(value: &goyaml::Value) -> Value {
    goyaml::json::to_string(value).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn cell(kind: &str, value: Value, now: Timestamp) -> Value {
    match (kind, &value) {
        (_, Value::Null) if kind != "string" => Value::Null,
        ("string", _) => printed(&value).into(),
        ("integer", Value::Number(number)) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => (number.as_f64().unwrap_or_default() as i64).into(),
        },
        ("number", Value::Number(number)) => match number.as_f64().unwrap_or_default() {
            // Go writes no fraction where there is none.
            whole if whole.fract() == 0.0 && whole.abs() < 1e15 => (whole as i64).into(),
            other => other.into(),
        },
        ("boolean", Value::Bool(_)) => value,
        ("date", Value::String(text)) => date(text, now).into(),
        _ => Value::Null,
    }
}

/// A value as `kubectl -o jsonpath` prints it.
fn printed(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if !number.is_i64() => {
            goyaml::strconv::format_float(number.as_f64().unwrap_or_default(), b'g', -1, 64)
        }
        Value::Array(_) | Value::Object(_) => goyaml::json::to_string(value).unwrap_or_default(),
        other => other.to_string(),
    }
}

fn date(text: &str, now: Timestamp) -> String {
    match text.parse::<Timestamp>() {
        Ok(then) => human_duration(now.as_second() - then.as_second()),
        Err(_) => "<invalid>".to_owned(),
    }
}

/// A duration in seconds, in the two greatest units that matter.
pub(crate) fn human_duration(seconds: i64) -> String {
    if seconds < -1 {
        return "<invalid>".to_owned();
    }
    let seconds = seconds.max(0);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let two = |whole: i64, unit: char, rest: i64, small: char| {
        if rest == 0 { format!("{whole}{unit}") } else { format!("{whole}{unit}{rest}{small}") }
    };
    if seconds < 120 {
        format!("{seconds}s")
    } else if minutes < 10 {
        two(minutes, 'm', seconds % 60, 's')
    } else if minutes < 180 {
        format!("{minutes}m")
    } else if hours < 8 {
        two(hours, 'h', minutes % 60, 'm')
    } else if hours < 48 {
        format!("{hours}h")
    } else if hours < 24 * 8 {
        two(hours / 24, 'd', hours % 24, 'h')
    } else if hours < 24 * 365 * 2 {
        format!("{}d", hours / 24)
    } else if hours < 24 * 365 * 8 {
        two(hours / 24 / 365, 'y', hours / 24 % 365, 'd')
    } else {
        format!("{}y", hours / 24 / 365)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_show_what_the_columns_name() {
        let column = |name: &str, kind: &str, path: &str| Column {
            name: name.into(),
            kind: kind.into(),
            json_path: path.into(),
            ..Column::default()
        };
        let version = Version {
            columns: vec![
                column("Size", "integer", ".spec.size"),
                column("Text", "string", ".spec.size"),
                column("Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status"),
                column("None", "string", ".spec.none"),
                column("Age", "date", ".metadata.creationTimestamp"),
            ],
            ..Version::default()
        };
        let columns = Columns::of(&version);
        let object = json!({
            "metadata": {"name": "a", "creationTimestamp": "1970-01-01T00:00:00Z"},
            "spec": {"size": 3},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        });
        let now = Timestamp::from_second(300).unwrap();
        assert_eq!(
            columns.cells(&object, now),
            [json!("a"), json!(3), json!("3"), json!("True"), Value::Null, json!("5m")]
        );
        assert_eq!(columns.definitions().len(), 6);
        assert_eq!(Columns::of(&Version::default()).cells(&object, now), [json!("a"), json!("5m")]);
    }

    #[test]
    fn durations_are_short() {
        let cases = [
            (-5, "<invalid>"),
            (0, "0s"),
            (119, "119s"),
            (121, "2m1s"),
            (600, "10m"),
            (3 * 3600, "3h"),
            (7 * 3600 + 60, "7h1m"),
            (9 * 3600, "9h"),
            (49 * 3600, "2d1h"),
            (30 * 86400, "30d"),
            (800 * 86400, "2y70d"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(human_duration(seconds), expected, "{seconds}");
        }
    }
}
