//! Which of several processes is the leader: the one that holds a Lease.
//!
//! Whether a Lease may be taken is a pure function, [`evaluate`]. It goes by when this process has seen the Lease
//! change, not by the time that is written in it: clocks of machines differ.
//!
//! A leader that cannot renew steps down before anybody else may take over, and one that ends gives the Lease back, so
//! that the next need not wait.

mod elector;

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::ObjectMeta;

pub use elector::{Elector, LeaderError};

/// How long a Lease holds that is not renewed.
pub const TERM: Duration = Duration::from_secs(15);
/// How often it is renewed.
pub const RENEWAL: Duration = Duration::from_secs(5);
/// A leader that could not renew for so long steps down.
pub const DEADLINE: Duration = Duration::from_secs(10);

/// What to do about a Lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Nobody holds it: take it.
    Acquire,
    /// It is ours: renew it.
    Renew,
    /// Somebody else holds it, until this instant at least.
    Wait(Timestamp),
}

/// Decides about a Lease, whose present content this process has first seen at an instant.
pub fn evaluate(lease: Option<&Lease>, identity: &str, seen: Timestamp, now: Timestamp) -> Decision {
    let Some(spec) = lease.and_then(|lease| lease.spec.as_ref()) else { return Decision::Acquire };
    let holder = spec.holder_identity.as_deref().unwrap_or_default();
    if holder.is_empty() {
        return Decision::Acquire;
    }
    if holder == identity {
        return Decision::Renew;
    }
    let term =
        Duration::from_secs(spec.lease_duration_seconds.unwrap_or_default().max(0).unsigned_abs().into());
    let until = seen + term;
    if now < until { Decision::Wait(until) } else { Decision::Acquire }
}

/// The Lease as its holder writes it.
fn held(found: Option<&Lease>, name: &str, identity: &str, now: Timestamp) -> Lease {
    let old = found.and_then(|lease| lease.spec.clone()).unwrap_or_default();
    let ours = old.holder_identity.as_deref() == Some(identity);
    let now = MicroTime(Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now));
    Lease {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            resource_version: found.and_then(|lease| lease.metadata.resource_version.clone()),
            ..ObjectMeta::default()
        },
        spec: Some(LeaseSpec {
            holder_identity: Some(identity.to_owned()),
            lease_duration_seconds: Some(TERM.as_secs() as i32),
            acquire_time: if ours { old.acquire_time } else { Some(now.clone()) },
            renew_time: Some(now),
            lease_transitions: Some(old.lease_transitions.unwrap_or(0) + i32::from(found.is_some() && !ours)),
            ..LeaseSpec::default()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn a_lease_is_taken_when_nobody_holds_it_any_more() {
        let free = held(None, "slipway", "", at(0));
        let other = held(None, "slipway", "other", at(0));
        let ours = held(None, "slipway", "me", at(0));
        for (lease, seen, now, expected) in [
            (None, 0, 0, Decision::Acquire),
            (Some(&free), 0, 0, Decision::Acquire),
            (Some(&ours), 0, 99, Decision::Renew),
            (Some(&other), 0, 14, Decision::Wait(at(15))),
            (Some(&other), 0, 15, Decision::Acquire),
            // What is written in the Lease is by another clock: it is long past, and yet just seen.
            (Some(&other), 1000, 1014, Decision::Wait(at(1015))),
        ] {
            assert_eq!(evaluate(lease, "me", at(seen), at(now)), expected, "seen {seen}, now {now}");
        }
    }

    #[test]
    fn transitions_are_counted_and_renewals_are_not() {
        let first = held(None, "slipway", "me", at(0));
        let renewed = held(Some(&first), "slipway", "me", at(5));
        let taken = held(Some(&renewed), "slipway", "other", at(30));
        let numbers = [&first, &renewed, &taken]
            .map(|lease| lease.spec.as_ref().and_then(|spec| spec.lease_transitions));
        assert_eq!(numbers, [Some(0), Some(0), Some(1)]);
        assert_eq!(renewed.spec.and_then(|spec| spec.acquire_time).map(|time| time.0), Some(at(0)));
    }
}
