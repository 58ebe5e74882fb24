//! Brokers: their catalogs are read, and become classes and plans.

use std::collections::{BTreeMap, BTreeSet};

use crate::kinds::{
    Backing, BrokerStatus, CatalogRestrictions, ClusterServiceBroker, ClusterServiceClass,
    ClusterServicePlan, DeprovisionStatus, READY, RelistBehavior, ServiceBinding, ServiceBroker,
    ServiceClass, ServiceInstance, ServicePlan,
};
use extension::status::set_condition;
use extension::{Actuator, ActuatorError, Context, ErrorCode, Extension, ObjectKey, Outcome, Waiting};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::core::{ApiResource, DynamicObject};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};

use crate::Settings;
use crate::connection::{Address, wrong};
use crate::listing::{Listing, listing};
use crate::resolve::BrokerName;

/// The actuator of brokers of the cluster.
#[derive(Debug, Clone)]
pub struct ClusterBrokers {
    settings: Settings,
    /// Those that are to go, and still have customers.
    pub(crate) used: Waiting,
}

/// The actuator of brokers of a namespace.
#[derive(Debug, Clone)]
pub struct Brokers {
    settings: Settings,
    /// Those that are to go, and still have customers.
    pub(crate) used: Waiting,
}

/// Where the classes and plans of a broker are.
struct Shelf {
    client: Client,
    manager: String,
    broker: String,
    namespace: Option<String>,
    classes: ApiResource,
    plans: ApiResource,
}

impl Shelf {
    fn new(client: Client, manager: &str, broker: String, namespace: Option<String>) -> Self {
        let (classes, plans) = match namespace {
            None => (
                ApiResource::erase::<ClusterServiceClass>(&()),
                ApiResource::erase::<ClusterServicePlan>(&()),
            ),
            Some(_) => (ApiResource::erase::<ServiceClass>(&()), ApiResource::erase::<ServicePlan>(&())),
        };
        Self { client, manager: manager.to_owned(), broker, namespace, classes, plans }
    }

    fn api(&self, resource: &ApiResource) -> Api<DynamicObject> {
        match &self.namespace {
            None => Api::all_with(self.client.clone(), resource),
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, resource),
        }
    }

    /// The field that names the broker, and the one that names the class.
    fn fields(&self) -> (&'static str, &'static str) {
        if self.namespace.is_none() {
            ("clusterServiceBrokerName", "clusterServiceClassRef")
        } else {
            ("serviceBrokerName", "serviceClassRef")
        }
    }

    /// Puts up what is sold, and takes down what is not any more: what there are instances of is only marked.
    async fn fill(&self, listing: &Listing) -> Result<(), ActuatorError> {
        let (broker, class_ref) = self.fields();
        let mut classes = BTreeMap::new();
        for (name, offering) in &listing.classes {
            let mut spec = json!(offering);
            spec[broker] = json!(self.broker);
            classes.insert(name.clone(), spec);
        }
        let mut plans = BTreeMap::new();
        for (name, (class, offer)) in &listing.plans {
            let mut spec = json!(offer);
            spec[broker] = json!(self.broker);
            spec[class_ref] = json!({"name": class});
            plans.insert(name.clone(), spec);
        }
        // Classes first and last: a plan without its class can be bought by nobody.
        let gone = self.put(&self.classes, &classes).await?;
        let gone_plans = self.put(&self.plans, &plans).await?;
        let used = self.used().await?;
        self.remove(&self.plans, gone_plans, &used).await?;
        self.remove(&self.classes, gone, &used).await
    }

    /// Applies what is wanted, and says what else of this broker is there.
    async fn put(
        &self,
        resource: &ApiResource,
        wanted: &BTreeMap<String, Value>,
    ) -> Result<Vec<DynamicObject>, ActuatorError> {
        let api = self.api(resource);
        let (broker, _) = self.fields();
        let there = api.list(&ListParams::default()).await?.items;
        let owner = |object: &DynamicObject| object.data["spec"][broker].as_str().map(str::to_owned);
        let known: BTreeMap<String, &DynamicObject> = there.iter().map(|it| (it.name_any(), it)).collect();
        for (name, spec) in wanted {
            match known.get(name) {
                Some(found) if owner(found).as_deref() != Some(self.broker.as_str()) => {
                    let other = owner(found).unwrap_or_default();
                    return Err(wrong(format!(
                        "{} {name:?} is already sold by the broker {other:?}",
                        resource.kind
                    )));
                }
                Some(found) if found.data["spec"] == *spec && !removed(found) => continue,
                _ => {}
            }
            let body = json!({
                "apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": name}, "spec": spec,
            });
            let params = PatchParams::apply(&self.manager).force();
            let applied = api.patch(name, &params, &Patch::Apply(&body)).await?;
            if removed(&applied) {
                Self::mark(&api, name, false).await?;
            }
        }
        let ours = |it: &DynamicObject| owner(it).as_deref() == Some(self.broker.as_str());
        Ok(there.iter().filter(|it| ours(it) && !wanted.contains_key(&it.name_any())).cloned().collect())
    }

    async fn mark(api: &Api<DynamicObject>, name: &str, removed: bool) -> Result<(), ActuatorError> {
        let body = json!({"status": {"removedFromBrokerCatalog": removed}});
        api.patch_status(name, &PatchParams::default(), &Patch::Merge(&body)).await?;
        Ok(())
    }

    async fn remove(
        &self,
        resource: &ApiResource,
        gone: Vec<DynamicObject>,
        used: &BTreeSet<String>,
    ) -> Result<(), ActuatorError> {
        let api = self.api(resource);
        for object in gone {
            let name = object.name_any();
            let id = object.data["spec"]["externalID"].as_str().unwrap_or_default();
            if used.contains(id) {
                if !removed(&object) {
                    Self::mark(&api, &name, true).await?;
                }
                continue;
            }
            match api.delete(&name, &DeleteParams::default()).await {
                Ok(_) => {}
                Err(kube::Error::Api(refusal)) if refusal.code == 404 => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The instances and bindings that only this broker can take back.
    async fn customers(&self) -> Result<Vec<String>, ActuatorError> {
        let broker = BrokerName { cluster: self.namespace.is_none(), name: self.broker.clone() }.written();
        let (instances, bindings): (Api<ServiceInstance>, Api<ServiceBinding>) = match &self.namespace {
            None => (Api::all(self.client.clone()), Api::all(self.client.clone())),
            Some(namespace) => (
                Api::namespaced(self.client.clone(), namespace),
                Api::namespaced(self.client.clone(), namespace),
            ),
        };
        let has = |noted: Option<&String>, backing: &Backing| {
            let must = [DeprovisionStatus::Required, DeprovisionStatus::Failed].map(Some);
            noted == Some(&broker) && must.contains(&backing.deprovision_status)
        };
        let mut customers = Vec::new();
        for instance in instances.list(&ListParams::default()).await? {
            let status = instance.status.clone().unwrap_or_default();
            if has(status.broker.as_ref(), &status.backing) {
                customers.push(format!("ServiceInstance {}", ObjectKey::of(&instance)));
            }
        }
        for binding in bindings.list(&ListParams::default()).await? {
            let status = binding.status.clone().unwrap_or_default();
            if has(status.broker.as_ref(), &status.backing) {
                customers.push(format!("ServiceBinding {}", ObjectKey::of(&binding)));
            }
        }
        Ok(customers)
    }

    /// The identifiers of services and plans that there are instances of.
    async fn used(&self) -> Result<BTreeSet<String>, ActuatorError> {
        let instances: Api<ServiceInstance> = match &self.namespace {
            None => Api::all(self.client.clone()),
            Some(namespace) => Api::namespaced(self.client.clone(), namespace),
        };
        let mut used = BTreeSet::new();
        for instance in instances.list(&ListParams::default()).await? {
            let Some(backing) = instance.status.map(|status| status.backing) else { continue };
            for has in [backing.external_properties, backing.in_progress_properties].into_iter().flatten() {
                used.extend([has.service_external_id, has.plan_external_id]);
            }
        }
        Ok(used)
    }
}

fn removed(object: &DynamicObject) -> bool {
    object.data["status"]["removedFromBrokerCatalog"] == true
}

/// When the catalog of a broker is to be read.
struct Relist<'a> {
    behavior: RelistBehavior,
    duration: Option<&'a str>,
    requests: i64,
    generation: Option<i64>,
}

impl Relist<'_> {
    /// When next; `None` when somebody asks.
    fn next(
        &self,
        status: Option<&BrokerStatus>,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, String> {
        let Some(status) = status else { return Ok(Some(now)) };
        let Some(last) = &status.last_catalog_retrieval_time else { return Ok(Some(now)) };
        let asked = self.requests != status.served_relist_requests;
        if asked || status.reconciled_generation != self.generation {
            return Ok(Some(now));
        }
        if self.behavior == RelistBehavior::Manual {
            return Ok(None);
        }
        let pause = match self.duration {
            Some(text) => {
                let parsed = text.parse::<objects::GoDuration>().ok().and_then(objects::GoDuration::to_std);
                parsed.ok_or_else(|| format!("relistDuration {text:?} is no duration"))?
            }
            None => settings.relist,
        };
        let pause = jiff::SignedDuration::try_from(pause).unwrap_or(jiff::SignedDuration::MAX);
        Ok(Some(last.0.checked_add(pause).unwrap_or(Timestamp::MAX)))
    }
}

/// Reads the catalog if it is time, and says when it is next.
async fn relist(
    shelf: &Shelf,
    address: &Address<'_>,
    restrictions: Option<&CatalogRestrictions>,
    settings: &Settings,
) -> Result<(u32, u32), ActuatorError> {
    let broker = address.connect(&shelf.client, settings).await?;
    let catalog = broker.catalog().await.map_err(|error| ActuatorError::new(error.to_string()))?;
    let listing =
        listing(&catalog, restrictions).map_err(|error| wrong(format!("catalogRestrictions: {error}")))?;
    shelf.fill(&listing).await?;
    Ok((listing.classes.len() as u32, listing.plans.len() as u32))
}

macro_rules! broker {
    ($actuator:ident, $kind:ident, $namespace:expr, |$spec:ident, $home:ident| $address:expr) => {
        impl $actuator {
            /// With these settings.
            pub fn new(settings: Settings) -> Self {
                Self { settings, used: Waiting::default() }
            }

            fn shelf(context: &Context<$kind>) -> Shelf {
                let namespace: fn(&$kind) -> Option<String> = $namespace;
                let broker = context.object.name_any();
                Shelf::new(context.client(), context.manager(), broker, namespace(&context.object))
            }

            async fn read(&self, context: &mut Context<$kind>) -> Result<Outcome, ActuatorError> {
                let spec = context.object.spec.clone();
                let when = Relist {
                    behavior: spec.relist_behavior.unwrap_or_default(),
                    duration: spec.relist_duration.as_deref(),
                    requests: spec.relist_requests,
                    generation: context.object.metadata.generation,
                };
                let now = context.now();
                let next = when.next(context.object.status.as_ref(), &self.settings, now).map_err(wrong)?;
                if next.is_some_and(|next| next <= now) {
                    let namespace = context.object.namespace().unwrap_or_default();
                    let shelf = Self::shelf(context);
                    let read = {
                        let ($spec, $home) = (&spec, namespace.as_str());
                        relist(&shelf, &$address, spec.catalog_restrictions.as_ref(), &self.settings).await
                    };
                    tell(&mut context.object, &read, now);
                    let (services, plans) = read?;
                    let status = context.object.status.get_or_insert_default();
                    status.last_catalog_retrieval_time = Some(Time(now));
                    status.served_relist_requests = spec.relist_requests;
                    status.reconciled_generation = when.generation;
                    (status.services, status.plans) = (services, plans);
                }
                let status = context.object.status.as_ref();
                let next = when.next(status, &self.settings, now).map_err(wrong)?;
                Ok(next.map_or_else(Outcome::done, |next| Outcome::done().requeue_at(next)))
            }
        }

        impl Actuator for $actuator {
            type Object = $kind;

            async fn reconcile(&self, context: &mut Context<$kind>) -> Result<Outcome, ActuatorError> {
                self.read(context).await
            }

            /// What it sells goes first, so that nobody buys it any more. The broker itself goes when nothing is left that
            /// was bought from it: who else would take that back?
            async fn delete(&self, context: &mut Context<$kind>) -> Result<Outcome, ActuatorError> {
                let shelf = Self::shelf(context);
                shelf.fill(&Listing::default()).await?;
                let (place, key) =
                    (shelf.namespace.clone().unwrap_or_default(), ObjectKey::of(&context.object));
                self.used.add(&place, &key);
                let customers = shelf.customers().await?;
                if customers.is_empty() {
                    self.used.remove(&place, &key);
                    // What was marked for their sake.
                    shelf.fill(&Listing::default()).await?;
                    return Ok(Outcome::done());
                }
                let words = format!("these were bought from it and must go first: {}", customers.join(", "));
                Err(ActuatorError::new(words).code(ErrorCode::Dependencies).retry_after(Waiting::FALLBACK))
            }

            /// Those who bought from it are left to themselves.
            async fn force_delete(&self, context: &mut Context<$kind>) -> Result<Outcome, ActuatorError> {
                let shelf = Self::shelf(context);
                shelf.fill(&Listing::default()).await?;
                let customers = shelf.customers().await?;
                Ok(if customers.is_empty() {
                    Outcome::done()
                } else {
                    Outcome::done().describe(format!("left without a broker: {}", customers.join(", ")))
                })
            }

            async fn migrate(&self, _: &mut Context<$kind>) -> Result<Outcome, ActuatorError> {
                Ok(Outcome::done())
            }

            async fn restore(&self, context: &mut Context<$kind>) -> Result<Outcome, ActuatorError> {
                self.read(context).await
            }
        }
    };
}

broker!(ClusterBrokers, ClusterServiceBroker, |_| None, |spec, _home| Address::of_cluster(spec));
broker!(Brokers, ServiceBroker, ResourceExt::namespace, |spec, home| Address::of_namespace(spec, home));

fn tell<K: Extension>(object: &mut K, read: &Result<(u32, u32), ActuatorError>, now: Timestamp) {
    let generation = object.meta().generation;
    let (holds, reason, message) = match read {
        Ok(_) => (true, "FetchedCatalog", "Successfully fetched catalog entries from broker.".to_owned()),
        Err(error) => (false, "ErrorFetchingCatalog", format!("Error fetching catalog: {error}")),
    };
    set_condition(
        &mut object.status_mut().conditions,
        READY,
        holds.into(),
        reason,
        &message,
        generation,
        now,
    );
}
