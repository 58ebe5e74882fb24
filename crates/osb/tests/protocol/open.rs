//! Every row that a broker made with `openbrokerapi` can produce.

use std::time::Duration;

use brokers::OpenBroker;
use osb::Operation::{self, Bind, Deprovision, Provision, Unbind, Update};

use crate::asked::{ask, client};
use crate::rows::{Outcome, Request};

const PATIENCE: Duration = Duration::from_secs(20);

/// The broker, or the test is skipped by name.
macro_rules! broker {
    ($($argument:expr),*) => {
        match OpenBroker::start(&[$($argument),*]) {
            Ok(broker) => broker,
            Err(why) => {
                eprintln!("skipped {}: {why}", std::thread::current().name().unwrap_or_default());
                return;
            }
        }
    };
}

/// Which fault, of which request: the code that the framework makes of it, what that means, and whether an orphan.
const FAULTS: &[(&str, Operation, u64, Outcome, bool)] = &[
    ("badrequest", Provision, 400, Outcome::Refused, false),
    ("parameters", Provision, 400, Outcome::Refused, false),
    ("conflict", Provision, 409, Outcome::Refused, false),
    ("asyncrequired", Provision, 422, Outcome::Refused, false),
    ("error", Provision, 500, Outcome::Unsettled, true),
    ("unimplemented", Provision, 501, Outcome::Unsettled, true),
    ("badrequest", Update, 400, Outcome::Refused, false),
    ("parameters", Update, 400, Outcome::Refused, false),
    ("asyncrequired", Update, 422, Outcome::Refused, false),
    ("concurrency", Update, 422, Outcome::Postponed, false),
    ("error", Update, 500, Outcome::Unsettled, false),
    ("unimplemented", Update, 501, Outcome::Unsettled, false),
    ("badrequest", Deprovision, 400, Outcome::Refused, false),
    ("gone", Deprovision, 410, Outcome::Done, false),
    ("asyncrequired", Deprovision, 422, Outcome::Refused, false),
    ("concurrency", Deprovision, 422, Outcome::Postponed, false),
    ("error", Deprovision, 500, Outcome::Unsettled, true),
    ("unimplemented", Deprovision, 501, Outcome::Unsettled, true),
    ("badrequest", Bind, 400, Outcome::Refused, false),
    ("bindingconflict", Bind, 409, Outcome::Refused, false),
    ("requiresapp", Bind, 422, Outcome::Refused, false),
    ("asyncrequired", Bind, 422, Outcome::Refused, false),
    ("concurrency", Bind, 422, Outcome::Postponed, false),
    ("error", Bind, 500, Outcome::Unsettled, true),
    ("unimplemented", Bind, 501, Outcome::Unsettled, true),
    ("badrequest", Unbind, 400, Outcome::Refused, false),
    ("bindinggone", Unbind, 410, Outcome::Done, false),
    ("asyncrequired", Unbind, 422, Outcome::Refused, false),
    ("concurrency", Unbind, 422, Outcome::Postponed, false),
    ("error", Unbind, 500, Outcome::Unsettled, true),
    ("unimplemented", Unbind, 501, Outcome::Unsettled, true),
];

#[tokio::test]
async fn every_fault_it_knows_is_understood() {
    let broker = broker!();
    let client = client(&broker.url(), PATIENCE);
    for (fault, operation, status, outcome, orphan) in FAULTS {
        let identifier = format!("fault-{fault}-1");
        let (came, failure) = ask(&client, Request::Change(*operation), &identifier, &identifier).await;
        assert_eq!(came, *outcome, "{operation} {fault} {failure:?}");
        assert_eq!(failure.is_some_and(|failure| failure.orphan), *orphan, "{operation} {fault}");
        let last = broker.seen().pop().unwrap();
        assert_eq!(last["status"], *status, "{operation} {fault}");
        assert_eq!(last["username"], "alice");
        assert_eq!(last["version"], "2.17");
    }
}

#[tokio::test]
async fn a_life_goes_through_all_that_succeeds() {
    for polls in [None, Some("1")] {
        let broker = match polls {
            None => broker!(),
            Some(polls) => broker!("--polls", polls),
        };
        let client = client(&broker.url(), PATIENCE);
        let change = Request::Change;
        let now = |code: u64| if polls.is_some() { (Outcome::Accepted, 202) } else { (Outcome::Done, code) };
        let steps = [
            (Request::Catalog, (Outcome::Done, 200)),
            (Request::FetchInstance, (Outcome::Absent, 404)),
            (change(Provision), now(201)),
            (change(Provision), now(200)),
            (Request::Poll(Provision), (Outcome::Done, 200)),
            (Request::FetchInstance, (Outcome::Done, 200)),
            (Request::FetchBinding, (Outcome::Absent, 404)),
            (change(Bind), now(201)),
            (Request::Poll(Bind), (Outcome::Done, 200)),
            (change(Bind), (Outcome::Done, 200)),
            (Request::FetchBinding, (Outcome::Done, 200)),
            (change(Update), now(200)),
            (Request::Poll(Update), (Outcome::Done, 200)),
            (change(Provision), (Outcome::Refused, 409)),
            (change(Unbind), now(200)),
            (Request::Poll(Unbind), (Outcome::Done, 200)),
            (change(Unbind), (Outcome::Done, 410)),
            (change(Deprovision), now(200)),
            (Request::Poll(Deprovision), (Outcome::Done, if polls.is_some() { 200 } else { 410 })),
            (Request::Poll(Deprovision), (Outcome::Done, 410)),
            (Request::Poll(Provision), (Outcome::Unclear, 410)),
            (change(Deprovision), (Outcome::Done, 410)),
        ];
        for (request, (outcome, status)) in steps {
            if polls.is_some()
                && matches!(request, Request::Poll(_))
                && outcome == Outcome::Done
                && status == 200
            {
                let (came, _) = ask(&client, request, "i", "b").await;
                assert_eq!(came, Outcome::InProgress, "{request:?}");
            }
            let (came, failure) = ask(&client, request, "i", "b").await;
            assert_eq!(came, outcome, "{request:?} {failure:?}");
            assert_eq!(broker.seen().pop().unwrap()["status"], status, "{request:?}");
        }
        assert_eq!(broker.instances(), serde_json::json!({}));
    }
}

#[tokio::test]
async fn operations_that_fail_while_polled_leave_orphans() {
    let broker = broker!();
    let client = client(&broker.url(), PATIENCE);
    for operation in Operation::ALL {
        let (came, failure) =
            ask(&client, Request::Poll(operation), "fault-failed-1", "fault-failed-1").await;
        let failure = failure.unwrap();
        assert_eq!(came, Outcome::Unsettled, "{operation}");
        assert_eq!(failure.orphan, operation != Update, "{operation}");
        assert_eq!(failure.description, "the disk is full");
        let (came, _) = ask(&client, Request::Poll(operation), "fault-error-1", "fault-error-1").await;
        assert_eq!(came, Outcome::Unclear, "{operation}");
    }
}

#[tokio::test]
async fn silence_is_a_time_out() {
    let broker = broker!();
    let client = client(&broker.url(), Duration::from_millis(300));
    for operation in Operation::ALL {
        let identifier = "fault-silence-1";
        let (came, failure) = ask(&client, Request::Change(operation), identifier, identifier).await;
        assert_eq!((came, failure.unwrap().orphan), (Outcome::Unsettled, operation.makes()), "{operation}");
    }
}

#[tokio::test]
async fn only_one_user_may_delete_and_the_words_are_the_brokers() {
    let broker = broker!("--may-delete", "carol");
    let client = client(&broker.url(), PATIENCE);
    ask(&client, Request::Change(Provision), "i", "").await;
    let (came, failure) = ask(&client, Request::Change(Deprovision), "i", "").await;
    assert_eq!(came, Outcome::Refused);
    assert_eq!(
        failure.unwrap().to_string(),
        "Status: 403; ErrorMessage: Forbidden; Description: alice may not delete this"
    );
    assert_ne!(broker.instances()["i"], serde_json::Value::Null, "nothing was changed");
}

#[tokio::test]
async fn strangers_are_turned_away() {
    let broker = broker!("--password", "other");
    let client = client(&broker.url(), PATIENCE);
    let (came, failure) = ask(&client, Request::Change(Provision), "i", "").await;
    assert_eq!((came, failure.unwrap().status), (Outcome::Refused, Some(401)));
}
