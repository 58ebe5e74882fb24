//! One Lease for each release: who holds it may change what the release has.
//!
//! A server cannot hold anybody to a Lease, so it is only the first of several guards: a holder that can no longer
//! renew it stops before its next request, records are written against the revision that was read, and deletes name
//! the UID of what they mean.
//!
//! A holder that is dead is no hindrance. On its own machine that is known at once; elsewhere it is when the Lease is
//! not renewed in time, which is waited for.

mod process;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{DeleteParams, ObjectMeta, PostParams, Preconditions};
use kube::{Api, Client, ResourceExt};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::stop::Stopper;
use crate::trouble::words;

use process::{Life, Process};

/// A holder that has not renewed for so long is taken to be dead.
const TERM: Duration = Duration::from_secs(30);
/// So often it is renewed.
const RENEWAL: Duration = Duration::from_secs(8);
/// So often somebody who waits looks whether it was.
const LOOK: Duration = Duration::from_secs(1);
/// The annotation that names the process, for those on its own machine.
const PROCESS: &str = "slipway.dev/process";

/// A Lease that this process holds. It is given up by [`Lock::release`], or left to run out.
pub struct Lock {
    leases: Api<Lease>,
    name: String,
    uid: String,
    renewing: AbortHandle,
}

/// Why a lock cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Somebody else has it.
    #[error("{holder} is at work on it since {since}")]
    Held {
        /// Who.
        holder: String,
        /// Since when.
        since: String,
    },
    /// The cluster refuses.
    #[error("the lock cannot be taken: {0}")]
    Refused(String),
}

impl Lock {
    /// Takes the lock of that name, also from a holder that is dead. Whoever may be dead is waited for, which `tell` is
    /// told; whoever is not has it. When the lock can no longer be kept, `stopper` is told.
    pub async fn take(
        client: Client,
        namespace: &str,
        name: &str,
        holder: &str,
        stopper: Stopper,
        tell: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Self, LockError> {
        let leases: Api<Lease> = Api::namespaced(client, namespace);
        let refused = |error: &kube::Error| LockError::Refused(words(error));
        let mut patience = None;
        // Mostly nobody has it: it is asked for first, and looked at only if it is not to be had.
        let mut is_first = true;
        loop {
            let found = if std::mem::take(&mut is_first) {
                None
            } else {
                leases.get_opt(name).await.map_err(|error| refused(&error))?
            };
            if let Some(lease) = &found
                && !may_be_taken(lease, &mut patience, tell)?
            {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            let wanted = claim(name, holder, found.as_ref(), to_the_microsecond(Timestamp::now()));
            let written = match &found {
                None => leases.create(&PostParams::default(), &wanted).await,
                // The revision that was read guards against another who takes it over at the same moment.
                Some(_) => leases.replace(name, &PostParams::default(), &wanted).await,
            };
            let lease = match written {
                Ok(lease) => lease,
                // There is no such namespace.
                Err(kube::Error::Api(status)) if status.code == 404 && found.is_none() => {
                    return Err(LockError::Refused(status.message.clone()));
                }
                // Somebody was quicker, or gave it up; or it was this one, and nobody said so.
                Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {
                    let now = leases.get_opt(name).await.map_err(|error| refused(&error))?;
                    match now.filter(|lease| lease.spec == wanted.spec) {
                        Some(lease) => lease,
                        None => continue,
                    }
                }
                Err(error) => return Err(refused(&error)),
            };
            let uid = lease.uid().unwrap_or_default();
            let renewing = tokio::spawn(renew(leases.clone(), lease, stopper)).abort_handle();
            return Ok(Self { leases, name: name.to_owned(), uid, renewing });
        }
    }

    /// Takes a lock away from whoever holds it, and says who that was. A holder that is alive keeps it, unless it is
    /// not to.
    pub async fn take_away(
        client: Client,
        namespace: &str,
        name: &str,
        even_if_alive: bool,
    ) -> Result<Option<String>, LockError> {
        let leases: Api<Lease> = Api::namespaced(client, namespace);
        let refused = |error: &kube::Error| LockError::Refused(words(error));
        let Some(lease) = leases.get_opt(name).await.map_err(|error| refused(&error))? else {
            return Ok(None);
        };
        if !even_if_alive && is_alive(&lease, Timestamp::now()) {
            return Err(held(&lease));
        }
        // One that was renewed meanwhile is another revision.
        let preconditions = Preconditions { uid: lease.uid(), resource_version: lease.resource_version() };
        let parameters = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
        match leases.delete(name, &parameters).await {
            Ok(_) => Ok(lease.spec.and_then(|spec| spec.holder_identity)),
            Err(error) => Err(refused(&error)),
        }
    }

    /// Gives the lock up.
    pub async fn release(self) {
        self.renewing.abort();
        let parameters = DeleteParams {
            preconditions: Some(Preconditions { uid: Some(self.uid.clone()), resource_version: None }),
            ..DeleteParams::default()
        };
        // One that stays runs out by itself.
        let _ = self.leases.delete(&self.name, &parameters).await;
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

impl std::fmt::Debug for Lock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lock").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Somebody who waits for a holder of whom nothing is known.
struct Patience {
    since: Instant,
    /// When the holder had renewed.
    renewed: Option<MicroTime>,
}

/// Whether a lock may be taken over now; an error if its holder is alive.
fn may_be_taken(
    lease: &Lease,
    patience: &mut Option<Patience>,
    tell: &(dyn Fn(&str) + Send + Sync),
) -> Result<bool, LockError> {
    if !is_alive(lease, Timestamp::now()) {
        return Ok(true);
    }
    let process = lease.annotations().get(PROCESS).and_then(|text| Process::read(text));
    match process.as_ref().map_or(Life::Elsewhere, Process::life) {
        Life::Ended => return Ok(true),
        Life::Runs => return Err(held(lease)),
        Life::Elsewhere => {}
    }
    let renewed = lease.spec.as_ref().and_then(|spec| spec.renew_time.clone());
    match patience {
        None => {
            tell(&format!("{}; if it is dead, that shows within {} seconds", held(lease), TERM.as_secs()));
            *patience = Some(Patience { since: Instant::now(), renewed });
            Ok(false)
        }
        Some(waiting) if waiting.renewed != renewed => Err(held(lease)),
        // By this machine's clock: the holder's may be ahead.
        Some(waiting) => Ok(waiting.since.elapsed() > TERM),
    }
}

fn claim(name: &str, holder: &str, found: Option<&Lease>, now: Timestamp) -> Lease {
    let transitions = found.and_then(|lease| lease.spec.as_ref()?.lease_transitions).unwrap_or_default();
    Lease {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            resource_version: found.and_then(ResourceExt::resource_version),
            uid: found.and_then(ResourceExt::uid),
            annotations: Process::own().map(|own| BTreeMap::from([(PROCESS.to_owned(), own.write())])),
            ..ObjectMeta::default()
        },
        spec: Some(LeaseSpec {
            holder_identity: Some(holder.to_owned()),
            acquire_time: Some(MicroTime(now)),
            renew_time: Some(MicroTime(now)),
            lease_duration_seconds: Some(TERM.as_secs() as i32),
            lease_transitions: Some(transitions + i32::from(found.is_some())),
            ..LeaseSpec::default()
        }),
    }
}

/// A moment as a Lease can say it, so that what is read is what was written.
fn to_the_microsecond(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

fn is_alive(lease: &Lease, now: Timestamp) -> bool {
    let Some(spec) = &lease.spec else { return false };
    let holder = spec.holder_identity.as_deref().unwrap_or_default();
    let term =
        Duration::from_secs(spec.lease_duration_seconds.unwrap_or_default().max(0).unsigned_abs().into());
    !holder.is_empty() && spec.renew_time.as_ref().is_some_and(|renewed| renewed.0 + term > now)
}

fn held(lease: &Lease) -> LockError {
    let spec = lease.spec.clone().unwrap_or_default();
    LockError::Held {
        holder: spec.holder_identity.unwrap_or_else(|| "somebody".to_owned()),
        since: spec.acquire_time.map(|time| time.0.to_string()).unwrap_or_default(),
    }
}

/// Renews the Lease until that fails for so long that another may take it.
async fn renew(leases: Api<Lease>, mut held: Lease, stopper: Stopper) {
    let mut last = Instant::now();
    loop {
        tokio::time::sleep(RENEWAL).await;
        let begun = Instant::now();
        if let Some(spec) = &mut held.spec {
            spec.renew_time = Some(MicroTime(to_the_microsecond(Timestamp::now())));
        }
        let name = held.name_any();
        let renewing = async {
            match leases.replace(&name, &PostParams::default(), &held).await {
                // Somebody else wrote it, and it is theirs; unless it was this one, and nobody said so.
                Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {
                    let lease = leases.get_opt(&name).await?;
                    Ok(lease.filter(|lease| lease.spec == held.spec))
                }
                renewed => renewed.map(Some),
            }
        };
        match tokio::time::timeout(RENEWAL / 2, renewing).await {
            Ok(Ok(Some(lease))) => {
                held = lease;
                last = begun;
            }
            Ok(Ok(None)) => return stopper.stop(),
            // The next attempt would come too late.
            _ if last.elapsed() + RENEWAL + RENEWAL / 2 >= TERM => return stopper.stop(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_that_does_not_renew_is_dead_after_its_term() {
        let now = Timestamp::UNIX_EPOCH;
        let lease = claim("shop", "me", None, now);
        assert!(is_alive(&lease, now + Duration::from_secs(29)));
        assert!(!is_alive(&lease, now + Duration::from_secs(31)));
        assert!(!is_alive(&Lease::default(), now));
        let next = claim("shop", "you", Some(&lease), now);
        assert_eq!(next.spec.and_then(|spec| spec.lease_transitions), Some(1));
    }

    #[test]
    fn whoever_may_be_dead_is_waited_for_and_whoever_renews_is_not() {
        let mut lease = claim("shop", "me", None, Timestamp::now());
        let quiet = |_: &str| {};
        if Process::own().is_some() {
            assert!(may_be_taken(&lease, &mut None, &quiet).is_err(), "this process runs");
        }
        lease.metadata.annotations = None;
        let mut patience = None;
        for _ in 0..2 {
            assert!(matches!(may_be_taken(&lease, &mut patience, &quiet), Ok(false)));
        }
        if let Some(spec) = &mut lease.spec {
            spec.renew_time = Some(MicroTime(Timestamp::now() + Duration::from_secs(1)));
        }
        assert!(may_be_taken(&lease, &mut patience, &quiet).is_err(), "it has renewed");
        lease.spec = None;
        assert!(matches!(may_be_taken(&lease, &mut patience, &quiet), Ok(true)));
    }
}
