//! The policies of jobs: which failures end one, and which successes are enough.

use serde_json::Value;

use super::job_status;
use crate::field::{Path, quoted};
use crate::kinds::names;
use crate::kinds::read::{Read, at_mut, fill, list_mut};
use crate::kinds::report::Errors;

/// Fills up the conditions that a job's policy on failure looks at.
pub(super) fn fill_failure_policy(spec: &mut Value) {
    let Some(policy) = at_mut(spec, "podFailurePolicy") else { return };
    for rule in list_mut(policy, "rules") {
        for pattern in list_mut(rule, "onPodConditions") {
            fill(pattern, "status", "True");
        }
    }
}

/// Words in the way Go lists quoted ones.
fn quoted_list(words: &[&str]) -> String {
    let all: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("valid values: [{}]", all.join(" "))
}

fn required_word(value: &str, known: &[&str], path: &Path, errors: &mut Errors) {
    if value.is_empty() {
        errors.required(path, quoted_list(known));
    } else {
        errors.one_of(value, known, path);
    }
}

/// What is wrong with the policy on failure.
pub(super) fn failure_policy(spec: &Value, path: &Path, errors: &mut Errors) {
    let rules = spec.at("podFailurePolicy").list("rules");
    if rules.len() > 20 {
        errors.too_many(path, rules.len(), 20);
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = path.index(index);
        let action = rule.text("action");
        if action == "FailIndex" {
            if !spec.has("backoffLimitPerIndex") {
                errors.invalid(&path.child("action"), action, "requires the backoffLimitPerIndex to be set");
            }
        } else {
            let known = ["Count", "FailIndex", "FailJob", "Ignore"];
            required_word(action, &known, &path.child("action"), errors);
        }
        let (codes, conditions) = (rule.at("onExitCodes"), rule.list("onPodConditions"));
        if !codes.is_null() {
            exit_codes(spec, codes, &path.child("onExitCodes"), errors);
        }
        let own = path.child("onPodConditions");
        if conditions.len() > 20 {
            errors.too_many(&own, conditions.len(), 20);
        }
        for (index, pattern) in conditions.iter().enumerate() {
            let path = own.index(index);
            let kind = pattern.text("type");
            errors.invalid_each(&path.child("type"), kind, names::label_key(kind));
            let known = ["False", "True", "Unknown"];
            required_word(pattern.text("status"), &known, &path.child("status"), errors);
        }
        if !codes.is_null() && !conditions.is_empty() {
            errors.invalid_omitted(&path, "specifying both OnExitCodes and OnPodConditions is not supported");
        }
        if codes.is_null() && conditions.is_empty() {
            errors.invalid_omitted(&path, "specifying one of OnExitCodes and OnPodConditions is required");
        }
    }
}

fn exit_codes(spec: &Value, codes: &Value, path: &Path, errors: &mut Errors) {
    let operator = codes.text("operator");
    required_word(operator, &["In", "NotIn"], &path.child("operator"), errors);
    if let Some(name) = codes.at("containerName").as_str() {
        let pod = spec.at("template").at("spec");
        let found = ["containers", "initContainers"]
            .iter()
            .flat_map(|field| pod.list(field))
            .any(|container| container.text("name") == name);
        if !found {
            errors.invalid(
                &path.child("containerName"),
                name,
                "must be one of the container or initContainer names in the pod template",
            );
        }
    }
    let path = path.child("values");
    let values: Vec<i64> = codes.list("values").iter().filter_map(Value::as_i64).collect();
    if values.is_empty() {
        errors.invalid(&path, codes.at("values").clone(), "at least one value is required");
    } else if values.len() > 255 {
        errors.too_many(&path, values.len(), 255);
    }
    for (index, value) in values.iter().enumerate() {
        if operator == "In" && *value == 0 {
            errors.invalid(&path.index(index), 0, "must not be 0 for the In operator");
        }
        if values[..index].contains(value) {
            errors.duplicate(&path.index(index), *value);
        }
    }
    if !values.is_sorted() {
        errors.invalid(&path, codes.at("values").clone(), "must be ordered");
    }
}

/// What is wrong with the policy on success.
pub(super) fn success_policy(spec: &Value, path: &Path, errors: &mut Errors) {
    let rules = spec.at("successPolicy").list("rules");
    let completions = spec.int("completions");
    if rules.is_empty() {
        errors.required(path, "at least one rules must be specified when the successPolicy is specified");
    }
    if rules.len() > 20 {
        errors.too_many(path, rules.len(), 20);
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = path.index(index);
        let (count, indexes) = (rule.number("succeededCount"), rule.at("succeededIndexes").as_str());
        if count.is_none() && indexes.is_none() {
            errors.required(&path, "at least one of succeededCount or succeededIndexes must be specified");
        }
        let mut total = 0;
        if let Some(indexes) = indexes {
            let own = path.child("succeededIndexes");
            if indexes.len() > 64 * 1024 {
                errors.too_long(&own, 64 * 1024);
            }
            match job_status::indexes(indexes, completions) {
                Ok(count) => total = count,
                Err(words) => {
                    errors.invalid(&own, indexes, format!("error parsing succeededIndexes: {words}"));
                }
            }
        }
        if let Some(count) = count {
            let own = path.child("succeededCount");
            errors.not_negative(count, &own);
            if count > completions {
                errors.invalid(
                    &own,
                    count,
                    format!(
                        "must be less than or equal to {completions} (the number of specified completions)"
                    ),
                );
            }
            if indexes.is_some() && count > total {
                errors.invalid(
                    &own,
                    count,
                    format!(
                        "must be less than or equal to {total} (the number of indexes in the specified \
                         succeededIndexes field)"
                    ),
                );
            }
        }
    }
}
