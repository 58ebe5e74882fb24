//! The operator is killed at random while Bundles are created, changed and deleted, on a way on which requests get lost:
//! in the end everything is as if nothing had happened, and nothing went that should have lived.
//!
//! `SLIPWAY_CHAOS` says how many changes there are, `SLIPWAY_CHAOS_SEED` which.

#![expect(clippy::unwrap_used, reason = "a test whose surroundings fail should fail")]

mod lots;
mod operator;
mod place;
mod script;

use lots::Lots;
use place::Place;
use script::Script;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_that_is_killed_again_and_again_ends_where_an_undisturbed_one_does() {
    let (changes, seed) = (number("SLIPWAY_CHAOS", 40), number("SLIPWAY_CHAOS_SEED", 1));
    let script = Script::draw(changes.try_into().unwrap(), &mut Lots::new(seed));

    let quiet = Place::new().await;
    let operator = quiet.operator(None);
    quiet.play(&script).await;
    let expected = quiet.end(operator).await;
    assert_eq!(script.wrongly_gone(&quiet.deleted()), Vec::<String>::new());

    let wild = Place::new().await;
    let operator = wild.operator(Some(seed));
    wild.play(&script).await;
    let (kills, mishaps) = (operator.kills(), wild.mishaps());
    let found = wild.end(operator).await;
    eprintln!("{} changes, {kills} kills, {mishaps} requests lost (seed {seed})", script.changes());
    assert!(kills > 0, "nobody was killed");
    assert_eq!(script.wrongly_gone(&wild.deleted()), Vec::<String>::new(), "seed {seed}");
    let only = |one: &[String], other: &[String]| {
        one.iter().filter(|line| !other.contains(line)).cloned().collect::<Vec<_>>()
    };
    let (missing, extra) = (only(&expected, &found), only(&found, &expected));
    assert!(missing.is_empty() && extra.is_empty(), "seed {seed}: missing {missing:#?}, extra {extra:#?}");
    script.check(&found);
}
