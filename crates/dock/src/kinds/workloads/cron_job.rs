//! Cron jobs.

use serde_json::{Value, json};

use super::{cron, job, job_policies};
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::pod::options::Options;
use crate::kinds::pod::template;
use crate::kinds::read::{Read, at_mut, child_mut, fill, fill_absent};
use crate::kinds::report::Errors;
use crate::kinds::{Rules, names};

/// The rules of `CronJob`.
pub(crate) struct CronJob;

fn job_spec(object: &Value) -> &Value {
    object.at("spec").at("jobTemplate").at("spec")
}

fn drop_disabled(object: &mut Value, old: &Value) {
    let own = at_mut(object, "spec")
        .and_then(|spec| at_mut(spec, "jobTemplate"))
        .and_then(|job| at_mut(job, "spec"))
        .and_then(|spec| at_mut(spec, "template"));
    template::drop_disabled(own, job_spec(old).at("template"));
}

fn validate_spec(object: &Value, old: Option<&Value>, options: &Options, errors: &mut Errors) {
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    let schedule = spec.text("schedule");
    let own = path.child("schedule");
    if schedule.is_empty() {
        errors.required(&own, "");
    } else {
        if let Some(words) = cron::refusal(schedule) {
            errors.invalid(&own, schedule, words);
        }
        let had_zone = old.is_some_and(|old| old.at("spec").text("schedule").contains("TZ"));
        if schedule.contains("TZ") {
            if !had_zone {
                errors.invalid(
                    &own,
                    schedule,
                    "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
                );
            } else if spec.has("timeZone") {
                errors.invalid(
                    &own,
                    schedule,
                    "cannot use both timeZone field and TZ or CRON_TZ in schedule",
                );
            }
        }
    }
    if let Some(seconds) = spec.number("startingDeadlineSeconds") {
        errors.not_negative(seconds, &path.child("startingDeadlineSeconds"));
    }
    if old.is_none_or(|old| old.at("spec").at("timeZone") != spec.at("timeZone")) {
        time_zone(spec, &path.child("timeZone"), errors);
    }
    let policy = spec.text("concurrencyPolicy");
    if policy.is_empty() {
        errors.required(&path.child("concurrencyPolicy"), "");
    } else {
        let known = ["Allow", "Forbid", "Replace"];
        errors.one_of(policy, &known, &path.child("concurrencyPolicy"));
    }
    let own = path.child("jobTemplate").child("spec");
    job::validate_spec(job_spec(object), options, &own, errors);
    if job_spec(object).has("selector") {
        errors.invalid_selector(
            &own.child("selector"),
            job_spec(object).at("selector"),
            "`selector` will be auto-generated",
        );
    }
    if job_spec(object).flag("manualSelector") {
        errors.unsupported(&own.child("manualSelector"), true, &["nil", "false"]);
    }
    for field in ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
        if let Some(limit) = spec.number(field) {
            errors.not_negative(limit, &path.child(field));
        }
    }
}

fn time_zone(spec: &Value, path: &Path, errors: &mut Errors) {
    let Some(zone) = spec.at("timeZone").as_str() else { return };
    if zone.is_empty() {
        errors.invalid(path, zone, "timeZone must be nil or non-empty string");
        return;
    }
    let fits = |part: &str| {
        part != "."
            && part != ".."
            && !part.starts_with('-')
            && (1..=14).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte))
    };
    if !zone.split('/').all(fits) {
        errors.invalid(path, zone, format!("unknown time zone {zone}"));
        return;
    }
    if zone.eq_ignore_ascii_case("local") {
        errors.invalid(
            path,
            zone,
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
        );
    }
    if !cron::is_zone(zone) {
        errors.invalid(path, zone, format!("unknown time zone {zone}"));
    }
}

impl Rules for CronJob {
    fn default(&self, object: &mut Value) {
        let Some(spec) = child_mut(object, "spec") else { return };
        fill(spec, "concurrencyPolicy", "Allow");
        fill_absent(spec, "suspend", false);
        fill_absent(spec, "successfulJobsHistoryLimit", 3);
        fill_absent(spec, "failedJobsHistoryLimit", 1);
        if let Some(own) = child_mut(spec, "jobTemplate").and_then(|job| child_mut(job, "spec")) {
            job_policies::fill_failure_policy(own);
            template::fill(own, "template");
        }
    }

    fn first_status(&self) -> Option<Value> {
        Some(json!({}))
    }

    fn drop_disabled(&self, object: &mut Value, old: &Value) {
        drop_disabled(object, old);
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        validate_spec(object, None, &template::options(None), &mut errors);
        let name = object.at("metadata").text("name");
        if name.len() > 52 {
            errors.invalid(&Path::new("metadata").child("name"), name, "must be no more than 52 characters");
        }
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let options = template::options(Some(job_spec(old).at("template")));
        metadata::validate_update(object, old, &mut errors);
        validate_spec(object, Some(old), &options, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let path = Path::new("spec").child("jobTemplate").child("spec");
        let mut out = Vec::new();
        if old.is_none() {
            out.extend(super::name_warning(object));
        }
        if old.is_none_or(|old| !super::same_generation(object, old)) {
            out.extend(job::spec_warnings(job_spec(object), &path));
        }
        if old.is_some() && object.at("spec").text("schedule").contains("TZ") {
            out.push(
                "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
                 https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                    .into(),
            );
        }
        out
    }
}
