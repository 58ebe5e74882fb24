//! What is asked for.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{MaintenanceInfo, Secret};

/// What an instance is called at its broker. Never used twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InstanceId(pub String);

/// What a binding is called at its broker: its instance, and its own identifier, which is never used twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BindingId {
    /// The instance that it is of.
    pub instance: InstanceId,
    /// Its own identifier.
    pub binding: String,
}

/// Of which service and plan something is.
///
/// Of a poll for a change of the plan, it is the plan of before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The service's identifier.
    pub service_id: String,
    /// The plan's identifier.
    pub plan_id: String,
}

/// For a new instance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProvisionRequest {
    /// The service's identifier.
    pub service_id: String,
    /// The plan's identifier.
    pub plan_id: String,
    /// Where the instance is in the platform.
    pub context: Map<String, Value>,
    /// The platform; old brokers want it.
    pub organization_guid: String,
    /// The part of the platform; old brokers want it.
    pub space_guid: String,
    /// What the user wants of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Secret<Map<String, Value>>>,
    /// The state of maintenance that the catalog promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maintenance_info: Option<MaintenanceInfo>,
}

/// For another plan, or other parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UpdateRequest {
    /// The service's identifier.
    pub service_id: String,
    /// The plan, if that is to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// Where the instance is in the platform.
    pub context: Map<String, Value>,
    /// What the user wants of it, if that is to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Secret<Map<String, Value>>>,
    /// How it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_values: Option<PreviousValues>,
    /// The state of maintenance that is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maintenance_info: Option<MaintenanceInfo>,
}

/// How an instance was before an update.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PreviousValues {
    /// The service's identifier.
    pub service_id: String,
    /// The plan's identifier.
    pub plan_id: String,
    /// The platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<String>,
    /// The part of the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space_id: Option<String>,
    /// The state of maintenance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maintenance_info: Option<MaintenanceInfo>,
}

/// For a new binding, or one in place of another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BindRequest {
    /// The service's identifier.
    pub service_id: String,
    /// The plan's identifier.
    pub plan_id: String,
    /// Where the binding is in the platform.
    pub context: Map<String, Value>,
    /// What uses the binding; old brokers look for it here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_guid: Option<String>,
    /// What uses the binding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bind_resource: Option<Map<String, Value>>,
    /// What the user wants of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Secret<Map<String, Value>>>,
    /// The binding that this one follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predecessor_binding_id: Option<String>,
}

impl InstanceId {
    pub(crate) fn path(&self) -> String {
        format!("/v2/service_instances/{}", encoded(&self.0))
    }
}

impl BindingId {
    pub(crate) fn path(&self) -> String {
        format!("{}/service_bindings/{}", self.instance.path(), encoded(&self.binding))
    }
}

impl Offer {
    pub(crate) fn query(&self) -> String {
        format!("service_id={}&plan_id={}", encoded(&self.service_id), encoded(&self.plan_id))
    }
}

/// Percent-encoding of everything but the unreserved characters of RFC 3986.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.extend(
                [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789ABCDEF"[usize::from(digit)])),
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_cannot_break_out_of_their_place() {
        let id = BindingId { instance: InstanceId("a/../b?x".into()), binding: "ü&%".into() };
        assert_eq!(id.path(), "/v2/service_instances/a%2F..%2Fb%3Fx/service_bindings/%C3%BC%26%25");
    }

    #[test]
    fn parameters_are_sent_and_not_shown() {
        let parameters: Map<String, Value> =
            [("password".to_owned(), Value::from("hunter2"))].into_iter().collect();
        let request = BindRequest {
            service_id: "s".into(),
            plan_id: "p".into(),
            context: Map::new(),
            app_guid: None,
            bind_resource: None,
            parameters: Some(Secret(parameters)),
            predecessor_binding_id: None,
        };
        assert!(!format!("{request:?}").contains("hunter2"));
        assert!(serde_json::to_string(&request).unwrap().contains("hunter2"));
    }
}
