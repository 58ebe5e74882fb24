//! The parts of Pods that are deeds rather than data: logs, evictions, bindings.

use http::StatusCode;
use serde_json::{Value, json};

use super::body::{ExpectedKind, read_typed};
use super::call::Call;
use super::commit::committed;
use super::delete::DeleteOptions;
use super::metadata;
use crate::http::answer::{Answer, Content};
use crate::meta;
use crate::selectors::LabelSelector;
use crate::server::Server;
use crate::status::{Cause, Details, ResourceName, Status};
use crate::store::Expected;

impl Server {
    /// Answers a GET of a Pod's log: what the script on the Pod says.
    pub(crate) fn log(&self, call: &Call) -> Result<Answer, Status> {
        let stored = self.store.get(&call.key()).ok_or_else(|| call.not_found())?;
        let pod = &stored.object;
        let containers: Vec<&str> = pod["spec"]["containers"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|container| container["name"].as_str())
            .collect();
        let wanted = call.options.other.get("container").map(String::as_str).unwrap_or_default();
        if wanted.is_empty() && containers.len() > 1 {
            let words = format!(
                "a container name must be specified for pod {}, choose one of: [{}]",
                call.name,
                containers.join(" ")
            );
            return Err(Status::bad_request(words));
        }
        if !wanted.is_empty() && !containers.contains(&wanted) {
            return Err(Status::bad_request(format!(
                "container {wanted} is not valid for pod {}",
                call.name
            )));
        }
        let text = crate::controllers::log_of(self, pod);
        let lines: Vec<&str> = text.lines().collect();
        let tail =
            call.options.other.get("tailLines").and_then(|count| count.parse().ok()).unwrap_or(lines.len());
        let shown: String =
            lines[lines.len().saturating_sub(tail)..].iter().flat_map(|line| [*line, "\n"]).collect();
        Ok(Answer::with(StatusCode::OK, Content::Text(shown)))
    }

    /// Answers a POST of an eviction: the Pod is deleted unless a budget forbids it.
    pub(crate) async fn evict(&self, call: &Call) -> Result<Answer, Status> {
        call.options.check_write("CreateOptions")?;
        let expected = ExpectedKind { group: "policy", version: "v1", kind: "Eviction" };
        let mut eviction = read_typed(call, expected)?;
        if metadata::text(&eviction, "name") != &*call.name {
            return Err(Status::bad_request("name in URL does not match name in Eviction object"));
        }
        metadata::take_namespace(&mut eviction, true, &call.namespace)?;
        self.admit_part(call, &mut eviction).await?;
        let stored = self.store.get(&call.key()).ok_or_else(|| call.not_found())?;
        let phase = stored.object["status"]["phase"].as_str().unwrap_or_default();
        let ended =
            matches!(phase, "Succeeded" | "Failed" | "Pending") || metadata::is_terminating(&stored.object);
        if !ended {
            self.spend_budget(call, &stored.object)?;
        }
        let mut options = DeleteOptions::from_value(&eviction["deleteOptions"]);
        if options.dry_run.is_empty() {
            options.dry_run.clone_from(&call.options.dry_run);
        }
        if options.dry_run.is_empty() {
            options.check(call, &stored)?;
            options.resource_version = None;
            self.note_eviction(call).await?;
        }
        self.delete_object(call, &options).await?;
        let done =
            Status { code: StatusCode::CREATED, reason: "".into(), message: String::new(), details: None };
        let mut object = done.to_value();
        object["code"] = 201.into();
        Ok(Answer::with(StatusCode::CREATED, Content::Object(object)))
    }

    /// Tells in the status of a Pod why it goes.
    async fn note_eviction(&self, call: &Call) -> Result<(), Status> {
        loop {
            let stored = self.store.get(&call.key()).ok_or_else(|| call.not_found())?;
            let mut object = stored.object.as_ref().clone();
            let condition = json!({
                "type": "DisruptionTarget",
                "status": "True",
                "lastProbeTime": null,
                "lastTransitionTime": meta::moment(call.now),
                "reason": "EvictionByEvictionAPI",
                "message": "Eviction API: evicting",
            });
            let mut conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
            match conditions.iter_mut().find(|before| before["type"] == condition["type"]) {
                Some(before) if before["status"] == condition["status"] => return Ok(()),
                Some(before) => *before = condition,
                None => conditions.push(condition),
            }
            object["status"]["conditions"] = conditions.into();
            let outcome = self.store.put(&call.key(), Expected::At(stored.revision), object).await;
            if committed(outcome)?.is_some() {
                return Ok(());
            }
        }
    }

    /// Refuses if a budget that covers the Pod allows no disruption.
    fn spend_budget(&self, call: &Call, pod: &Value) -> Result<(), Status> {
        let Some(budgets) = self.registry.by_key("policy", "poddisruptionbudgets") else { return Ok(()) };
        let covering: Vec<_> = self
            .store
            .list(&budgets.range(&call.namespace))
            .objects
            .into_iter()
            .filter(|budget| {
                let selector = budget.object["spec"].get("selector");
                selector.is_some()
                    && LabelSelector::of(selector).is_ok_and(|selector| selector.matches_object(pod))
            })
            .collect();
        match covering.as_slice() {
            [] => Ok(()),
            [budget] if budget.object["status"]["disruptionsAllowed"].as_i64().unwrap_or_default() > 0 => Ok(()),
            [budget] => {
                let status = &budget.object["status"];
                let mut refusal = Status::too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.", 0);
                let cause = Cause {
                    reason: "DisruptionBudget".into(),
                    message: format!(
                        "The disruption budget {} needs {} healthy pods and has {} currently",
                        budget.key.name, status["desiredHealthy"], status["currentHealthy"]
                    ),
                    field: String::new(),
                };
                refusal.details = Some(Box::new(Details { causes: vec![cause], ..Details::default() }));
                Err(refusal)
            }
            _ => Err(Status {
                code: StatusCode::INTERNAL_SERVER_ERROR,
                reason: "".into(),
                message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.".into(),
                details: None,
            }),
        }
    }

    /// Answers a POST of a binding: the Pod gets its node.
    pub(crate) async fn bind(&self, call: &Call) -> Result<Answer, Status> {
        let expected = ExpectedKind { group: "", version: "v1", kind: "Binding" };
        let mut binding = read_typed(call, expected)?;
        metadata::take_namespace(&mut binding, true, &call.namespace)?;
        self.admit_part(call, &mut binding).await?;
        let node = binding["target"]["name"].as_str().unwrap_or_default();
        let uid = metadata::text(&binding, "uid");
        // The node is given past the rules of Pods, which let nobody change it, and past the owners of fields.
        loop {
            let live = self.store.get(&call.key()).ok_or_else(|| call.not_found())?;
            let bound = bound_to(call, &live.object, node, uid)?;
            if call.options.is_dry_run() {
                break;
            }
            if committed(self.store.put(&call.key(), Expected::At(live.revision), bound).await)?.is_some() {
                break;
            }
        }
        let done =
            Status { code: StatusCode::CREATED, reason: "".into(), message: String::new(), details: None };
        Ok(Answer::with(StatusCode::CREATED, Content::Object(done.to_value())))
    }
}

/// A Pod with its node, and the condition that tells of it.
fn bound_to(call: &Call, pod: &Value, node: &str, uid: &str) -> Result<Value, Status> {
    let name = &call.name;
    let own = metadata::text(pod, "uid");
    if !uid.is_empty() && uid != own {
        return Err(call.precondition_failed(uid, own));
    }
    let refused =
        |why: String| Err(Status::conflict(ResourceName { group: "", resource: "pods/binding" }, name, why));
    if metadata::is_terminating(pod) {
        return refused(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    if let Some(present) = pod["spec"]["nodeName"].as_str().filter(|present| !present.is_empty()) {
        return refused(format!("pod {name} is already assigned to node {present:?}"));
    }
    if pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty()) {
        return refused(format!("pod {name} has non-empty .spec.schedulingGates"));
    }
    let mut pod = pod.clone();
    pod["spec"]["nodeName"] = node.into();
    let mut conditions = pod["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.retain(|condition| condition["type"] != "PodScheduled");
    conditions.push(json!({
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": null,
        "lastTransitionTime": meta::moment(call.now),
    }));
    pod["status"]["conditions"] = conditions.into();
    Ok(pod)
}
