//! What policies and webhooks may know of a request.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::http::user::User;
use crate::registry::Resource;
use crate::requests::Operation;
use crate::status::ResourceName;

/// What policies and webhooks may know of a request.
#[derive(Debug, Clone, Copy)]
pub struct Attributes<'a> {
    /// What is done.
    pub operation: Operation,
    /// What it is done to.
    pub target: Target<'a>,
    /// The other versions the same resource has.
    pub equivalents: &'a [Target<'a>],
    /// The resource, which knows how its versions differ.
    pub versions: Option<&'a Resource>,
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
    /// Group and version of the kind, which are others than those of the resource for some subresources.
    pub kind_group: Group<'a>,
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
    /// Whether the request is about those who have a say themselves: a wrong one can always be put right.
    pub(super) fn is_configuration(&self) -> bool {
        self.target.group.name == "admissionregistration.k8s.io"
    }

    /// Whether the request is about policies themselves.
    pub(super) fn is_policy(&self) -> bool {
        self.is_configuration() && self.target.resource.contains("admissionpolic")
    }

    /// Whether the request asks something, and nothing is stored.
    pub(super) fn is_question(&self) -> bool {
        matches!(self.target.group.name, "authentication.k8s.io" | "authorization.k8s.io")
    }

    /// An object of the request as it is in another version.
    pub(super) fn in_version<'v>(&self, object: &'v Value, target: &Target<'_>) -> Cow<'v, Value> {
        match self.versions {
            Some(resource)
                if target.group.version != self.target.group.version && target.kind_group == target.group =>
            {
                Cow::Owned(resource.convert(object, target.group.version))
            }
            _ => Cow::Borrowed(object),
        }
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

    /// The request as admission tells of it, to somebody who is meant as `matched`; without the objects.
    pub(super) fn request(&self, matched: &Target<'_>) -> Value {
        let kind = |target: &Target<'_>| {
            let Group { name, version } = target.kind_group;
            json!({"group": name, "version": version, "kind": target.kind})
        };
        let resource = |target: &Target<'_>| {
            let Group { name, version } = target.group;
            json!({"group": name, "version": version, "resource": target.resource})
        };
        let mut request = json!({
            "uid": "",
            "kind": kind(matched),
            "resource": resource(matched),
            "requestKind": kind(&self.target),
            "requestResource": resource(&self.target),
            "operation": self.operation.as_str(),
            "userInfo": self.user.to_value(),
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
