//! One cluster, seen as many ServiceAccounts.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use engine::{Engine, Lock, LockError, Stopper, as_account, patient};
use kube::Client;
use objects::ObjectId;
use tokio::sync::Mutex;

/// A cluster, with what it serves, which is asked for when it is first needed. Clones share what is known.
#[derive(Clone)]
pub struct Cluster {
    client: Client,
    own: Arc<Mutex<Option<Engine>>>,
    accounts: Arc<RwLock<HashMap<(String, String), Client>>>,
}

impl Cluster {
    /// The cluster of a client.
    pub fn new(client: Client) -> Self {
        Self { client, own: Arc::default(), accounts: Arc::default() }
    }

    /// A client as the operator itself: for inventories, and for nothing else.
    pub(crate) fn client(&self) -> Client {
        patient(&self.client)
    }

    /// The cluster as the operator itself sees it: for locks, and for nothing else.
    pub(crate) async fn own(&self) -> Result<Engine, kube::Error> {
        let mut own = self.own.lock().await;
        if let Some(engine) = &*own {
            return Ok(engine.clone());
        }
        let engine = Engine::connect(self.client.clone()).await?;
        Ok(own.insert(engine).clone())
    }

    /// The cluster as a ServiceAccount sees it.
    pub(crate) async fn as_account(&self, namespace: &str, account: &str) -> Result<Engine, kube::Error> {
        let key = (namespace.to_owned(), account.to_owned());
        let known = self.accounts.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let client = known.unwrap_or_else(|| {
            let made = as_account(&self.client, namespace, account);
            let mut accounts = self.accounts.write().unwrap_or_else(PoisonError::into_inner);
            accounts.entry(key).or_insert(made).clone()
        });
        Ok(self.own().await?.through(client))
    }

    /// Takes a lock. One that an earlier process of the same name has left behind is taken away from it: there is one
    /// leader, and it works on one object once at a time.
    pub(crate) async fn lock(
        &self,
        namespace: &str,
        name: &str,
        holder: &str,
        stopper: Stopper,
    ) -> Result<Result<Lock, LockError>, kube::Error> {
        let own = self.own().await?;
        match own.lock(namespace, name, holder, stopper.clone()).await {
            Err(LockError::Held { holder: other, .. }) if other == holder => {
                if let Err(error) = Lock::take_away(self.client(), namespace, name, true).await {
                    return Ok(Err(error));
                }
                Ok(own.lock(namespace, name, holder, stopper).await)
            }
            taken => Ok(taken),
        }
    }

    /// Makes sure that kinds which came later are known, if any of these is not. Says whether it asked.
    pub(crate) async fn know(&self, mut ids: impl Iterator<Item = &ObjectId>) -> Result<bool, kube::Error> {
        let mut engine = self.own().await?;
        if ids.all(|id| engine.served().kind_of(id).is_some()) {
            return Ok(false);
        }
        engine.ask_again().await?;
        *self.own.lock().await = Some(engine);
        Ok(true)
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").finish_non_exhaustive()
    }
}
