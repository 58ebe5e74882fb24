//! What is wrong with a pod, and how bad that is.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodStatus};

/// An image that is not there will hardly appear.
const LOST: Duration = Duration::from_secs(5);
/// A registry that does not answer may do so when it is asked again, which a kubelet does after ten seconds.
const SHAKY: Duration = Duration::from_secs(20);
/// What a pod needs may come a little later than the pod.
const LATE: Duration = Duration::from_secs(10);
/// So many restarts are no accident.
const RESTARTS: i32 = 2;
/// So many restarts are hopeless, whatever else is not ready.
const MANY_RESTARTS: i32 = 5;
/// Words of registries and kubelets that mean that asking again will not help.
const LASTING: [&str; 8] = [
    "not found",
    "manifest unknown",
    "unauthorized",
    "denied",
    "forbidden",
    "invalid reference",
    "does not exist",
    "no match for platform",
];

/// Something that keeps a workload from becoming ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symptom {
    /// One word for machines, as Kubernetes has it.
    pub(crate) reason: String,
    /// A sentence for people.
    pub(crate) message: String,
    /// The pod and the container it was seen on.
    pub(crate) container: Option<(String, String)>,
    pub(crate) weight: Weight,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// It is told, and may pass.
    Note,
    /// It ends the wait once it has lasted for so long, unless another workload that is awaited may be what is missing.
    Unless(Duration),
    /// It ends the wait once it has lasted for so long.
    Lasts(Duration),
}

impl Symptom {
    /// The worst that a pod shows. The pods of a Job may crash as often as the Job allows.
    pub(crate) fn of(pod: &Pod, of_job: bool) -> Option<Self> {
        let status = pod.status.as_ref()?;
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        let containers = status.init_container_statuses.iter().chain(&status.container_statuses).flatten();
        let worst = containers.filter_map(|container| of_container(name, container, of_job));
        worst.max_by_key(|symptom| symptom.weight).or_else(|| unscheduled(name, status))
    }

    /// What it means that pods cannot even be made, in the server's words.
    pub(crate) fn of_refusal(words: &str) -> Self {
        let lasts = ["denied the request", "violates PodSecurity", "is forbidden", "is invalid"];
        let is_quota = words.contains("exceeded quota");
        let weight = match () {
            // What is going may leave room, and a webhook may be about to start.
            () if is_quota || words.contains("failed calling webhook") => Weight::Unless(LATE),
            () if words.contains("serviceaccount") && words.contains("not found") => Weight::Unless(LATE),
            () if lasts.iter().any(|known| words.contains(known)) => Weight::Lasts(LOST),
            () => Weight::Unless(LATE),
        };
        let reason = if is_quota { "ExceededQuota" } else { "FailedCreate" };
        Self {
            reason: reason.to_owned(),
            message: format!("its pods cannot be made: {words}"),
            container: None,
            weight,
        }
    }

    /// What may help.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        Some(match self.reason.as_str() {
            "ErrImagePull" | "ImagePullBackOff" | "InvalidImageName" | "ErrImageNeverPull" => {
                "check the image's name and tag, and the imagePullSecrets of the pod"
            }
            "CreateContainerConfigError" => "a ConfigMap, Secret or key that the container names is missing",
            "CrashLoopBackOff" => "the container ends again and again: its log says why",
            "ExceededQuota" => "the namespace's ResourceQuota has no room for its pods",
            "FailedCreate" => "the server or one of its webhooks refuses the pods as they are",
            _ => return None,
        })
    }
}

fn of_container(pod: &str, container: &ContainerStatus, of_job: bool) -> Option<Symptom> {
    let waiting = container.state.as_ref()?.waiting.as_ref()?;
    let reason = waiting.reason.clone().unwrap_or_default();
    let said = waiting.message.clone().unwrap_or_default();
    let weight = match reason.as_str() {
        "InvalidImageName" | "ErrImageNeverPull" => Weight::Lasts(Duration::ZERO),
        "ErrImagePull"
        | "ImagePullBackOff"
        | "ImageInspectError"
        | "RegistryUnavailable"
        | "SignatureValidationFailed" => {
            let words = said.to_lowercase();
            let lasts = LASTING.iter().any(|known| words.contains(known));
            Weight::Lasts(if lasts { LOST } else { SHAKY })
        }
        "CreateContainerConfigError" | "CreateContainerError" => Weight::Unless(LATE),
        "CrashLoopBackOff" if of_job => Weight::Note,
        "CrashLoopBackOff" => match container.restart_count {
            MANY_RESTARTS.. => Weight::Lasts(Duration::ZERO),
            RESTARTS.. => Weight::Unless(Duration::ZERO),
            _ => Weight::Note,
        },
        _ => return None,
    };
    let ended = container.last_state.as_ref().and_then(|state| state.terminated.as_ref());
    let ended = ended.map(|ended| {
        let why = ended.reason.as_deref().filter(|why| *why != "Error").map(|why| format!(", {why}"));
        format!(" (last exit code {}{})", ended.exit_code, why.unwrap_or_default())
    });
    let name = &container.name;
    let said = if said.is_empty() { reason.clone() } else { format!("{reason}: {said}") };
    Some(Symptom {
        message: format!("container {name} of pod {pod}: {said}{}", ended.unwrap_or_default()),
        reason,
        container: Some((pod.to_owned(), name.clone())),
        weight,
    })
}

fn unscheduled(pod: &str, status: &PodStatus) -> Option<Symptom> {
    let conditions = status.conditions.iter().flatten();
    let mut unmet =
        conditions.filter(|condition| condition.type_ == "PodScheduled" && condition.status == "False");
    let condition = unmet.next()?;
    let reason = condition.reason.clone().unwrap_or_else(|| "Unschedulable".to_owned());
    let message = condition.message.as_deref().unwrap_or_default();
    Some(Symptom {
        message: format!("pod {pod}: {reason}: {message}"),
        reason,
        container: None,
        weight: Weight::Note,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn waiting(reason: &str, message: &str, restarts: i32) -> Value {
        json!({"containerStatuses": [{
            "name": "main", "image": "a", "imageID": "", "ready": false, "restartCount": restarts,
            "state": {"waiting": {"reason": reason, "message": message}},
        }]})
    }

    #[test]
    fn what_may_pass_is_told_and_what_lasts_ends_the_wait() {
        let unschedulable = json!({"conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}
        ]});
        for (status, of_job, expected) in [
            (waiting("ContainerCreating", "", 0), false, None),
            (waiting("InvalidImageName", "", 0), false, Some(Weight::Lasts(Duration::ZERO))),
            (waiting("ImagePullBackOff", "web:9: not found", 0), false, Some(Weight::Lasts(LOST))),
            (waiting("ErrImagePull", "i/o timeout", 0), false, Some(Weight::Lasts(SHAKY))),
            (waiting("CreateContainerConfigError", "", 0), false, Some(Weight::Unless(LATE))),
            (waiting("CrashLoopBackOff", "", 1), false, Some(Weight::Note)),
            (waiting("CrashLoopBackOff", "", 2), false, Some(Weight::Unless(Duration::ZERO))),
            (waiting("CrashLoopBackOff", "", 5), false, Some(Weight::Lasts(Duration::ZERO))),
            (waiting("CrashLoopBackOff", "", 5), true, Some(Weight::Note)),
            (unschedulable, false, Some(Weight::Note)),
        ] {
            let pod = json!({"metadata": {"name": "web"}, "status": status});
            let pod = serde_json::from_value(pod).unwrap();
            let found = Symptom::of(&pod, of_job).map(|symptom| symptom.weight);
            assert_eq!(found, expected, "{pod:?}");
        }
    }

    #[test]
    fn refusals_of_pods_are_told_apart() {
        for (words, expected) in [
            ("pods \"a\" is forbidden: exceeded quota: q, requested: pods=1", Weight::Unless(LATE)),
            ("admission webhook \"x\" denied the request: no", Weight::Lasts(LOST)),
            ("pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\"", Weight::Lasts(LOST)),
            ("failed calling webhook \"x\": connection refused", Weight::Unless(LATE)),
            ("error looking up service account a/b: serviceaccount \"b\" not found", Weight::Unless(LATE)),
        ] {
            assert_eq!(Symptom::of_refusal(words).weight, expected, "{words}");
        }
    }
}
