//! Daemon sets.

use serde_json::{Value, json};

use crate::field::{FieldError, Path, quoted};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::pod::options::Options;
use crate::kinds::pod::template;
use crate::kinds::read::{Read, child_mut, fill, fill_absent, same, set};
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};
use crate::kinds::{Context, Rules, copy_field, names};

/// Where the version that is served keeps how often the template changed.
pub(crate) const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// The rules of `DaemonSet`.
pub(crate) struct DaemonSet;

fn template_generation(object: &Value) -> i64 {
    object.at("metadata").at("annotations").text(TEMPLATE_GENERATION).parse().unwrap_or_default()
}

fn set_template_generation(object: &mut Value, generation: i64) {
    let annotations = child_mut(object, "metadata").and_then(|meta| child_mut(meta, "annotations"));
    if let Some(annotations) = annotations {
        set(annotations, TEMPLATE_GENERATION, generation.to_string());
    }
}

fn validate_spec(object: &Value, options: &Options, errors: &mut Errors) {
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    let (own, selector, template) = (path.child("selector"), spec.at("selector"), spec.at("template"));
    let values = if options.any_affinity_values { Values::Any } else { Values::Checked };
    selector::validate(selector, values, &own, errors);
    if selector::is_understood(selector) {
        super::selects_template(selector, template, &path.child("template"), errors);
    }
    if !selector.is_null() && selector::is_empty(selector) {
        errors.invalid_selector(&own, selector, "empty selector is invalid for daemonset");
    }
    template::validate(template, options, &path.child("template"), errors);
    super::runs_forever(template, "DaemonSet", &path.child("template"), errors);
    errors.not_negative(spec.int("minReadySeconds"), &path.child("minReadySeconds"));
    errors.not_negative(template_generation(object), &path.child("templateGeneration"));
    strategy(spec, &path.child("updateStrategy"), errors);
    if let Some(limit) = spec.number("revisionHistoryLimit") {
        errors.not_negative(limit, &path.child("revisionHistoryLimit"));
    }
}

fn strategy(spec: &Value, path: &Path, errors: &mut Errors) {
    let strategy = spec.at("updateStrategy");
    let rolling = strategy.at("rollingUpdate");
    match strategy.text("type") {
        "OnDelete" => {}
        "RollingUpdate" => {
            let path = path.child("rollingUpdate");
            let fields = ["maxUnavailable", "maxSurge"];
            for field in fields {
                super::int_or_percent(rolling.at(field), &path.child(field), errors);
            }
            for field in fields {
                super::not_more_than_all(rolling.at(field), &path.child(field), errors);
            }
            let [unavailable, surge] = fields.map(|field| super::amount(rolling.at(field)) != 0);
            if unavailable && surge {
                errors.invalid(
                    &path.child("maxSurge"),
                    rolling.at("maxSurge").clone(),
                    "may not be set when maxUnavailable is non-zero",
                );
            } else if !unavailable && !surge {
                errors.required(&path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0");
            }
        }
        other => {
            let rolling = if rolling.is_null() {
                "null".to_owned()
            } else {
                format!(
                    "{{\"MaxUnavailable\":{},\"MaxSurge\":{}}}",
                    rolling.at("maxUnavailable"),
                    rolling.at("maxSurge")
                )
            };
            let mut error = FieldError::not_supported(path, strategy.clone(), &["RollingUpdate", "OnDelete"]);
            error.shown = Some(format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", quoted(other)));
            errors.push(error);
        }
    }
}

impl Rules for DaemonSet {
    fn default(&self, object: &mut Value) {
        let generation = template_generation(object);
        set_template_generation(object, generation);
        let Some(spec) = child_mut(object, "spec") else { return };
        if let Some(strategy) = child_mut(spec, "updateStrategy") {
            fill(strategy, "type", "RollingUpdate");
            if strategy.text("type") == "RollingUpdate" {
                fill_absent(strategy, "rollingUpdate", json!({}));
            }
            let default = i64::from(strategy.text("type") == "RollingUpdate");
            if let Some(rolling) = strategy.get_mut("rollingUpdate").filter(|rolling| !rolling.is_null()) {
                fill_absent(rolling, "maxUnavailable", default);
                fill_absent(rolling, "maxSurge", 0);
            }
        }
        fill_absent(spec, "revisionHistoryLimit", 10);
        template::fill(spec, "template");
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        set(
            object,
            "status",
            json!({
                "currentNumberScheduled": 0,
                "numberMisscheduled": 0,
                "desiredNumberScheduled": 0,
                "numberReady": 0,
            }),
        );
        let generation = template_generation(object).max(1);
        set_template_generation(object, generation);
        super::drop_disabled(object, &Value::Null);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        super::drop_disabled(object, old);
        copy_field(object, old, "status");
        let (spec, before) = (object.at("spec"), old.at("spec"));
        let changed_template = !same(spec.at("template"), before.at("template"));
        set_template_generation(object, template_generation(old) + i64::from(changed_template));
    }

    fn prepare_status_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "spec");
        set_template_generation(object, template_generation(old));
    }

    fn has_status(&self) -> bool {
        true
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        validate_spec(object, &template::options(None), &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let mut options = template::options(Some(old.at("spec").at("template")));
        options.any_affinity_values |= selector::has_bad_values(old.at("spec").at("selector"));
        metadata::validate_update(object, old, &mut errors);
        super::fixed_selector(object, old, &mut errors);
        validate_spec(object, &options, &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        let path = Path::new("status");
        super::counts(
            object.at("status"),
            &[
                "currentNumberScheduled",
                "numberMisscheduled",
                "desiredNumberScheduled",
                "numberReady",
                "observedGeneration",
                "updatedNumberScheduled",
                "numberAvailable",
                "numberUnavailable",
                "collisionCount",
            ],
            &[],
            &path,
            &mut errors,
        );
        super::collisions(object, old, &path, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        if old.is_some_and(|old| template_generation(old) == template_generation(object)) {
            return Vec::new();
        }
        template::warnings(object.at("spec").at("template"), &Path::new("spec").child("template"))
    }
}
