//! Jobs.

use serde_json::{Value, json};

use super::job_policies::{failure_policy, fill_failure_policy, success_policy};
use super::job_status;
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::pod::options::Options;
use crate::kinds::pod::template;
use crate::kinds::read::{Read, at_mut, child_mut, fill_absent, list_mut, same, set, text_of, unset};
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};
use crate::kinds::{Context, Rules, copy_field, internal, names};

const NAME: &str = "batch.kubernetes.io/job-name";
const UID: &str = "batch.kubernetes.io/controller-uid";
const OLD_NAME: &str = "job-name";
const OLD_UID: &str = "controller-uid";

/// The rules of `Job`.
pub(crate) struct Job;

/// Whether the server has yet to give the pods of a job their labels.
fn is_unlabelled(object: &Value) -> bool {
    let (meta, spec) = (object.at("metadata"), object.at("spec"));
    !spec.flag("manualSelector")
        && !spec.at("template").at("metadata").at("labels").has(UID)
        && !meta.has("generation")
        && !meta.has("resourceVersion")
}

/// What is wrong with the spec of a job, but for its selector.
pub(super) fn validate_spec(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    for field in [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ] {
        if let Some(number) = spec.number(field) {
            errors.not_negative(number, &path.child(field));
        }
    }
    let (per_index, most_failed) = (spec.number("backoffLimitPerIndex"), spec.number("maxFailedIndexes"));
    if most_failed.is_some() && per_index.is_none() {
        errors.required(&path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
    }
    if let Some(manager) = spec.at("managedBy").as_str() {
        managed_by(manager, &path.child("managedBy"), errors);
    }
    let mode = spec.at("completionMode").as_str();
    if let Some(mode) = mode {
        errors.one_of(mode, &["NonIndexed", "Indexed"], &path.child("completionMode"));
    }
    if mode == Some("Indexed") {
        indexed(spec, path, errors);
    }
    if mode.is_none_or(|mode| mode == "NonIndexed") {
        for (field, number) in [("backoffLimitPerIndex", per_index), ("maxFailedIndexes", most_failed)] {
            if let Some(number) = number {
                errors.invalid(&path.child(field), number, "requires indexed completion mode");
            }
        }
    }
    if spec.has("podFailurePolicy") {
        failure_policy(spec, &path.child("podFailurePolicy").child("rules"), errors);
    }
    if spec.has("successPolicy") {
        let own = path.child("successPolicy");
        if mode == Some("Indexed") {
            success_policy(spec, &own.child("rules"), errors);
        } else {
            errors.invalid_shown(
                &own,
                internal::shown("batch.SuccessPolicy", spec.at("successPolicy")),
                "requires indexed completion mode",
            );
        }
    }
    if let Some(policy) = spec.at("podReplacementPolicy").as_str() {
        let known: &[&str] =
            if spec.has("podFailurePolicy") { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
        errors.one_of(policy, known, &path.child("podReplacementPolicy"));
    }
    template::validate(spec.at("template"), options, &path.child("template"), errors);
    let restart = spec.at("template").at("spec").text("restartPolicy");
    let own = path.child("template").child("spec").child("restartPolicy");
    match restart {
        "Always" | "" => errors.required(&own, "valid values: \"OnFailure\", \"Never\""),
        "Never" => {}
        "OnFailure" => {
            if spec.has("podFailurePolicy") {
                errors.invalid(
                    &own,
                    restart,
                    "only \"Never\" is supported when podFailurePolicy is specified",
                );
            }
        }
        _ => errors.unsupported(&own, restart, &["OnFailure", "Never"]),
    }
}

fn managed_by(manager: &str, path: &Path, errors: &mut Errors) {
    names::domain_prefixed_path(manager, path, errors);
    if manager.len() > 63 {
        errors.too_long(path, 63);
    }
}

fn indexed(spec: &Value, path: &Path, errors: &mut Errors) {
    let completions = spec.number("completions");
    let parallelism = spec.int("parallelism");
    let most_failed = spec.number("maxFailedIndexes");
    if completions.is_none() {
        errors.required(&path.child("completions"), "when completion mode is Indexed");
    }
    if parallelism > 100_000 {
        errors.invalid(
            &path.child("parallelism"),
            parallelism,
            "must be less than or equal to 100000 when completion mode is Indexed",
        );
    }
    if let (Some(completions), Some(most)) = (completions, most_failed)
        && most > completions
    {
        errors.invalid(&path.child("maxFailedIndexes"), most, "must be less than or equal to completions");
    }
    if let Some(most) = most_failed.filter(|most| *most > 100_000) {
        errors.invalid(&path.child("maxFailedIndexes"), most, "must be less than or equal to 100000");
    }
    if completions.is_some_and(|completions| completions > 100_000) && spec.has("backoffLimitPerIndex") {
        let words = "must be less than or equal to 10000 when completions are above 100000 and used with backoff \
                     limit per index";
        if most_failed.is_none() {
            errors.required(
                &path.child("maxFailedIndexes"),
                "must be specified when completions is above 100000",
            );
        }
        if parallelism > 10_000 {
            errors.invalid(&path.child("parallelism"), parallelism, words);
        }
        if let Some(most) = most_failed.filter(|most| *most > 10_000) {
            errors.invalid(&path.child("maxFailedIndexes"), most, words);
        }
    }
}

fn validate_selector(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let selector = spec.at("selector");
    if selector.is_null() {
        errors.required(&path.child("selector"), "");
    } else {
        let values = if options.any_affinity_values { Values::Any } else { Values::Checked };
        selector::validate(selector, values, &path.child("selector"), errors);
    }
    if selector::is_understood(selector) {
        super::selects_template(selector, spec.at("template"), &path.child("template"), errors);
    }
}

/// The labels that the server generated must be there as it generated them.
fn generated(object: &Value, prefixed: bool, errors: &mut Errors) {
    let spec = object.at("spec");
    if spec.flag("manualSelector") || !spec.has("selector") {
        return;
    }
    let (name, uid) = (object.at("metadata").text("name"), object.at("metadata").text("uid"));
    if uid.is_empty() {
        errors.required(&Path::new("metadata").child("uid"), "");
    }
    let path = Path::new("spec").child("template").child("metadata").child("labels");
    let labels = spec.at("template").at("metadata").at("labels");
    let mut expected = json!({});
    let all = [(OLD_UID, uid), (OLD_NAME, name), (UID, uid), (NAME, name)];
    for (key, value) in all.iter().take(if prefixed { 4 } else { 2 }) {
        set(&mut expected, key, *value);
        match labels.get(*key).map(text_of) {
            None => errors.required(&path.key(key), format!("must be '{value}'")),
            Some(found) if found != *value => {
                errors.invalid(&path.key(key), labels.clone(), format!("must be '{value}'"));
            }
            Some(_) => {}
        }
    }
    let selector = spec.at("selector");
    if selector::is_understood(selector) && !selector::matches(selector, &expected) {
        errors.invalid_selector(
            &Path::new("spec").child("selector"),
            selector,
            "`selector` not auto-generated",
        );
    }
}

fn whole(object: &Value, options: &Options, prefixed: bool, errors: &mut Errors) {
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, errors);
    generated(object, prefixed, errors);
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    validate_spec(spec, options, &path, errors);
    validate_selector(spec, options, &path, errors);
    let completions = spec.int("completions");
    if spec.text("completionMode") == "Indexed" && completions > 0 {
        let name = object.at("metadata").text("name");
        let host = format!("{name}-{}", completions - 1);
        if !names::dns_label(&host).is_empty() {
            errors.invalid(
                &Path::new("metadata").child("name"),
                name,
                format!("will not able to create pod with invalid DNS label: {host}"),
            );
        }
    }
}

/// Whether the template of a job may change: it is suspended, and none of its pods run.
fn is_open(old: &Value) -> bool {
    let status = old.at("status");
    let suspended = status
        .list("conditions")
        .iter()
        .any(|condition| condition.text("type") == "Suspended" && condition.text("status") == "True");
    old.at("spec").flag("suspend") && (!status.has("startTime") || suspended) && status.int("active") == 0
}

/// What may change in the spec of a job, once it is there.
fn changed(object: &Value, old: &Value, errors: &mut Errors) {
    let (spec, before, path) = (object.at("spec"), old.at("spec"), Path::new("spec"));
    let own = path.child("completions");
    if spec.text("completionMode") == "Indexed" {
        if spec.at("completions") != before.at("completions")
            && let Some(completions) = spec.number("completions")
            && completions != spec.int("parallelism")
        {
            errors.invalid(&own, completions, "can only be modified in tandem with spec.parallelism");
        }
    } else {
        errors.immutable(spec.at("completions"), before.at("completions"), &own);
    }
    errors.immutable_selector(spec.at("selector"), before.at("selector"), &path.child("selector"));
    changed_template(object, old, &path, errors);
    for (field, kind) in [
        ("completionMode", ""),
        ("podFailurePolicy", "*batch.PodFailurePolicy"),
        ("backoffLimitPerIndex", ""),
        ("managedBy", ""),
        ("successPolicy", "*batch.SuccessPolicy"),
    ] {
        let (now, before, path) = (spec.at(field), before.at(field), path.child(field));
        if kind.is_empty() {
            errors.immutable(now, before, &path);
        } else {
            errors.immutable_struct(kind, now, before, &path);
        }
    }
}

fn changed_template(object: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let template = object.at("spec").at("template");
    let mut before = old.at("spec").at("template").clone();
    let open = is_open(old);
    if open {
        if let Some(meta) = child_mut(&mut before, "metadata") {
            copy_field(meta, template.at("metadata"), "annotations");
            copy_field(meta, template.at("metadata"), "labels");
        }
        if let Some(spec) = at_mut(&mut before, "spec") {
            let now = template.at("spec");
            for field in ["nodeSelector", "tolerations", "schedulingGates"] {
                copy_field(spec, now, field);
            }
            if now.has("affinity") {
                if let Some(affinity) = child_mut(spec, "affinity") {
                    copy_field(affinity, now.at("affinity"), "nodeAffinity");
                }
            } else if let Some(affinity) = at_mut(spec, "affinity") {
                unset(affinity, "nodeAffinity");
                if affinity.as_object().is_some_and(serde_json::Map::is_empty) {
                    unset(spec, "affinity");
                }
            }
        }
    }
    if !open {
        errors.immutable_struct("core.PodTemplateSpec", template, &before, &path.child("template"));
        return;
    }
    if let Some(spec) = at_mut(&mut before, "spec") {
        for field in ["containers", "initContainers"] {
            let now = template.at("spec").list(field);
            if now.len() != spec.list(field).len() {
                continue;
            }
            for (container, now) in list_mut(spec, field).zip(now) {
                if container.text("name") == now.text("name") {
                    copy_field(container, now, "resources");
                }
            }
        }
    }
    if !same(template.at("spec"), before.at("spec")) {
        let shown = internal::shown("core.PodSpec", template.at("spec"));
        errors.invalid_shown(&path.child("template.spec"), shown, "field is immutable");
    }
}

/// What the server warns of in the spec of a job.
pub(super) fn spec_warnings(spec: &Value, path: &Path) -> Vec<String> {
    let mut out = Vec::new();
    if spec.text("completionMode") == "Indexed"
        && spec.int("completions") > 100_000
        && spec.int("parallelism") > 10_000
    {
        out.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than \
             10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
        ));
    }
    out.extend(template::warnings(spec.at("template"), &path.child("template")));
    out
}

impl Rules for Job {
    fn default(&self, object: &mut Value) {
        if !is_unlabelled(object) {
            super::label_as_template(object);
        }
        let Some(spec) = child_mut(object, "spec") else { return };
        if !spec.has("completions") && !spec.has("parallelism") {
            set(spec, "completions", 1);
        }
        fill_absent(spec, "parallelism", 1);
        let limit = if spec.has("backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
        fill_absent(spec, "backoffLimit", limit);
        fill_absent(spec, "completionMode", "NonIndexed");
        fill_absent(spec, "suspend", false);
        let policy = if spec.has("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
        fill_absent(spec, "podReplacementPolicy", policy);
        fill_absent(spec, "manualSelector", false);
        fill_failure_policy(spec);
        template::fill(spec, "template");
    }

    /// The creator owns the labels of the template in the job too, but not those that the server adds to both.
    fn counted(&self, object: &Value) -> Option<Value> {
        super::lacks_labels(object).then(|| {
            let mut labelled = object.clone();
            super::label_as_template(&mut labelled);
            labelled
        })
    }

    fn complete(&self, object: &mut Value) {
        super::label_as_template(object);
    }

    fn is_shown_as_kept(&self, object: &Value) -> bool {
        !super::lacks_labels(object)
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        // Labels that are those of the template are so for good: what the server adds to one is in the other. Those of a
        // template without any are seen in the job when it is read.
        let labelled = super::lacks_labels(object);
        let (name, uid) =
            (object.at("metadata").text("name").to_owned(), object.at("metadata").text("uid").to_owned());
        if let Some(spec) = child_mut(object, "spec")
            && !spec.flag("manualSelector")
        {
            let labels = child_mut(spec, "template")
                .and_then(|template| child_mut(template, "metadata"))
                .and_then(|meta| child_mut(meta, "labels"));
            if let Some(labels) = labels {
                for (key, value) in [(OLD_NAME, &name), (NAME, &name), (OLD_UID, &uid), (UID, &uid)] {
                    fill_absent(labels, key, value.as_str());
                }
            }
            let selected =
                child_mut(spec, "selector").and_then(|selector| child_mut(selector, "matchLabels"));
            if let Some(labels) = selected {
                fill_absent(labels, UID, uid);
            }
        }
        if labelled {
            super::label_as_template(object);
        }
        set(object, "status", json!({}));
        self.drop_disabled(object, &Value::Null);
    }

    fn drop_disabled(&self, object: &mut Value, old: &Value) {
        super::drop_disabled(object, old);
    }

    fn has_status(&self) -> bool {
        true
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        whole(object, &template::options(None), true, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let mut options = template::options(Some(old.at("spec").at("template")));
        options.any_affinity_values |= selector::has_bad_values(old.at("spec").at("selector"));
        let labels = old.at("spec").at("template").at("metadata").at("labels");
        whole(object, &options, labels.has(NAME) && labels.has(UID), &mut errors);
        metadata::validate_update(object, old, &mut errors);
        let path = Path::new("spec");
        validate_spec(object.at("spec"), &options, &path, &mut errors);
        validate_selector(object.at("spec"), &options, &path, &mut errors);
        changed(object, old, &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        job_status::validate(object, old, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let mut out = Vec::new();
        match old {
            None => out.extend(super::name_warning(object)),
            Some(old) if super::same_generation(object, old) => return out,
            Some(_) => {}
        }
        out.extend(spec_warnings(object.at("spec"), &Path::new("spec")));
        out
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["status.successful"]
    }
}
