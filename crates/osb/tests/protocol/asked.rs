//! The client of the tests, and every request with it.

use std::time::Duration;

use osb::{
    Auth, BindRequest, BindingId, Broker, Client, Failure, FailureKind, Fetched, Identity, InstanceId, Offer,
    Operation, Poll, ProvisionRequest, Secret, Trust, UpdateRequest, Verdict,
};
use serde_json::{Map, Value, json};

use crate::rows::{Outcome, Request};

/// A client with name and password.
pub(crate) fn client(url: &str, timeout: Duration) -> Client {
    let auth = Auth::Basic { username: "admin".into(), password: Secret("password".into()) };
    Client::new(&Broker { url: url.into(), auth, trust: Trust::System, timeout }).expect("a client")
}

pub(crate) fn alice() -> Identity {
    Identity {
        username: "alice".into(),
        uid: "7".into(),
        groups: vec!["developers".into()],
        ..Identity::default()
    }
}

pub(crate) fn offer() -> Offer {
    Offer { service_id: "service-database".into(), plan_id: "plan-small".into() }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

pub(crate) fn provision() -> ProvisionRequest {
    ProvisionRequest {
        service_id: "service-database".into(),
        plan_id: "plan-small".into(),
        context: object(json!({"platform": "kubernetes", "namespace": "shop", "clusterid": "c1"})),
        organization_guid: "c1".into(),
        space_guid: "n1".into(),
        parameters: Some(Secret(object(json!({"size": 3})))),
        maintenance_info: None,
    }
}

pub(crate) fn update() -> UpdateRequest {
    UpdateRequest {
        service_id: "service-database".into(),
        plan_id: Some("plan-large".into()),
        context: object(json!({"platform": "kubernetes"})),
        parameters: None,
        previous_values: None,
        maintenance_info: None,
    }
}

pub(crate) fn bind() -> BindRequest {
    BindRequest {
        service_id: "service-database".into(),
        plan_id: "plan-small".into(),
        context: object(json!({"platform": "kubernetes"})),
        app_guid: None,
        bind_resource: Some(object(json!({"app_guid": "n1"}))),
        parameters: None,
        predecessor_binding_id: None,
    }
}

/// What came of a request: the outcome, and the failure if it is one.
pub(crate) type Came = (Outcome, Option<Failure>);

pub(crate) async fn ask(client: &Client, request: Request, instance: &str, binding: &str) -> Came {
    let id = InstanceId(instance.into());
    let of_instance = BindingId { instance: id.clone(), binding: binding.into() };
    let by = Some(alice());
    let by = by.as_ref();
    match request {
        Request::Catalog => match client.catalog().await {
            Ok(_) => (Outcome::Done, None),
            Err(_) => (Outcome::Unsettled, None),
        },
        Request::Change(operation) => judged(match operation {
            Operation::Provision => client.provision(&id, &provision(), by).await,
            Operation::Update => client.update(&id, &update(), by).await,
            Operation::Deprovision => client.deprovision(&id, &offer(), by).await,
            Operation::Bind => client.bind(&of_instance, &bind(), by).await,
            Operation::Unbind => client.unbind(&of_instance, &offer(), by).await,
        }),
        Request::Poll(operation @ (Operation::Bind | Operation::Unbind)) => {
            polled(client.poll_binding(operation, &of_instance, &offer(), None, by).await)
        }
        Request::Poll(operation) => polled(client.poll_instance(operation, &id, &offer(), None, by).await),
        Request::FetchInstance => fetched(client.fetch_instance(&id, &offer(), by).await),
        Request::FetchBinding => fetched(client.fetch_binding(&of_instance, &offer(), by).await),
    }
}

fn judged(verdict: Verdict) -> Came {
    match verdict {
        Verdict::Done(_) => (Outcome::Done, None),
        Verdict::Accepted(_) => (Outcome::Accepted, None),
        Verdict::Failed(failure) => (kind(failure.kind), Some(failure)),
        other => panic!("{other:?}"),
    }
}

fn polled(poll: Poll) -> Came {
    match poll {
        Poll::InProgress { .. } => (Outcome::InProgress, None),
        Poll::Succeeded { .. } => (Outcome::Done, None),
        Poll::Failed(failure) => (kind(failure.kind), Some(failure)),
        Poll::Unclear { .. } => (Outcome::Unclear, None),
        other => panic!("{other:?}"),
    }
}

fn fetched(fetched: Fetched) -> Came {
    match fetched {
        Fetched::There(_) => (Outcome::Done, None),
        Fetched::Absent => (Outcome::Absent, None),
        Fetched::Busy(failure) => (Outcome::Busy, Some(failure)),
        Fetched::Failed(failure) => (kind(failure.kind), Some(failure)),
        other => panic!("{other:?}"),
    }
}

fn kind(kind: FailureKind) -> Outcome {
    match kind {
        FailureKind::Refused => Outcome::Refused,
        FailureKind::Postponed => Outcome::Postponed,
        FailureKind::Unsettled => Outcome::Unsettled,
    }
}
