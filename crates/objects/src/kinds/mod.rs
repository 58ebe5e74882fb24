//! What is known about kinds: whether their objects have a namespace, who defines them, which run Pods.

mod built_in;
mod definition;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

pub use definition::{Definition, DefinitionError};

/// Whether the objects of a kind live in a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster as a whole.
    Cluster,
}

/// Who brings a kind to the API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Origin {
    /// The API server itself.
    BuiltIn,
    /// A `CustomResourceDefinition` of the set that is being worked on.
    Set,
    /// Something outside of the set: another `CustomResourceDefinition`, or an aggregated API server.
    Elsewhere,
}

/// The kinds of one set of objects: what every API server has, what the set itself defines, and what a cluster was
/// found to serve.
///
/// Nothing is guessed: a kind that none of the three knows has no scope here, and whoever needs one must ask a
/// cluster or say what is assumed.
#[derive(Debug, Clone, Default)]
pub struct Kinds {
    defined: HashMap<String, HashMap<String, Scope>>,
    discovered: HashMap<String, HashMap<String, Scope>>,
}

impl Kinds {
    /// Only the kinds that every API server has.
    pub fn built_in() -> Self {
        Self::default()
    }

    /// Adds the kind that a `CustomResourceDefinition` of the set defines.
    pub fn define(&mut self, definition: &Definition) {
        insert(&mut self.defined, &definition.group, &definition.kind, definition.scope);
    }

    /// Adds a kind that a cluster said it serves.
    pub fn discover(&mut self, group: &str, kind: &str, scope: Scope) {
        insert(&mut self.discovered, group, kind, scope);
    }

    /// Whether objects of a kind have a namespace; `None` if the kind is not known.
    ///
    /// Of several sources the one that will hold is believed: the API server's own kinds cannot be replaced, and a
    /// definition in the set takes the place of what the cluster has now.
    pub fn scope(&self, group: &str, kind: &str) -> Option<Scope> {
        built_in::scope(group, kind)
            .or_else(|| find(&self.defined, group, kind))
            .or_else(|| find(&self.discovered, group, kind))
    }

    /// Who brings a kind. A kind that is not known comes from elsewhere, unless its group is the API server's own.
    pub fn origin(&self, group: &str, kind: &str) -> Origin {
        if built_in::has_group(group) {
            Origin::BuiltIn
        } else if find(&self.defined, group, kind).is_some() {
            Origin::Set
        } else {
            Origin::Elsewhere
        }
    }
}

/// Whether objects of this group are custom resources: the API server itself does not have the group.
pub fn is_custom_group(group: &str) -> bool {
    !built_in::has_group(group)
}

/// Whether a kind runs Pods through a controller, so that it is gone only when its Pods are.
pub fn is_workload(group: &str, kind: &str) -> bool {
    match group {
        "apps" | "extensions" => matches!(kind, "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet"),
        "batch" => matches!(kind, "Job" | "CronJob"),
        "" => kind == "ReplicationController",
        _ => false,
    }
}

fn insert(kinds: &mut HashMap<String, HashMap<String, Scope>>, group: &str, kind: &str, scope: Scope) {
    kinds.entry(group.to_owned()).or_default().insert(kind.to_owned(), scope);
}

fn find(kinds: &HashMap<String, HashMap<String, Scope>>, group: &str, kind: &str) -> Option<Scope> {
    kinds.get(group)?.get(kind).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widgets(scope: Scope) -> Definition {
        Definition {
            name: "widgets.example.com".into(),
            group: "example.com".into(),
            kind: "Widget".into(),
            scope,
        }
    }

    #[test]
    fn built_in_kinds_have_the_scope_the_api_gives_them() {
        let kinds = Kinds::built_in();
        for (group, kind, scope) in [
            ("", "Namespace", Scope::Cluster),
            ("", "ConfigMap", Scope::Namespaced),
            ("", "PersistentVolume", Scope::Cluster),
            ("apps", "StatefulSet", Scope::Namespaced),
            ("rbac.authorization.k8s.io", "ClusterRole", Scope::Cluster),
            ("rbac.authorization.k8s.io", "RoleBinding", Scope::Namespaced),
            ("storage.k8s.io", "CSIStorageCapacity", Scope::Namespaced),
            ("storage.k8s.io", "StorageClass", Scope::Cluster),
            ("apiextensions.k8s.io", "CustomResourceDefinition", Scope::Cluster),
            ("apiregistration.k8s.io", "APIService", Scope::Cluster),
            ("resource.k8s.io", "ResourceClaim", Scope::Namespaced),
        ] {
            assert_eq!(kinds.scope(group, kind), Some(scope), "{group}/{kind}");
            assert_eq!(kinds.origin(group, kind), Origin::BuiltIn);
        }
    }

    #[test]
    fn what_nobody_knows_has_no_scope() {
        let kinds = Kinds::built_in();
        assert_eq!(kinds.scope("example.com", "Widget"), None);
        assert_eq!(kinds.scope("", "Deployment"), None, "a kind belongs to its group");
        assert_eq!(kinds.origin("example.com", "Widget"), Origin::Elsewhere);
    }

    #[test]
    fn a_definition_in_the_set_is_believed_before_the_cluster() {
        let mut kinds = Kinds::built_in();
        kinds.discover("example.com", "Widget", Scope::Cluster);
        kinds.discover("example.com", "Gadget", Scope::Cluster);
        kinds.define(&widgets(Scope::Namespaced));
        assert_eq!(kinds.scope("example.com", "Widget"), Some(Scope::Namespaced));
        assert_eq!(kinds.origin("example.com", "Widget"), Origin::Set);
        assert_eq!(kinds.scope("example.com", "Gadget"), Some(Scope::Cluster));
        assert_eq!(kinds.origin("example.com", "Gadget"), Origin::Elsewhere);
    }

    #[test]
    fn nobody_redefines_what_the_api_server_has() {
        let mut kinds = Kinds::built_in();
        kinds.discover("", "Secret", Scope::Cluster);
        kinds.define(&Definition {
            group: "apps".into(),
            kind: "Deployment".into(),
            ..widgets(Scope::Cluster)
        });
        assert_eq!(kinds.scope("", "Secret"), Some(Scope::Namespaced));
        assert_eq!(kinds.scope("apps", "Deployment"), Some(Scope::Namespaced));
        assert_eq!(kinds.origin("apps", "Deployment"), Origin::BuiltIn);
    }

    #[test]
    fn a_custom_resource_is_one_whose_group_is_not_built_in() {
        for (group, custom) in [
            ("", false),
            ("apps", false),
            ("networking.k8s.io", false),
            ("gateway.networking.k8s.io", true),
            ("snapshot.storage.k8s.io", true),
            ("metrics.k8s.io", true),
            ("example.com", true),
        ] {
            assert_eq!(is_custom_group(group), custom, "{group}");
        }
    }

    #[test]
    fn workloads_are_what_has_pods_of_its_own() {
        for (group, kind, workload) in [
            ("apps", "Deployment", true),
            ("apps", "ReplicaSet", true),
            ("apps", "StatefulSet", true),
            ("apps", "DaemonSet", true),
            ("", "ReplicationController", true),
            ("batch", "Job", true),
            ("batch", "CronJob", true),
            ("", "Pod", false),
            ("apps", "ControllerRevision", false),
            ("serving.example.com", "Deployment", false),
        ] {
            assert_eq!(is_workload(group, kind), workload, "{group}/{kind}");
        }
    }
}
