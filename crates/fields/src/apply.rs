//! Server-side apply.

use serde_json::Value;

use crate::conflict::Conflicts;
use crate::last_applied;
use crate::managers::{Managers, Operation, assemble, set_managed_fields};
use crate::order::same;
use crate::prune::prune;
use crate::refusal::{ApplyError, ObjectType};
use crate::request::{Request, Untracked, without_nobodys};
use crate::set::FieldSet;
use crate::typed::{Duplicates, compare, fields_of, merge, validate};
use crate::versions::Changes;

pub(crate) fn apply(
    request: &Request<'_>,
    live: &Value,
    applied: &Value,
    force: bool,
) -> Result<Value, ApplyError> {
    let mut bare = live.clone();
    let stored = set_managed_fields(&mut bare, None).unwrap_or_default();
    let mut managers = Managers::from_stored(&stored)?;
    check_type(request, applied)?;

    if managers.is_empty() {
        request.track(request.empty, &bare, &mut managers, "before-first-apply").map_err(|untracked| {
            let refuse = |side, object, errors| ApplyError::BeforeFirst {
                side,
                object: Box::new(request.name_of(object)),
                errors,
            };
            match untracked {
                Untracked::New(errors) => refuse("new", live, errors),
                Untracked::Live(errors) => refuse("live", request.empty, errors),
                Untracked::Version(error) => error.into(),
            }
        })?;
    }
    if applied["metadata"].get("managedFields").is_some_and(Value::is_array) {
        return Err(ApplyError::ManagedFieldsGiven);
    }
    validate(applied, request.view, Duplicates::Refused)
        .map_err(|errors| ApplyError::Applied { object: Box::new(request.name_of(applied)), errors })?;
    validate(live, request.view, Duplicates::Allowed)
        .map_err(|errors| ApplyError::Live { object: Box::new(request.name_of(live)), errors })?;
    request.follow(&mut managers, &bare)?;

    let mut own = fields_of(applied, request.view);
    own.subtract_all_below(request.reset);
    let mut entry = request.entry(request.manager, Operation::Apply, own);
    let before = managers.find(&entry).map(|at| managers.entries()[at].clone());
    entry.time = before.as_ref().and_then(|before| before.time);
    managers.put(entry.clone());

    let mut merged = merge(bare.clone(), applied, request.view);
    if let Some(before) = before.filter(|before| !before.fields.is_empty()) {
        merged = prune(merged, &managers, &before, request)?;
    }

    let mut difference = compare(&bare, &merged, request.view);
    difference.exclude(request.reset);
    let others =
        Changes::seen_by_others(request, &managers, &bare, &merged).map_err(ApplyError::Unconverted)?;
    let mut changed = difference.modified;
    changed.unite(difference.added);
    if !force {
        check_conflicts(request, &bare, &managers, managers.find(&entry), &changed, &others)?;
    }
    changed.unite(difference.removed);
    let own_place = managers.find(&entry);
    for (at, other) in managers.entries_mut().iter_mut().enumerate() {
        if Some(at) == own_place {
            other.fields = without_nobodys(std::mem::take(&mut other.fields));
        } else {
            let lost = others.in_version(&other.api_version).map_or(&changed, |change| &change.lost);
            if other.fields.subtract(lost) {
                other.stored = None;
            }
        }
    }
    managers.entries_mut().retain(|entry| !entry.fields.is_empty());

    let is_changed = !same(&bare, &merged);
    if is_changed && let Some(at) = managers.find(&entry) {
        managers.entries_mut()[at].time = Some(request.now);
    }
    let written = managers.to_written();
    let mut object = if is_changed { merged } else { bare };
    if request.manager == last_applied::KUBECTL {
        last_applied::refresh(&mut object, applied);
    }
    if let Some(written) = assemble(written, stored) {
        set_managed_fields(&mut object, Some(written));
    }
    Ok(object)
}

fn check_type(request: &Request<'_>, applied: &Value) -> Result<(), ApplyError> {
    let text = |name: &str| applied[name].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if api_version == request.api_version && kind == request.kind {
        return Ok(());
    }
    // What cannot be a version leaves nothing of the type.
    let of = if api_version.matches('/').count() > 1 {
        ObjectType { api_version: String::new(), kind: String::new() }
    } else {
        ObjectType { api_version: api_version.into(), kind: kind.into() }
    };
    Err(ApplyError::WrongType(of))
}

/// Refuses the change if others own what it changes. What kubectl applied on the client's side is kubectl's own.
fn check_conflicts(
    request: &Request<'_>,
    live: &Value,
    managers: &Managers<'_>,
    own: Option<usize>,
    changed: &FieldSet<'_>,
    others: &Changes,
) -> Result<(), ApplyError> {
    let mut conflicts: Vec<_> = managers
        .entries()
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != own)
        .map(|(_, other)| {
            let changed = others.in_version(&other.api_version).map_or(changed, |change| &change.written);
            (other, other.fields.intersection(changed))
        })
        .filter(|(_, fields)| !fields.is_empty())
        .collect();
    if conflicts.is_empty() {
        return Ok(());
    }
    if request.manager == last_applied::KUBECTL
        && let Some(config) = last_applied::config(live)
        && let Some(own) = last_applied::unchanged_since(request, &config, live)
    {
        for (_, fields) in &mut conflicts {
            fields.subtract(&own);
        }
        conflicts.retain(|(_, fields)| !fields.is_empty());
    }
    if conflicts.is_empty() { Ok(()) } else { Err(ApplyError::Conflicts(Conflicts::with(&conflicts))) }
}
