//! Quotas: what an object uses is added to what the quotas of its namespace have counted, unless that is too much.
//!
//! Whether a quota counts anything is for its controller to say: it writes into the status what is limited and how much
//! of it is used. Here it is only added up, with the status as the one place where requests meet: whoever finds it
//! changed looks again.

use std::sync::Mutex;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::http::accept::{Accept, Encoding};
use crate::http::options::Options;
use crate::http::user::User;
use crate::kinds::policy::usage::{Amounts, Counted, amounts};
use crate::requests::{Call, Operation};
use crate::server::Server;
use crate::status::Status;

/// So often a quota that somebody else changed meanwhile is looked at again.
const TRIES: usize = 4;

impl Server {
    /// Charges the quotas of a namespace for what a write uses there.
    pub(crate) async fn charge_quotas(
        &self,
        call: &Call,
        operation: Operation,
        object: &Value,
        old: Option<&Value>,
    ) -> Result<(), Status> {
        let counted = Counted { group: &call.resource.key.group, plural: &call.resource.key.resource };
        let written = matches!(operation, Operation::Create | Operation::Update);
        if call.namespace.is_empty() || !written || counted.is_ignored() {
            return Ok(());
        }
        let Some(quotas) = self.registry.by_key("", "resourcequotas") else { return Ok(()) };
        let mut refusal = Ok(());
        for _ in 0..TRIES {
            let present = self.store.list(&quotas.range(&call.namespace)).objects;
            if present.is_empty() || !counted.weighs(&call.subresource, object, old) {
                return Ok(());
            }
            let present: Vec<&Value> = present.iter().map(|stored| &*stored.object).collect();
            let charged = charge(&present, counted, call, object, old)
                .map_err(|why| super::refused(call, object, &super::plugins::Refusal(why)))?;
            if call.options.is_dry_run() {
                return Ok(());
            }
            refusal = Ok(());
            for quota in &charged {
                let change = status_change(call, quota, quotas.clone());
                // A write of a status is admitted like any other, though nothing counts it.
                if let Err(status) = Box::pin(self.update(&change)).await {
                    refusal = Err(status);
                    break;
                }
            }
            if refusal.is_ok() {
                return Ok(());
            }
        }
        refusal
    }
}

/// The quotas that a write changes, with what they will have counted; or why it may not be.
fn charge(
    quotas: &[&Value],
    counted: Counted<'_>,
    call: &Call,
    object: &Value,
    old: Option<&Value>,
) -> Result<Vec<Value>, String> {
    let matches = |quota: &Value, object: &Value| {
        let hard = quota["status"]["hard"].as_object();
        hard.is_some_and(|hard| hard.keys().any(|name| counted.counts_as(name)))
            && counted.is_in_scope(quota, object)
    };
    let name = |quota: &Value| quota["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let concerned: Vec<&Value> = quotas.iter().copied().filter(|quota| matches(quota, object)).collect();
    for quota in &concerned {
        let limited: Vec<&str> = quota["status"]["hard"]
            .as_object()
            .into_iter()
            .flat_map(|hard| hard.keys().map(String::as_str))
            .filter(|name| counted.counts_as(name))
            .collect();
        if let Some(unsaid) = counted.unsaid(&limited, object) {
            return Err(format!("failed quota: {}: {unsaid}", name(quota)));
        }
        if limited.iter().any(|limited| quota["status"]["used"].get(limited).is_none()) {
            return Err(format!(
                "status unknown for quota: {}, resources: {}",
                name(quota),
                limited.join(",")
            ));
        }
    }
    let usage = counted.usage(object, call.now);
    let negative: Vec<&str> =
        usage.iter().filter(|(_, amount)| amount.is_negative()).map(|(name, _)| name.as_str()).collect();
    if !negative.is_empty() {
        return Err(format!("quota usage is negative for resource(s): {}", negative.join(",")));
    }
    let mut charged = Vec::new();
    for quota in concerned {
        let before = old.filter(|old| matches(quota, old)).map(|old| counted.usage(old, call.now));
        let hard = amounts(&quota["status"]["hard"]);
        let requested: Amounts = usage
            .iter()
            .map(|(name, amount)| {
                let before = before.as_ref().and_then(|before| before.get(name));
                (name.clone(), before.map_or(*amount, |before| amount.less(*before)))
            })
            .filter(|(name, amount)| amount.is_positive() && hard.contains_key(name))
            .collect();
        if requested.is_empty() {
            continue;
        }
        let mut used = amounts(&quota["status"]["used"]);
        let counted_before = used.clone();
        for (name, amount) in &requested {
            used.entry(name.clone()).and_modify(|sum| *sum = sum.plus(*amount)).or_insert(*amount);
        }
        let exceeded: Vec<&String> = requested.keys().filter(|name| used[*name] > hard[*name]).collect();
        // What was given to a claim is counted even where it is too much.
        if !exceeded.is_empty() && &*call.subresource != "status" {
            return Err(format!(
                "exceeded quota: {}, requested: {}, used: {}, limited: {}",
                name(quota),
                listed(&requested, &exceeded),
                listed(&counted_before, &exceeded),
                listed(&hard, &exceeded)
            ));
        }
        let mut quota = quota.clone();
        quota["status"]["used"] =
            used.into_iter().map(|(name, amount)| (name, json!(amount.to_string()))).collect();
        charged.push(quota);
    }
    Ok(charged)
}

/// Some of the amounts, in the order of their names.
fn listed(amounts: &Amounts, names: &[&String]) -> String {
    let those = amounts.iter().filter(|(name, _)| names.contains(name));
    those.map(|(name, amount)| format!("{name}={amount}")).collect::<Vec<_>>().join(",")
}

/// The write of a quota's status, by the server itself.
fn status_change(call: &Call, quota: &Value, quotas: std::sync::Arc<crate::registry::Resource>) -> Call {
    Call {
        version: quotas.storage_version.clone(),
        resource: quotas,
        namespace: call.namespace.clone(),
        name: quota["metadata"]["name"].as_str().unwrap_or_default().into(),
        subresource: "status".into(),
        options: Options::default(),
        user: User {
            name: "system:apiserver".into(),
            groups: vec!["system:masters".into(), "system:authenticated".into()],
            ..User::default()
        },
        user_agent: "kube-apiserver".into(),
        accept: Accept::JSON,
        encoding: Encoding::Json,
        content_type: "application/json".into(),
        body: Bytes::from(quota.to_string()),
        now: call.now,
        warnings: Mutex::default(),
    }
}
