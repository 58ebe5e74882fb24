//! The controllers of this operator: a line each.

use extension::{Controller, Environment};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::Settings;

/// Controllers that run together, and the definitions of their kinds.
#[derive(Default)]
pub struct Controllers {
    controllers: Vec<Box<dyn Controller>>,
    definitions: Vec<CustomResourceDefinition>,
}

impl Controllers {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a controller.
    pub fn add(&mut self, controller: impl Controller + 'static) -> &mut Self {
        self.controllers.push(Box::new(controller));
        self
    }

    /// Adds the definition of a kind.
    pub fn define(&mut self, definition: CustomResourceDefinition) -> &mut Self {
        self.definitions.push(definition);
        self
    }

    /// The definitions of all kinds.
    pub fn definitions(&self) -> &[CustomResourceDefinition] {
        &self.definitions
    }

    /// The controllers.
    pub fn into_controllers(self) -> Vec<Box<dyn Controller>> {
        self.controllers
    }
}

impl std::fmt::Debug for Controllers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.controllers.iter().map(|controller| controller.name())).finish()
    }
}

/// All controllers of the operator.
pub fn controllers(_environment: &Environment, _settings: &Settings) -> Controllers {
    Controllers::new()
}
