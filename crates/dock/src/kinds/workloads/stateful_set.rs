//! Stateful sets.

use serde_json::{Value, json};

use crate::field::{FieldError, Path, quoted};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::pod::options::Options;
use crate::kinds::pod::template;
use crate::kinds::read::{Read, at_mut, child_mut, fill, fill_absent, list_mut, same, set, unset};
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};
use crate::kinds::storage::claim;
use crate::kinds::{Rules, copy_field, names};

/// The rules of `StatefulSet`.
pub(crate) struct StatefulSet;

/// What is not checked again in an update, because it cannot change or was wrong before.
#[derive(Debug, Clone, Copy, Default)]
struct Skips {
    immutable: bool,
    template: bool,
}

fn validate_spec(spec: &Value, options: &Options, skips: Skips, errors: &mut Errors) {
    let path = Path::new("spec");
    match spec.text("podManagementPolicy") {
        "" => errors.required(&path.child("podManagementPolicy"), ""),
        "OrderedReady" | "Parallel" => {}
        other => {
            errors.invalid(&path.child("podManagementPolicy"), other, "must be 'OrderedReady' or 'Parallel'");
        }
    }
    strategy(spec, &path.child("updateStrategy"), errors);
    let policy = spec.at("persistentVolumeClaimRetentionPolicy");
    if !policy.is_null() {
        for field in ["whenDeleted", "whenScaled"] {
            let path = path.child("persistentVolumeClaimRetentionPolicy").child(field);
            errors.one_of(policy.text(field), &["Retain", "Delete"], &path);
        }
    }
    if !skips.immutable {
        for (index, claim) in spec.list("volumeClaimTemplates").iter().enumerate() {
            let path = path.child("volumeClaimTemplates").index(index).child("spec");
            claim::validate_spec(claim.at("spec"), claim::Options::default(), &path, errors);
        }
    }
    errors.not_negative(spec.int("replicas"), &path.child("replicas"));
    errors.not_negative(spec.int("minReadySeconds"), &path.child("minReadySeconds"));
    if spec.has("ordinals") {
        errors.not_negative(spec.at("ordinals").int("start"), &path.child("ordinals.start"));
    }
    let service = spec.text("serviceName");
    if !skips.immutable && !service.is_empty() {
        errors.invalid_each(&path.child("serviceName"), service, names::dns_label(service));
    }
    let (own, selector) = (path.child("selector"), spec.at("selector"));
    if selector.is_null() {
        errors.required(&own, "");
    } else {
        selector::validate(selector, Values::Checked, &own, errors);
        if selector::is_empty(selector) {
            errors.invalid_selector(&own, selector, "empty selector is invalid for statefulset");
        }
    }
    if selector::is_understood(selector) {
        let whole = with_claims(spec);
        let own = path.child("template");
        if selector.is_null() || !selector::is_empty(selector) {
            super::selects_template(selector, &whole, &own, errors);
        }
        if !skips.template {
            template::validate(&whole, options, &own, errors);
        }
        template::validate_metadata(&whole, options, &own, errors);
    } else {
        errors.invalid_selector(&own, selector, "");
    }
    super::runs_forever(spec.at("template"), "StatefulSet", &path.child("template"), errors);
}

/// The template with a volume for each claim, and without what the controller sets itself.
fn with_claims(spec: &Value) -> Value {
    let mut whole = spec.at("template").clone();
    let Some(own) = at_mut(&mut whole, "spec") else { return whole };
    unset(own, "subdomain");
    unset(own, "hostname");
    let claims = spec.list("volumeClaimTemplates");
    if claims.is_empty() {
        return whole;
    }
    let mut names: Vec<&str> = claims.iter().map(|claim| claim.at("metadata").text("name")).collect();
    names.sort_unstable();
    names.dedup();
    let mut volumes: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "persistentVolumeClaim": {"claimName": name}}))
        .collect();
    volumes
        .extend(own.list("volumes").iter().filter(|volume| !names.contains(&volume.text("name"))).cloned());
    set(own, "volumes", volumes);
    whole
}

fn strategy(spec: &Value, path: &Path, errors: &mut Errors) {
    let strategy = spec.at("updateStrategy");
    let rolling = strategy.at("rollingUpdate");
    let shown = || {
        if rolling.is_null() {
            return "null".to_owned();
        }
        format!(
            "{{\"Partition\":{},\"MaxUnavailable\":{}}}",
            rolling.int("partition"),
            rolling.at("maxUnavailable")
        )
    };
    match strategy.text("type") {
        "" => errors.required(path, ""),
        "OnDelete" => {
            if !rolling.is_null() {
                errors.invalid_shown(
                    &path.child("rollingUpdate"),
                    shown(),
                    "only allowed for updateStrategy 'RollingUpdate'",
                );
            }
        }
        "RollingUpdate" => {
            if rolling.is_null() {
                return;
            }
            let path = path.child("rollingUpdate");
            errors.not_negative(rolling.int("partition"), &path.child("partition"));
            let unavailable = rolling.at("maxUnavailable");
            if !unavailable.is_null() {
                let path = path.child("maxUnavailable");
                super::int_or_percent(unavailable, &path, errors);
                if super::amount(unavailable) == 0 {
                    errors.invalid(&path, unavailable.clone(), "cannot be 0");
                }
                super::not_more_than_all(unavailable, &path, errors);
            }
        }
        other => errors.invalid_shown(
            path,
            format!("{{\"Type\":{},\"RollingUpdate\":{}}}", quoted(other), shown()),
            "must be 'RollingUpdate' or 'OnDelete'",
        ),
    }
}

/// Takes out the field of a feature that is off.
fn drop_disabled(object: &mut Value, old: &Value) {
    super::drop_disabled(object, old);
    if old.at("spec").at("updateStrategy").at("rollingUpdate").has("maxUnavailable") {
        return;
    }
    let rolling = at_mut(object, "spec")
        .and_then(|spec| at_mut(spec, "updateStrategy"))
        .and_then(|strategy| at_mut(strategy, "rollingUpdate"));
    if let Some(rolling) = rolling {
        unset(rolling, "maxUnavailable");
    }
}

impl Rules for StatefulSet {
    fn default(&self, object: &mut Value) {
        let Some(spec) = child_mut(object, "spec") else { return };
        fill(spec, "podManagementPolicy", "OrderedReady");
        if let Some(strategy) = child_mut(spec, "updateStrategy") {
            if strategy.text("type").is_empty() {
                set(strategy, "type", "RollingUpdate");
                fill_absent(strategy, "rollingUpdate", json!({}));
            }
            if let Some(rolling) = at_mut(strategy, "rollingUpdate") {
                fill_absent(rolling, "partition", 0);
            }
        }
        if let Some(policy) = child_mut(spec, "persistentVolumeClaimRetentionPolicy") {
            fill(policy, "whenDeleted", "Retain");
            fill(policy, "whenScaled", "Retain");
        }
        fill_absent(spec, "replicas", 1);
        fill_absent(spec, "revisionHistoryLimit", 10);
        template::fill(spec, "template");
        for claim in list_mut(spec, "volumeClaimTemplates") {
            claim::PersistentVolumeClaim.default(claim);
            set(claim, "apiVersion", "v1");
            set(claim, "kind", "PersistentVolumeClaim");
        }
    }

    fn first_status(&self) -> Option<Value> {
        Some(json!({"replicas": 0, "availableReplicas": 0}))
    }

    fn drop_disabled(&self, object: &mut Value, old: &Value) {
        drop_disabled(object, old);
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_label, &mut errors);
        validate_spec(object.at("spec"), &template::options(None), Skips::default(), &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let options = template::options(Some(old.at("spec").at("template")));
        metadata::validate_update(object, old, &mut errors);
        let mut before = Errors::new();
        let skips = Skips { immutable: true, template: false };
        validate_spec(old.at("spec"), &options, skips, &mut before);
        let skips = Skips { template: !before.is_empty(), ..skips };
        validate_spec(object.at("spec"), &options, skips, &mut errors);
        let mut kept = object.at("spec").clone();
        for field in [
            "replicas",
            "template",
            "updateStrategy",
            "minReadySeconds",
            "ordinals",
            "revisionHistoryLimit",
            "persistentVolumeClaimRetentionPolicy",
        ] {
            copy_field(&mut kept, old.at("spec"), field);
        }
        if !same(&kept, old.at("spec")) {
            errors.forbidden(
                &Path::new("spec"),
                "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
                 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and \
                 'minReadySeconds' are forbidden",
            );
        }
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let (status, path) = (object.at("status"), Path::new("status"));
        super::counts(
            status,
            &[
                "replicas",
                "readyReplicas",
                "currentReplicas",
                "updatedReplicas",
                "availableReplicas",
                "observedGeneration",
                "collisionCount",
            ],
            &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
            &path,
            &mut errors,
        );
        super::available(status, "status.readyReplicas", &path, &mut errors);
        metadata::validate_update(object, old, &mut errors);
        super::collisions(object, old, &path, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let mut out = super::warnings(object, old, false);
        let spec = object.at("spec");
        for (index, claim) in spec.list("volumeClaimTemplates").iter().enumerate() {
            let path = Path::new("spec").child("volumeClaimTemplates").index(index);
            let path = if old.is_some() { path.child("Spec") } else { path };
            out.extend(claim::spec_warnings(claim.at("spec"), &path));
        }
        if spec.int("revisionHistoryLimit") < 0 {
            out.push(
                "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is \
                 recommended"
                    .into(),
            );
        }
        out
    }
}
