//! Every row, over the wire, with our own broker.

use std::time::Duration;

use brokers::{Answer, Behaviour, Manner, Route, Scripted};
use osb::Operation::{self, Bind, Deprovision, Provision, Unbind, Update};

use crate::asked::{ask, client};
use crate::rows::{CODES, ORPHANS, Outcome, Request, Response};

fn route(request: Request) -> Route {
    match request {
        Request::Catalog => Route::Catalog,
        Request::Change(Operation::Provision) => Route::Provision,
        Request::Change(Operation::Update) => Route::Update,
        Request::Change(Operation::Deprovision) => Route::Deprovision,
        Request::Change(Operation::Bind) => Route::Bind,
        Request::Change(Operation::Unbind) => Route::Unbind,
        Request::Poll(Operation::Bind | Operation::Unbind) => Route::PollBinding,
        Request::Poll(_) => Route::PollInstance,
        Request::FetchInstance => Route::FetchInstance,
        Request::FetchBinding => Route::FetchBinding,
    }
}

#[tokio::test]
async fn every_code_means_what_its_chapter_says() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let client = client(&broker.url(), Duration::from_secs(10));
    for (row, (request, status, body, outcome)) in CODES.iter().enumerate() {
        broker.next(route(*request), Answer::new(*status, *body));
        let (came, _) = ask(&client, *request, "i", "b").await;
        assert_eq!(came, *outcome, "{request:?} {status} {body}");
        assert_eq!(broker.seen().len(), row + 1, "one request each, and no redirect or repetition");
    }
}

#[tokio::test]
async fn orphans_are_taken_back_when_the_table_says_so() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let patient = client(&broker.url(), Duration::from_secs(10));
    let hurried = client(&broker.url(), Duration::from_millis(100));
    let mut answers = 0;
    for (operations, response, succeeds, orphan) in ORPHANS {
        for operation in *operations {
            let mut request = Request::Change(*operation);
            let mut client = &patient;
            let scripted = match response {
                Response::Code(status) => vec![Answer::new(*status, "{}")],
                Response::Malformed(status) => vec![Answer::new(*status, "["), Answer::new(*status, "")],
                Response::Others(hundred, without) => (*hundred..*hundred + 100)
                    .filter(|status| !without.contains(status))
                    .map(|status| Answer::new(status, "{}"))
                    .collect(),
                Response::PolledFailed => {
                    request = Request::Poll(*operation);
                    vec![Answer::new(200, r#"{"state":"failed"}"#)]
                }
                Response::Timeout => {
                    client = &hurried;
                    vec![Answer::none(Manner::Silence), Answer::none(Manner::HangUp)]
                }
            };
            for answer in scripted {
                let status = answer.status;
                broker.next(route(request), answer);
                let (came, failure) = ask(client, request, "i", "b").await;
                let what = format!("{request:?} {response:?} {status}: {failure:?}");
                assert_eq!(matches!(came, Outcome::Done | Outcome::Accepted), *succeeds, "{what}");
                assert_eq!(failure.is_some_and(|failure| failure.orphan), *orphan, "{what}");
                answers += 1;
            }
        }
    }
    assert!(answers > 1_400, "{answers}");
}

#[tokio::test]
async fn a_request_that_was_never_sent_leaves_nothing_behind() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let client = client(&broker.url(), Duration::from_secs(2));
    drop(broker);
    tokio::task::yield_now().await;
    for operation in Operation::ALL {
        let (came, failure) = ask(&client, Request::Change(operation), "i", "b").await;
        let failure = failure.unwrap();
        assert_eq!((came, failure.orphan), (Outcome::Postponed, false), "{operation}");
        assert!(failure.description.starts_with("no connection to the broker: "), "{failure}");
    }
}

#[tokio::test]
async fn the_broker_of_the_tests_goes_through_a_life() {
    let broker = Scripted::start(Behaviour { polls: Some(1), ..Behaviour::default() }).await.unwrap();
    let client = client(&broker.url(), Duration::from_secs(10));
    let poll = |operation| Request::Poll(operation);
    let change = Request::Change;
    for (request, outcome) in [
        (Request::Catalog, Outcome::Done),
        (change(Provision), Outcome::Accepted),
        (Request::FetchInstance, Outcome::Absent),
        (change(Provision), Outcome::Accepted),
        (change(Update), Outcome::Postponed),
        (poll(Provision), Outcome::InProgress),
        (poll(Provision), Outcome::Done),
        (change(Provision), Outcome::Done),
        (Request::FetchInstance, Outcome::Done),
        (change(Bind), Outcome::Accepted),
        (Request::FetchBinding, Outcome::Absent),
        (poll(Bind), Outcome::InProgress),
        (poll(Bind), Outcome::Done),
        (Request::FetchBinding, Outcome::Done),
        (change(Update), Outcome::Accepted),
        (Request::FetchInstance, Outcome::Busy),
        (poll(Update), Outcome::InProgress),
        (poll(Update), Outcome::Done),
        (change(Provision), Outcome::Refused),
        (change(Unbind), Outcome::Accepted),
        (poll(Unbind), Outcome::InProgress),
        (poll(Unbind), Outcome::Done),
        (change(Unbind), Outcome::Done),
        (change(Deprovision), Outcome::Accepted),
        (poll(Deprovision), Outcome::InProgress),
        (poll(Deprovision), Outcome::Done),
        (poll(Deprovision), Outcome::Done),
        (change(Deprovision), Outcome::Done),
        (change(Bind), Outcome::Refused),
    ] {
        let (came, failure) = ask(&client, request, "i", "b").await;
        assert_eq!(came, outcome, "{request:?} {failure:?}");
    }
    assert!(broker.instances().is_empty());
}
