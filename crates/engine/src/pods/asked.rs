//! The pods of one workload, asked once: for whoever wants to know why it is not ready.

use k8s_openapi::api::core::v1::Pod;
use kube::api::ListParams;
use kube::core::DynamicObject;
use kube::{Api, Client, ResourceExt};
use objects::ObjectId;
use serde_json::Value;

use super::evidence::Inquiry;
use super::symptom::Symptom;

/// What the pods of a workload say, a line each: what is wrong with each, the last that was logged, and the warnings.
pub(crate) async fn ask(client: &Client, id: &ObjectId, live: &DynamicObject) -> Vec<String> {
    let Some(namespace) = &id.namespace else { return Vec::new() };
    let Some(parameters) = selected(id, live) else { return Vec::new() };
    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    let pods = pods.list(&parameters).await.map(|list| list.items).unwrap_or_default();
    let is_job = id.kind == "Job";
    let mut symptoms: Vec<Symptom> = pods.iter().filter_map(|pod| Symptom::of(pod, is_job)).collect();
    symptoms.sort_by_key(|symptom| std::cmp::Reverse(symptom.weight));
    let mut told: Vec<String> = symptoms.iter().map(|symptom| symptom.message.clone()).collect();
    told.dedup();
    let worst = symptoms.into_iter().next();
    let container = worst.as_ref().and_then(|symptom| symptom.container.clone());
    let inquiry = Inquiry {
        namespace: namespace.clone(),
        container: container.map(|(pod, container)| (pod, Some(container))),
        labels: parameters.label_selector,
        about: live.uid().into_iter().chain(pods.iter().filter_map(ResourceExt::uid)).collect(),
    };
    let evidence = inquiry.make(client.clone(), worst).await;
    told.extend(evidence.log.iter().map(|line| format!("log: {line}")));
    told.extend(evidence.warnings.iter().map(|line| format!("event: {line}")));
    told.extend(evidence.hint.map(|hint| format!("hint: {hint}")));
    told
}

/// What selects the pods of a workload; nothing if it is none.
fn selected(id: &ObjectId, live: &DynamicObject) -> Option<ListParams> {
    let parameters = ListParams::default();
    match (id.group.as_str(), id.kind.as_str()) {
        ("", "Pod") => return Some(parameters.fields(&format!("metadata.name={}", id.name))),
        ("batch", "Job") => {
            return Some(parameters.labels(&format!("batch.kubernetes.io/job-name={}", id.name)));
        }
        _ => {}
    }
    let labels = live.data["spec"]["selector"]["matchLabels"].as_object()?;
    let one = |(key, value): (&String, &Value)| Some(format!("{key}={}", value.as_str()?));
    let labels: Option<Vec<String>> = labels.iter().map(one).collect();
    Some(parameters.labels(&labels?.join(",")))
}
