//! How far a thing is at its broker: what instances and bindings have in common.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UserInfo;

/// How far a thing is at its broker. Whatever is asked of the broker is written here before.
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the status")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Backing {
    /// What the broker knows it by, once it was asked for it.
    #[serde(rename = "externalID", default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// How many identifiers were used up before this one: one that a broker may have heard is not used for another.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub incarnation: u32,
    /// What is being asked of the broker. It is written before the broker hears of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_operation: Option<CurrentOperation>,
    /// When that began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_start_time: Option<Time>,
    /// The broker has accepted it, and is polled.
    #[serde(default, skip_serializing_if = "is_false")]
    pub async_op_in_progress: bool,
    /// What the broker calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broker_operation: Option<String>,
    /// Something may be left at the broker that nobody wants, and is being taken back.
    #[serde(default, skip_serializing_if = "is_false")]
    pub orphan_mitigation_in_progress: bool,
    /// The broker was asked, and its answer is not known yet.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_flight: bool,
    /// Nobody knows whether the broker has done what it was asked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unsettled: bool,
    /// What is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_progress_properties: Option<Properties>,
    /// What the broker has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_properties: Option<Properties>,
    /// Whether the broker has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provision_status: Option<ProvisionStatus>,
    /// Whether the broker must be told before the object may go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprovision_status: Option<DeprovisionStatus>,
    /// How often in a row it did not succeed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempts: u32,
    /// Not before this is the broker asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_attempt_time: Option<Time>,
    /// The generation whose wish the broker was last asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempted_generation: Option<i64>,
    /// The generation whose wish the broker has refused: it is not asked again before that changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_generation: Option<i64>,
    /// The reason of the last failure, as a condition has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// The words of the last failure: the broker's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_message: Option<String>,
    /// The broker said that what it has cannot be used.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unusable: bool,
}

/// What is asked of a broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CurrentOperation {
    /// An instance.
    Provision,
    /// A change of an instance.
    Update,
    /// To take an instance back.
    Deprovision,
    /// A binding.
    Bind,
    /// To take a binding back.
    Unbind,
}

/// What a thing is at its broker.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Properties {
    /// The service.
    #[serde(rename = "serviceExternalID")]
    pub service_external_id: String,
    /// The plan.
    #[serde(rename = "planExternalID")]
    pub plan_external_id: String,
    /// What the plan is called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub plan_external_name: String,
    /// The SHA-256 of the parameters, which may be secret themselves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub parameter_checksum: String,
    /// How often a change was asked for that no field shows.
    #[serde(default, skip_serializing_if = "is_none_asked")]
    pub update_requests: i64,
    /// On whose behalf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_info: Option<UserInfo>,
}

impl Properties {
    /// Whether the broker would have nothing to do to make the one into the other.
    pub fn same(&self, other: &Self) -> bool {
        self.service_external_id == other.service_external_id
            && self.plan_external_id == other.plan_external_id
            && self.parameter_checksum == other.parameter_checksum
            && self.update_requests == other.update_requests
    }
}

/// Whether the broker has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ProvisionStatus {
    /// It does.
    Provisioned,
    /// It does not, as far as is known.
    NotProvisioned,
}

/// Whether the broker must be told before the object may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeprovisionStatus {
    /// It never heard of it.
    NotRequired,
    /// It must be.
    Required,
    /// It was, and has taken it back.
    Succeeded,
    /// It was, and does not take it back.
    Failed,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none_asked(value: &i64) -> bool {
    *value == 0
}
