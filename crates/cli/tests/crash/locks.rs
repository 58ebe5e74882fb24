//! Two at once on one release: one is refused, or waits until it is known that the other is dead.

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use support::{Cluster, Side};
use tokio::process::Child;

use crate::chart::Version;
use crate::place::{Ended, Place, Result, differences};

/// The Lease of the release.
const LEASE: &str = "slipway.shop";

/// An install that is held in the middle of its work, and is alive.
async fn in_the_middle(place: &Place) -> Result<Child> {
    place.gate.close_at(Some((6, Side::Before)));
    let first = place.command(&place.install(Version::First)).spawn()?;
    place.gate.closed().await;
    Ok(first)
}

/// What was killed is known to be dead only on its own machine: here it is made one of another.
async fn be_of_another_machine(place: &Place, more: Value) -> Result {
    let mut change = json!({"metadata": {"annotations": {"slipway.dev/process": null}}});
    change["spec"] = more;
    place.api::<Lease>().patch(LEASE, &PatchParams::default(), &Patch::Merge(change)).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_at_once_one_is_refused() -> Result {
    let cluster = Cluster::start().await?;
    let place = Place::new(&cluster).await?;
    let mut first = in_the_middle(&place).await?;
    let other = Place::beside(&cluster, &place).await?;
    let (code, told) = other.run(&other.upgrade(Version::Second)).await?;
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("is at work on it"), "{told}");
    first.kill().await?;
    // It is known to be dead here, so nobody waits for its Lease to run out.
    place.gate.close_at(None);
    let (code, told) = place.run(&place.install(Version::First)).await?;
    assert!(code == 0 && !told.contains("if it is dead"), "{told}");
    place.remove().await
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_that_begin_together_one_does_the_work() -> Result {
    let cluster = Cluster::start().await?;
    for _ in 0..4 {
        let place = Place::new(&cluster).await?;
        let other = Place::beside(&cluster, &place).await?;
        let (mine, theirs) = (place.install(Version::First), other.install(Version::First));
        let (one, two) = tokio::join!(place.run(&mine), other.run(&theirs));
        let ends = [one?, two?];
        let well = ends.iter().filter(|(code, _)| *code == 0).count();
        assert_eq!(well, 1, "{ends:#?}");
        let refused = |told: &str| told.contains("is at work on it") || told.contains("cannot re-use a name");
        assert!(ends.iter().all(|(code, told)| *code == 0 || refused(told)), "{ends:#?}");
        let found = place.contents().await?;
        assert_eq!(found.keys().filter(|name| name.contains("sh.helm.release")).count(), 1, "{found:#?}");
        place.remove().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_of_another_machine_is_waited_for() -> Result {
    let cluster = Cluster::start().await?;
    let place = Place::new(&cluster).await?;
    in_the_middle(&place).await?.kill().await?;
    be_of_another_machine(&place, json!({})).await?;
    place.gate.close_at(None);
    let (code, told) = place.run(&place.install(Version::First)).await?;
    assert!(code == 0 && told.contains("if it is dead, that shows within 30 seconds"), "{told}");
    place.remove().await
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_killed_while_it_takes_a_lock_over_leaves_it_to_the_next() -> Result {
    let cluster = Cluster::start().await?;
    let undisturbed = Place::new(&cluster).await?;
    undisturbed.succeed(&undisturbed.install(Version::First)).await?;
    let expected = undisturbed.contents().await?;
    undisturbed.remove().await?;
    for side in [Side::Before, Side::After] {
        let place = Place::new(&cluster).await?;
        in_the_middle(&place).await?.kill().await?;
        // Whoever held it has not renewed for a minute, wherever that was.
        let renewed = Timestamp::now() - std::time::Duration::from_secs(61);
        be_of_another_machine(&place, json!({"renewTime": format!("{renewed:.6}")})).await?;
        // Its first write is that of the Lease.
        place.gate.close_at(Some((1, side)));
        let install = place.install(Version::First);
        assert_eq!(place.kill_at_gate(&install).await?, Ended::Killed);
        place.gate.close_at(None);
        let (code, told) = place.run(&install).await?;
        assert!(code == 0 && !told.contains("if it is dead"), "{side:?}: {told}");
        let found = place.contents().await?;
        assert!(found == expected, "{side:?}:\n{}", differences(&found, &expected));
        place.remove().await?;
    }
    Ok(())
}
