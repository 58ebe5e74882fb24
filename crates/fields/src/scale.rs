//! The owners of the number of replicas, seen through the `scale` subresource.

use std::borrow::Cow;

use serde_json::Value;

use crate::element::PathElement;
use crate::managers::{Entry, Managers, ManagersError};
use crate::set::FieldSet;

const SCALE_VERSION: &str = "autoscaling/v1";
const SCALE_PATH: &str = "spec.replicas";

/// Where a kind keeps the number of its replicas.
#[derive(Debug, Clone, Copy)]
pub struct ReplicasPath<'a> {
    /// A version of the kind.
    pub api_version: &'a str,
    /// The path, such as `spec.replicas`; nothing for a version without a `scale` subresource.
    pub path: Option<&'a str>,
}

/// The managed fields of a `Scale`: of each owner of the replicas, nothing but them.
pub fn to_scale(object: &Value, paths: &[ReplicasPath<'_>]) -> Result<Option<Value>, ManagersError> {
    let mut scale = Managers::default();
    for entry in Managers::from_object(object)?.entries() {
        let Some(path) = path_of(paths, &entry.api_version).and_then(|known| known.path) else { continue };
        if owns(entry, path) {
            scale.entries_mut().push(Entry {
                api_version: SCALE_VERSION.into(),
                fields: FieldSet::of_fields([SCALE_PATH]),
                ..entry.clone()
            });
        }
    }
    Ok(scale.to_value())
}

/// The managed fields of the object after its `Scale` was written: who lost the replicas, and who got them.
/// `api_version` is the version in which new owners own them.
pub fn from_scale(
    object: &Value,
    scale: &Value,
    api_version: &str,
    paths: &[ReplicasPath<'_>],
) -> Result<Option<Value>, ManagersError> {
    let parent = Managers::from_object(object)?;
    let scale = Managers::from_object(scale)?;
    let mut arrived: Vec<&Entry<'_>> = scale.entries().iter().collect();
    let mut result = Managers::default();
    for entry in parent.entries() {
        let Some(known) = path_of(paths, &entry.api_version) else { continue };
        let mut entry = entry.clone();
        if let Some(path) = known.path.filter(|path| owns(&entry, path)) {
            match scale.find(&entry) {
                Some(at) => arrived.retain(|arrived| !std::ptr::eq(*arrived, &raw const scale.entries()[at])),
                None => {
                    entry.fields.subtract(&FieldSet::of_fields([path]));
                }
            }
        }
        if !entry.fields.is_empty() {
            result.entries_mut().push(entry);
        }
    }
    let target = path_of(paths, api_version).and_then(|known| known.path).unwrap_or(SCALE_PATH);
    for entry in arrived.into_iter().filter(|entry| owns(entry, SCALE_PATH)) {
        // The real server looks for the time among the former owners.
        let time = parent.find(entry).and_then(|at| parent.entries()[at].time);
        let place = result.find(entry);
        let entry = Entry {
            api_version: Cow::Owned(api_version.into()),
            fields: FieldSet::of_fields([target]),
            time,
            ..entry.clone()
        };
        match place {
            Some(at) => result.entries_mut()[at] = entry,
            None => result.entries_mut().push(entry),
        }
    }
    Ok(result.to_value())
}

fn path_of<'a, 'p>(paths: &'p [ReplicasPath<'a>], api_version: &str) -> Option<&'p ReplicasPath<'a>> {
    paths.iter().find(|path| path.api_version == api_version)
}

fn owns(entry: &Entry<'_>, path: &str) -> bool {
    let path: Vec<PathElement<'_>> = path.split('.').map(PathElement::field).collect();
    entry.fields.contains(&path)
}
