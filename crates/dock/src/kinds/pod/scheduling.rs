//! Where a pod may run: node selectors, affinities, tolerations, spread over topologies.

use serde_json::Value;

use super::options::Options;
use crate::field::{FieldError, Path};
use crate::kinds::names;
use crate::kinds::read::{Read, text_of};
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// What is wrong with the affinities of a pod.
pub(super) fn affinity(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let affinity = spec.at("affinity");
    let node = affinity.at("nodeAffinity");
    let own = path.child("nodeAffinity");
    if node.has(REQUIRED) {
        node_selector(node.at(REQUIRED), options.any_node_values, &own.child(REQUIRED), errors);
    }
    for (index, term) in node.list(PREFERRED).iter().enumerate() {
        let path = own.child(PREFERRED).index(index);
        weight(term, &path, errors);
        node_term(term.at("preference"), true, &path.child("preference"), errors);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        let own = path.child(kind);
        for (index, term) in affinity.at(kind).list(REQUIRED).iter().enumerate() {
            pod_term(term, options, &own.child(REQUIRED).index(index), errors);
        }
        for (index, term) in affinity.at(kind).list(PREFERRED).iter().enumerate() {
            let path = own.child(PREFERRED).index(index);
            weight(term, &path, errors);
            pod_term(term.at("podAffinityTerm"), options, &path.child("podAffinityTerm"), errors);
        }
    }
}

/// The terms of a spec that are about other pods, with their paths.
pub(super) fn terms(spec: &Value) -> impl Iterator<Item = (&Value, Path)> {
    ["podAffinity", "podAntiAffinity"].into_iter().flat_map(move |kind| {
        let affinity = spec.at("affinity").at(kind);
        let path = Path::new("spec").child("affinity").child(kind);
        let required = path.child(REQUIRED);
        let preferred = path.child(PREFERRED);
        let hard = affinity
            .list(REQUIRED)
            .iter()
            .enumerate()
            .map(move |(index, term)| (term, required.index(index)));
        let soft = affinity.list(PREFERRED).iter().enumerate().map(move |(index, term)| {
            (term.at("podAffinityTerm"), preferred.index(index).child("podAffinityTerm"))
        });
        hard.chain(soft)
    })
}

fn weight(term: &Value, path: &Path, errors: &mut Errors) {
    let weight = term.int("weight");
    if !(1..=100).contains(&weight) {
        errors.invalid(&path.child("weight"), weight, "must be in the range 1-100");
    }
}

/// What is wrong with a selector of nodes.
pub(crate) fn node_selector(selector: &Value, any_values: bool, path: &Path, errors: &mut Errors) {
    let path = path.child("nodeSelectorTerms");
    let terms = selector.list("nodeSelectorTerms");
    if terms.is_empty() {
        errors.required(&path, "must have at least one node selector term");
    }
    for (index, term) in terms.iter().enumerate() {
        node_term(term, any_values, &path.index(index), errors);
    }
}

fn node_term(term: &Value, any_values: bool, path: &Path, errors: &mut Errors) {
    for (index, requirement) in term.list("matchExpressions").iter().enumerate() {
        let path = path.child("matchExpressions").index(index);
        let values = requirement.list("values");
        let operator = requirement.text("operator");
        match operator {
            "In" | "NotIn" if values.is_empty() => {
                errors
                    .required(&path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => errors.forbidden(
                &path.child("values"),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
            "Gt" | "Lt" if values.len() != 1 => errors.required(
                &path.child("values"),
                "must be specified single value when `operator` is 'Lt' or 'Gt'",
            ),
            "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
            _ => errors.invalid(&path.child("operator"), operator, "not a valid selector operator"),
        }
        let key = requirement.text("key");
        errors.invalid_each(&path.child("key"), key, names::label_key(key));
        if !any_values {
            for (index, value) in values.iter().enumerate() {
                let value = text_of(value);
                errors.invalid_each(&path.child("values").index(index), value, names::label_value(value));
            }
        }
    }
    for (index, requirement) in term.list("matchFields").iter().enumerate() {
        let path = path.child("matchFields").index(index);
        let values = requirement.list("values");
        match requirement.text("operator") {
            "In" | "NotIn" if values.len() == 1 => {}
            "In" | "NotIn" => errors.required(
                &path.child("values"),
                "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
            ),
            other => errors.invalid(&path.child("operator"), other, "not a valid selector operator"),
        }
        let key = requirement.text("key");
        if key == "metadata.name" {
            for (index, value) in values.iter().enumerate() {
                let value = text_of(value);
                errors.invalid_each(&path.child("values").index(index), value, names::dns_subdomain(value));
            }
        } else {
            errors.invalid(&path.child("key"), key, "not a valid field selector key");
        }
    }
}

/// Whether the required node affinity holds values that no label can have.
pub(super) fn has_bad_node_values(spec: &Value) -> bool {
    has_bad_values(spec.at("affinity").at("nodeAffinity").at(REQUIRED))
}

/// Whether a selector of nodes holds values that no label can have.
pub(crate) fn has_bad_values(selector: &Value) -> bool {
    selector
        .list("nodeSelectorTerms")
        .iter()
        .flat_map(|term| term.list("matchExpressions"))
        .flat_map(|requirement| requirement.list("values"))
        .any(|value| !names::label_value(text_of(value)).is_empty())
}

fn pod_term(term: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let values = if options.any_affinity_values { Values::Any } else { Values::Checked };
    for field in ["labelSelector", "namespaceSelector"] {
        selector::validate(term.at(field), values, &path.child(field), errors);
    }
    for namespace in term.list("namespaces") {
        let namespace = text_of(namespace);
        errors.invalid_each(&path.child("namespace"), namespace, names::dns_label(namespace));
    }
    label_keys(term, path, errors);
    let key = term.text("topologyKey");
    if key.is_empty() {
        errors.required(&path.child("topologyKey"), "can not be empty");
    }
    errors.invalid_each(&path.child("topologyKey"), key, names::label_key(key));
}

/// What is wrong with the keys of labels that a term takes from the pod itself.
pub(super) fn label_keys(term: &Value, path: &Path, errors: &mut Errors) {
    let selector = term.at("labelSelector");
    for field in ["matchLabelKeys", "mismatchLabelKeys"] {
        let keys = term.list(field);
        if keys.is_empty() {
            continue;
        }
        let path = path.child(field);
        if selector.is_null() {
            errors.forbidden(&path, "must not be specified when labelSelector is not set");
            continue;
        }
        for (index, key) in keys.iter().enumerate() {
            errors.invalid_each(&path.index(index), text_of(key), names::label_key(text_of(key)));
        }
    }
    let keys = term.list("matchLabelKeys");
    let mut selected: Vec<&str> = selector.entries("matchLabels").map(|(key, _)| key.as_str()).collect();
    for requirement in selector.list("matchExpressions") {
        let key = requirement.text("key");
        if let Some(index) = keys.iter().rposition(|one| one == key)
            && selected.contains(&key)
        {
            errors.invalid(&path.index(index), key, "exists in both matchLabelKeys and labelSelector");
        }
        selected.push(key);
    }
    for (index, key) in keys.iter().enumerate() {
        if term.list("mismatchLabelKeys").contains(key) {
            errors.invalid(
                &path.child("matchLabelKeys").index(index),
                key.clone(),
                "exists in both matchLabelKeys and mismatchLabelKeys",
            );
        }
    }
}

/// The same for topology spread, as older servers checked it.
fn older_label_keys(constraint: &Value, path: &Path, errors: &mut Errors) {
    let keys = constraint.list("matchLabelKeys");
    if keys.is_empty() {
        return;
    }
    let path = path.child("matchLabelKeys");
    let selector = constraint.at("labelSelector");
    if selector.is_null() {
        errors.forbidden(&path, "must not be specified when labelSelector is not set");
    }
    for (index, key) in keys.iter().enumerate() {
        let key = text_of(key);
        errors.invalid_each(&path.index(index), key, names::label_key(key));
        let selected = selector.at("matchLabels").get(key).is_some()
            || selector.list("matchExpressions").iter().any(|one| one.text("key") == key);
        if selected {
            errors.invalid(&path.index(index), key, "exists in both matchLabelKeys and labelSelector");
        }
    }
}

/// What is wrong with how pods spread.
pub(super) fn spread(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let all = spec.list("topologySpreadConstraints");
    for (index, constraint) in all.iter().enumerate() {
        let path = path.index(index);
        errors.positive(constraint.int("maxSkew"), &path.child("maxSkew"));
        let key = constraint.text("topologyKey");
        if key.is_empty() {
            errors.required(&path.child("topologyKey"), "can not be empty");
        }
        let action = constraint.text("whenUnsatisfiable");
        errors.one_of(action, &["DoNotSchedule", "ScheduleAnyway"], &path.child("whenUnsatisfiable"));
        if all[index + 1..]
            .iter()
            .any(|other| other.text("topologyKey") == key && other.text("whenUnsatisfiable") == action)
        {
            errors.duplicate(&path.child("{topologyKey, whenUnsatisfiable}"), format!("{{{key}, {action}}}"));
        }
        if let Some(domains) = constraint.number("minDomains") {
            let path = path.child("minDomains");
            errors.positive(domains, &path);
            if action != "DoNotSchedule" {
                errors.invalid(
                    &path,
                    domains,
                    format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"),
                );
            }
        }
        for field in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            if constraint.has(field) {
                errors.one_of(constraint.text(field), &["Honor", "Ignore"], &path.child(field));
            }
        }
        if options.older_label_keys {
            older_label_keys(constraint, &path, errors);
        } else {
            label_keys(constraint, &path, errors);
        }
        if !options.any_spread_selector {
            selector::validate(
                constraint.at("labelSelector"),
                Values::Checked,
                &path.child("labelSelector"),
                errors,
            );
        }
    }
}

/// What is wrong with tolerations.
pub(crate) fn tolerations(all: &[Value], options: &Options, path: &Path, errors: &mut Errors) {
    for (index, toleration) in all.iter().enumerate() {
        let path = path.index(index);
        let (key, operator) = (toleration.text("key"), toleration.text("operator"));
        let (value, effect) = (toleration.text("value"), toleration.text("effect"));
        if !key.is_empty() {
            errors.invalid_each(&path.child("key"), key, names::label_key(key));
        }
        if key.is_empty() && operator != "Exists" {
            errors.invalid(
                &path.child("operator"),
                operator,
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
            );
        }
        if toleration.has("tolerationSeconds") && effect != "NoExecute" {
            errors.invalid(
                &path.child("effect"),
                effect,
                "effect must be 'NoExecute' when `tolerationSeconds` is set",
            );
        }
        match operator {
            "Equal" | "" => {
                let wrong = names::label_value(value);
                if !wrong.is_empty() {
                    errors.invalid(&path.child("operator"), value, wrong.join(";"));
                }
            }
            "Exists" => {
                if !value.is_empty() {
                    errors.invalid(
                        &path.child("operator"),
                        value,
                        "value must be empty when `operator` is 'Exists'",
                    );
                }
            }
            "Lt" | "Gt" if options.comparing_tolerations => {
                if value.parse::<i64>().is_err() {
                    errors.invalid(
                        &path.child("value"),
                        value,
                        "must be a valid decimal integer in canonical form",
                    );
                }
            }
            "Lt" | "Gt" => {
                errors.unsupported(&path.child("operator"), operator, &["Equal", "Exists", "Lt", "Gt"]);
            }
            _ => errors.unsupported(&path.child("operator"), operator, &["Equal", "Exists"]),
        }
        if !effect.is_empty() {
            errors.one_of(effect, &["NoSchedule", "PreferNoSchedule", "NoExecute"], &path.child("effect"));
        }
    }
}

/// What was tolerated must stay so, but for how long.
pub(super) fn only_added_tolerations(
    new: &[Value],
    old: &[Value],
    options: &Options,
    path: &Path,
    errors: &mut Errors,
) {
    let alike = |one: &Value, other: &Value| {
        ["key", "operator", "value", "effect"].iter().all(|field| one.text(field) == other.text(field))
    };
    if old.iter().any(|old| !new.iter().any(|new| alike(new, old))) {
        errors.forbidden(path, "existing toleration can not be modified except its tolerationSeconds");
        return;
    }
    tolerations(new, options, path, errors);
}

/// Gates may be removed, not added.
pub(super) fn only_deleted_gates(new: &[Value], old: &[Value], path: &Path, errors: &mut Errors) {
    for (index, gate) in new.iter().enumerate() {
        let name = gate.text("name");
        if !old.iter().any(|old| old.text("name") == name) {
            errors.forbidden(
                &path.index(index).child("name"),
                format!("only deletion is allowed, but found new scheduling gate '{name}'"),
            );
        }
    }
}

/// What a gated pod's node selector and affinity may become: only more of the same.
pub(super) fn only_narrowed(new: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let kept = |(key, value): (&String, &Value)| new.at("nodeSelector").get(key) == Some(value);
    if !old.entries("nodeSelector").all(kept) {
        errors.invalid(
            &path.child("nodeSelector"),
            new.at("nodeSelector").clone(),
            "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
        );
    }
    let terms =
        |spec: &Value| spec.at("affinity").at("nodeAffinity").at(REQUIRED).list("nodeSelectorTerms").to_vec();
    let (new_terms, old_terms) = (terms(new), terms(old));
    let path = path.child("affinity").child("nodeAffinity").child(REQUIRED).child("nodeSelectorTerms");
    if old_terms.is_empty() {
        return;
    }
    if new_terms.len() != old_terms.len() {
        let mut error = FieldError::invalid(
            &path,
            new_terms.clone(),
            "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
        );
        error.shown = Some(shown_terms(&new_terms));
        errors.push(error);
        return;
    }
    for (index, (new, old)) in new_terms.iter().zip(&old_terms).enumerate() {
        let grown = |field: &str| {
            let (new, old) = (new.list(field), old.list(field));
            new.len() >= old.len() && new.iter().zip(old).all(|(new, old)| new == old)
        };
        let bare = old.list("matchExpressions").is_empty() && old.list("matchFields").is_empty();
        let filled = !new.list("matchExpressions").is_empty() || !new.list("matchFields").is_empty();
        if bare && filled || !grown("matchExpressions") || !grown("matchFields") {
            let mut error = FieldError::invalid(
                &path.index(index),
                new.clone(),
                "only additions are allowed (no mutations or deletions)",
            );
            error.shown = Some(shown_term(new));
            errors.push(error);
        }
    }
}

/// Terms of a node selector as Go shows its own structs for them.
pub(crate) fn shown_terms(terms: &[Value]) -> String {
    if terms.is_empty() {
        return "null".into();
    }
    let all: Vec<String> = terms.iter().map(shown_term).collect();
    format!("[{}]", all.join(","))
}

/// A term as Go shows its own struct for it.
fn shown_term(term: &Value) -> String {
    let requirements = |field: &str| {
        let all = term.list(field);
        if all.is_empty() {
            return "null".to_owned();
        }
        let all: Vec<String> = all
            .iter()
            .map(|one| {
                format!(
                    "{{\"Key\":{},\"Operator\":{},\"Values\":{}}}",
                    one.at("key"),
                    one.at("operator"),
                    one.at("values")
                )
            })
            .collect();
        format!("[{}]", all.join(","))
    };
    format!(
        "{{\"MatchExpressions\":{},\"MatchFields\":{}}}",
        requirements("matchExpressions"),
        requirements("matchFields")
    )
}
