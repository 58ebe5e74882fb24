//! Taking, renewing and giving back the Lease.

use extension::{CancellationToken, Clock};
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::PostParams;
use kube::{Api, Client, ResourceExt};

use super::{DEADLINE, Decision, RENEWAL, evaluate, held};
use crate::Election;

/// One that stands for election.
pub struct Elector {
    leases: Api<Lease>,
    election: Election,
    clock: Clock,
    /// The Lease as it was last read or written, and when that content was first seen.
    seen: Option<(Lease, Timestamp)>,
}

/// Why leadership ended, or could not begin.
#[derive(Debug, thiserror::Error)]
pub enum LeaderError {
    /// Somebody else has the Lease.
    #[error("the Lease {0} was taken by another")]
    Taken(String),
    /// The Lease could not be renewed in time.
    #[error("the Lease {name} could not be renewed: {cause}")]
    Unrenewed {
        /// Its name.
        name: String,
        /// What stood in the way last.
        cause: String,
    },
}

impl Elector {
    /// Somebody who wants to be the leader.
    pub fn new(client: Client, election: Election, clock: Clock) -> Self {
        Self { leases: Api::namespaced(client, &election.namespace), election, clock, seen: None }
    }

    /// Waits until the Lease is ours. Returns whether it is: it is not if somebody wanted to stop before.
    pub async fn acquire(&mut self, stop: &CancellationToken) -> bool {
        loop {
            let pause = match self.attempt().await {
                Ok(Decision::Renew) => return true,
                Ok(Decision::Wait(until)) => until.min(self.clock.after(RENEWAL)),
                Ok(Decision::Acquire) => self.clock.after(RENEWAL / 5),
                Err(error) => {
                    tracing::warn!(%error, lease = self.election.name, "the Lease cannot be had yet");
                    self.clock.after(RENEWAL)
                }
            };
            tokio::select! {
                () = stop.cancelled() => return false,
                () = self.clock.sleep_until(pause) => {}
            }
        }
    }

    /// Renews the Lease until somebody wants to stop; earlier only if it is lost.
    pub async fn keep(&mut self, stop: &CancellationToken) -> Result<(), LeaderError> {
        let mut last = self.clock.now();
        let mut cause = "it took too long".to_owned();
        loop {
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                () = self.clock.sleep(RENEWAL) => {}
            }
            let deadline = last + DEADLINE;
            while self.clock.now() < deadline {
                let clock = self.clock.clone();
                let begun = clock.now();
                let attempt = tokio::select! {
                    attempt = self.attempt() => attempt,
                    () = clock.sleep_until(deadline) => break,
                };
                match attempt {
                    Ok(Decision::Renew) => {
                        last = begun;
                        break;
                    }
                    Ok(_) => return Err(LeaderError::Taken(self.election.name.clone())),
                    Err(error) => {
                        cause = error.to_string();
                        self.clock.sleep(RENEWAL / 5).await;
                    }
                }
            }
            if self.clock.now() >= last + DEADLINE {
                return Err(LeaderError::Unrenewed { name: self.election.name.clone(), cause });
            }
        }
    }

    /// Gives the Lease back, so that the next leader need not wait for its end.
    pub async fn release(&mut self) {
        let Some((lease, _)) = &self.seen else { return };
        let mut free = lease.clone();
        if let Some(spec) =
            free.spec.as_mut().filter(|spec| spec.holder_identity.as_deref() == Some(&self.election.identity))
        {
            spec.holder_identity = None;
            if let Err(error) = self.leases.replace(&free.name_any(), &PostParams::default(), &free).await {
                tracing::warn!(%error, "the Lease could not be given back, and will run out");
            }
        }
    }

    /// Reads and, if it may be, writes the Lease. [`Decision::Renew`] means that it is ours now.
    async fn attempt(&mut self) -> Result<Decision, kube::Error> {
        let (name, identity) = (self.election.name.clone(), self.election.identity.clone());
        // What we wrote ourselves need not be read again: the write says if it has changed.
        let ours = self.seen.as_ref().is_some_and(|(lease, _)| {
            lease.spec.as_ref().is_some_and(|spec| spec.holder_identity.as_deref() == Some(&identity))
        });
        let found =
            if ours { self.seen.clone().map(|(lease, _)| lease) } else { self.leases.get_opt(&name).await? };
        let now = self.clock.now();
        let first = match (&self.seen, &found) {
            (Some((known, first)), Some(found)) if known.spec == found.spec => *first,
            _ => now,
        };
        self.seen = found.clone().map(|found| (found, first));
        let decision = evaluate(found.as_ref(), &identity, first, now);
        if matches!(decision, Decision::Wait(_)) {
            return Ok(decision);
        }
        let lease = held(found.as_ref(), &name, &identity, now);
        let written = match found {
            Some(_) => self.leases.replace(&name, &PostParams::default(), &lease).await,
            None => self.leases.create(&PostParams::default(), &lease).await,
        };
        match written {
            Ok(written) => {
                self.seen = Some((written, now));
                Ok(Decision::Renew)
            }
            // Somebody else wrote it: they may be the leader now, or it was us and nobody said so.
            Err(kube::Error::Api(refusal)) if matches!(refusal.code, 404 | 409) => {
                let found = self.leases.get_opt(&name).await?;
                let holder = found.as_ref().and_then(|lease| lease.spec.as_ref()?.holder_identity.clone());
                self.seen = found.map(|found| (found, now));
                match holder {
                    Some(holder) if holder == identity => Ok(Decision::Renew),
                    Some(holder) if !holder.is_empty() => Ok(Decision::Wait(now + super::TERM)),
                    _ => Ok(Decision::Acquire),
                }
            }
            Err(error) => Err(error),
        }
    }
}

impl std::fmt::Debug for Elector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Elector").field("election", &self.election).finish_non_exhaustive()
    }
}
