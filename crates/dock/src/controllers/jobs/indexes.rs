//! The numbers of an indexed Job's Pods.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::controllers::object::Object;

/// Numbers as a status holds them: `1,3-5,7`.
pub(super) fn parse(text: &str) -> BTreeSet<i64> {
    let mut numbers = BTreeSet::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
            numbers.extend(first..=last);
        }
    }
    numbers
}

/// Numbers as a status holds them: `1,3-5,7`.
pub(super) fn write(numbers: &BTreeSet<i64>) -> String {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let written: Vec<String> = runs
        .iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first},{last}"),
            _ => format!("{first}-{last}"),
        })
        .collect();
    written.join(",")
}

/// Tells the containers of a Pod its number.
pub(super) fn tell_containers(pod: &mut Value) {
    let variable = json!({
        "name": "JOB_COMPLETION_INDEX",
        "valueFrom": { "fieldRef": { "fieldPath": format!("metadata.labels['{}']", super::INDEX) } },
    });
    for list in ["initContainers", "containers"] {
        let Some(containers) = pod["spec"].get_mut(list).and_then(Value::as_array_mut) else { continue };
        for container in containers {
            let mut variables = container.items("env").to_vec();
            if !variables.iter().any(|known| known["name"] == "JOB_COMPLETION_INDEX") {
                variables.push(variable.clone());
                container["env"] = variables.into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn runs_of_three_are_ranges() {
        for (numbers, text) in
            [(vec![], ""), (vec![1], "1"), (vec![1, 2], "1,2"), (vec![0, 2, 3, 4, 7], "0,2-4,7")]
        {
            assert_eq!(write(&numbers.into_iter().collect()), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers in prop::collection::btree_set(0_i64..60, 0..40)) {
            prop_assert_eq!(parse(&write(&numbers)), numbers);
        }
    }
}
