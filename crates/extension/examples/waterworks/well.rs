//! Wells: a set of objects, one for each of the cases that force deletion knows.

use std::sync::{Arc, Mutex, PoisonError};

use extension::{ActuatorError, Context, Extension, ExtensionStatus, Item, ObjectSet};
use kube::{Client, CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A well that people drink from.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "waterworks.example.org",
    version = "v1",
    kind = "Well",
    namespaced,
    status = "ExtensionStatus"
)]
pub(crate) struct WellSpec {
    /// How wide its pipe is, in millimetres.
    pub(crate) width: u32,
}

impl Extension for Well {
    fn status(&self) -> Option<&ExtensionStatus> {
        self.status.as_ref()
    }

    fn status_mut(&mut self) -> &mut ExtensionStatus {
        self.status.get_or_insert_default()
    }
}

/// What belongs to a well.
pub(crate) struct Wells {
    /// The cluster of the visitors, which may go away.
    visitors: Arc<Mutex<Client>>,
}

impl Wells {
    /// With boards in that cluster.
    pub(crate) fn new(visitors: Client) -> Self {
        Self { visitors: Arc::new(Mutex::new(visitors)) }
    }

    /// By which the cluster of the visitors can be exchanged.
    #[allow(dead_code, reason = "the tests let it go away")]
    pub(crate) fn visitors(&self) -> Arc<Mutex<Client>> {
        Arc::clone(&self.visitors)
    }
}

impl ObjectSet for Wells {
    type Object = Well;

    async fn objects(&self, context: &Context<Well>) -> Result<Vec<Item>, ActuatorError> {
        let name = context.object.name_any();
        let map = |part: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("{name}-{part}")}});
        Ok(vec![
            Item::new(&map("plan"))?,
            Item::new(&json!({
                "apiVersion": "waterworks.example.org/v1", "kind": "Pipe",
                "metadata": {"name": name},
                "spec": {"width": context.object.spec.width},
            }))?
            .backed_outside(),
            Item::new(&map("signs"))?.cleaned_by("the street cleaning"),
            Item::new(&map("board"))?.in_target(),
        ])
    }

    async fn target(&self, _: &Context<Well>) -> Result<Option<Client>, ActuatorError> {
        Ok(Some(self.visitors.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }
}
