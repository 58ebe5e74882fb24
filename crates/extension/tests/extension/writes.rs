//! Writes that meet: what an actuator has saved is not undone by telling how far it is.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use extension::{Actuator, Context, Extension as _, OperationState, OperationType, Outcome, Reconciler};
use http::Method;
use kube::{Api, ResourceExt as _};
use support::Gate;

use crate::fountain::Fountain;
use crate::stage::{Answer, Stage};

/// Saves what it has found out, goes on for a while, and looks at what is stored then.
#[derive(Clone, Default)]
struct Careful {
    stored: Arc<Mutex<Option<u32>>>,
}

impl Actuator for Careful {
    type Object = Fountain;

    async fn reconcile(&self, context: &mut Context<Fountain>) -> Answer {
        context.object.status.get_or_insert_default().litres = Some(7);
        context.save().await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let namespace = context.object.namespace().unwrap_or_default();
        let fountains: Api<Fountain> = Api::namespaced(context.client(), &namespace);
        let stored = fountains.get(&context.object.name_any()).await?;
        *self.stored.lock().unwrap() = stored.status.and_then(|status| status.litres);
        Ok(Outcome::done())
    }

    async fn delete(&self, _: &mut Context<Fountain>) -> Answer {
        Ok(Outcome::done())
    }

    async fn force_delete(&self, _: &mut Context<Fountain>) -> Answer {
        Ok(Outcome::done())
    }

    async fn migrate(&self, _: &mut Context<Fountain>) -> Answer {
        Ok(Outcome::done())
    }

    async fn restore(&self, _: &mut Context<Fountain>) -> Answer {
        Ok(Outcome::done())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_saved_stays_when_it_is_told_meanwhile_that_the_operation_goes_on() {
    let mut stage = Stage::new().await;
    let gate = Gate::open(stage.cluster.client()).await.unwrap();
    let mut environment = stage.environment();
    environment.client = gate.client().unwrap();
    let actuator = Careful::default();
    stage.start(Reconciler::new(&environment, actuator.clone()));
    // What it saves is under way for so long that the operation is told of, which waits for its turn.
    gate.hold(|method, path| *method == Method::PATCH && path.contains("/status"));
    stage.create("fountain").await;
    gate.held().await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    gate.let_go();
    let ended = stage
        .until("fountain", |it| {
            it.status().is_some_and(|it| it.is(OperationType::Create, OperationState::Succeeded))
        })
        .await;
    assert_eq!(*actuator.stored.lock().unwrap(), Some(7), "while it was at work");
    assert_eq!(ended.status.unwrap().litres, Some(7), "in the end");
    stage.end().await;
}
