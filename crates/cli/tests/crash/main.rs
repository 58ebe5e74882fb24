//! The binary is killed, at every write of an operation, before and after it; run again, it ends where it would have
//! ended undisturbed.
//!
//! It works through a gate in front of the cluster that closes at the write in question and gives no answer: then it is
//! killed. There is nothing for this in the binary itself. So many writes of each operation are drawn by lot as
//! `SLIPWAY_CRASHES` says, or `all` of them tried; `SLIPWAY_SEED` draws others, and `SLIPWAY_AT_ONCE` says how many are
//! tried side by side. `SLIPWAY_CLUSTER=control-plane` does it on a real control plane.
#![expect(clippy::print_stderr, reason = "how much was tried is told")]

mod chart;
mod faults;
mod locks;
mod others;
mod place;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use support::{Cluster, Side};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use chart::Version;
use place::{Ended, Place, Result, differences};

/// So many places are tried if nobody says how many.
const SOME: usize = 8;
/// So many of them are tried side by side.
const AT_ONCE: usize = 3;

/// What is interrupted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Operation {
    Install,
    Upgrade,
    Rollback,
    Uninstall,
    /// What is installed does not fit into one Secret.
    InstallLarge,
    /// The same, where something large is there already.
    UpgradeLarge,
    /// What was uninstalled is brought back.
    Undelete,
    /// What counts down goes at once.
    Purge,
    /// What counts down is taken out of the trash.
    Restore,
}

impl Operation {
    /// Brings a namespace to where it begins.
    async fn prepare(self, place: &Place) -> Result {
        let before: &[Operation] = match self {
            Self::Install => &[],
            Self::InstallLarge => return Ok(place.enlarge()?),
            Self::Upgrade | Self::Uninstall => &[Self::Install],
            Self::UpgradeLarge => {
                place.enlarge()?;
                &[Self::InstallLarge]
            }
            Self::Rollback | Self::Purge | Self::Restore => &[Self::Install, Self::Upgrade],
            Self::Undelete => &[Self::Install, Self::Uninstall],
        };
        for operation in before {
            place.succeed(&operation.command(place)).await?;
        }
        Ok(())
    }

    fn command(self, place: &Place) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        match self {
            Self::Install => place.install(Version::First),
            Self::InstallLarge => place.large("install", Version::First),
            Self::Upgrade => place.upgrade(Version::Second),
            Self::UpgradeLarge => place.large("upgrade", Version::Second),
            Self::Rollback => words(&["rollback", "shop", "1"]),
            Self::Uninstall => words(&["uninstall", "shop"]),
            Self::Undelete => words(&["undelete", "shop"]),
            Self::Purge => words(&["trash", "purge", "shop"]),
            Self::Restore => words(&["trash", "restore", "shop"]),
        }
    }

    /// What a command that was killed after its very end says when it is run again.
    fn is_done(self, told: &str) -> bool {
        match self {
            Self::Install | Self::InstallLarge => told.contains("cannot re-use a name"),
            Self::Uninstall => told.contains("release: not found"),
            Self::Undelete => told.contains("it need not be brought back"),
            Self::Upgrade | Self::UpgradeLarge | Self::Rollback | Self::Purge | Self::Restore => false,
        }
    }
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The places in which an operation is interrupted, out of so many writes.
fn places(writes: usize) -> Vec<(usize, Side)> {
    let all: Vec<(usize, Side)> =
        (1..=writes).flat_map(|write| [(write, Side::Before), (write, Side::After)]).collect();
    if std::env::var("SLIPWAY_CRASHES").as_deref() == Ok("all") {
        return all;
    }
    let mut lot = number("SLIPWAY_SEED").unwrap_or(1) as u64;
    let mut draw = || {
        // Steps of a well-known generator: any spread will do.
        lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        all[(lot >> 33) as usize % all.len()]
    };
    (0..number("SLIPWAY_CRASHES").unwrap_or(SOME)).map(|_| draw()).collect()
}

/// How a namespace may look afterwards.
struct Expected {
    undisturbed: BTreeMap<String, Value>,
    /// Whoever is killed at the very end does it all once more, and that is an operation of its own.
    twice: BTreeMap<String, Value>,
}

async fn survives(operation: Operation) -> Result {
    let cluster = Arc::new(Cluster::start().await?);
    let undisturbed = Place::new(&cluster).await?;
    operation.prepare(&undisturbed).await?;
    undisturbed.gate.close_at(None);
    undisturbed.succeed(&operation.command(&undisturbed)).await?;
    let writes = undisturbed.gate.writes();
    let expected = undisturbed.contents().await?;
    undisturbed.run(&operation.command(&undisturbed)).await?;
    let expected = Arc::new(Expected { undisturbed: expected, twice: undisturbed.contents().await? });
    undisturbed.remove().await?;

    let seats = Arc::new(Semaphore::new(number("SLIPWAY_AT_ONCE").unwrap_or(AT_ONCE)));
    let mut running = JoinSet::new();
    for (write, side) in places(writes) {
        let (cluster, expected, seats) = (cluster.clone(), expected.clone(), seats.clone());
        running.spawn(async move {
            let _seat = seats.acquire().await?;
            let case = format!("{operation:?}, killed at write {write} of {writes} ({side:?})");
            survives_at(operation, &cluster, (write, side), &expected, &case).await
        });
    }
    let mut tried = 0;
    while let Some(survived) = running.join_next().await {
        match survived {
            Ok(survived) => survived?,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
        tried += 1;
    }
    eprintln!("{operation:?}: {writes} writes, killed in {tried} places");
    Ok(())
}

async fn survives_at(
    operation: Operation,
    cluster: &Cluster,
    at: (usize, Side),
    expected: &Expected,
    case: &str,
) -> Result {
    let place = Place::new(cluster).await?;
    operation.prepare(&place).await?;
    place.gate.close_at(Some(at));
    let command = operation.command(&place);
    let killed = place.kill_at_gate(&command).await?;
    place.gate.close_at(None);
    if killed == Ended::Killed {
        let (code, told) = place.run(&command).await?;
        assert!(code == 0 || operation.is_done(&told), "{case}: run again, it says:\n{told}");
    }
    let found = place.contents().await?;
    if found != expected.twice {
        assert!(found == expected.undisturbed, "{case}:\n{}", differences(&found, &expected.undisturbed));
    }
    place.remove().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_install_that_is_killed_is_run_again() -> Result {
    survives(Operation::Install).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_that_is_killed_is_run_again() -> Result {
    survives(Operation::Upgrade).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_that_is_killed_is_run_again() -> Result {
    survives(Operation::Rollback).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_uninstall_that_is_killed_is_run_again() -> Result {
    survives(Operation::Uninstall).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_install_in_several_secrets_that_is_killed_is_run_again() -> Result {
    survives(Operation::InstallLarge).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_in_several_secrets_that_is_killed_is_run_again() -> Result {
    survives(Operation::UpgradeLarge).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undelete_that_is_killed_is_run_again() -> Result {
    survives(Operation::Undelete).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purge_that_is_killed_is_run_again() -> Result {
    survives(Operation::Purge).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_is_killed_is_run_again() -> Result {
    survives(Operation::Restore).await
}
