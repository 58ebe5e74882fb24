//! The controllers of this operator: a line each.

use extension::{Controller, Environment};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::{AfterDeletion, Feature, Settings};

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

    /// Adds several.
    pub fn extend(&mut self, controllers: impl IntoIterator<Item = Box<dyn Controller>>) -> &mut Self {
        self.controllers.extend(controllers);
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
pub fn controllers(environment: &Environment, settings: &Settings) -> Controllers {
    let mut all = Controllers::new();
    sets(&mut all, environment, settings);
    service_catalog(&mut all, environment, settings);
    all
}

/// Brokers, instances and bindings.
fn service_catalog(all: &mut Controllers, environment: &Environment, settings: &Settings) {
    let chosen = catalog::Settings {
        declarative_delete: settings.features.is_on(Feature::DeclarativeDelete),
        after_deletion: match settings.after_deletion {
            AfterDeletion::Delete => catalog::AfterDeletion::Delete,
            AfterDeletion::Retain => catalog::AfterDeletion::Retain,
        },
        ..catalog::Settings::default()
    };
    all.definitions.extend(catalog::kinds::definitions());
    all.controllers.extend(catalog::controllers(environment, &chosen));
}

/// Bundles and DeployItems.
fn sets(all: &mut Controllers, environment: &Environment, settings: &Settings) {
    let features = ::controllers::Features {
        declarative_delete: settings.features.is_on(Feature::DeclarativeDelete),
        delete_after: settings.after_deletion == AfterDeletion::Delete,
        at_once: settings.concurrency,
    };
    all.definitions.extend(api::definitions());
    all.controllers.extend(::controllers::bundles(environment, features));
    all.controllers.extend(::controllers::deploy_items(environment, features));
    if let Some(account) = &settings.sweep_as {
        all.add(::controllers::ReleaseTrash::new(environment.clone(), account.clone()));
    } else {
        tracing::info!("the trash of releases is left to 'slipway trash sweep': --sweep-as names no account");
    }
}
