//! What is stored of a Bundle beside itself: its inventory, and the trash of an earlier Bundle of its name.

use api::Bundle;
use engine::{Belongs, Marks};
use extension::ActuatorError;
use kube::ResourceExt;
use plan::input::Inventory;
use release::{SetInventory, Sets, StorageError};

use super::BundleActuator;

/// The inventory of one Bundle.
pub(super) struct Store {
    pub(super) sets: Sets,
    name: String,
    account: String,
}

impl BundleActuator {
    pub(super) fn store(&self, bundle: &Bundle) -> Store {
        let namespace = bundle.namespace().unwrap_or_default();
        Store {
            sets: Sets::new(self.cluster.client(), &namespace, Belongs::Bundle),
            name: bundle.name_any(),
            account: bundle.service_account().to_owned(),
        }
    }
}

impl Store {
    /// What is stored; nothing is an empty inventory.
    pub(super) async fn read(&self) -> Result<SetInventory, ActuatorError> {
        let found = self.sets.read(&self.name).await.map_err(refused)?;
        Ok(found.unwrap_or_else(|| self.with(Inventory::default())))
    }

    /// What an earlier Bundle of the name has left to count down.
    pub(super) async fn trash(&self) -> Result<Option<SetInventory>, ActuatorError> {
        self.sets.read_trash(&self.name).await.map_err(refused)
    }

    pub(super) async fn write(&self, kept: &SetInventory) -> Result<(), ActuatorError> {
        self.sets.write(kept).await.map_err(refused)
    }

    pub(super) async fn write_trash(
        &self,
        inventory: Inventory,
        due: Option<jiff::Timestamp>,
    ) -> Result<(), ActuatorError> {
        self.sets.write_trash(&self.with(inventory), due).await.map_err(refused)
    }

    /// Removes the inventory: there is nothing left in it that is not gone or in the trash.
    pub(super) async fn remove(&self) -> Result<(), ActuatorError> {
        self.sets.remove(&self.name).await.map_err(refused)
    }

    pub(super) fn with(&self, inventory: Inventory) -> SetInventory {
        SetInventory { name: self.name.clone(), account: self.account.clone(), inventory }
    }

    pub(super) fn secret_name(&self) -> String {
        self.sets.secret_name(&self.name)
    }
}

/// The marks of a Bundle.
pub(super) fn marks(bundle: &Bundle) -> Marks {
    Marks {
        name: bundle.name_any(),
        namespace: bundle.namespace().unwrap_or_default(),
        belongs: Belongs::Bundle,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
pub(super) fn refused(error: StorageError) -> ActuatorError {
    ActuatorError::new(error.to_string())
}
