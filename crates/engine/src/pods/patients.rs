//! The workloads of a run that are awaited, with what was seen of their pods.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Event as Warning, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::DynamicObject;
use objects::{ObjectId, kinds};
use plan::output::StepKind;
use plan::{ObjectIndex, Plan};
use tokio::time::Instant;

use super::evidence::Inquiry;
use super::symptom::{Symptom, Weight};
use super::watch::Sighting;

/// A workload that is not ready after this is looked at more closely.
pub(crate) const MOMENT: Duration = Duration::from_secs(1);
const REVISION: &str = "deployment.kubernetes.io/revision";

/// All workloads that are awaited in a run.
pub(crate) struct Patients {
    by_name: HashMap<(String, String, String), ObjectIndex>,
    all: HashMap<ObjectIndex, Patient>,
}

/// One workload.
#[derive(Debug, Default)]
struct Patient {
    id: Option<ObjectId>,
    /// Since when it is known not to be ready.
    unready: Option<Instant>,
    pods: BTreeMap<String, PodSeen>,
    sets: BTreeMap<String, SetSeen>,
    /// What was told about pods that cannot be made.
    refusal: Option<Symptom>,
    /// What is wrong, and since when.
    complaint: Option<(Symptom, Instant)>,
    told: String,
    /// Whether its failure is being looked into.
    given_up: bool,
}

#[derive(Debug)]
struct PodSeen {
    name: String,
    controller: Option<String>,
    labels: BTreeMap<String, String>,
    symptom: Option<Symptom>,
    /// The last warning about it.
    warning: Option<Symptom>,
}

#[derive(Debug)]
struct SetSeen {
    revision: i64,
}

/// What a look at a workload says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Finding {
    /// It is told, once.
    Told { object: ObjectIndex, reason: String, message: String },
    /// It will not become ready.
    Hopeless { object: ObjectIndex, symptom: Symptom },
}

impl Patients {
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut patients = Self { by_name: HashMap::new(), all: HashMap::new() };
        for step in &plan.steps {
            let StepKind::AwaitReady { object, .. } = step.kind else { continue };
            let id = &plan.object(object).id;
            let has_pods = kinds::is_workload(&id.group, &id.kind) || id.group.is_empty() && id.kind == "Pod";
            let Some(namespace) = id.namespace.clone().filter(|_| has_pods) else { continue };
            patients.by_name.insert((namespace, id.kind.clone(), id.name.clone()), object);
            patients.all.insert(object, Patient { id: Some(id.clone()), ..Patient::default() });
        }
        patients
    }

    /// A workload is not ready.
    pub(crate) fn unready(&mut self, object: ObjectIndex, now: Instant) {
        if let Some(patient) = self.all.get_mut(&object) {
            patient.unready.get_or_insert(now);
        }
    }

    /// A workload is no longer waited for.
    pub(crate) fn discharge(&mut self, object: ObjectIndex) {
        if let Some(patient) = self.all.get_mut(&object) {
            patient.unready = None;
            patient.complaint = None;
        }
    }

    /// The namespaces that are to be looked at now, and those that need not be any longer.
    pub(crate) fn namespaces(&self, now: Instant) -> (Vec<&str>, Vec<&str>) {
        let mut waits: HashMap<&str, bool> = HashMap::new();
        for patient in self.all.values() {
            let Some(namespace) = patient.id.as_ref().and_then(|id| id.namespace.as_deref()) else {
                continue;
            };
            let is_due = patient.unready.is_some_and(|since| since + MOMENT <= now);
            *waits.entry(namespace).or_default() |= is_due;
        }
        let (look, leave): (Vec<_>, Vec<_>) = waits.into_iter().partition(|(_, waits)| *waits);
        (look.into_iter().map(|(name, _)| name).collect(), leave.into_iter().map(|(name, _)| name).collect())
    }

    /// When something may have lasted for too long.
    pub(crate) fn next_moment(&self, now: Instant) -> Option<Instant> {
        let moments = self.all.values().filter(|patient| !patient.given_up).flat_map(|patient| {
            let closer = patient.unready.map(|since| since + MOMENT);
            let worse = patient.complaint.as_ref().and_then(|(symptom, since)| match symptom.weight {
                Weight::Note => None,
                Weight::Unless(span) | Weight::Lasts(span) => Some(*since + span),
            });
            [closer, worse]
        });
        moments.flatten().filter(|moment| *moment > now).min()
    }

    /// Takes in what was seen.
    pub(crate) fn saw(&mut self, sighting: Sighting) {
        match sighting {
            Sighting::Pod(pod) => self.saw_pod(&pod),
            Sighting::PodGone(uid) => {
                let uid = uid.unwrap_or_default();
                self.all.values_mut().for_each(|patient| drop(patient.pods.remove(&uid)));
            }
            Sighting::Set(set) => self.saw_set(&set),
            Sighting::Warning(warning) => self.saw_warning(&warning),
        }
    }

    fn find(&mut self, namespace: &str, kind: &str, name: &str) -> Option<(&mut Patient, String)> {
        let key = (namespace.to_owned(), kind.to_owned(), name.to_owned());
        let object = self.by_name.get(&key)?;
        Some((self.all.get_mut(object)?, key.1))
    }

    fn saw_pod(&mut self, pod: &Pod) {
        let metadata = &pod.metadata;
        let uid = metadata.uid.clone().unwrap_or_default();
        let labels = metadata.labels.clone().unwrap_or_default();
        let controller = controller(metadata);
        let (kind, name) = match &controller {
            None => ("Pod".to_owned(), metadata.name.clone().unwrap_or_default()),
            Some((kind, name, _)) => match labels.get("pod-template-hash") {
                Some(hash) if kind == "ReplicaSet" => {
                    let deployment = name.strip_suffix(hash).and_then(|name| name.strip_suffix('-'));
                    deployment.map_or((kind.clone(), name.clone()), |name| {
                        ("Deployment".to_owned(), name.to_owned())
                    })
                }
                _ => (kind.clone(), name.clone()),
            },
        };
        let namespace = metadata.namespace.clone().unwrap_or_default();
        let Some((patient, kind)) = self.find(&namespace, &kind, &name) else { return };
        let warning = patient.pods.remove(&uid).and_then(|seen| seen.warning);
        if metadata.deletion_timestamp.is_some() {
            return;
        }
        let symptom = Symptom::of(pod, kind == "Job");
        let name = metadata.name.clone().unwrap_or_default();
        let controller = controller.map(|(.., uid)| uid);
        // Pods that can be made are no longer refused.
        patient.refusal = None;
        patient.pods.insert(uid, PodSeen { name, controller, labels, symptom, warning });
    }

    fn saw_set(&mut self, set: &ReplicaSet) {
        let Some((kind, name, _)) = controller(&set.metadata) else { return };
        let namespace = set.metadata.namespace.clone().unwrap_or_default();
        let Some((patient, _)) = self.find(&namespace, &kind, &name) else { return };
        let revision = set.metadata.annotations.as_ref().and_then(|all| all.get(REVISION)?.parse().ok());
        let uid = set.metadata.uid.clone().unwrap_or_default();
        patient.sets.insert(uid, SetSeen { revision: revision.unwrap_or_default() });
    }

    fn saw_warning(&mut self, warning: &Warning) {
        let about = &warning.involved_object;
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        let (kind, name, uid) = (part(&about.kind), part(&about.name), part(&about.uid));
        let (reason, message) = (part(&warning.reason), part(&warning.message));
        if kind == "Pod" {
            for patient in self.all.values_mut() {
                if let Some(pod) = patient.pods.get_mut(&uid) {
                    let message = format!("pod {name}: {reason}: {message}");
                    pod.warning = Some(Symptom { reason, message, container: None, weight: Weight::Note });
                    return;
                }
            }
        } else if reason == "FailedCreate" {
            let namespace = part(&about.namespace);
            if let Some((patient, _)) = self.find(&namespace, &kind, &name) {
                patient.refusal = Some(Symptom::of_refusal(&message));
            }
        }
    }

    /// Looks at every workload that is not ready. `live` gives each as it was seen last.
    pub(crate) fn assess<'a>(
        &mut self,
        live: impl Fn(ObjectIndex) -> Option<&'a DynamicObject>,
        now: Instant,
    ) -> Vec<Finding> {
        for (object, patient) in &mut self.all {
            let is_due = patient.unready.is_some_and(|since| since + MOMENT <= now) && !patient.given_up;
            let symptom = live(*object).filter(|_| is_due).and_then(|live| patient.symptom(live));
            patient.complaint = symptom.map(|symptom| match patient.complaint.take() {
                // A kubelet that tries again and again shows the same in turns.
                Some((old, since)) if old.weight == symptom.weight => (symptom, since),
                _ => (symptom, now),
            });
        }
        // Those that are on their way may be what others miss.
        let on_their_way = self.all.values().filter(|patient| patient.is_on_its_way(now)).count();
        let mut found = Vec::new();
        for (object, patient) in &mut self.all {
            let Some((symptom, since)) = patient.complaint.clone() else { continue };
            if patient.told != symptom.message {
                patient.told.clone_from(&symptom.message);
                let (reason, message) = (symptom.reason.clone(), symptom.message.clone());
                found.push(Finding::Told { object: *object, reason, message });
            }
            let is_hopeless = match symptom.weight {
                Weight::Note => false,
                Weight::Unless(span) => since + span <= now && on_their_way == 0,
                Weight::Lasts(span) => since + span <= now,
            };
            if is_hopeless {
                patient.given_up = true;
                found.push(Finding::Hopeless { object: *object, symptom });
            }
        }
        found
    }

    /// What was told last about a workload, and what to find out about it.
    pub(crate) fn inquire(
        &mut self,
        object: ObjectIndex,
        live: Option<&DynamicObject>,
    ) -> Option<(Option<Symptom>, Inquiry)> {
        let patient = self.all.get_mut(&object)?;
        patient.given_up = true;
        let symptom = live.and_then(|live| patient.symptom(live));
        let own = live.and_then(|live| live.metadata.uid.clone());
        let current: Vec<(&String, &PodSeen)> = match live {
            Some(live) => patient.current(live).collect(),
            None => patient.pods.iter().collect(),
        };
        let worst = symptom.as_ref().and_then(|symptom| symptom.container.clone());
        let container = match worst {
            Some((pod, container)) => Some((pod, Some(container))),
            None => current.first().map(|(_, pod)| (pod.name.clone(), None)),
        };
        let sets = current.iter().filter_map(|(_, pod)| pod.controller.clone());
        let mut about: Vec<String> = current.iter().map(|(uid, _)| (*uid).clone()).take(3).collect();
        about.extend(sets.take(1).chain(patient.newest_set().cloned()).chain(own));
        about.sort();
        about.dedup();
        let namespace = patient.id.as_ref().and_then(|id| id.namespace.clone()).unwrap_or_default();
        let labels = live.and_then(selector);
        Some((symptom, Inquiry { namespace, container, labels, about }))
    }
}

impl Patient {
    /// Whether it may still become ready by itself.
    fn is_on_its_way(&self, now: Instant) -> bool {
        let stuck = self.complaint.as_ref().is_some_and(|(symptom, since)| match symptom.weight {
            Weight::Note => false,
            Weight::Unless(span) | Weight::Lasts(span) => *since + span <= now,
        });
        self.unready.is_some() && !stuck && !self.given_up
    }

    fn newest_set(&self) -> Option<&String> {
        self.sets.iter().max_by_key(|(_, set)| set.revision).map(|(uid, _)| uid)
    }

    /// The pods of its present revision: those of an older one are about to go.
    fn current<'a>(&'a self, live: &'a DynamicObject) -> impl Iterator<Item = (&'a String, &'a PodSeen)> {
        let kind = self.id.as_ref().map_or("", |id| id.kind.as_str());
        let annotation = |key: &str| live.metadata.annotations.as_ref().and_then(|all| all.get(key));
        let revision = annotation(REVISION).and_then(|text| text.parse().ok());
        let newest = self.newest_set().filter(|uid| {
            revision
                .is_none_or(|revision: i64| self.sets.get(*uid).is_some_and(|set| set.revision == revision))
        });
        let generation = annotation("deprecated.daemonset.template.generation");
        self.pods.iter().filter(move |(_, pod)| match kind {
            "Deployment" => newest.is_some() && pod.controller.as_ref() == newest,
            "StatefulSet" => {
                let wanted = live.data["status"]["updateRevision"].as_str();
                pod.labels.get("controller-revision-hash").map(String::as_str) == wanted
            }
            "DaemonSet" => generation.is_none() || pod.labels.get("pod-template-generation") == generation,
            _ => true,
        })
    }

    /// The worst that there is to say about it.
    fn symptom(&self, live: &DynamicObject) -> Option<Symptom> {
        let status = &live.data["status"];
        // What its controller has not looked at yet has no pods.
        let observed = status["observedGeneration"].as_i64();
        if observed.is_some_and(|observed| Some(observed) < live.metadata.generation) {
            return None;
        }
        let conditions = status["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let refusal = conditions
            .iter()
            .find(|condition| condition["type"] == "ReplicaFailure" && condition["status"] == "True")
            .map(|condition| Symptom::of_refusal(condition["message"].as_str().unwrap_or_default()));
        let of_pods =
            self.current(live).filter_map(|(_, pod)| pod.symptom.clone().or_else(|| pod.warning.clone()));
        let all = of_pods.chain(refusal).chain(self.refusal.clone());
        all.max_by_key(|symptom| symptom.weight)
    }
}

/// The labels that select the pods of a workload.
fn selector(live: &DynamicObject) -> Option<String> {
    let labels = live.data["spec"]["selector"]["matchLabels"].as_object()?;
    let pairs = labels.iter().filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?)));
    Some(pairs.collect::<Vec<_>>().join(",")).filter(|labels| !labels.is_empty())
}

/// The kind, name and UID of what controls an object.
fn controller(metadata: &ObjectMeta) -> Option<(String, String, String)> {
    let owners = metadata.owner_references.as_deref().unwrap_or_default();
    let owner = owners.iter().find(|owner| owner.controller == Some(true))?;
    Some((owner.kind.clone(), owner.name.clone(), owner.uid.clone()))
}
