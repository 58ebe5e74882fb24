//! Removal of what a manager applied before and applies no longer.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schema::View;
use serde_json::Value;

use crate::managers::{Entry, Managers};
use crate::request::Request;
use crate::set::FieldSet;
use crate::typed::{ValidationErrors, fields_of, remove, with_named_fields};

/// An object that the real server refuses to convert to the version in which somebody owns fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed to prune fields: {step}{errors}")]
pub struct PruneError {
    /// What was being done, in the words of the real server, up to the colon.
    step: String,
    /// What is wrong with the object.
    errors: ValidationErrors,
}

/// The merged object without the fields that the applier's former entry owns, unless they are in the managers' sets
/// (which have the applier's new entry) or were there without it.
pub(crate) fn prune(
    merged: Value,
    managers: &Managers<'_>,
    before: &Entry<'_>,
    request: &Request<'_>,
) -> Result<Value, PruneError> {
    if is_needless(managers, before, request) {
        return Ok(merged);
    }
    let convert = |value: &Value, from: &str, to: &str, step: &dyn Fn() -> String| {
        let converted =
            request.converted(value, from, to).map_err(|errors| PruneError { step: step(), errors });
        converted.map(Cow::into_owned)
    };
    let version = &*before.api_version;
    let view = request.view_in(version);
    let merged = convert(&merged, request.api_version, version, &|| {
        "failed to convert merged object to last applied version: ".into()
    })?;
    let last = with_named_fields(before.fields.clone(), view);

    // What is owned in the version that was applied comes back first, then what is owned in others.
    let mut owned: BTreeMap<(bool, &str), FieldSet<'_>> = BTreeMap::new();
    for entry in managers.entries() {
        let other = &*entry.api_version;
        owned.entry((other != version, other)).or_default().unite(entry.fields.clone());
    }
    let mut at = version;
    let mut whole = merged.clone();
    let mut pruned = remove(&merged, &last, view);
    for ((_, next), managed) in owned {
        let step = |name: &str| {
            format!("failed add back owned items: failed to convert {name} object at version {next}: ")
        };
        whole = convert(&whole, at, next, &|| step("merged"))?;
        pruned = convert(&pruned, at, next, &|| step("pruned"))?;
        at = next;
        let view = request.view_in(next);
        let mut kept = named_fields_of(&pruned, view);
        kept.unite(with_named_fields(managed, view));
        let mut gone = named_fields_of(&whole, view);
        gone.subtract(&kept);
        pruned = remove(&whole, &gone, view);
    }

    // Of all that went, only what the applier itself had put there may go.
    let pruned = convert(&pruned, at, version, &|| {
        "failed add back dangling items: failed to convert pruned object to last applied version: ".into()
    })?;
    let mut gone = named_fields_of(&merged, view);
    gone.subtract(&named_fields_of(&pruned, view));
    let pruned = remove(&merged, &gone.intersection(&last), view);
    convert(&pruned, version, request.api_version, &String::new)
}

/// Whether all that was applied before is applied again, so that nothing can go. The new entry owns each step to what
/// it owns, as it was just made from an object.
fn is_needless(managers: &Managers<'_>, before: &Entry<'_>, request: &Request<'_>) -> bool {
    managers.entries().iter().all(|entry| entry.api_version == request.api_version)
        && managers.find(before).is_some_and(|at| managers.entries()[at].fields.contains_all(&before.fields))
}

fn named_fields_of<'v>(value: &'v Value, view: View<'v>) -> FieldSet<'v> {
    with_named_fields(fields_of(value, view), view)
}
