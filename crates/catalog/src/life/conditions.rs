//! What is told: conditions, with Service Catalog's reasons.

use crate::kinds::{CurrentOperation, DELETED, FAILED, ORPHAN_MITIGATION, READY};

use super::{Facts, Step, Thing, Wish};

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Its type.
    pub kind: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// Why, in one word.
    pub reason: String,
    /// Why, for people.
    pub message: String,
}

/// What is told of a thing, given what is due next.
pub fn conditions(facts: &Facts<'_>, step: Step) -> Vec<Told> {
    let backing = facts.backing;
    let (ready, reason, message) = readiness(facts, step);
    let mut all = vec![Told { kind: READY, holds: ready, reason: reason.clone(), message: message.clone() }];
    let failed = step == Step::Refused;
    all.push(if failed {
        Told { kind: FAILED, holds: true, reason, message }
    } else {
        told(FAILED, false, "NotFailed", "")
    });
    if backing.orphan_mitigation_in_progress {
        let words = "what may have been left at the broker is being taken back";
        all.push(told(ORPHAN_MITIGATION, true, "StartingInstanceOrphanMitigation", words));
    } else if backing.incarnation > 0 {
        let words = "nothing is left at the broker that is not wanted";
        all.push(told(ORPHAN_MITIGATION, false, "OrphanMitigationSuccessful", words));
    }
    if step == Step::Gone && facts.wish != Wish::Deleted {
        all.push(told(DELETED, true, removed(facts.thing), "the broker has it no more; only DELETE remains"));
    }
    all
}

fn readiness(facts: &Facts<'_>, step: Step) -> (bool, String, String) {
    let backing = facts.backing;
    let say = |reason: &str, message: &str| (false, reason.to_owned(), message.to_owned());
    match step {
        Step::Steady if backing.unusable => say("InstanceUnusable", "the broker says that it cannot be used"),
        Step::Steady => {
            let (reason, message) = match facts.thing {
                Thing::Instance => ("ProvisionedSuccessfully", "The instance was provisioned successfully"),
                Thing::Binding => ("InjectedBindResult", "Injected bind result"),
            };
            (true, reason.to_owned(), message.to_owned())
        }
        Step::Gone => say(removed(facts.thing), "the broker has it no more"),
        Step::Restore => {
            say("ErrorInjectingBindResult", "the Secret of the binding was removed, and is put back")
        }
        Step::Disabled => say(
            "DeclarativeDeleteDisabled",
            "existsExternally is false, but the feature DeclarativeDelete is off; nothing is done",
        ),
        Step::Blocked => say(
            "DeprovisionBlockedByExistingCredentials",
            &format!(
                "Delete instance failed: these bindings must be removed first: {}",
                facts.blocked_by.join(", ")
            ),
        ),
        Step::Unresolved => match facts.wanted {
            Err(unresolved) => say(unresolved.reason, &unresolved.message),
            Ok(_) => say("Unresolved", ""),
        },
        _ => match (&backing.failure_reason, &backing.failure_message) {
            (Some(reason), message) => say(reason, message.as_deref().unwrap_or_default()),
            (None, message) => {
                let (reason, words) = going(facts, step);
                say(reason, message.as_deref().unwrap_or(words))
            }
        },
    }
}

fn going(facts: &Facts<'_>, step: Step) -> (&'static str, &'static str) {
    let asked = match step {
        Step::Ask(operation) => Some(operation),
        Step::Mitigate => {
            return ("StartingInstanceOrphanMitigation", "taking back what may be left at the broker");
        }
        _ => facts.backing.current_operation,
    };
    let accepted = facts.backing.async_op_in_progress;
    match asked {
        Some(CurrentOperation::Provision) | None if facts.thing == Thing::Instance => {
            if accepted {
                ("Provisioning", "The instance is being provisioned asynchronously")
            } else {
                ("ProvisionRequestInFlight", "Provision request for ServiceInstance in-flight to Broker")
            }
        }
        Some(CurrentOperation::Update) if accepted => {
            ("UpdatingInstance", "The instance is being updated asynchronously")
        }
        Some(CurrentOperation::Update) => {
            ("UpdateInstanceRequestInFlight", "Update request for ServiceInstance in-flight to Broker")
        }
        Some(CurrentOperation::Deprovision) if accepted => {
            ("Deprovisioning", "The instance is being deprovisioned asynchronously")
        }
        Some(CurrentOperation::Deprovision) => {
            ("DeprovisionRequestInFlight", "Deprovision request for ServiceInstance in-flight to Broker")
        }
        Some(CurrentOperation::Unbind) if accepted => {
            ("Unbinding", "The binding is being deleted asynchronously")
        }
        Some(CurrentOperation::Unbind) => {
            ("UnbindingRequestInFlight", "Unbinding request for ServiceBinding in-flight to Broker")
        }
        _ if accepted => ("Binding", "The binding is being created asynchronously"),
        _ => ("BindingRequestInFlight", "Binding request for ServiceBinding in-flight to Broker"),
    }
}

fn removed(thing: Thing) -> &'static str {
    match thing {
        Thing::Instance => "DeprovisionedSuccessfully",
        Thing::Binding => "UnboundSuccessfully",
    }
}

fn told(kind: &'static str, holds: bool, reason: &str, message: &str) -> Told {
    Told { kind, holds, reason: reason.to_owned(), message: message.to_owned() }
}
