//! What a broker sells.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Secret;

/// Everything that a broker sells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// The services.
    pub services: Vec<Service>,
    /// What the broker said beyond the specification.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A service offering.
#[expect(clippy::struct_excessive_bools, reason = "the specification has them")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Service {
    /// What users call it.
    pub name: String,
    /// What it is called in requests.
    pub id: String,
    /// One line about it.
    pub description: String,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "nullable_is_empty", deserialize_with = "nullable")]
    pub tags: Vec<String>,
    /// What a user has to allow it.
    #[serde(default, skip_serializing_if = "nullable_is_empty", deserialize_with = "nullable")]
    pub requires: Vec<String>,
    /// Whether its instances can be bound to, unless a plan says otherwise.
    pub bindable: bool,
    /// Whether its instances can be fetched.
    #[serde(default, deserialize_with = "nullable")]
    pub instances_retrievable: bool,
    /// Whether its bindings can be fetched.
    #[serde(default, deserialize_with = "nullable")]
    pub bindings_retrievable: bool,
    /// Whether it wants to hear of changes of the context.
    #[serde(default, deserialize_with = "nullable")]
    pub allow_context_updates: bool,
    /// Whether the plan of an instance can be changed, unless a plan says otherwise.
    #[serde(default, deserialize_with = "nullable")]
    pub plan_updateable: bool,
    /// How the dashboard's single sign-on is set up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dashboard_client: Option<Secret<Value>>,
    /// For display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The plans.
    pub plans: Vec<Plan>,
    /// What the broker said beyond the specification.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A plan of a service.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What it is called in requests.
    pub id: String,
    /// What users call it.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Whether it costs nothing; if it is not said, it does cost nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<bool>,
    /// Whether its instances can be bound to; `None`: as the service says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bindable: Option<bool>,
    /// Whether its bindings can be rotated.
    #[serde(default, deserialize_with = "nullable")]
    pub binding_rotatable: bool,
    /// Whether an instance can leave it for another; `None`: as the service says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_updateable: Option<bool>,
    /// JSON schemas of the parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schemas: Option<Value>,
    /// How many seconds an operation is polled at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum_polling_duration: Option<u64>,
    /// Which state of maintenance instances are made in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maintenance_info: Option<MaintenanceInfo>,
    /// For display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// What the broker said beyond the specification.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The state of maintenance of a plan or an instance.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaintenanceInfo {
    /// A semantic version.
    pub version: String,
    /// What a change to it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Why a catalog cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The broker did not give one.
    #[error(transparent)]
    Failed(#[from] crate::Failure),
    /// It cannot be read.
    #[error("the catalog cannot be read: {cause}")]
    Malformed {
        /// Why.
        cause: String,
    },
    /// Two things have one identifier or one name.
    #[error("the catalog has two {what} {value:?}")]
    Twice {
        /// Of what there are two: `services with the name`.
        what: &'static str,
        /// Which.
        value: String,
    },
    /// Something that must be said is not.
    #[error("the catalog has {what} without {field}")]
    Empty {
        /// Of what: `a service`.
        what: String,
        /// What it lacks.
        field: &'static str,
    },
}

impl Catalog {
    /// Reads and checks a catalog.
    ///
    /// # Errors
    /// What is missing or there twice: names and identifiers of services, and of the plans of a service.
    pub fn read(json: &[u8]) -> Result<Self, CatalogError> {
        let catalog: Self = serde_json::from_slice(json)
            .map_err(|error| CatalogError::Malformed { cause: error.to_string() })?;
        catalog.check()?;
        Ok(catalog)
    }

    fn check(&self) -> Result<(), CatalogError> {
        let services = || self.services.iter();
        once("services with the identifier", services().map(|service| service.id.as_str()))?;
        once("services with the name", services().map(|service| service.name.as_str()))?;
        let plans = services().flat_map(|service| &service.plans);
        once("plans with the identifier", plans.map(|plan| plan.id.as_str()))?;
        for service in services() {
            filled("a service", &service.id, &service.name)?;
            if service.plans.is_empty() {
                return Err(CatalogError::Empty {
                    what: format!("the service {:?}", service.name),
                    field: "plans",
                });
            }
            once("plans with the name", service.plans.iter().map(|plan| plan.name.as_str()))?;
            for plan in &service.plans {
                filled(&format!("a plan of the service {:?}", service.name), &plan.id, &plan.name)?;
            }
        }
        Ok(())
    }
}

impl Plan {
    /// Whether instances can be bound to.
    pub fn is_bindable(&self, service: &Service) -> bool {
        self.bindable.unwrap_or(service.bindable)
    }

    /// Whether an instance can leave it for another plan.
    pub fn is_updateable(&self, service: &Service) -> bool {
        self.plan_updateable.unwrap_or(service.plan_updateable)
    }
}

fn filled(what: &str, id: &str, name: &str) -> Result<(), CatalogError> {
    let field = match (id, name) {
        ("", _) => "an identifier",
        (_, "") => "a name",
        _ => return Ok(()),
    };
    Err(CatalogError::Empty { what: what.to_owned(), field })
}

fn once<'a>(what: &'static str, values: impl Iterator<Item = &'a str>) -> Result<(), CatalogError> {
    let mut seen = HashSet::new();
    for value in values {
        if !seen.insert(value) {
            return Err(CatalogError::Twice { what, value: value.to_owned() });
        }
    }
    Ok(())
}

/// Frameworks write `null` for what is not there.
fn nullable<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn nullable_is_empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<Catalog, String> {
        Catalog::read(value.to_string().as_bytes()).map_err(|error| error.to_string())
    }

    fn service(name: &str, id: &str, plans: &Value) -> Value {
        json!({"name": name, "id": id, "description": "d", "bindable": true, "plans": plans})
    }

    fn plan(name: &str, id: &str) -> Value {
        json!({"name": name, "id": id, "description": "d"})
    }

    #[test]
    fn unknown_fields_are_kept() {
        let mut one = service("db", "s1", &json!([plan("small", "p1")]));
        one["acme"] = json!({"x": 1});
        one["plans"][0]["acme"] = json!(true);
        one["tags"] = json!(null);
        let catalog = read(&json!({"services": [one]})).unwrap();
        assert_eq!(catalog.services[0].extra["acme"], json!({"x": 1}));
        assert_eq!(catalog.services[0].plans[0].extra["acme"], json!(true));
    }

    #[test]
    fn plans_override_their_service() {
        let mut two = service("db", "s1", &json!([plan("small", "p1"), plan("large", "p2")]));
        two["plans"][1]["bindable"] = json!(false);
        two["plans"][1]["plan_updateable"] = json!(true);
        let catalog = read(&json!({"services": [two]})).unwrap();
        let service = &catalog.services[0];
        let says: Vec<_> = service
            .plans
            .iter()
            .map(|plan| (plan.is_bindable(service), plan.is_updateable(service)))
            .collect();
        assert_eq!(says, [(true, false), (false, true)]);
    }

    #[test]
    fn what_others_rely_on_is_checked() {
        let small = json!([plan("small", "p1")]);
        for (services, words) in [
            (json!([service("db", "s1", &json!([]))]), "the catalog has the service \"db\" without plans"),
            (json!([service("", "s1", &small)]), "the catalog has a service without a name"),
            (
                json!([service("db", "s1", &json!([plan("small", "")]))]),
                "the catalog has a plan of the service \"db\" without an identifier",
            ),
            (
                json!([service("db", "s1", &small), service("db", "s2", &json!([plan("small", "p2")]))]),
                "the catalog has two services with the name \"db\"",
            ),
            (
                json!([service("db", "s1", &small), service("queue", "s2", &small)]),
                "the catalog has two plans with the identifier \"p1\"",
            ),
        ] {
            assert_eq!(read(&json!({"services": services})).unwrap_err(), words);
        }
        assert!(read(&json!({"services": []})).is_ok());
        assert!(
            read(&json!({})).unwrap_err().starts_with("the catalog cannot be read: missing field `services`")
        );
    }
}
