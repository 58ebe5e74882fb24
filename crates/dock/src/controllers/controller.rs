//! The controllers by name: who they are to the server, and what each makes of an object.

use std::sync::Arc;

use serde_json::Value;

use super::action::Outcome;
use super::world::{Key, World};
use super::{
    autoscalers, budgets, collector, daemonsets, deployments, expiry, exposure, jobs, namespaces, nodes,
    pods, quotas, replicas, script, scripted, statefulsets, volumes,
};

/// Everyone who watches objects and acts on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Controller {
    /// Removes what nobody owns any more.
    Collector,
    /// Empties Namespaces that are being deleted.
    Namespaces,
    /// Gives Namespaces their default account.
    Accounts,
    /// Gives Namespaces the server's certificate.
    Certificates,
    /// Makes Nodes ready.
    Nodes,
    /// Gives Pods their Node.
    Scheduler,
    /// Runs Pods.
    Kubelet,
    /// Lets Pods go whose Job no longer counts them.
    JobTracking,
    /// Looks after `ReplicaSets`.
    Replicas,
    /// Looks after `ReplicationControllers`.
    ReplicationControllers,
    /// Looks after Deployments.
    Deployments,
    /// Looks after `StatefulSets`.
    StatefulSets,
    /// Looks after `DaemonSets`.
    DaemonSets,
    /// Looks after Jobs.
    Jobs,
    /// Gives Services their outer address.
    Services,
    /// Gives Ingresses their address.
    Ingresses,
    /// Binds claims.
    Claims,
    /// Looks after volumes.
    Volumes,
    /// Counts for `PodDisruptionBudgets`.
    Budgets,
    /// Tells of autoscalers' targets.
    Autoscalers,
    /// Counts for `ResourceQuotas`.
    Quotas,
    /// Makes custom resources ready, as scripted.
    Readiness,
    /// Releases finalizers, as scripted.
    Finalizers,
    /// Complains of scripts that mean nothing.
    Complaints,
    /// Removes old Events.
    Expiry,
}

/// Who makes a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actor {
    /// The user's name.
    pub user: &'static str,
    /// The user's groups.
    pub groups: &'static [&'static str],
    /// Who manages the fields that are written.
    pub manager: &'static str,
    /// Who tells, in Events.
    pub component: &'static str,
}

const ACCOUNT: &[&str] =
    &["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"];

const fn manager(user: &'static str, component: &'static str) -> Actor {
    Actor { user, groups: ACCOUNT, manager: "kube-controller-manager", component }
}

impl Controller {
    /// Who it is to the server.
    pub fn actor(self) -> Actor {
        match self {
            Self::Collector => manager(
                "system:serviceaccount:kube-system:generic-garbage-collector",
                "garbage-collector-controller",
            ),
            Self::Namespaces => {
                manager("system:serviceaccount:kube-system:namespace-controller", "namespace-controller")
            }
            Self::Accounts => manager(
                "system:serviceaccount:kube-system:service-account-controller",
                "service-account-controller",
            ),
            Self::Certificates => {
                manager("system:serviceaccount:kube-system:root-ca-cert-publisher", "root-ca-cert-publisher")
            }
            Self::Scheduler => Actor {
                user: "system:kube-scheduler",
                groups: &["system:authenticated"],
                manager: "kube-scheduler",
                component: "default-scheduler",
            },
            Self::Kubelet | Self::Nodes => Actor {
                user: "system:node:dock",
                groups: &["system:nodes", "system:authenticated"],
                manager: "kubelet",
                component: "kubelet",
            },
            Self::Replicas => {
                manager("system:serviceaccount:kube-system:replicaset-controller", "replicaset-controller")
            }
            Self::ReplicationControllers => {
                manager("system:serviceaccount:kube-system:replication-controller", "replication-controller")
            }
            Self::Deployments => {
                manager("system:serviceaccount:kube-system:deployment-controller", "deployment-controller")
            }
            Self::StatefulSets => {
                manager("system:serviceaccount:kube-system:statefulset-controller", "statefulset-controller")
            }
            Self::DaemonSets => {
                manager("system:serviceaccount:kube-system:daemon-set-controller", "daemonset-controller")
            }
            Self::Jobs | Self::JobTracking => {
                manager("system:serviceaccount:kube-system:job-controller", "job-controller")
            }
            Self::Services | Self::Ingresses => {
                manager("system:serviceaccount:kube-system:service-controller", "service-controller")
            }
            Self::Claims | Self::Volumes => manager(
                "system:serviceaccount:kube-system:persistent-volume-binder",
                "persistentvolume-controller",
            ),
            Self::Budgets => {
                manager("system:serviceaccount:kube-system:disruption-controller", "controllermanager")
            }
            Self::Autoscalers => manager(
                "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
                "horizontal-pod-autoscaler",
            ),
            Self::Quotas => manager(
                "system:serviceaccount:kube-system:resourcequota-controller",
                "resourcequota-controller",
            ),
            Self::Readiness | Self::Finalizers | Self::Complaints | Self::Expiry => {
                Actor { user: "system:dock", groups: &["system:masters"], manager: "dock", component: "dock" }
            }
        }
    }

    /// What it makes of an object. `users` are the Pods that mount it, if it is a claim.
    pub fn decide(self, key: &Key, object: &Value, users: &[Arc<Value>], world: &dyn World) -> Outcome {
        match self {
            Self::Collector => collector::reconcile(key, object, world),
            Self::Namespaces => namespaces::terminate(object, world),
            Self::Accounts => namespaces::furnish_account(object, world),
            Self::Certificates => namespaces::furnish_certificate(object, world),
            Self::Nodes => nodes::reconcile(object, world),
            Self::Scheduler => pods::scheduler::reconcile(object, world),
            Self::Kubelet => pods::kubelet::reconcile(object, world),
            Self::JobTracking => jobs::release_stray(object, world),
            Self::Replicas | Self::ReplicationControllers => replicas::reconcile(object, world),
            Self::Deployments => deployments::reconcile(object, world),
            Self::StatefulSets => statefulsets::reconcile(object, world),
            Self::DaemonSets => daemonsets::reconcile(object, world),
            Self::Jobs => jobs::reconcile(object, world),
            Self::Services => exposure::reconcile_service(object, world),
            Self::Ingresses => exposure::reconcile_ingress(object, world),
            Self::Claims => volumes::reconcile_claim(object, users, world),
            Self::Volumes => volumes::reconcile_volume(object, world),
            Self::Budgets => budgets::reconcile(object, world),
            Self::Autoscalers => autoscalers::reconcile(object, world),
            Self::Quotas => quotas::reconcile(object, world),
            Self::Readiness => scripted::make_ready(key, object, world),
            Self::Finalizers => scripted::release_finalizers(key, object, world),
            Self::Complaints => Outcome::of(script::complaints(object)),
            Self::Expiry => expiry::reconcile(key, object, world),
        }
    }
}
