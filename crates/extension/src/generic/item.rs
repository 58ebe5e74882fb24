//! One object of a set, and what stands behind it.

use kube::core::DynamicObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ActuatorError, ErrorCode};

/// What stands behind an object: that decides what force deletion does with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Backing {
    /// Nothing but the cluster: it is deleted.
    Cluster,
    /// Something outside, for which a controller holds it by a finalizer: that is taken off, and it is deleted.
    Outside,
    /// Another component takes it away: it is left to that.
    CleanedBy(String),
}

/// One object that is to be there.
#[derive(Debug, Clone)]
pub struct Item {
    pub(crate) object: DynamicObject,
    pub(crate) backing: Backing,
    pub(crate) in_target: bool,
}

impl Item {
    /// A plain object of this cluster, with apiVersion and kind.
    pub fn new(object: &impl Serialize) -> Result<Self, ActuatorError> {
        let wrong = |error: String| ActuatorError::new(error).code(ErrorCode::ConfigurationProblem).fatal();
        let value = serde_json::to_value(object).map_err(|error| wrong(error.to_string()))?;
        let object: DynamicObject =
            serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
        if object.types.is_none() || object.metadata.name.is_none() {
            return Err(wrong("an object of the set has no apiVersion, kind or name".to_owned()));
        }
        Ok(Self { object, backing: Backing::Cluster, in_target: false })
    }

    /// It stands for something outside.
    #[must_use]
    pub fn backed_outside(self) -> Self {
        Self { backing: Backing::Outside, ..self }
    }

    /// Another component will take it away when force deletion does not.
    #[must_use]
    pub fn cleaned_by(self, component: impl Into<String>) -> Self {
        Self { backing: Backing::CleanedBy(component.into()), ..self }
    }

    /// It is in the other cluster ([`ObjectSet::target`](crate::ObjectSet::target)).
    #[must_use]
    pub fn in_target(self) -> Self {
        Self { in_target: true, ..self }
    }
}
