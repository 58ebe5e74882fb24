//! The order in which kinds are installed and uninstalled, as Helm has it.

use std::cmp::Ordering;

/// One of Helm's two orders. Kinds it does not name come last, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindOrder {
    /// What others need comes first.
    Install,
    /// What admits, routes and schedules goes first, so that nothing new appears behind it.
    Uninstall,
}

const INSTALL: &[&str] = &[
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

const UNINSTALL: &[&str] = &[
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "APIService",
    "Ingress",
    "IngressClass",
    "Service",
    "CronJob",
    "Job",
    "StatefulSet",
    "HorizontalPodAutoscaler",
    "Deployment",
    "ReplicaSet",
    "ReplicationController",
    "Pod",
    "DaemonSet",
    "RoleBindingList",
    "RoleBinding",
    "RoleList",
    "Role",
    "ClusterRoleBindingList",
    "ClusterRoleBinding",
    "ClusterRoleList",
    "ClusterRole",
    "CustomResourceDefinition",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "StorageClass",
    "ConfigMap",
    "SecretList",
    "Secret",
    "ServiceAccount",
    "PodDisruptionBudget",
    "PodSecurityPolicy",
    "LimitRange",
    "ResourceQuota",
    "NetworkPolicy",
    "Namespace",
    "PriorityClass",
];

impl KindOrder {
    /// The kinds this order names, first to last.
    pub fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Install => INSTALL,
            Self::Uninstall => UNINSTALL,
        }
    }

    /// The place of a kind, `None` if the order does not name it.
    pub fn position(self, kind: &str) -> Option<usize> {
        self.kinds().iter().position(|known| *known == kind)
    }

    /// Which of two kinds comes first.
    pub fn compare(self, left: &str, right: &str) -> Ordering {
        match (self.position(left), self.position(right)) {
            (Some(left), Some(right)) => left.cmp(&right),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => left.cmp(right),
        }
    }

    /// Sorts items by their kind; items of one kind keep their order.
    pub fn sort_by_key<T>(self, items: &mut [T], kind: impl Fn(&T) -> &str) {
        items.sort_by(|left, right| self.compare(kind(left), kind(right)));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn both_orders_name_the_same_kinds_once() {
        let install: BTreeSet<_> = INSTALL.iter().collect();
        let uninstall: BTreeSet<_> = UNINSTALL.iter().collect();
        assert_eq!(install, uninstall);
        assert_eq!(install.len(), INSTALL.len());
    }

    #[test]
    fn uninstall_is_not_the_reverse_for_services() {
        assert_eq!(KindOrder::Install.compare("Service", "Deployment"), Ordering::Less);
        assert_eq!(KindOrder::Uninstall.compare("Service", "Deployment"), Ordering::Less);
    }

    #[test]
    fn sorting_is_stable_and_puts_unknown_kinds_last_by_name() {
        let mut items =
            vec![("Zebra", 1), ("Pod", 2), ("Apple", 3), ("Zebra", 4), ("Secret", 5), ("Pod", 6), ("", 7)];
        KindOrder::Install.sort_by_key(&mut items, |item| item.0);
        assert_eq!(
            items,
            [("Secret", 5), ("Pod", 2), ("Pod", 6), ("", 7), ("Apple", 3), ("Zebra", 1), ("Zebra", 4)]
        );
    }
}
