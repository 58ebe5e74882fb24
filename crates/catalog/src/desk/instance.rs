//! Instances.

use std::time::Duration;

use crate::kinds::{CurrentOperation, Properties, ServiceBinding, ServiceInstance};
use extension::{ActuatorError, Context, ObjectKey, Waiting};
use kube::api::ListParams;
use kube::{Api, ResourceExt};
use osb::{
    Body, Fetched, InstanceId, MaintenanceInfo, Operation, Poll, PreviousValues, ProvisionRequest, Secret,
    UpdateRequest, Verdict,
};

use super::{Customer as _, Desk, Look, actuator, broker, customer, offer};
use crate::connection::wrong;
use crate::facts::{identity, parameters, place, plan_of};
use crate::life::{Thing, Unresolved};
use crate::offers::Offers;
use crate::resolve::{Resolved, is_cluster};
use crate::{Settings, parameter_checksum};

/// The actuator of instances.
#[derive(Debug, Clone)]
pub struct Instances {
    settings: Settings,
    /// Those that bindings hold.
    pub(crate) held: Waiting,
    pub(crate) offers: Offers,
}

impl Instances {
    /// With these settings.
    pub(crate) fn new(settings: Settings, offers: Offers) -> Self {
        Self { settings, held: Waiting::default(), offers }
    }

    async fn plan(context: &Context<ServiceInstance>) -> Result<Result<Resolved, Unresolved>, ActuatorError> {
        let namespace = context.object.namespace().unwrap_or_default();
        plan_of(&context.client(), &namespace, &context.object.spec.plan).await
    }
}

customer!(ServiceInstance, Thing::Instance);
actuator!(Instances, ServiceInstance);

impl Desk for Instances {
    type Customer = ServiceInstance;

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn offers(&self) -> &Offers {
        &self.offers
    }

    async fn look(&self, context: &Context<ServiceInstance>) -> Result<Look, ActuatorError> {
        let instance = &context.object;
        let namespace = instance.namespace().unwrap_or_default();
        let spec = &instance.spec;
        let key = ObjectKey::of(instance);
        // Before it is read: a class or plan that comes meanwhile is heard of.
        let told = self.offers.add(is_cluster(&spec.plan).unwrap_or_default(), &key);
        let plan = Self::plan(context).await?;
        let mut heard = told && plan.is_err();
        let given =
            parameters(&context.client(), &namespace, spec.parameters.as_ref(), &spec.parameters_from)
                .await?;
        let (retrievable, longest_poll) = plan.as_ref().map_or((false, None), |plan| {
            let seconds = plan.offer.maximum_polling_duration.and_then(|seconds| u64::try_from(seconds).ok());
            (plan.offering.instance_retrievable, seconds.map(Duration::from_secs))
        });
        let wanted = match (plan, given) {
            (Err(unresolved), _) | (_, Err(unresolved)) => Err(unresolved),
            (Ok(plan), Ok(given)) => {
                let allowed = allowed(instance, &plan);
                heard = told && allowed.is_err();
                allowed.map(|()| Properties {
                    service_external_id: plan.offering.external_id,
                    plan_external_id: plan.offer.external_id,
                    plan_external_name: plan.offer.external_name,
                    parameter_checksum: parameter_checksum(given.as_ref()),
                    update_requests: spec.update_requests,
                    user_info: spec.user_info.clone(),
                })
            }
        };
        if !heard {
            self.offers.remove(&key);
        }
        let bindings = Api::<ServiceBinding>::namespaced(context.client(), &namespace);
        let name = instance.name_any();
        // Before they are read: one that goes meanwhile is heard of.
        self.held.add(&namespace, &key);
        let bound = bindings.list(&ListParams::default()).await?.items.into_iter();
        let blocked_by: Vec<_> =
            bound.filter(|it| it.spec.instance_ref.name == name).map(|it| it.name_any()).collect();
        if blocked_by.is_empty() {
            self.held.remove(&namespace, &key);
        }
        Ok(Look { wanted, heard, blocked_by, retrievable, longest_poll, injected: true })
    }

    async fn note(&self, context: &mut Context<ServiceInstance>) -> Result<(), ActuatorError> {
        let Ok(plan) = Self::plan(context).await? else { return Ok(()) };
        let status = context.object.status.get_or_insert_default();
        status.broker = Some(plan.broker.written());
        status.class_name = Some(plan.offering.external_name);
        status.plan_name = Some(plan.offer.external_name);
        Ok(())
    }

    async fn reach(&self, context: &Context<ServiceInstance>) -> Result<(), ActuatorError> {
        broker(self, context).await.map(drop)
    }

    async fn ask(
        &self,
        context: &Context<ServiceInstance>,
        operation: CurrentOperation,
    ) -> Result<Verdict, ActuatorError> {
        let instance = &context.object;
        let (client, backing) = (context.client(), instance.backing());
        let namespace = instance.namespace().unwrap_or_default();
        let broker = broker(self, context).await?;
        let id = InstanceId(backing.external_id.clone().unwrap_or_default());
        let user = identity(instance.user());
        let user = user.as_ref();
        if operation == CurrentOperation::Deprovision {
            return Ok(broker.deprovision(&id, &offer(&backing), user).await);
        }
        let spec = &instance.spec;
        let given = parameters(&client, &namespace, spec.parameters.as_ref(), &spec.parameters_from).await?;
        let given = given.map_err(|error| wrong(error.message))?.map(Secret);
        let wanted = backing.in_progress_properties.clone().unwrap_or_default();
        let place = place(&client, &namespace).await?;
        let about = place.context(&namespace, "instance_name", &instance.name_any());
        if operation == CurrentOperation::Provision {
            let maintenance_info =
                Self::plan(context).await?.ok().and_then(|plan| plan.offer.maintenance_version);
            let request = ProvisionRequest {
                service_id: wanted.service_external_id,
                plan_id: wanted.plan_external_id,
                context: about,
                organization_guid: place.cluster,
                space_guid: place.namespace_uid,
                parameters: given,
                maintenance_info: maintenance_info
                    .map(|version| MaintenanceInfo { version, description: None }),
            };
            return Ok(broker.provision(&id, &request, user).await);
        }
        let has = backing.external_properties.clone().unwrap_or_default();
        let request = UpdateRequest {
            service_id: wanted.service_external_id.clone(),
            plan_id: (wanted.plan_external_id != has.plan_external_id).then_some(wanted.plan_external_id),
            context: about,
            parameters: if wanted.parameter_checksum == has.parameter_checksum { None } else { given },
            previous_values: Some(PreviousValues {
                service_id: has.service_external_id,
                plan_id: has.plan_external_id,
                organization_id: Some(place.cluster),
                space_id: Some(place.namespace_uid),
                maintenance_info: None,
            }),
            maintenance_info: None,
        };
        Ok(broker.update(&id, &request, user).await)
    }

    async fn poll(
        &self,
        context: &Context<ServiceInstance>,
        operation: Operation,
    ) -> Result<Poll, ActuatorError> {
        let backing = context.object.backing();
        let broker = broker(self, context).await?;
        let id = InstanceId(backing.external_id.clone().unwrap_or_default());
        let user = identity(context.object.user());
        let name = backing.broker_operation.as_deref();
        Ok(broker.poll_instance(operation, &id, &offer(&backing), name, user.as_ref()).await)
    }

    async fn fetch(&self, context: &Context<ServiceInstance>) -> Result<Fetched, ActuatorError> {
        let backing = context.object.backing();
        let broker = broker(self, context).await?;
        let id = InstanceId(backing.external_id.clone().unwrap_or_default());
        let user = identity(context.object.user());
        Ok(broker.fetch_instance(&id, &offer(&backing), user.as_ref()).await)
    }

    async fn keep(
        &self,
        context: &mut Context<ServiceInstance>,
        operation: CurrentOperation,
        body: Option<&Body>,
    ) -> Result<(), ActuatorError> {
        if operation == CurrentOperation::Update {
            self.note(context).await?;
        }
        let status = context.object.status.get_or_insert_default();
        match operation {
            CurrentOperation::Deprovision => status.dashboard_url = None,
            _ => {
                if let Some(url) = body.and_then(|body| body.dashboard_url.clone()) {
                    status.dashboard_url = Some(url);
                }
            }
        }
        Ok(())
    }
}

/// A plan that does not let go is not asked to.
fn allowed(instance: &ServiceInstance, plan: &Resolved) -> Result<(), Unresolved> {
    let backing = instance.backing();
    let Some(has) = &backing.external_properties else { return Ok(()) };
    if has.service_external_id != plan.offering.external_id {
        let message =
            format!("the class of an instance cannot be changed to {:?}", plan.offering.external_name);
        return Err(Unresolved { reason: "ErrorInstanceRefsChanged", message });
    }
    let updatable = plan.offer.plan_updatable.unwrap_or(plan.offering.plan_updatable);
    if has.plan_external_id != plan.offer.external_id && !updatable {
        let message =
            format!("the plan of an instance of {:?} cannot be changed", plan.offering.external_name);
        return Err(Unresolved { reason: "PlanNotUpdatable", message });
    }
    Ok(())
}
