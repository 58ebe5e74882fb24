//! Values of an earlier revision that a later one goes on with.

use goyaml::{Mapping, Value};
use serde_json::Map;

use crate::record::Record;

/// Which of the current revision's values an upgrade keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reuse {
    /// All that the user gave, if nothing is given now.
    #[default]
    IfNoneAreGiven,
    /// None.
    Reset,
    /// All that the user gave, and the defaults of the chart that is deployed, under what is given now.
    Everything,
    /// All that the user gave, under what is given now; the defaults are the new chart's.
    UnderNewDefaults,
}

impl Reuse {
    /// The user's values for the next revision and, if they are to be kept, the defaults of the deployed chart.
    pub fn apply(self, given: Mapping, current: Option<&Record>) -> (Mapping, Option<Mapping>) {
        let Some(current) = current else { return (given, None) };
        let config = mapping(&current.config);
        match self {
            Self::IfNoneAreGiven if given.is_empty() => (config, None),
            Self::Reset | Self::IfNoneAreGiven => (given, None),
            Self::UnderNewDefaults => (over(given, &config), None),
            Self::Everything => {
                let defaults = current.chart["values"].as_object().map(mapping).unwrap_or_default();
                let defaults = over(config.clone(), &defaults);
                (over(given, &config), Some(defaults))
            }
        }
    }
}

fn mapping(values: &Map<String, serde_json::Value>) -> Mapping {
    let text = serde_json::to_string(values).unwrap_or_default();
    match goyaml::json::from_str(&text) {
        Ok(Value::Mapping(mapping)) => mapping,
        _ => Mapping::default(),
    }
}

/// Lays values over others: mappings are joined, everything else replaces, and null takes away.
fn over(upper: Mapping, lower: &Mapping) -> Mapping {
    let mut joined = lower.clone();
    for (key, value) in upper {
        match (value, joined.remove(&key)) {
            (Value::Null, _) => {}
            (Value::Mapping(upper), Some(Value::Mapping(lower))) => {
                joined.insert(key, Value::Mapping(over(upper, &lower)));
            }
            (value, _) => drop(joined.insert(key, value)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_kept_as_asked() {
        let object = |value: serde_json::Value| value.as_object().cloned().unwrap_or_default();
        let record = Record {
            chart: json!({"values": {"a": 1, "b": {"x": 1, "y": 2}, "c": 3}}),
            config: object(json!({"b": {"x": 10}, "d": 4})),
            ..Record::default()
        };
        let given = || mapping(&object(json!({"b": {"z": 5}, "d": null})));
        let shown = |(values, defaults): (Mapping, Option<Mapping>)| {
            (serde_json::to_value(values).ok(), defaults.and_then(|of| serde_json::to_value(of).ok()))
        };
        for (reuse, given, values, defaults) in [
            (Reuse::Reset, given(), json!({"b": {"z": 5}, "d": null}), None),
            (Reuse::IfNoneAreGiven, given(), json!({"b": {"z": 5}, "d": null}), None),
            (Reuse::IfNoneAreGiven, Mapping::default(), json!({"b": {"x": 10}, "d": 4}), None),
            (Reuse::UnderNewDefaults, given(), json!({"b": {"x": 10, "z": 5}}), None),
            (
                Reuse::Everything,
                given(),
                json!({"b": {"x": 10, "z": 5}}),
                Some(json!({"a": 1, "b": {"x": 10, "y": 2}, "c": 3, "d": 4})),
            ),
        ] {
            assert_eq!(shown(reuse.apply(given, Some(&record))), (Some(values), defaults), "{reuse:?}");
        }
    }
}
