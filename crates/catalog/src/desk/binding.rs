//! Bindings, and the Secrets that they fill.

use std::collections::BTreeMap;

use crate::kinds::{
    CurrentOperation, Properties, ProvisionStatus, ServiceBinding, ServiceInstance, transform,
};
use extension::{ActuatorError, Context, ObjectKey, Waiting};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret as KubeSecret;
use kube::api::{DeleteParams, ObjectMeta, PostParams, Preconditions};
use kube::{Api, Resource, ResourceExt};
use objects::jsonpath::JsonPath;
use osb::{BindRequest, BindingId, Body, Fetched, InstanceId, Operation, Poll, Secret, Verdict};
use serde_json::{Map, Value};

use super::{Customer as _, Desk, Look, actuator, broker, customer, offer};
use crate::connection::wrong;
use crate::facts::{identity, parameters, place, plan_of};
use crate::life::{Thing, Unresolved};
use crate::offers::Offers;
use crate::resolve::is_cluster;
use crate::{Settings, parameter_checksum};

/// The actuator of bindings.
#[derive(Debug, Clone)]
pub struct Bindings {
    settings: Settings,
    /// Those that wait for their instance.
    pub(crate) waiting: Waiting,
    pub(crate) offers: Offers,
}

/// What a binding waits for that a change of its instance may bring.
const OF_INSTANCE: [&str; 2] = ["ReferencesNonexistentInstance", "ErrorInstanceNotReady"];
/// What a binding waits for that a change of the class may bring.
const NOT_BINDABLE: &str = "ErrorNonbindableServiceClass";

/// What marks the Secrets of bindings, so that one that is deleted is heard of. Its value is the binding's UID.
pub(crate) const SECRET_LABEL: &str = "servicecatalog.slipway.dev/binding";

impl Bindings {
    /// With these settings.
    pub(crate) fn new(settings: Settings, offers: Offers) -> Self {
        Self { settings, waiting: Waiting::default(), offers }
    }

    async fn instance(context: &Context<ServiceBinding>) -> Result<Option<ServiceInstance>, ActuatorError> {
        let namespace = context.object.namespace().unwrap_or_default();
        let instances = Api::<ServiceInstance>::namespaced(context.client(), &namespace);
        Ok(instances.get_opt(&context.object.spec.instance_ref.name).await?)
    }

    /// What is to be asked for, or why that is not known.
    async fn wanted(
        context: &Context<ServiceBinding>,
        instance: Option<&ServiceInstance>,
        secret: Option<&KubeSecret>,
    ) -> Result<Result<Properties, Unresolved>, ActuatorError> {
        let binding = &context.object;
        let namespace = binding.namespace().unwrap_or_default();
        let name = &binding.spec.instance_ref.name;
        let unresolved = |reason, message| Ok(Err(Unresolved { reason, message }));
        let Some(instance) = instance else {
            let words = format!("References a non-existent ServiceInstance {name:?}");
            return unresolved("ReferencesNonexistentInstance", words);
        };
        let backing = instance.status.as_ref().map(|status| status.backing.clone()).unwrap_or_default();
        let usable = backing.provision_status == Some(ProvisionStatus::Provisioned) && !backing.unusable;
        let going = instance.metadata.deletion_timestamp.is_some() || !instance.spec.exists_externally();
        let Some(has) = backing.external_properties.filter(|_| usable && !going) else {
            let why = if going { "is being taken down" } else { "is not ready" };
            return unresolved("ErrorInstanceNotReady", format!("the instance {name:?} {why}"));
        };
        if let Ok(plan) = plan_of(&context.client(), &namespace, &instance.spec.plan).await?
            && !plan.offer.bindable.unwrap_or(plan.offering.bindable)
        {
            let words = format!("instances of {:?} cannot be bound to", plan.offering.external_name);
            return unresolved(NOT_BINDABLE, words);
        }
        if secret.is_some_and(|secret| !is_ours(secret, binding)) {
            let foreign = binding.secret_name();
            let words = format!("the Secret {foreign:?} is there and does not belong to this binding");
            return unresolved("ErrorInjectingBindResult", words);
        }
        let spec = &binding.spec;
        let given =
            parameters(&context.client(), &namespace, spec.parameters.as_ref(), &spec.parameters_from)
                .await?;
        Ok(given.map(|given| Properties {
            parameter_checksum: parameter_checksum(given.as_ref()),
            update_requests: 0,
            user_info: spec.user_info.clone(),
            ..has
        }))
    }

    fn secrets(context: &Context<ServiceBinding>) -> Api<KubeSecret> {
        Api::namespaced(context.client(), &context.object.namespace().unwrap_or_default())
    }

    /// Puts credentials into the Secret.
    async fn inject(
        context: &mut Context<ServiceBinding>,
        credentials: &Map<String, Value>,
    ) -> Result<(), ActuatorError> {
        let secrets = Self::secrets(context);
        let binding = &context.object;
        let namespace = binding.namespace().unwrap_or_default();
        let mut others = BTreeMap::new();
        for from in binding.spec.secret_transforms.iter().filter_map(|it| it.add_keys_from.as_ref()) {
            let name = &from.secret_ref.name;
            if let Some(secret) = secrets.get_opt(name).await? {
                let data =
                    secret.data.unwrap_or_default().into_iter().map(|(key, value)| (key, value.0)).collect();
                others.insert(name.clone(), data);
            }
        }
        let path = |expression: &str, credentials: &Map<String, Value>| {
            let path = JsonPath::parse(expression).map_err(|error| error.to_string())?;
            let data = goyaml::json::from_str(&Value::Object(credentials.clone()).to_string());
            let data = data.map_err(|error| error.to_string())?;
            path.render(&data).map_err(|error| error.to_string())
        };
        let keys = transform(credentials, &binding.spec.secret_transforms, &namespace, path, |name| {
            others.get(name).cloned()
        })
        .map_err(|error| wrong(error.to_string()))?;
        let name = binding.secret_name().to_owned();
        let secret = KubeSecret {
            metadata: ObjectMeta {
                name: Some(name.clone()),
                namespace: Some(namespace),
                owner_references: Some(binding.controller_owner_ref(&()).into_iter().collect()),
                labels: Some([(SECRET_LABEL.to_owned(), binding.uid().unwrap_or_default())].into()),
                ..ObjectMeta::default()
            },
            data: Some(keys.into_iter().map(|(key, value)| (key, ByteString(value))).collect()),
            ..KubeSecret::default()
        };
        match secrets.get_opt(&name).await? {
            None => drop(secrets.create(&PostParams::default(), &secret).await?),
            Some(found) if is_ours(&found, binding) => {
                let mut secret = secret;
                secret.metadata.resource_version = found.resource_version();
                secrets.replace(&name, &PostParams::default(), &secret).await?;
            }
            Some(_) => {
                return Err(wrong(format!(
                    "the Secret {name:?} is there and does not belong to this binding"
                )));
            }
        }
        context.object.status.get_or_insert_default().secret_name = Some(name);
        Ok(())
    }

    /// Removes the Secret: before the broker is asked to make it worthless.
    async fn eject(context: &Context<ServiceBinding>) -> Result<(), ActuatorError> {
        let secrets = Self::secrets(context);
        let name = context.object.secret_name();
        let Some(found) = secrets.get_opt(name).await?.filter(|found| is_ours(found, &context.object)) else {
            return Ok(());
        };
        let preconditions = Preconditions { uid: found.uid(), resource_version: None };
        match secrets.delete(name, &DeleteParams::default().preconditions(preconditions)).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(refusal)) if matches!(refusal.code, 404 | 409) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn is_ours(secret: &KubeSecret, binding: &ServiceBinding) -> bool {
    let uid = binding.metadata.uid.as_deref();
    secret.owner_references().iter().any(|owner| Some(owner.uid.as_str()) == uid)
}

customer!(ServiceBinding, Thing::Binding);
actuator!(Bindings, ServiceBinding);

impl Desk for Bindings {
    type Customer = ServiceBinding;

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn offers(&self) -> &Offers {
        &self.offers
    }

    async fn look(&self, context: &Context<ServiceBinding>) -> Result<Look, ActuatorError> {
        let binding = &context.object;
        let namespace = binding.namespace().unwrap_or_default();
        // Before it is read: an instance that becomes ready meanwhile is heard of.
        let key = ObjectKey::of(binding);
        self.waiting.add(&namespace, &key);
        let instance = Self::instance(context).await?;
        let (mut retrievable, mut told) = (false, true);
        if let Some(instance) = &instance {
            told = self.offers.add(is_cluster(&instance.spec.plan).unwrap_or_default(), &key);
            let plan = plan_of(&context.client(), &namespace, &instance.spec.plan).await?;
            retrievable = plan.is_ok_and(|plan| plan.offering.binding_retrievable);
        }
        let secret = Self::secrets(context).get_opt(binding.secret_name()).await?;
        let wanted = Self::wanted(context, instance.as_ref(), secret.as_ref()).await?;
        let reason = wanted.as_ref().err().map(|unresolved| unresolved.reason);
        if reason.is_none() {
            self.waiting.remove(&namespace, &key);
        }
        if reason != Some(NOT_BINDABLE) {
            self.offers.remove(&key);
        }
        let heard = reason.is_some_and(|reason| match reason {
            NOT_BINDABLE => told,
            reason => OF_INSTANCE.contains(&reason),
        });
        Ok(Look {
            wanted,
            heard,
            blocked_by: Vec::new(),
            retrievable,
            longest_poll: None,
            injected: secret.is_some(),
        })
    }

    async fn note(&self, context: &mut Context<ServiceBinding>) -> Result<(), ActuatorError> {
        let instance = Self::instance(context).await?.ok_or_else(|| wrong("the instance is not there"))?;
        let of = instance.status.unwrap_or_default();
        let status = context.object.status.get_or_insert_default();
        status.broker = of.broker;
        status.instance_external_id = of.backing.external_id;
        Ok(())
    }

    async fn reach(&self, context: &Context<ServiceBinding>) -> Result<(), ActuatorError> {
        broker(self, context).await.map(drop)
    }

    async fn ask(
        &self,
        context: &Context<ServiceBinding>,
        operation: CurrentOperation,
    ) -> Result<Verdict, ActuatorError> {
        let binding = &context.object;
        let (client, backing) = (context.client(), binding.backing());
        let namespace = binding.namespace().unwrap_or_default();
        let broker = broker(self, context).await?;
        let user = identity(binding.user());
        let user = user.as_ref();
        let id = id(binding);
        if operation == CurrentOperation::Unbind {
            let verdict = broker.unbind(&id, &offer(&backing), user).await;
            // Only when it is going is what it was good for taken away: a refusal leaves everything as it was.
            if matches!(verdict, Verdict::Done(_) | Verdict::Accepted(_)) {
                Self::eject(context).await?;
            }
            return Ok(verdict);
        }
        let spec = &binding.spec;
        let given = parameters(&client, &namespace, spec.parameters.as_ref(), &spec.parameters_from).await?;
        let given = given.map_err(|error| wrong(error.message))?;
        let wanted = backing.in_progress_properties.or(backing.external_properties).unwrap_or_default();
        let place = place(&client, &namespace).await?;
        let app = Value::from(place.namespace_uid.clone());
        let request = BindRequest {
            service_id: wanted.service_external_id,
            plan_id: wanted.plan_external_id,
            context: place.context(&namespace, "binding_name", &binding.name_any()),
            app_guid: Some(place.namespace_uid),
            bind_resource: Some([("app_guid".to_owned(), app)].into_iter().collect()),
            parameters: given.map(Secret),
            predecessor_binding_id: None,
        };
        Ok(broker.bind(&id, &request, user).await)
    }

    async fn poll(
        &self,
        context: &Context<ServiceBinding>,
        operation: Operation,
    ) -> Result<Poll, ActuatorError> {
        let backing = context.object.backing();
        let broker = broker(self, context).await?;
        let user = identity(context.object.user());
        let name = backing.broker_operation.as_deref();
        Ok(broker.poll_binding(operation, &id(&context.object), &offer(&backing), name, user.as_ref()).await)
    }

    async fn fetch(&self, context: &Context<ServiceBinding>) -> Result<Fetched, ActuatorError> {
        let broker = broker(self, context).await?;
        let user = identity(context.object.user());
        let of = offer(&context.object.backing());
        let fetched = broker.fetch_binding(&id(&context.object), &of, user.as_ref()).await;
        Ok(fetched)
    }

    async fn keep(
        &self,
        context: &mut Context<ServiceBinding>,
        operation: CurrentOperation,
        body: Option<&Body>,
    ) -> Result<(), ActuatorError> {
        if operation == CurrentOperation::Unbind {
            Self::eject(context).await?;
            context.object.status.get_or_insert_default().secret_name = None;
            return Ok(());
        }
        let credentials = match body {
            Some(body) => body.credentials.clone(),
            // What was made asynchronously is fetched.
            None => match self.fetch(context).await? {
                Fetched::There(body) => body.credentials,
                Fetched::Busy(failure) | Fetched::Failed(failure) => {
                    return Err(ActuatorError::new(failure.to_string()));
                }
                _ => return Err(ActuatorError::new("the broker has made the binding and does not have it")),
            },
        };
        Self::inject(context, &credentials.unwrap_or_default().0).await
    }

    /// A broker that cannot be asked what it has is asked for the same binding once more: it answers with what it gave.
    /// Whatever it answers, nothing is taken back: the binding is there, and may be in use.
    async fn restore(
        &self,
        context: &mut Context<ServiceBinding>,
        retrievable: bool,
    ) -> Result<(), ActuatorError> {
        if retrievable {
            return self.keep(context, CurrentOperation::Bind, None).await;
        }
        match self.ask(context, CurrentOperation::Bind).await? {
            Verdict::Done(body) => self.keep(context, CurrentOperation::Bind, Some(&body)).await,
            Verdict::Failed(failure) => Err(ActuatorError::new(failure.to_string())),
            _ => Err(ActuatorError::new("the broker is at making the binding anew")),
        }
    }

    async fn let_go(&self, context: &mut Context<ServiceBinding>) -> Result<(), ActuatorError> {
        Self::eject(context).await
    }
}

fn id(binding: &ServiceBinding) -> BindingId {
    let status = binding.status.clone().unwrap_or_default();
    BindingId {
        instance: InstanceId(status.instance_external_id.unwrap_or_default()),
        binding: status.backing.external_id.unwrap_or_default(),
    }
}
