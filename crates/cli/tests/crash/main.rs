//! The binary is killed, at every write of an operation, before and after it; run again, it ends where it would have
//! ended undisturbed.
//!
//! It works through a gate in front of the cluster that closes at the write in question and gives no answer: then it is
//! killed. There is nothing for this in the binary itself. So many writes of each operation are drawn by lot as
//! `SLIPWAY_CRASHES` says, or `all` of them tried; `SLIPWAY_SEED` draws others. `SLIPWAY_CLUSTER=control-plane` does it on
//! a real control plane.

mod chart;
mod faults;
mod place;

use support::{Cluster, Side};

use chart::Version;
use place::{Ended, Place, Result};

/// So many places are tried if nobody says how many.
const SOME: usize = 8;

/// What is interrupted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Operation {
    Install,
    Upgrade,
    Rollback,
    Uninstall,
}

impl Operation {
    /// Brings a namespace to where it begins.
    async fn prepare(self, place: &Place) -> Result {
        match self {
            Self::Install => Ok(()),
            Self::Upgrade | Self::Uninstall => place.succeed(&place.install(Version::First)).await,
            Self::Rollback => {
                place.succeed(&place.install(Version::First)).await?;
                place.succeed(&place.upgrade(Version::Second)).await
            }
        }
    }

    fn command(self, place: &Place) -> Vec<String> {
        match self {
            Self::Install => place.install(Version::First),
            Self::Upgrade => place.upgrade(Version::Second),
            Self::Rollback => Place::rollback(),
            Self::Uninstall => Place::uninstall(),
        }
    }

    /// What a command that was killed after its very end says when it is run again.
    fn is_done(self, told: &str) -> bool {
        match self {
            Self::Install => told.contains("cannot re-use a name"),
            Self::Upgrade | Self::Rollback => false,
            Self::Uninstall => told.contains("release: not found"),
        }
    }
}

/// The places in which an operation is interrupted, out of so many writes.
fn places(writes: usize) -> Vec<(usize, Side)> {
    let all: Vec<(usize, Side)> =
        (1..=writes).flat_map(|write| [(write, Side::Before), (write, Side::After)]).collect();
    let count = match std::env::var("SLIPWAY_CRASHES").as_deref() {
        Ok("all") => return all,
        Ok(count) => count.parse().unwrap_or(SOME),
        Err(_) => SOME,
    };
    let seed = std::env::var("SLIPWAY_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut lot: u64 = seed;
    let mut draw = || {
        // Steps of a well-known generator: any spread will do.
        lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        all[(lot >> 33) as usize % all.len()]
    };
    (0..count).map(|_| draw()).collect()
}

async fn survives(operation: Operation) -> Result {
    let cluster = Cluster::start().await?;
    let undisturbed = Place::new(&cluster).await?;
    operation.prepare(&undisturbed).await?;
    undisturbed.gate.close_at(None);
    undisturbed.succeed(&operation.command(&undisturbed)).await?;
    let writes = undisturbed.gate.writes();
    let expected = undisturbed.contents().await?;
    // Whoever is killed at the very end does it all once more, and that is an operation of its own.
    undisturbed.run(&operation.command(&undisturbed)).await?;
    let twice = undisturbed.contents().await?;
    undisturbed.remove().await?;
    for (write, side) in places(writes) {
        let case = format!("{operation:?}, killed at write {write} of {writes} ({side:?})");
        let place = Place::new(&cluster).await?;
        operation.prepare(&place).await?;
        place.gate.close_at(Some((write, side)));
        let command = operation.command(&place);
        let killed = place.kill_at_gate(&command).await?;
        place.gate.close_at(None);
        if killed == Ended::Killed {
            let (code, told) = place.run(&command).await?;
            assert!(code == 0 || operation.is_done(&told), "{case}: run again, it says:\n{told}");
        }
        let found = place.contents().await?;
        if found != twice {
            assert_eq!(found, expected, "{case}");
        }
        place.remove().await?;
    }
    Ok(())
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
async fn of_two_at_once_one_is_refused() -> Result {
    let cluster = Cluster::start().await?;
    let place = Place::new(&cluster).await?;
    // The first is held in the middle of its work, and is alive.
    place.gate.close_at(Some((6, Side::Before)));
    let install = place.install(Version::First);
    let mut first = place.command(&install).spawn()?;
    place.gate.closed().await;
    let other = Place::beside(&cluster, &place).await?;
    let (code, told) = other.run(&other.upgrade(Version::Second)).await?;
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("is at work on it"), "{told}");
    first.kill().await?;
    first.wait().await?;
    // It is known to be dead here, so nobody waits for its Lease to run out.
    place.gate.close_at(None);
    let (code, told) = place.run(&install).await?;
    assert!(code == 0 && !told.contains("if it is dead"), "{told}");
    place.remove().await
}
