//! Installs, upgrades, rollbacks and uninstalls end on a bad day as they do on a good one: whether it is the server's, or
//! that of the way to it.

use std::time::Duration;

use dock::Dock;
use dock::faults::{Fault, Which};
use dock::status::Status;
use http::StatusCode;
use support::{Cluster, Mishap};

use crate::Operation;
use crate::place::{Place, Result, differences};

/// What happens to whom on that day.
fn days() -> Vec<(&'static str, Which, Fault)> {
    let some = |which: Which, seed| which.probability(0.2, seed);
    vec![
        ("429 with Retry-After", some(Which::any(), 1).times(6), Fault::too_many_requests(1)),
        ("500", some(Which::any(), 2), Fault::internal_error("etcdserver: leader changed")),
        ("503, flapping", some(Which::any(), 3), Fault::unavailable()),
        ("connections that break before", some(Which::any(), 4), Fault::Reset),
        ("connections that break after", some(Which::write(), 5), Fault::LoseAnswer),
        ("watches that break", Which::verb("watch").probability(0.7, 6), Fault::CutWatch(1)),
        ("410", some(Which::any(), 7), Fault::Expire),
        ("slow", some(Which::any(), 8), Fault::Delay(Duration::from_millis(300))),
    ]
}

/// What is done on each day.
const WORK: [Operation; 4] =
    [Operation::Install, Operation::Upgrade, Operation::Rollback, Operation::Uninstall];

/// What may happen on the way, to any cluster.
fn ways() -> Vec<(&'static str, Option<Mishap>)> {
    vec![
        ("a good day", None),
        ("429 with Retry-After", Some(Mishap::Refused(StatusCode::TOO_MANY_REQUESTS, Some(1)))),
        ("429 without", Some(Mishap::Refused(StatusCode::TOO_MANY_REQUESTS, None))),
        ("500", Some(Mishap::Refused(StatusCode::INTERNAL_SERVER_ERROR, None))),
        ("503, flapping", Some(Mishap::Refused(StatusCode::SERVICE_UNAVAILABLE, None))),
        ("connections that break before", Some(Mishap::LostBefore)),
        ("connections that break after", Some(Mishap::LostAfter)),
        ("watches that break", Some(Mishap::WatchBroken)),
        ("410", Some(Mishap::Expired)),
        ("slow", Some(Mishap::Late(Duration::from_millis(300)))),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_way_that_has_a_bad_day() -> Result {
    let cluster = Cluster::start().await?;
    let mut expected = Vec::new();
    for (seed, (day, mishap)) in (1..).zip(ways()) {
        let place = Place::new(&cluster).await?;
        let mut found = Vec::new();
        let mut mishaps = 0;
        for operation in WORK {
            place.gate.have_a_bad_day(mishap, seed);
            let (code, told) = place.run(&operation.command(&place)).await?;
            assert_eq!(code, 0, "{day}: {operation:?}:\n{told}");
            mishaps += place.gate.mishaps();
            found.push(place.contents().await?);
        }
        // Only a watch that is followed for a while goes on from somewhere.
        assert!(
            mishap.is_none_or(|mishap| mishap == Mishap::Expired) || mishaps > 0,
            "{day}: nothing happened"
        );
        eprintln!("{day}: {mishaps} mishaps");
        if expected.is_empty() {
            expected.clone_from(&found);
        }
        for ((operation, found), expected) in WORK.iter().zip(&found).zip(&expected) {
            assert!(found == expected, "{day}, {operation:?}:\n{}", differences(found, expected));
        }
        place.remove().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_has_a_bad_day() -> Result {
    let cluster = Cluster::start().await?;
    let Some(dock) = cluster.as_dock() else { return Ok(()) };
    let mut expected = Vec::new();
    for (day, which, fault) in
        std::iter::once(None).chain(days().into_iter().map(Some)).map(|day| match day {
            None => ("a good day", None, None),
            Some((day, which, fault)) => (day, Some(which), Some(fault)),
        })
    {
        let place = Place::new(&cluster).await?;
        let mut found = Vec::new();
        let injected =
            which.zip(fault).map(|(which, fault)| dock.faults().inject(which.namespace(place.name()), fault));
        for operation in WORK {
            let (code, told) = place.run(&operation.command(&place)).await?;
            assert_eq!(code, 0, "{day}: {operation:?}:\n{told}");
            if let Some(injected) = &injected {
                assert!(injected.hits() > 0, "{day}: {operation:?} met nothing");
            }
            dock.faults().clear();
            found.push(place.contents().await?);
            if let Some((_, which, fault)) = days().into_iter().find(|(known, ..)| *known == day) {
                dock.faults().inject(which.namespace(place.name()), fault);
            }
        }
        dock.faults().clear();
        if expected.is_empty() {
            expected = found;
        } else {
            assert_eq!(found, expected, "{day}");
        }
        place.remove().await?;
    }
    Ok(())
}

/// A program that a kubeconfig names for credentials: each time it gives another token.
const PROGRAM: &str = "#!/bin/sh
echo once >> \"$1\"
count=$(wc -l < \"$1\")
echo '{\"apiVersion\": \"client.authentication.k8s.io/v1\", \"kind\": \"ExecCredential\", \"status\": {\"token\": \"token-'$count'\"}}'
";

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_expires_in_the_middle() -> Result {
    use std::os::unix::fs::PermissionsExt as _;

    let dock = Dock::builder().start().await;
    let cluster = Cluster::dock(dock.clone());
    let place = Place::new(&cluster).await?;
    let (program, calls) = (place.path("credentials"), place.path("calls"));
    std::fs::write(&program, PROGRAM)?;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    let user = format!(
        "  user:\n    exec: {{apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: {}, args: [{}]}}\n",
        program.display(),
        calls.display()
    );
    let config = std::fs::read_to_string(place.path("config"))?.replace("  user: {}\n", &user);
    std::fs::write(place.path("config"), config)?;
    // What is sent in the middle of the work is refused once, as if the token had run out.
    let expired = Status::new(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized");
    let refused = dock
        .faults()
        .inject(Which::verb("patch").resource("deployments.apps").times(1), Fault::Refuse(expired));
    place.succeed(&Operation::Install.command(&place)).await?;
    assert_eq!(refused.hits(), 1);
    let calls = std::fs::read_to_string(calls)?.lines().count();
    assert!(calls >= 2, "the program for credentials was called {calls} times");
    place.remove().await
}
