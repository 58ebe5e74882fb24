//! What a policy may know of a request.

use serde_json::{Value, json};

use crate::http::user::User;
use crate::requests::Operation;
use crate::status::ResourceName;

/// What a policy may know of a request.
#[derive(Debug, Clone, Copy)]
pub struct Attributes<'a> {
    /// What is done.
    pub operation: Operation,
    /// What it is done to.
    pub target: Target<'a>,
    /// The other versions the same resource has.
    pub equivalents: &'a [Target<'a>],
    /// Which part of the object, or nothing.
    pub subresource: &'a str,
    /// The name; empty while it is still to be generated.
    pub name: &'a str,
    /// The namespace; of a namespace, its own name.
    pub namespace: &'a str,
    /// The object as it would be written.
    pub object: Option<&'a Value>,
    /// The object as it is.
    pub old_object: Option<&'a Value>,
    /// The namespace of the object, if it has one.
    pub namespace_object: Option<&'a Value>,
    /// Who asks.
    pub user: &'a User,
    /// Whether nothing is to be stored.
    pub dry_run: bool,
    /// The options of the request.
    pub options: Option<&'a Value>,
}

/// A resource and its kind in one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target<'a> {
    /// Group and version.
    pub group: Group<'a>,
    /// The plural.
    pub resource: &'a str,
    /// The kind.
    pub kind: &'a str,
}

/// An API group in one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group<'a> {
    /// The group; empty for the core.
    pub name: &'a str,
    /// The version.
    pub version: &'a str,
}

impl Target<'_> {
    pub(super) fn is_namespace(&self) -> bool {
        self.group == Group { name: "", version: "v1" } && self.resource == "namespaces"
    }
}

impl<'a> Attributes<'a> {
    /// Whether the request is about policies themselves.
    pub(super) fn is_policy(&self) -> bool {
        self.target.group.name == "admissionregistration.k8s.io"
            && matches!(
                self.target.resource,
                "validatingadmissionpolicies"
                    | "validatingadmissionpolicybindings"
                    | "mutatingadmissionpolicies"
                    | "mutatingadmissionpolicybindings"
            )
    }

    pub(super) fn resource_name(&self) -> ResourceName<'a> {
        ResourceName { group: self.target.group.name, resource: self.target.resource }
    }

    /// The name as refusals tell it, also before it is generated.
    pub(super) fn shown_name(&self) -> &'a str {
        let metadata = |field: &str| {
            let text = self.object.and_then(|object| object["metadata"][field].as_str());
            text.filter(|text| !text.is_empty())
        };
        if self.name.is_empty() {
            metadata("name").or_else(|| metadata("generateName")).unwrap_or("Unknown")
        } else {
            self.name
        }
    }

    /// The variable `request`, for a policy that matched the request as `matched`.
    pub(super) fn request(&self, matched: &Target<'_>) -> Value {
        let kind = |target: &Target<'_>| json!({"group": target.group.name, "version": target.group.version, "kind": target.kind});
        let resource = |target: &Target<'_>| json!({"group": target.group.name, "version": target.group.version, "resource": target.resource});
        let mut user = json!({});
        if !self.user.name.is_empty() {
            user["username"] = self.user.name.as_str().into();
        }
        if !self.user.uid.is_empty() {
            user["uid"] = self.user.uid.as_str().into();
        }
        if !self.user.groups.is_empty() {
            user["groups"] = json!(self.user.groups);
        }
        if !self.user.extra.is_empty() {
            user["extra"] = json!(self.user.extra);
        }
        let mut request = json!({
            "uid": "",
            "kind": kind(matched),
            "resource": resource(matched),
            "requestKind": kind(&self.target),
            "requestResource": resource(&self.target),
            "operation": self.operation.as_str(),
            "userInfo": user,
            "object": null,
            "oldObject": null,
            "dryRun": self.dry_run,
            "options": self.options.cloned().unwrap_or(Value::Null),
        });
        for (field, text) in [
            ("subResource", self.subresource),
            ("requestSubResource", self.subresource),
            ("name", self.name),
            ("namespace", self.namespace),
        ] {
            if !text.is_empty() {
                request[field] = text.into();
            }
        }
        request
    }
}
