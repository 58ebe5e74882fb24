//! Letting go of objects by force: their finalizers are taken off, and that is on record.

use engine::{Engine, Marks};
use extension::{Context, Extension};
use kube::core::DynamicObject;
use kube::{Api, ResourceExt};
use plan::input::{Entry, Owner};

use crate::bundle::{due_of, stamp_of};

/// Takes the finalizers off those objects of an inventory that are being deleted and do not go, and says what is left
/// behind. What the API server needs itself stays, as does all that is not the set's any more, or counts down.
pub(crate) async fn let_go<K: Extension>(
    context: &mut Context<K>,
    engine: &Engine,
    marks: &Marks,
    entries: &[Entry],
) -> Vec<String> {
    let mut left = Vec::new();
    for entry in entries {
        let Some(kind) = engine.served().kind_of(&entry.id) else { continue };
        let client = engine.client().clone();
        let api: Api<DynamicObject> = match entry.id.namespace.as_deref().filter(|_| kind.namespaced) {
            Some(namespace) => Api::namespaced_with(client, namespace, &kind.resource),
            None => Api::all_with(client, &kind.resource),
        };
        let live = match api.get_opt(&entry.id.name).await {
            Ok(Some(live)) => live,
            Ok(None) => continue,
            Err(error) => {
                left.push(format!("{}: {error}", entry.id));
                continue;
            }
        };
        let is_meant = entry.uid.is_none() || entry.uid == live.uid();
        let is_ours = marks.owner(&live.metadata) == Owner::Ours;
        let counts = stamp_of(&live).is_some() && due_of(&live).is_some();
        if !is_meant || !is_ours || counts && live.metadata.deletion_timestamp.is_none() {
            continue;
        }
        if live.finalizers().iter().any(|finalizer| plan::is_protected(finalizer)) {
            left.push(format!("{}: the API server's own finalizers hold it", entry.id));
            continue;
        }
        if live.metadata.deletion_timestamp.is_some()
            && let Err(error) = context.strip_in_foreground(&api, &live).await
        {
            left.push(format!("{}: {error}", entry.id));
        }
    }
    left
}
