//! The status of a job: which conditions go together, and what may no longer change.

use serde_json::Value;

use crate::field::{Path, quoted};
use crate::kinds::read::{Read, same, text_of};
use crate::kinds::report::Errors;

fn is_true(object: &Value, kind: &str) -> bool {
    object
        .at("status")
        .list("conditions")
        .iter()
        .any(|condition| condition.text("type") == kind && condition.text("status") == "True")
}

fn is_finished(object: &Value) -> bool {
    is_true(object, "Complete") || is_true(object, "Failed")
}

/// The two ends of one part of a list of indexes.
fn interval(text: &str, completions: i64) -> Result<(i64, i64), String> {
    let parts: Vec<&str> = text.split('-').collect();
    if parts.len() > 2 {
        return Err(format!(
            "the fragment {} violates the requirement that an index interval can have at most two parts separated by \
             '-'",
            quoted(text)
        ));
    }
    let mut ends = Vec::new();
    for part in parts {
        let number: i64 = part
            .parse()
            .map_err(|_| format!("cannot convert string to integer for index: {}", quoted(part)))?;
        if number >= completions {
            return Err(format!("too large index: {}", quoted(part)));
        }
        ends.push(number);
    }
    match ends.as_slice() {
        [start, end] if start >= end => {
            Err(format!("non-increasing order, previous: {start}, current: {end}"))
        }
        [start, end] => Ok((*start, *end)),
        [one] => Ok((*one, *one)),
        _ => Ok((0, 0)),
    }
}

/// How many indexes a list such as `1,3-5` names.
pub(super) fn indexes(text: &str, completions: i64) -> Result<i64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let mut last: Option<i64> = None;
    let mut total = 0;
    for part in text.split(',') {
        let (start, end) = interval(part, completions)?;
        if let Some(last) = last.filter(|last| *last >= start) {
            return Err(format!("non-increasing order, previous: {last}, current: {start}"));
        }
        total += end - start + 1;
        last = Some(end);
    }
    Ok(total)
}

/// The first index that both lists name.
fn overlap(one: &str, other: &str, completions: i64) -> Option<i64> {
    let parse = |text: &str| -> Vec<(i64, i64)> {
        text.split(',').filter_map(|part| interval(part, completions).ok()).collect()
    };
    let others = parse(other);
    parse(one)
        .into_iter()
        .flat_map(|(start, end)| others.iter().map(move |(low, high)| (start, end, *low, *high)))
        .filter(|(start, end, low, high)| start <= high && low <= end)
        .map(|(start, _, low, _)| start.max(low))
        .min()
}

/// What is wrong with a new status.
pub(super) fn validate(object: &Value, old: &Value, errors: &mut Errors) {
    let path = Path::new("status");
    let (status, before, spec) = (object.at("status"), old.at("status"), object.at("spec"));
    for field in ["active", "succeeded", "failed", "ready", "terminating"] {
        errors.not_negative(status.int(field), &path.child(field));
    }
    uncounted(status, &path.child("uncountedTerminatedPods"), errors);
    conditions(object, old, &path, errors);
    let changed = |field: &str| !same(status.at(field), before.at(field));
    let finished = is_finished(object);
    let finishing = finished != is_finished(old);
    if (finishing || changed("active")) && finished && status.int("active") > 0 {
        errors.invalid(&path.child("active"), status.int("active"), "active>0 is invalid for finished job");
    }
    let idle = spec.flag("suspend") && spec.number("completions") == Some(0);
    if (finishing || changed("startTime")) && !idle && finished && !status.has("startTime") {
        errors.required(&path.child("startTime"), "startTime is required for finished job");
    }
    let pods = status.at("uncountedTerminatedPods");
    let some = !pods.list("failed").is_empty() || !pods.list("succeeded").is_empty();
    if (finishing || changed("uncountedTerminatedPods")) && finished && some {
        errors.invalid_shown(
            &path.child("uncountedTerminatedPods"),
            format!("{{\"Succeeded\":{},\"Failed\":{}}}", pods.at("succeeded"), pods.at("failed")),
            "must be empty for finished job",
        );
    }
    lists(object, old, &path, errors);
    if (finishing || changed("terminating")) && finished && status.int("terminating") > 0 {
        errors.invalid(
            &path.child("terminating"),
            status.int("terminating"),
            "terminating>0 is invalid for finished job",
        );
    }
    if (changed("ready") || changed("active")) && status.int("ready") > status.int("active") {
        errors.invalid(&path.child("ready"), status.int("ready"), "cannot set more ready pods than active");
    }
    success(object, &path, errors);
    transitions(object, old, &path, errors);
}

fn uncounted(status: &Value, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for field in ["succeeded", "failed"] {
        for (index, uid) in status.at("uncountedTerminatedPods").list(field).iter().enumerate() {
            let path = path.child(field).index(index);
            let uid = text_of(uid);
            if uid.is_empty() {
                errors.invalid(&path, uid, "must not be empty");
            } else if seen.contains(&uid) {
                errors.duplicate(&path, uid);
            } else {
                seen.push(uid);
            }
        }
    }
}

fn conditions(object: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let (status, before) = (object.at("status"), old.at("status"));
    let own = path.child("conditions");
    let turned = |kind: &str| is_true(object, kind) != is_true(old, kind);
    let changed = |field: &str| !same(status.at(field), before.at(field));
    let complete = is_true(object, "Complete");
    let failed = is_true(object, "Failed");
    let target = is_true(object, "FailureTarget");
    if (turned("Complete") || turned("Failed")) && complete && failed {
        errors.invalid_omitted(&own, "cannot set Complete=True and Failed=true conditions");
    }
    if (turned("Complete") || turned("FailureTarget")) && complete && target {
        errors.invalid_omitted(&own, "cannot set Complete=True and FailureTarget=true conditions");
    }
    let done = path.child("completionTime");
    let completed = status.at("completionTime");
    if turned("Complete") || changed("completionTime") {
        if !completed.is_null() && !complete {
            errors.invalid(
                &done,
                completed.clone(),
                "cannot set completionTime when there is no Complete=True condition",
            );
        }
        if completed.is_null() && complete {
            errors.required(&done, "completionTime is required for Complete jobs");
        }
    }
    let started = status.text("startTime");
    if (changed("startTime") || changed("completionTime"))
        && !started.is_empty()
        && !completed.is_null()
        && text_of(completed) < started
    {
        errors.invalid(&done, completed.clone(), "must be equal to or after `startTime`");
    }
    if (turned("Failed") || changed("failedIndexes")) && failed && !target {
        errors.invalid_omitted(
            &own,
            "cannot set Failed=True condition without the FailureTarget=true condition",
        );
    }
    let met = is_true(object, "SuccessCriteriaMet");
    if (turned("Complete") || turned("SuccessCriteriaMet")) && complete && !met {
        errors.invalid_omitted(
            &own,
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        );
    }
}

fn lists(object: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let (status, before, spec) = (object.at("status"), old.at("status"), object.at("spec"));
    let completions = spec.number("completions");
    let completed = status.text("completedIndexes");
    let failed = status.at("failedIndexes").as_str();
    let completed_changed = completed != before.text("completedIndexes");
    let failed_changed = status.at("failedIndexes") != before.at("failedIndexes");
    let (completed_path, failed_path) = (path.child("completedIndexes"), path.child("failedIndexes"));
    if completed_changed
        && let Some(completions) = completions
        && let Err(words) = indexes(completed, completions)
    {
        errors.invalid(&completed_path, completed, format!("error parsing completedIndexes: {words}"));
    }
    if failed_changed
        && spec.has("backoffLimitPerIndex")
        && let (Some(completions), Some(failed)) = (completions, failed)
        && let Err(words) = indexes(failed, completions)
    {
        errors.invalid(&failed_path, failed, format!("error parsing failedIndexes: {words}"));
    }
    if completed_changed && !completed.is_empty() && spec.text("completionMode") != "Indexed" {
        errors.invalid(
            &completed_path,
            completed,
            "cannot set non-empty completedIndexes when non-indexed completion mode",
        );
    }
    if let Some(failed) = failed {
        if failed_changed && !spec.has("backoffLimitPerIndex") {
            errors.invalid(
                &failed_path,
                failed,
                "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
            );
        }
        if (failed_changed || completed_changed)
            && let Some(completions) = completions
            && let Some(index) = overlap(completed, failed, completions)
        {
            errors.invalid(
                &failed_path,
                failed,
                format!("failedIndexes and completedIndexes overlap at index: {index}"),
            );
        }
    }
}

fn success(object: &Value, path: &Path, errors: &mut Errors) {
    let own = path.child("conditions");
    let met = is_true(object, "SuccessCriteriaMet");
    if met && is_true(object, "Failed") {
        errors.invalid_omitted(&own, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    }
    if met && is_true(object, "FailureTarget") {
        errors.invalid_omitted(&own, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    }
    if object.at("spec").has("successPolicy") && !met && is_true(object, "Complete") {
        errors.invalid_omitted(
            &own,
            "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
        );
    }
}

fn transitions(object: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let (status, before, spec) = (object.at("status"), old.at("status"), object.at("spec"));
    let own = path.child("conditions");
    for kind in ["Failed", "Complete", "FailureTarget"] {
        if is_true(old, kind) && !is_true(object, kind) {
            errors.invalid_omitted(&own, format!("cannot disable the terminal {kind}=True condition"));
        }
    }
    if status.int("failed") < before.int("failed") {
        errors.invalid(&path.child("failed"), status.int("failed"), "cannot decrease the failed counter");
    }
    let elastic =
        spec.text("completionMode") == "Indexed" && spec.at("completions") == spec.at("parallelism");
    if !elastic && status.int("succeeded") < before.int("succeeded") {
        errors.invalid(
            &path.child("succeeded"),
            status.int("succeeded"),
            "cannot decrease the succeeded counter",
        );
    }
    let (done, was_done) = (status.at("completionTime"), before.at("completionTime"));
    if !done.is_null() && !was_done.is_null() && done != was_done {
        errors.invalid(&path.child("completionTime"), done.clone(), "field is immutable");
    }
    let (start, had_start) = (status.at("startTime"), before.at("startTime"));
    let resumes = is_true(old, "Suspended")
        && status
            .list("conditions")
            .iter()
            .any(|condition| condition.text("type") == "Suspended" && condition.text("status") == "False");
    if !resumes && !had_start.is_null() && start != had_start && !spec.flag("suspend") {
        errors.invalid(
            &path.child("startTime"),
            start.clone(),
            "field is immutable for unsuspended job once set",
        );
    }
    let (met, was_met) = (is_true(object, "SuccessCriteriaMet"), is_true(old, "SuccessCriteriaMet"));
    if was_met && !met {
        errors.invalid_omitted(&own, "cannot disable the SuccessCriteriaMet=True condition");
    }
    if is_true(old, "Complete") && !was_met && met {
        errors.invalid_omitted(
            &own,
            "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
        );
    }
}
