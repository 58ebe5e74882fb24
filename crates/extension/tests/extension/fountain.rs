//! A custom resource of a third party, as an author writes it.

use extension::{Extension, ExtensionStatus};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fountain in a town.
#[derive(CustomResource, Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(group = "town.example.org", version = "v1", kind = "Fountain", namespaced, status = "FountainStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct FountainSpec {
    /// How many jets it has.
    pub(crate) jets: u32,
    /// For which controllers it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) class: Option<String>,
    /// Which sort of fountain it is.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) sort: Option<String>,
}

/// How it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FountainStatus {
    /// What every extension has.
    #[serde(flatten)]
    pub(crate) extension: ExtensionStatus,
    /// How much water runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) litres: Option<u32>,
}

impl Extension for Fountain {
    fn status(&self) -> Option<&ExtensionStatus> {
        self.status.as_ref().map(|status| &status.extension)
    }

    fn status_mut(&mut self) -> &mut ExtensionStatus {
        &mut self.status.get_or_insert_default().extension
    }

    fn extension_type(&self) -> Option<&str> {
        self.spec.sort.as_deref()
    }

    fn class(&self) -> Option<&str> {
        self.spec.class.as_deref()
    }
}
