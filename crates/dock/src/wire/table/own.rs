//! Cells that no path leads to: functions, by the names under which the table knows them.

use jiff::Timestamp;
use serde_json::Value;

use super::{network, pods, policy, storage, workloads};

/// A function that makes a cell.
#[derive(Debug, Clone, Copy)]
pub(super) enum Own {
    /// From the object alone.
    Text(fn(&Value) -> String),
    /// From the object and the time.
    Timed(fn(&Value, Timestamp) -> String),
    /// A number.
    Number(fn(&Value) -> i64),
}

impl Own {
    pub(super) fn of(self, object: &Value, now: Timestamp) -> Value {
        match self {
            Self::Text(function) => function(object).into(),
            Self::Timed(function) => function(object, now).into(),
            Self::Number(function) => function(object).into(),
        }
    }
}

/// The function of a name.
pub(super) fn named(name: &str) -> Option<Own> {
    use Own::{Number, Text, Timed};
    Some(match name {
        "pod ready" => Text(pods::ready),
        "pod status" => Text(pods::status),
        "pod restarts" => Timed(pods::restarts),
        "pod gates" => Text(pods::gates),
        "node status" => Text(pods::node_status),
        "node roles" => Text(pods::node_roles),
        "node internal" => Text(|node| pods::node_address(node, "InternalIP")),
        "node external" => Text(|node| pods::node_address(node, "ExternalIP")),
        "node kernel" => Text(pods::node_kernel),
        "component health" => Text(pods::component_health),
        "component message" => Text(|component| pods::component(component, "message")),
        "component error" => Text(|component| pods::component(component, "error")),
        "job status" => Text(workloads::job_status),
        "job completions" => Text(workloads::job_completions),
        "job duration" => Timed(workloads::job_duration),
        "suspended" => Text(workloads::suspended),
        "last schedule" => Timed(workloads::last_schedule),
        "autoscaler reference" => Text(workloads::autoscaler_reference),
        "autoscaler targets" => Text(workloads::autoscaler_targets),
        "revision owner" => Text(workloads::revision_owner),
        "service external" => Text(network::service_external),
        "service ports" => Text(network::service_ports),
        "endpoints" => Text(network::endpoints),
        "slice ports" => Text(network::slice_ports),
        "slice endpoints" => Text(network::slice_endpoints),
        "ingress hosts" => Text(network::ingress_hosts),
        "ingress address" => Text(network::ingress_address),
        "ingress ports" => Text(network::ingress_ports),
        "class parameters" => Text(network::class_parameters),
        "address parent" => Text(network::address_parent),
        "phase" => Text(storage::phase),
        "claim capacity" => Text(storage::claim_capacity),
        "claim modes" => Text(storage::claim_modes),
        "claim class" | "volume class" => Text(storage::class),
        "volume modes" => Text(|volume| storage::modes(&volume["spec"]["accessModes"])),
        "volume claim" => Text(storage::volume_claim),
        "driver audiences" => Text(storage::driver_audiences),
        "driver modes" => Text(storage::driver_modes),
        "device claim" => Text(storage::device_claim),
        "default name" => Text(storage::default_name),
        "quota request" => Text(|quota| policy::quota(quota, false)),
        "quota limit" => Text(|quota| policy::quota(quota, true)),
        "binding role" => Text(policy::binding_role),
        "binding users" => Text(|binding| policy::subjects(binding, "User")),
        "binding groups" => Text(|binding| policy::subjects(binding, "Group")),
        "binding accounts" => Text(|binding| policy::subjects(binding, "ServiceAccount")),
        "policy parameter" => Text(policy::parameter),
        "policy reference" => Text(policy::reference),
        "api service" => Text(policy::api_service),
        "api available" => Text(policy::api_available),
        "request duration" => Text(policy::request_duration),
        "request status" => Text(policy::request_status),
        "dangling" => Text(policy::dangling),
        "event last" => Timed(policy::event_last),
        "event first" => Timed(policy::event_first),
        "event object" => Text(policy::event_object),
        "event part" => Text(policy::event_part),
        "event source" => Text(policy::event_source),
        "event message" => Text(policy::event_message),
        "event count" => Number(policy::event_count),
        _ => return None,
    })
}
