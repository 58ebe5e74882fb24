//! Who else has a say before something is written: the server's own plugins, policies, and webhooks.
//!
//! A write is admitted in two steps. First everybody who may change the object does: the plugins, then the mutating
//! webhooks, and all of them once more if a webhook changed something. Once the object is complete and valid, everybody
//! is asked who may refuse it: plugins, policies, validating webhooks, and last the quotas. A deletion takes both steps at once.

mod attributes;
mod matching;
mod occasion;
pub mod policy;
mod quota;
mod registered;
mod webhook;

use std::borrow::Cow;
use std::sync::Arc;

use cel::{Authorizer, Decision, Question};
use serde_json::Value;

pub use self::attributes::{Attributes, Group, Target};
use self::occasion::Occasion;
use self::policy::{Hook, Parameters};
pub(crate) use self::registered::Registered;
use self::webhook::Round;
use crate::kinds::admission::{self as plugins, World};
use crate::requests::{Call, DeleteOptions, Operation};
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
        let ask_plugins = |object: &mut Value, old: Option<&Value>| {
            self.check_namespace(call, operation, object)?;
            if call.subresource.is_empty() {
                plugins::admit(&call.resource.key.group, &call.resource.kind, object, old, self)
                    .map_err(|refusal| refused(call, object, &refusal))?;
            }
            Ok(())
        };
        ask_plugins(object, old)?;
        if self.mutating_webhooks().is_empty() {
            return Ok(());
        }
        let occasion = Occasion::of_write(self, call, operation);
        let old = old.map(|old| call.resource.convert(old, &call.version));
        let old_seen = old.as_ref().map(|old| call.seen(old));
        let mut round = Round::default();
        self.mutate(&occasion, call, object, old_seen.as_deref(), &mut round).await?;
        if round.changed {
            ask_plugins(object, old.as_ref())?;
            round.again(&call.seen(object));
            self.mutate(&occasion, call, object, old_seen.as_deref(), &mut round).await?;
        }
        Ok(())
    }

    /// Asks everybody who may refuse.
    pub(crate) async fn validate_admission(
        &self,
        call: &Call,
        operation: Operation,
        object: &Value,
        old: Option<&Value>,
    ) -> Result<(), Status> {
        if call.subresource.is_empty() {
            plugins::validate(&call.resource.key.group, &call.resource.kind, object, old, self)
                .map_err(|refusal| refused(call, object, &refusal))?;
        }
        if self.somebody_validates() {
            let occasion = Occasion::of_write(self, call, operation);
            let object = call.resource.convert(object, &call.version);
            let old = old.map(|old| call.resource.convert(old, &call.version));
            let old_seen = old.as_ref().map(|old| call.seen(old));
            let object_seen = call.seen(&object);
            self.validate(call, &occasion.with(Some(&object_seen), old_seen.as_deref())).await?;
        }
        self.charge_quotas(call, operation, object, old).await
    }

    /// Asks everybody whether an object may be deleted.
    pub(crate) async fn admit_deletion(
        &self,
        call: &Call,
        options: &DeleteOptions,
        old: &Value,
    ) -> Result<(), Status> {
        if call.resource.is_namespace() && IMMORTAL.contains(&&*call.name) {
            let why = "this namespace may not be deleted";
            return Err(Status::forbidden(call.resource.name(), &call.name, why));
        }
        // An eviction was admitted as such.
        if !call.subresource.is_empty() || !self.somebody_validates() && self.mutating_webhooks().is_empty() {
            return Ok(());
        }
        let occasion = Occasion::of_deletion(self, call, options);
        let old = call.resource.convert(old, &call.version);
        self.mutate_by_webhooks(&occasion, call, &mut None, Some(&old), &mut Round::default()).await?;
        self.validate(call, &occasion.with(None, Some(&old))).await
    }

    /// Lets everybody change or refuse what is sent to a part of an object: a binding, an eviction.
    pub(crate) async fn admit_part(&self, call: &Call, part: &mut Value) -> Result<(), Status> {
        if !self.somebody_validates() && self.mutating_webhooks().is_empty() {
            return Ok(());
        }
        let occasion = Occasion::of_write(self, call, Operation::Create);
        let mut round = Round::default();
        let mut changing = Some(part.take());
        self.mutate_by_webhooks(&occasion, call, &mut changing, None, &mut round).await?;
        *part = changing.unwrap_or_default();
        if round.changed {
            round.again(part);
            let mut changing = Some(part.take());
            self.mutate_by_webhooks(&occasion, call, &mut changing, None, &mut round).await?;
            *part = changing.unwrap_or_default();
        }
        self.validate(call, &occasion.with(Some(part), None)).await
    }

    /// One round of the webhooks that may change an object.
    async fn mutate(
        &self,
        occasion: &Occasion<'_>,
        call: &Call,
        object: &mut Value,
        old: Option<&Value>,
        round: &mut Round,
    ) -> Result<(), Status> {
        let before = call.seen(object).into_owned();
        let mut changing = Some(before.clone());
        self.mutate_by_webhooks(occasion, call, &mut changing, old, round).await?;
        match changing {
            Some(changed) if changed != before => call.take_seen(object, changed),
            _ => Ok(()),
        }
    }

    fn somebody_validates(&self) -> bool {
        !self.policies().0.is_empty() || !self.validating_webhooks().is_empty()
    }

    async fn validate(&self, call: &Call, attributes: &Attributes<'_>) -> Result<(), Status> {
        self.decide_by_policies(call, attributes)?;
        self.validate_by_webhooks(attributes, call).await
    }

    fn decide_by_policies(&self, call: &Call, attributes: &Attributes<'_>) -> Result<(), Status> {
        let (policies, bindings) = self.policies();
        let hooks: Vec<Hook<'_>> =
            policies.iter().map(|policy| Hook { policy, bindings: &bindings }).collect();
        if hooks.is_empty() {
            return Ok(());
        }
        let verdict = policy::decide(&hooks, attributes, self, &Everybody);
        for words in verdict.warnings {
            call.warn(words);
        }
        verdict.refusal.map_or(Ok(()), Err)
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

impl Parameters for Server {
    fn namespaced(&self, api_version: &str, kind: &str) -> Option<bool> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = self.registry.by_kind(group, kind)?;
        resource.versions.iter().any(|served| &**served == version).then_some(resource.namespaced)
    }

    fn get(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = self.registry.by_kind(group, kind)?;
        let stored = self.store.get(&resource.object_key(namespace, name))?;
        Some(Arc::new(resource.convert(&stored.object, version)))
    }

    fn list(&self, api_version: &str, kind: &str, namespace: &str) -> Vec<Arc<Value>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let Some(resource) = self.registry.by_kind(group, kind) else { return Vec::new() };
        let found = self.store.list(&resource.range(namespace)).objects;
        found.iter().map(|stored| Arc::new(resource.convert(&stored.object, version))).collect()
    }
}

/// Access is not limited by roles: everybody may do everything.
struct Everybody;

impl Authorizer for Everybody {
    fn authorize(&self, _question: &Question<'_>) -> Decision {
        Decision { allowed: true, ..Decision::default() }
    }
}

impl Call {
    /// The object as those who have a say see it: of a `Scale`, only that.
    fn seen<'v>(&self, object: &'v Value) -> Cow<'v, Value> {
        match &*self.subresource {
            "scale" => match self.resource.scale_of(&self.version, object) {
                Ok(scale) => Cow::Owned(scale),
                Err(_) => Cow::Borrowed(object),
            },
            _ => Cow::Borrowed(object),
        }
    }

    /// Takes over what was changed of what was [seen](Call::seen).
    fn take_seen(&self, object: &mut Value, changed: Value) -> Result<(), Status> {
        if &*self.subresource == "scale" {
            let replicas = changed["spec"]["replicas"].as_i64().unwrap_or_default();
            return self.resource.set_replicas(&self.version, object, replicas).map_err(Status::internal);
        }
        *object = changed;
        Ok(())
    }
}

fn refused(call: &Call, object: &Value, refusal: &plugins::Refusal) -> Status {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    Status::forbidden(call.resource.name(), name, refusal)
}
