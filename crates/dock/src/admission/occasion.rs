//! A write, with all that those who have a say are told of it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::attributes::{Attributes, Group, Target};
use crate::requests::{Call, DeleteOptions, Operation};
use crate::server::Server;

/// A write, with all that those who have a say are told of it besides the objects.
pub(super) struct Occasion<'a> {
    call: &'a Call,
    operation: Operation,
    targets: Vec<Target<'a>>,
    name: &'a str,
    namespace_object: Option<Arc<Value>>,
    options: Value,
    dry_run: bool,
}

impl<'a> Occasion<'a> {
    /// A request to create or change something.
    pub(super) fn of_write(server: &Server, call: &'a Call, operation: Operation) -> Self {
        let kind = if operation == Operation::Create { "CreateOptions" } else { "UpdateOptions" };
        let mut options = json!({"kind": kind, "apiVersion": "meta.k8s.io/v1"});
        for (field, text) in [
            ("fieldManager", &call.options.field_manager),
            ("fieldValidation", &call.options.field_validation),
        ] {
            if !text.is_empty() {
                options[field] = text.as_str().into();
            }
        }
        if call.options.is_dry_run() {
            options["dryRun"] = json!(call.options.dry_run);
        }
        Self::new(server, call, operation, options, call.options.is_dry_run())
    }

    /// A request to delete something.
    pub(super) fn of_deletion(server: &Server, call: &'a Call, deletion: &DeleteOptions) -> Self {
        let mut occasion =
            Self::new(server, call, Operation::Delete, deletion.to_value(), !deletion.dry_run.is_empty());
        if deletion.of_collection {
            occasion.name = "";
        }
        occasion
    }

    fn new(server: &Server, call: &'a Call, operation: Operation, options: Value, dry_run: bool) -> Self {
        let resource = &*call.resource;
        let target = |version: &'a str| {
            let group = Group { name: &resource.key.group, version };
            let own = resource
                .subresource(&call.version, &call.subresource)
                .and_then(|subresource| subresource.kind);
            let (kind_group, kind) = match own {
                Some((name, version, kind)) => (Group { name, version }, kind),
                None => (group, &*resource.kind),
            };
            Target { group, resource: &resource.key.resource, kind, kind_group }
        };
        let mut targets = vec![target(&call.version)];
        targets.extend(
            resource
                .versions
                .iter()
                .filter(|version| **version != call.version)
                .map(|version| target(version)),
        );
        let namespaces = server.registry.by_key("", "namespaces");
        let namespace_object = namespaces
            .filter(|_| resource.namespaced)
            .and_then(|namespaces| server.store.get(&namespaces.object_key("", &call.namespace)))
            .map(|stored| stored.object);
        Self { call, operation, targets, name: &call.name, namespace_object, options, dry_run }
    }

    /// The request with its objects, in the version of the request.
    pub(super) fn with<'s>(
        &'s self,
        object: Option<&'s Value>,
        old_object: Option<&'s Value>,
    ) -> Attributes<'s> {
        let mut name = self.name;
        if name.is_empty() && self.operation == Operation::Create {
            name = object.and_then(|object| object["metadata"]["name"].as_str()).unwrap_or_default();
        }
        Attributes {
            operation: self.operation,
            target: self.targets[0],
            equivalents: &self.targets[1..],
            versions: Some(&self.call.resource),
            subresource: &self.call.subresource,
            name,
            namespace: if self.call.resource.is_namespace() { name } else { &self.call.namespace },
            object,
            old_object,
            namespace_object: self.namespace_object.as_deref(),
            user: &self.call.user,
            dry_run: self.dry_run,
            options: Some(&self.options),
        }
    }
}
