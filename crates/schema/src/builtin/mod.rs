//! The kinds that every API server has, with the structure of their types.

mod table;

use std::sync::{Arc, LazyLock};

use crate::structure::{Types, View};

/// A kind in one version of its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// The API group; empty for the core.
    pub group: Arc<str>,
    /// The version within the group.
    pub version: Arc<str>,
    /// The kind of single objects.
    pub kind: Arc<str>,
    /// The plural name in paths; of a subresource its name.
    pub resource: Arc<str>,
    /// The name of its type in [`types`].
    pub type_name: Arc<str>,
    /// The kind of lists, if objects are kept at all.
    pub list_kind: Option<Arc<str>>,
    /// Where objects live.
    pub scope: Scope,
}

/// Where the objects of a kind live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In the cluster.
    Cluster,
    /// In namespaces.
    Namespaced,
    /// Nowhere: the kind is the body of a subresource, such as `Scale`.
    Subresource,
}

static STRUCTURE: LazyLock<(Types, Vec<Kind>)> = LazyLock::new(|| table::read(false));
static DOCUMENTED: LazyLock<Types> = LazyLock::new(|| table::read(true).0);

/// The built-in types, by names such as `io.k8s.api.apps.v1.DeploymentSpec`, without their descriptions.
pub fn types() -> &'static Types {
    &STRUCTURE.0
}

/// The built-in types with their descriptions: larger, and only needed to explain them.
pub fn documented_types() -> &'static Types {
    &DOCUMENTED
}

/// The built-in kinds, sorted by group, kind and version.
pub fn kinds() -> &'static [Kind] {
    &STRUCTURE.1
}

/// The structure of a built-in kind. Lists have none of their own here: see [`Kind::list_kind`].
pub fn builtin(group: &str, version: &str, kind: &str) -> Option<View<'static>> {
    let kinds = kinds();
    let index = kinds
        .binary_search_by(|known| (&*known.group, &*known.kind, &*known.version).cmp(&(group, kind, version)))
        .ok()?;
    types().named(&kinds.get(index)?.type_name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::structure::{ListKind, MapKind, Omit, Scalar, Schema, Shape};

    fn at(kind: (&str, &str, &str), path: &str) -> View<'static> {
        path.split('.').fold(builtin(kind.0, kind.1, kind.2).unwrap(), |view, step| match step {
            "[]" => view.items().unwrap(),
            name => view.field(name).unwrap_or_else(|| panic!("no {name} in {path}")),
        })
    }

    const DEPLOYMENT: (&str, &str, &str) = ("apps", "v1", "Deployment");
    const POD: (&str, &str, &str) = ("", "v1", "Pod");

    #[test]
    fn every_name_is_defined() {
        fn check(schema: &Schema, place: &str) {
            match &schema.shape {
                Shape::Named(name) => assert!(types().get(name).is_some(), "{place} names {name}"),
                Shape::Object { fields, .. } => {
                    for (name, field) in fields.iter() {
                        check(field, &format!("{place}.{name}"));
                    }
                }
                Shape::Map { values, .. } => check(values, place),
                Shape::List { items, kind } => {
                    check(items, place);
                    if let ListKind::Map(keys) = kind {
                        let items = types().view(items);
                        assert!(keys.iter().all(|key| items.field(key).is_some()), "keys of {place}");
                    }
                    if let Some(key) = &schema.patching.key {
                        assert!(types().view(items).field(key).is_some(), "merge key of {place}");
                    }
                }
                Shape::Scalar(_) | Shape::Untyped => {}
            }
        }
        let mut count = 0;
        for (name, schema) in types().iter() {
            check(schema, name);
            count += 1;
        }
        assert!(count > 760, "{count}");
    }

    #[test]
    fn facts_are_as_many_as_kubernetes_has() {
        let (mut keyed, mut listed, mut merged) = (0, 0, 0);
        for (name, schema) in types().iter() {
            let Shape::Object { fields, .. } = &schema.shape else { continue };
            if name.ends_with("/granular") {
                continue;
            }
            for field in fields.values() {
                if let Shape::List { kind, .. } = &field.shape {
                    listed += 1;
                    keyed += usize::from(matches!(kind, ListKind::Map(_)));
                }
                merged += usize::from(field.patching.merge);
            }
        }
        assert_eq!((listed, keyed, merged), (495, 80, 70));
    }

    #[test]
    fn kinds_are_found_by_group_version_and_kind() {
        assert!(builtin("", "v1", "Pod").is_some());
        assert!(builtin("", "v1", "pods").is_none());
        assert!(builtin("apps", "v1beta1", "Deployment").is_none());
        let sorted: BTreeSet<_> =
            kinds().iter().map(|kind| (&kind.group, &kind.kind, &kind.version)).collect();
        assert!(sorted.into_iter().eq(kinds().iter().map(|kind| (&kind.group, &kind.kind, &kind.version))));
        for kind in kinds() {
            assert!(builtin(&kind.group, &kind.version, &kind.kind).is_some(), "{kind:?}");
            let list = kind.list_kind.as_ref().map(|list| {
                let package = kind.type_name.rsplit_once('.').unwrap().0;
                types().get(&format!("{package}.{list}")).is_some()
            });
            assert_ne!(list, Some(false), "{kind:?}");
        }
        let scale = kinds().iter().find(|kind| &*kind.kind == "Scale").unwrap();
        assert_eq!((scale.scope, &scale.list_kind), (Scope::Subresource, &None));
    }

    #[test]
    fn lists_know_their_keys() {
        let list = |path: &str| match at(POD, path).shape() {
            Shape::List { kind, .. } => kind.clone(),
            other => panic!("{other:?}"),
        };
        let keys = |names: &[&str]| ListKind::Map(names.iter().map(|name| Arc::from(*name)).collect());
        assert_eq!(list("spec.containers"), keys(&["name"]));
        assert_eq!(list("spec.containers.[].ports"), keys(&["containerPort", "protocol"]));
        assert_eq!(list("spec.containers.[].args"), ListKind::Atomic);
        assert_eq!(list("metadata.finalizers"), ListKind::Set);
        assert_eq!(list("spec.tolerations"), ListKind::Atomic);
        assert_eq!(at(POD, "spec.containers.[].ports.[].protocol").default(), Some(&json!("TCP")));
        assert_eq!(at(POD, "spec.containers.[].name").default(), Some(&json!("")));
        assert_eq!(at(POD, "spec.containers.[].image").default(), None);
    }

    #[test]
    fn maps_know_whether_they_are_one_value() {
        let kind = |view: View<'_>| match view.shape() {
            Shape::Map { kind, .. } | Shape::Object { kind, .. } => *kind,
            other => panic!("{other:?}"),
        };
        assert_eq!(kind(at(POD, "spec.nodeSelector")), MapKind::Atomic);
        assert_eq!(kind(at(DEPLOYMENT, "spec.selector")), MapKind::Atomic);
        assert_eq!(kind(at(POD, "metadata.labels")), MapKind::Granular);
        assert_eq!(kind(at(("", "v1", "PersistentVolume"), "spec.claimRef")), MapKind::Granular);
        assert_eq!(kind(at(("", "v1", "Event"), "involvedObject")), MapKind::Atomic);
    }

    #[test]
    fn strategic_merges_have_keys_of_their_own() {
        let patching = at(POD, "spec.volumes").patching();
        assert!(patching.merge && patching.retain_keys);
        assert_eq!(patching.key.as_deref(), Some("name"));
        assert_eq!(at(POD, "spec.containers.[].ports").patching().key.as_deref(), Some("containerPort"));
        assert!(at(DEPLOYMENT, "spec.strategy").patching().retain_keys);
        assert!(at(POD, "metadata.finalizers").patching().merge);
    }

    #[test]
    fn scalars_and_gos_types_are_told_apart() {
        let scalar = |path: &str| match at(POD, path).shape() {
            Shape::Scalar(scalar) => *scalar,
            other => panic!("{other:?}"),
        };
        assert_eq!(scalar("metadata.creationTimestamp"), Scalar::Time);
        assert_eq!(scalar("spec.containers.[].resources.limits.cpu"), Scalar::Quantity);
        assert_eq!(scalar("spec.containers.[].livenessProbe.httpGet.port"), Scalar::IntOrString);
        assert_eq!(scalar("spec.terminationGracePeriodSeconds"), Scalar::Int64);
        let Shape::Scalar(bytes) = at(("", "v1", "Secret"), "data.key").shape() else { panic!() };
        assert_eq!(*bytes, Scalar::Bytes);
        let Shape::Scalar(micro) = at(("coordination.k8s.io", "v1", "Lease"), "spec.renewTime").shape()
        else {
            panic!()
        };
        assert_eq!(*micro, Scalar::MicroTime);
        let encoding = |path: &str| &at(POD, path).schema().encoding;
        assert_eq!(encoding("spec.containers.[].imagePullPolicy").go_type.as_deref(), Some("v1.PullPolicy"));
        assert_eq!(encoding("spec.containers").go_type.as_deref(), Some("[]v1.Container"));
        assert_eq!(encoding("spec.containers").omit, Omit::Never);
        assert_eq!(encoding("metadata.creationTimestamp").omit, Omit::Zero);
        assert!(encoding("spec.securityContext").pointer);
    }

    #[test]
    fn descriptions_are_there_when_asked_for() {
        let pod = documented_types().named("io.k8s.api.core.v1.Pod").unwrap();
        assert!(pod.description().unwrap().starts_with("Pod is a collection of containers"));
        let image =
            pod.field("spec").unwrap().field("containers").unwrap().items().unwrap().field("image").unwrap();
        assert!(image.description().unwrap().starts_with("Container image name."));
        assert_eq!(at(POD, "spec").description(), None);
    }
}
