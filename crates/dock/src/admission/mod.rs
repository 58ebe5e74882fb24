//! Who else has a say before something is written: the server's own plugins, policies, and webhooks.

pub mod policy;

use serde_json::Value;

use crate::kinds::admission::{self as plugins, World};
use crate::requests::{Call, Operation};
use crate::server::Server;
use crate::status::{Cause, Status};

/// Namespaces that the server itself needs.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

impl Server {
    /// Lets everybody who may change an object that comes in do so.
    pub(crate) async fn admit(
        &self,
        call: &Call,
        operation: Operation,
        object: &mut Value,
        old: Option<&Value>,
    ) -> Result<(), Status> {
        self.check_namespace(call, operation, object)?;
        if call.subresource.is_empty() {
            plugins::admit(&call.resource.key.group, &call.resource.kind, object, old, self)
                .map_err(|refusal| refused(call, object, &refusal))?;
        }
        std::future::ready(()).await;
        Ok(())
    }

    /// Asks everybody who may refuse.
    pub(crate) async fn validate_admission(
        &self,
        call: &Call,
        operation: Operation,
        object: Option<&Value>,
        old: Option<&Value>,
    ) -> Result<(), Status> {
        if operation == Operation::Delete && call.resource.is_namespace() && IMMORTAL.contains(&&*call.name) {
            return Err(Status::forbidden(
                call.resource.name(),
                &call.name,
                "this namespace may not be deleted",
            ));
        }
        if let Some(object) = object.filter(|_| call.subresource.is_empty()) {
            plugins::validate(&call.resource.key.group, &call.resource.kind, object, old, self)
                .map_err(|refusal| refused(call, object, &refusal))?;
        }
        std::future::ready(()).await;
        Ok(())
    }

    /// Nothing is made in a namespace that is not there, or is going.
    fn check_namespace(&self, call: &Call, operation: Operation, object: &Value) -> Result<(), Status> {
        if call.namespace.is_empty() || operation == Operation::Delete {
            return Ok(());
        }
        let Some(namespaces) = self.registry.by_key("", "namespaces") else { return Ok(()) };
        let Some(namespace) = self.store.get(&namespaces.object_key("", &call.namespace)) else {
            return Err(Status::not_found(namespaces.name(), &call.namespace));
        };
        if operation != Operation::Create || namespace.object["status"]["phase"] != "Terminating" {
            return Ok(());
        }
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let why = format!(
            "unable to create new content in namespace {} because it is being terminated",
            call.namespace
        );
        let mut status = Status::forbidden(call.resource.name(), name, why);
        if let Some(details) = &mut status.details {
            details.causes.push(Cause {
                reason: "NamespaceTerminating".into(),
                message: format!("namespace {} is being terminated", call.namespace),
                field: "metadata.namespace".into(),
            });
        }
        Err(status)
    }
}

impl World for Server {
    fn get(&self, group: &str, kind: &str, namespace: &str, name: &str) -> Option<Value> {
        let resource = self.registry.by_kind(group, kind)?;
        Some(self.store.get(&resource.object_key(namespace, name))?.object.as_ref().clone())
    }

    fn list(&self, group: &str, kind: &str, namespace: &str) -> Vec<Value> {
        let Some(resource) = self.registry.by_kind(group, kind) else { return Vec::new() };
        let found = self.store.list(&resource.range(namespace)).objects;
        found.into_iter().map(|stored| stored.object.as_ref().clone()).collect()
    }
}

fn refused(call: &Call, object: &Value, refusal: &plugins::Refusal) -> Status {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    Status::forbidden(call.resource.name(), name, refusal)
}
