//! An extension in under fifty lines: each Greeting has a ConfigMap.

use extension::{ActuatorError, CancellationToken, Context, Environment, Extension, ExtensionStatus};
use extension::{GenericActuator, Item, ObjectSet, Reconciler};
use kube::{Client, CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A greeting that is kept in a ConfigMap.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.org", version = "v1", kind = "Greeting", namespaced, status = "ExtensionStatus")]
pub(crate) struct GreetingSpec {
    /// What to say.
    pub(crate) text: String,
}

impl Extension for Greeting {
    fn status(&self) -> Option<&ExtensionStatus> {
        self.status.as_ref()
    }

    fn status_mut(&mut self) -> &mut ExtensionStatus {
        self.status.get_or_insert_default()
    }
}

struct Greetings;

impl ObjectSet for Greetings {
    type Object = Greeting;

    async fn objects(&self, context: &Context<Greeting>) -> Result<Vec<Item>, ActuatorError> {
        Ok(vec![Item::new(&serde_json::json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": context.object.name_any()},
            "data": {"text": context.object.spec.text},
        }))?])
    }
}

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let environment = Environment::new(Client::try_default().await?, "greetings");
    Reconciler::new(&environment, GenericActuator(Greetings)).run(CancellationToken::new()).await;
    Ok(())
}
