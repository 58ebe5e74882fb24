//! `StatefulSets`: Pods with names and storage of their own, one after the other.

mod identity;
mod retention;

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::action::{Action, Announcement, Deletion, Note, Outcome, reference};
use super::adoption::claim;
use super::history::{History, Naming, Present, template_of};
use super::object::{Object, put_counts};
use super::pods::{is_available, is_ready, is_terminal, next_availability};
use super::world::{CLAIMS, Key, PODS, STATEFUL_SETS, World};
use identity::{claims_of, end, identity_matches, new_pod, ordinal, revision_of, start, storage_matches};

/// A Pod of the set: there, or still to be made.
enum Replica {
    There(Arc<Value>),
    Missing(Value),
}

impl Replica {
    fn pod(&self) -> &Value {
        match self {
            Self::There(pod) => pod,
            Self::Missing(pod) => pod,
        }
    }
}

/// Brings a `StatefulSet` one step on.
pub fn reconcile(set: &Value, world: &dyn World) -> Outcome {
    let history = match History::of(set, world) {
        Ok(history) => history,
        Err(adoptions) => return Outcome::of(adoptions),
    };
    let claimed = claim(set, &PODS, world, |pod| identity::is_member(set, pod), None);
    if !claimed.changes.is_empty() {
        return Outcome::of(claimed.changes);
    }
    let pods = claimed.owned;
    let update = match history.present(set, Naming::ByData) {
        Present::Known(update) => update,
        Present::Missing(actions) => return Outcome::of(actions),
    };
    let current = history.named(set.text("status.currentRevision")).unwrap_or(&update).clone();
    let pass = Pass { set, current: &current, update: &update, now: world.now(), world };
    let mut outcome = Outcome::of(pass.steps(&pods));
    outcome.actions.extend(history.truncate(set, |revision| {
        revision.name() == current.name()
            || revision.name() == update.name()
            || pods.iter().any(|pod| revision_of(pod) == revision.name())
    }));
    outcome.update_status(&STATEFUL_SETS, set, pass.status(&pods));
    let patience = set.count("spec.minReadySeconds");
    if patience > 0
        && let Some(moment) = next_availability(pods.iter().map(Arc::as_ref), patience, world.now())
    {
        outcome.look_again(moment);
    }
    outcome
}

/// One look at a set.
struct Pass<'a> {
    set: &'a Value,
    current: &'a Value,
    update: &'a Value,
    now: Timestamp,
    world: &'a dyn World,
}

impl Pass<'_> {
    fn patience(&self) -> i64 {
        self.set.count("spec.minReadySeconds")
    }

    fn serves(&self, pod: &Value) -> bool {
        is_available(pod, self.patience(), self.now) && !pod.is_deleting()
    }

    /// What to do now: nothing goes on until the step before is done, unless the set is to be managed in parallel.
    fn steps(&self, pods: &[Arc<Value>]) -> Vec<Action> {
        let set = self.set;
        if set.is_deleting() {
            return Vec::new();
        }
        let in_order = set.text("spec.podManagementPolicy") != "Parallel";
        let replicas: Vec<Replica> = (start(set)..end(set)).map(|place| self.replica(pods, place)).collect();
        let mut condemned: Vec<&Arc<Value>> = pods
            .iter()
            .filter(|pod| ordinal(pod).is_some_and(|place| !(start(set)..end(set)).contains(&place)))
            .collect();
        condemned.sort_by_key(|pod| std::cmp::Reverse(ordinal(pod)));
        let first_unhealthy = replicas
            .iter()
            .map(Replica::pod)
            .chain(condemned.iter().rev().map(AsRef::as_ref))
            .find(|pod| !self.serves(pod))
            .map(Object::name);

        let mut actions = Vec::new();
        for replica in &replicas {
            let (steps, done) = self.tend(replica, in_order);
            actions.extend(steps);
            if in_order && !done {
                return actions;
            }
        }
        for pod in &condemned {
            actions.extend(retention::keep(set, pod, self.world));
        }
        for pod in &condemned {
            if pod.is_deleting() {
                if in_order {
                    return actions;
                }
                continue;
            }
            if in_order && !self.serves(pod) && first_unhealthy != Some(pod.name()) {
                return actions;
            }
            actions.push(self.delete(pod));
            if in_order {
                return actions;
            }
        }
        if actions.is_empty() {
            actions.extend(self.roll(&replicas));
        }
        actions
    }

    fn replica(&self, pods: &[Arc<Value>], place: i64) -> Replica {
        if let Some(pod) = pods.iter().find(|pod| ordinal(pod) == Some(place)) {
            return Replica::There(pod.clone());
        }
        let set = self.set;
        let below = place - start(set);
        let stays = match set.at("spec.updateStrategy").get("rollingUpdate") {
            Some(rolling) => below < rolling.count("partition"),
            None => {
                set.text("spec.updateStrategy.type") == "RollingUpdate"
                    && below < set.count("status.currentReplicas")
            }
        };
        let revision = if stays { self.current } else { self.update };
        Replica::Missing(new_pod(set, &template_of(revision), revision.name(), place))
    }

    /// Looks after one Pod. True if the next may be looked at.
    fn tend(&self, replica: &Replica, in_order: bool) -> (Vec<Action>, bool) {
        let set = self.set;
        let pod = match replica {
            Replica::Missing(pod) => {
                let mut actions = match self.missing_claims(pod) {
                    Ok(actions) => actions,
                    Err(actions) => return (actions, false),
                };
                if retention::is_stale(set, pod, self.world) {
                    return (Vec::new(), false);
                }
                actions.push(self.create(pod));
                return (actions, !in_order);
            }
            Replica::There(pod) => pod,
        };
        if is_terminal(pod) {
            let actions = if pod.is_deleting() { Vec::new() } else { vec![self.delete(pod)] };
            return (actions, false);
        }
        let mut actions = Vec::new();
        if pod.text("status.phase") == "Pending" {
            actions = match self.missing_claims(pod) {
                Ok(actions) | Err(actions) => actions,
            };
        }
        if in_order && !(self.serves(pod) && is_ready(pod)) {
            return (actions, false);
        }
        if !identity_matches(set, pod) || !storage_matches(set, pod) {
            actions.push(identity::restore(set, pod));
        }
        actions.extend(retention::keep(set, pod, self.world));
        (actions, true)
    }

    /// Makes the claims of a Pod that are not there. An error if one is about to go.
    fn missing_claims(&self, pod: &Value) -> Result<Vec<Action>, Vec<Action>> {
        let set = self.set;
        let mut actions = Vec::new();
        let mut leaving = false;
        for claim in claims_of(set, pod) {
            if let Some(found) = self.world.get(&Key::of(&CLAIMS, &claim)) {
                leaving |= found.is_deleting();
                continue;
            }
            let (claim_name, pod_name, set_name) = (claim.name(), pod.name(), set.name());
            let announce = Announcement {
                about: reference(set),
                made: "SuccessfulCreate",
                made_message: format!(
                    "Create Claim {claim_name} Pod {pod_name} in StatefulSet {set_name} success"
                ),
                refused: "FailedCreate",
                refused_message: format!(
                    "Create Claim {claim_name} for Pod {pod_name} in StatefulSet {set_name} failed error: {{}}"
                ),
            };
            actions.push(Action::Create { resource: CLAIMS, object: claim, announce: Some(announce) });
        }
        if leaving { Err(actions) } else { Ok(actions) }
    }

    fn create(&self, pod: &Value) -> Action {
        let (name, owner) = (pod.name(), self.set.name());
        Action::Create {
            resource: PODS,
            object: pod.clone(),
            announce: Some(Announcement {
                about: reference(self.set),
                made: "SuccessfulCreate",
                made_message: format!("Create Pod {name} in StatefulSet {owner} successful"),
                refused: "FailedCreate",
                refused_message: format!("Create Pod {name} in StatefulSet {owner} failed error: {{}}"),
            }),
        }
    }

    fn delete(&self, pod: &Value) -> Action {
        Action::Delete(Deletion {
            key: Key::of(&PODS, pod),
            uid: pod.uid().to_owned(),
            revision: None,
            propagation: None,
            grace_seconds: None,
            announce: Some(Note {
                about: reference(self.set),
                warning: false,
                reason: "SuccessfulDelete".into(),
                message: format!("Delete Pod {} in StatefulSet {} successful", pod.name(), self.set.name()),
            }),
        })
    }

    /// Replaces the last Pod that is not of the new revision, once all after it serve.
    fn roll(&self, replicas: &[Replica]) -> Option<Action> {
        if self.set.text("spec.updateStrategy.type") == "OnDelete" {
            return None;
        }
        let partition = usize::try_from(self.set.count("spec.updateStrategy.rollingUpdate.partition"))
            .unwrap_or_default();
        for replica in replicas.iter().skip(partition).rev() {
            let pod = replica.pod();
            if revision_of(pod) != self.update.name() && !pod.is_deleting() {
                return Some(self.delete(pod));
            }
            if !self.serves(pod) {
                return None;
            }
        }
        None
    }

    fn status(&self, pods: &[Arc<Value>]) -> Value {
        let set = self.set;
        let wanted = set.int("spec.replicas").unwrap_or(1);
        let number = |holds: &dyn Fn(&Value) -> bool| pods.iter().filter(|pod| holds(pod)).count() as i64;
        let created = number(&|pod| !pod.text("status.phase").is_empty());
        let ready = number(&|pod| pod.text("status.phase") == "Running" && is_ready(pod));
        let of = |revision: &Value| number(&|pod| !pod.is_deleting() && revision_of(pod) == revision.name());
        let updated = of(self.update);
        let complete = set.text("spec.updateStrategy.type") == "RollingUpdate"
            && updated == wanted
            && ready == wanted
            && created == wanted;
        let (current, current_replicas) =
            if complete { (self.update, updated) } else { (self.current, of(self.current)) };
        let mut status = json!({
            "replicas": created,
            "availableReplicas": number(&|pod| is_available(pod, self.patience(), self.now)),
            "currentRevision": current.name(),
            "updateRevision": self.update.name(),
            "collisionCount": set.count("status.collisionCount"),
        });
        put_counts(
            &mut status,
            &[
                ("observedGeneration", set.generation()),
                ("readyReplicas", ready),
                ("currentReplicas", current_replicas),
                ("updatedReplicas", updated),
            ],
        );
        if !set.items("status.conditions").is_empty() {
            status["conditions"] = set.at("status.conditions").clone();
        }
        status
    }
}
