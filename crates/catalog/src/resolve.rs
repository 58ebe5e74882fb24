//! Which plan an instance names, and which broker sells it.

use crate::kinds::{Offering, PlanOffer, PlanReference};

use crate::life::Unresolved;

/// A broker: of the cluster, or of the instance's namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerName {
    /// Whether it is of the cluster.
    pub cluster: bool,
    /// Its name.
    pub name: String,
}

impl BrokerName {
    /// As the status has it.
    pub fn written(&self) -> String {
        format!("{}/{}", if self.cluster { "ClusterServiceBroker" } else { "ServiceBroker" }, self.name)
    }

    /// Read from the status.
    pub fn read(written: &str) -> Option<Self> {
        let (kind, name) = written.split_once('/')?;
        Some(Self { cluster: kind == "ClusterServiceBroker", name: name.to_owned() })
    }
}

/// A class that can be bought.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// The name of its object.
    pub name: String,
    /// Its broker.
    pub broker: String,
    /// What it is.
    pub offering: Offering,
    /// Whether the broker sells it no more.
    pub removed: bool,
}

/// A plan that can be bought.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The name of its object.
    pub name: String,
    /// The name of its class's object.
    pub class: String,
    /// What it is.
    pub offer: PlanOffer,
    /// Whether the broker sells it no more.
    pub removed: bool,
}

/// What an instance names.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// Who sells it.
    pub broker: BrokerName,
    /// The class.
    pub offering: Offering,
    /// The plan.
    pub offer: PlanOffer,
}

/// How something is named.
enum Name<'a> {
    External(&'a str),
    Id(&'a str),
    Object(&'a str),
}

impl Name<'_> {
    fn fits(&self, name: &str, external: &str, id: &str) -> bool {
        match self {
            Self::External(wanted) => *wanted == external,
            Self::Id(wanted) => *wanted == id,
            Self::Object(wanted) => *wanted == name,
        }
    }

    fn written(&self) -> String {
        match self {
            Self::External(name) => format!("{name:?}"),
            Self::Id(id) => format!("with the identifier {id:?}"),
            Self::Object(name) => format!("whose object is {name:?}"),
        }
    }
}

/// Whether a reference is to the cluster's classes; `None` if it is to nothing or to both.
pub fn is_cluster(reference: &PlanReference) -> Option<bool> {
    let [cluster, namespace] = names(reference).map(|(class, plan)| class.is_some() || plan.is_some());
    (cluster != namespace).then_some(cluster)
}

/// The names of class and plan: of the cluster, and of the namespace.
fn names(reference: &PlanReference) -> [(Option<Name<'_>>, Option<Name<'_>>); 2] {
    fn one<'a>(
        external: Option<&'a String>,
        id: Option<&'a String>,
        object: Option<&'a String>,
    ) -> Option<Name<'a>> {
        let filled = |name: Option<&'a String>| name.map(String::as_str).filter(|name| !name.is_empty());
        filled(external).map(Name::External).or(filled(id).map(Name::Id)).or(filled(object).map(Name::Object))
    }
    let it = reference;
    [
        (
            one(
                it.cluster_service_class_external_name.as_ref(),
                it.cluster_service_class_external_id.as_ref(),
                it.cluster_service_class_name.as_ref(),
            ),
            one(
                it.cluster_service_plan_external_name.as_ref(),
                it.cluster_service_plan_external_id.as_ref(),
                it.cluster_service_plan_name.as_ref(),
            ),
        ),
        (
            one(
                it.service_class_external_name.as_ref(),
                it.service_class_external_id.as_ref(),
                it.service_class_name.as_ref(),
            ),
            one(
                it.service_plan_external_name.as_ref(),
                it.service_plan_external_id.as_ref(),
                it.service_plan_name.as_ref(),
            ),
        ),
    ]
}

/// Finds what an instance names among what is sold. A class that has one plan needs no plan to be named.
///
/// # Errors
/// What is missing, in Service Catalog's reasons.
pub fn resolve(reference: &PlanReference, classes: &[Class], plans: &[Plan]) -> Result<Resolved, Unresolved> {
    let unresolved = |reason, message: String| Err(Unresolved { reason, message });
    let Some(cluster) = is_cluster(reference) else {
        let words = "spec must name a class and a plan, either of the cluster or of the namespace";
        return unresolved("InvalidServiceReference", words.to_owned());
    };
    let [of_cluster, of_namespace] = names(reference);
    let (class, plan) = if cluster { of_cluster } else { of_namespace };
    let kind = if cluster { "ClusterService" } else { "Service" };
    let found = match (&class, &plan) {
        (Some(class), _) => classes
            .iter()
            .find(|it| class.fits(&it.name, &it.offering.external_name, &it.offering.external_id)),
        // A plan's identifier or object is unique by itself.
        (None, Some(plan)) => plans
            .iter()
            .find(|it| plan.fits(&it.name, &it.offer.external_name, &it.offer.external_id))
            .and_then(|plan| classes.iter().find(|class| class.name == plan.class)),
        (None, None) => None,
    };
    let Some(found) = found else {
        let named = class.or(plan).map(|name| name.written()).unwrap_or_default();
        let words = format!("References a non-existent {kind}Class {named}");
        return unresolved("ReferencesNonexistentServiceClass", words);
    };
    if found.removed {
        let words = format!(
            "References a {kind}Class {:?} that its broker sells no more",
            found.offering.external_name
        );
        return unresolved("ReferencesDeletedServiceClass", words);
    }
    let mut of_class = plans.iter().filter(|plan| plan.class == found.name);
    let chosen = match &plan {
        Some(plan) => of_class.find(|it| plan.fits(&it.name, &it.offer.external_name, &it.offer.external_id)),
        None => of_class.next().filter(|_| of_class.next().is_none()),
    };
    let Some(chosen) = chosen else {
        let named = plan.map_or_else(|| "and names none".to_owned(), |name| name.written());
        let words = format!(
            "References a non-existent {kind}Plan {named} of the class {:?}",
            found.offering.external_name
        );
        return unresolved("ReferencesNonexistentServicePlan", words);
    };
    if chosen.removed {
        let words =
            format!("References a {kind}Plan {:?} that its broker sells no more", chosen.offer.external_name);
        return unresolved("ReferencesDeletedServicePlan", words);
    }
    Ok(Resolved {
        broker: BrokerName { cluster, name: found.broker.clone() },
        offering: found.offering.clone(),
        offer: chosen.offer.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shop() -> (Vec<Class>, Vec<Plan>) {
        let class = |name: &str, removed| Class {
            name: format!("{name}-object"),
            broker: "acme".into(),
            offering: Offering {
                external_name: name.into(),
                external_id: format!("{name}-id"),
                ..Offering::default()
            },
            removed,
        };
        let plan = |class: &str, name: &str, removed| Plan {
            name: format!("{class}-{name}-object"),
            class: format!("{class}-object"),
            offer: PlanOffer {
                external_name: name.into(),
                external_id: format!("{class}-{name}-id"),
                ..PlanOffer::default()
            },
            removed,
        };
        (
            vec![class("database", false), class("queue", false), class("old", true)],
            vec![
                plan("database", "small", false),
                plan("database", "huge", true),
                plan("queue", "small", false),
                plan("old", "small", false),
            ],
        )
    }

    fn find(fields: serde_json::Value) -> Result<String, String> {
        let (classes, plans) = shop();
        let reference: PlanReference = serde_json::from_value(fields).unwrap();
        match resolve(&reference, &classes, &plans) {
            Ok(found) => Ok(format!(
                "{} {} {}",
                found.broker.written(),
                found.offering.external_name,
                found.offer.external_id
            )),
            Err(error) => Err(format!("{}: {}", error.reason, error.message)),
        }
    }

    #[test]
    fn plans_are_found_in_every_style() {
        let database = Ok("ClusterServiceBroker/acme database database-small-id".to_owned());
        for fields in [
            serde_json::json!({"clusterServiceClassExternalName": "database", "clusterServicePlanExternalName": "small"}),
            serde_json::json!({"clusterServiceClassExternalID": "database-id", "clusterServicePlanExternalID": "database-small-id"}),
            serde_json::json!({"clusterServiceClassName": "database-object", "clusterServicePlanName": "database-small-object"}),
            serde_json::json!({"clusterServicePlanName": "database-small-object"}),
        ] {
            assert_eq!(find(fields.clone()), database, "{fields}");
        }
        assert_eq!(
            find(serde_json::json!({"serviceClassExternalName": "queue"})),
            Ok("ServiceBroker/acme queue queue-small-id".to_owned())
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        for (fields, words) in [
            (
                serde_json::json!({}),
                "InvalidServiceReference: spec must name a class and a plan, either of the cluster or of the namespace",
            ),
            (
                serde_json::json!({"clusterServiceClassName": "a", "serviceClassName": "a"}),
                "InvalidServiceReference: spec must name a class and a plan, either of the cluster or of the namespace",
            ),
            (
                serde_json::json!({"clusterServiceClassExternalName": "cache"}),
                "ReferencesNonexistentServiceClass: References a non-existent ClusterServiceClass \"cache\"",
            ),
            (
                serde_json::json!({"clusterServiceClassExternalName": "old"}),
                "ReferencesDeletedServiceClass: References a ClusterServiceClass \"old\" that its broker sells no more",
            ),
            (
                serde_json::json!({"clusterServiceClassExternalName": "database", "clusterServicePlanExternalName": "tiny"}),
                "ReferencesNonexistentServicePlan: References a non-existent ClusterServicePlan \"tiny\" of the class \"database\"",
            ),
            (
                serde_json::json!({"clusterServiceClassExternalName": "database", "clusterServicePlanExternalName": "huge"}),
                "ReferencesDeletedServicePlan: References a ClusterServicePlan \"huge\" that its broker sells no more",
            ),
            (
                serde_json::json!({"clusterServiceClassExternalName": "database"}),
                "ReferencesNonexistentServicePlan: References a non-existent ClusterServicePlan and names none of the class \"database\"",
            ),
        ] {
            assert_eq!(find(fields.clone()).unwrap_err(), words, "{fields}");
        }
    }
}
