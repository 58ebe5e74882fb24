//! Lives, told step by step, and a law over all of them: whatever answers come in whatever order, and wherever the
//! process dies, nothing is made twice, nothing is lost, and no orphan is forgotten.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::kinds::{Backing, CurrentOperation, Properties, ProvisionStatus};
use jiff::{SignedDuration, Timestamp};
use osb::{Fetched, Operation, Poll, Reply, Verdict, interpret, interpret_fetch, interpret_poll};
use proptest::prelude::*;

use super::*;
use crate::{Settings, external_id};

/// A broker of a few lines, and the object that is its customer.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Scene {
    thing: Thing,
    settings: Settings,
    now: Timestamp,
    generation: i64,
    wish: Wish,
    wanted: Properties,
    retrievable: bool,
    injected: bool,
    deleted: bool,
    backing: Backing,
    /// What the broker has, by identifier: how often it was made.
    has: BTreeMap<String, u32>,
    /// What the broker is at.
    going: Option<(CurrentOperation, String)>,
    /// How the last thing that the broker was at has ended.
    failed: bool,
    ever: BTreeMap<String, u32>,
}

/// What a broker does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Good,
    Slow,
    Refuses,
    Busy,
    BreaksBefore,
    BreaksAfter,
    SilentBefore,
    SilentAfter,
    FailsLater,
}

/// Where the process dies in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Death {
    None,
    BeforeTheQuestion,
    AfterTheAnswer,
}

impl Scene {
    fn new() -> Self {
        let plan = Properties {
            service_external_id: "s".into(),
            plan_external_id: "p".into(),
            ..Properties::default()
        };
        Self {
            thing: Thing::Instance,
            settings: Settings { declarative_delete: true, ..Settings::default() },
            now: Timestamp::UNIX_EPOCH,
            generation: 1,
            wish: Wish::There,
            wanted: plan,
            retrievable: false,
            injected: true,
            deleted: false,
            backing: Backing::default(),
            has: BTreeMap::new(),
            going: None,
            failed: false,
            ever: BTreeMap::new(),
        }
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            thing: self.thing,
            wish: self.wish,
            generation: self.generation,
            deleted: self.deleted,
            backing: &self.backing,
            wanted: Ok(&self.wanted),
            blocked_by: &[],
            retrievable: self.retrievable,
            injected: self.injected,
            longest_poll: Duration::from_hours(1),
            now: self.now,
        }
    }

    fn say(&mut self, wish: Wish) {
        self.wish = wish;
        self.generation += 1;
    }

    /// One step with a broker in a mood; returns what was due.
    fn step(&mut self, mood: Mood, death: Death) -> Step {
        let step = decide(&self.facts());
        let before = self.backing.clone();
        let limits = Limits { settings: &self.settings.clone(), now: self.now, generation: self.generation };
        match step {
            Step::Wait(until) => self.now = until,
            Step::Ask(operation) => {
                let id = self.id();
                let wanted = self.wanted.clone();
                let wanted = (operation != self.thing.removing()).then_some(&wanted);
                intend(&mut self.backing, operation, wanted, &id, limits);
                self.ask(operation, mood, death, limits);
            }
            Step::Mitigate => {
                self.backing.orphan_mitigation_in_progress = true;
                self.ask(self.thing.removing(), mood, death, limits);
            }
            Step::Poll => {
                let operation = if self.backing.orphan_mitigation_in_progress {
                    self.thing.removing()
                } else {
                    self.backing.current_operation.unwrap()
                };
                let poll = self.poll(operation, mood);
                if death == Death::None {
                    polled(&mut self.backing, self.thing, &poll, limits);
                }
            }
            Step::Expire => expire(&mut self.backing, self.thing, limits),
            Step::Fetch => {
                let there = self.has.contains_key(self.backing.external_id.as_ref().unwrap());
                let reply = match mood {
                    Mood::BreaksBefore | Mood::BreaksAfter => Reply::answer(500, "{}"),
                    _ if there => Reply::answer(200, "{}"),
                    _ => Reply::answer(404, "{}"),
                };
                let seen: Fetched = interpret_fetch(&reply);
                if death == Death::None {
                    fetched(&mut self.backing, self.thing, &seen, limits);
                }
            }
            Step::Restore => self.injected = true,
            Step::Forget => forget(&mut self.backing, self.thing),
            Step::Renew => renew(&mut self.backing),
            Step::Gone if self.wish == Wish::Declared => self.deleted = true,
            Step::Gone | Step::Steady | Step::Refused | Step::Blocked | Step::Unresolved | Step::Disabled => {
            }
        }
        if death == Death::BeforeTheQuestion && !matches!(step, Step::Ask(_) | Step::Mitigate) {
            self.backing = before;
        }
        step
    }

    fn id(&self) -> String {
        self.backing.external_id.clone().unwrap_or_else(|| external_id(None, "uid", self.backing.incarnation))
    }

    fn ask(&mut self, operation: CurrentOperation, mood: Mood, death: Death, limits: Limits<'_>) {
        if death == Death::BeforeTheQuestion {
            return;
        }
        let id = self.backing.external_id.clone().unwrap();
        let reply = self.reply(operation, &id, mood);
        if death == Death::AfterTheAnswer {
            return;
        }
        let verdict: Verdict = interpret(protocol(operation), &reply);
        answered(&mut self.backing, self.thing, &verdict, limits);
    }

    /// What the broker answers, and does.
    fn reply(&mut self, operation: CurrentOperation, id: &str, mood: Mood) -> Reply {
        let removes = operation == self.thing.removing();
        let silent = || Reply::TimedOut { cause: "silence".into() };
        match mood {
            Mood::Refuses => return Reply::answer(403, r#"{"description":"no"}"#),
            Mood::Busy => return Reply::answer(422, r#"{"error":"ConcurrencyError"}"#),
            Mood::BreaksBefore => return Reply::answer(500, "{}"),
            Mood::SilentBefore => return silent(),
            _ => {}
        }
        if removes && !self.has.contains_key(id) && self.going.as_ref().is_none_or(|(_, going)| going != id) {
            return Reply::answer(410, "{}");
        }
        if !removes && operation == self.thing.making() && self.has.contains_key(id) {
            return Reply::answer(200, "{}");
        }
        if matches!(mood, Mood::Slow | Mood::FailsLater) {
            self.going = Some((operation, id.to_owned()));
            return Reply::answer(202, r#"{"operation":"o"}"#);
        }
        self.work(operation, id);
        match mood {
            Mood::BreaksAfter => Reply::answer(500, "{}"),
            Mood::SilentAfter => silent(),
            _ => Reply::answer(if operation == self.thing.making() { 201 } else { 200 }, "{}"),
        }
    }

    fn work(&mut self, operation: CurrentOperation, id: &str) {
        self.going = None;
        self.failed = false;
        if operation == self.thing.removing() {
            self.has.remove(id);
        } else if operation == self.thing.making() {
            *self.has.entry(id.to_owned()).or_default() += 1;
            *self.ever.entry(id.to_owned()).or_default() += 1;
        }
    }

    fn poll(&mut self, operation: CurrentOperation, mood: Mood) -> Poll {
        let reply = match (&self.going, mood) {
            (_, Mood::BreaksBefore | Mood::BreaksAfter) => Reply::answer(500, "{}"),
            (_, Mood::SilentBefore | Mood::SilentAfter) => Reply::TimedOut { cause: "silence".into() },
            (Some(_), Mood::Slow | Mood::Busy | Mood::Refuses) => {
                Reply::answer(200, r#"{"state":"in progress"}"#)
            }
            (Some(_), Mood::FailsLater) => {
                self.going = None;
                self.failed = true;
                Reply::answer(200, r#"{"state":"failed"}"#)
            }
            (Some((operation, id)), Mood::Good) => {
                let (operation, id) = (*operation, id.clone());
                self.work(operation, &id);
                Reply::answer(200, r#"{"state":"succeeded"}"#)
            }
            (None, _) if self.failed => Reply::answer(200, r#"{"state":"failed"}"#),
            (None, _) => Reply::answer(200, r#"{"state":"succeeded"}"#),
        };
        interpret_poll(protocol(operation), &reply)
    }

    /// Good weather from now on: until nothing is due any more.
    fn finish(&mut self) -> Step {
        for _ in 0..200 {
            let step = self.step(Mood::Good, Death::None);
            if matches!(step, Step::Steady | Step::Gone | Step::Refused) {
                return step;
            }
        }
        panic!("it does not come to rest: {:?}", self.backing);
    }
}

fn protocol(operation: CurrentOperation) -> Operation {
    match operation {
        CurrentOperation::Provision => Operation::Provision,
        CurrentOperation::Update => Operation::Update,
        CurrentOperation::Deprovision => Operation::Deprovision,
        CurrentOperation::Bind => Operation::Bind,
        CurrentOperation::Unbind => Operation::Unbind,
    }
}

fn ready(scene: &Scene) -> (bool, String) {
    let told = conditions(&scene.facts(), decide(&scene.facts()));
    (told[0].holds, told[0].reason.clone())
}

#[test]
fn a_refused_declarative_delete_is_taken_back_and_nothing_has_happened() {
    let mut scene = Scene::new();
    assert_eq!(scene.finish(), Step::Steady);
    let before = (scene.has.clone(), scene.backing.external_id.clone());
    scene.say(Wish::Declared);
    scene.step(Mood::Refuses, Death::None);
    for _ in 0..3 {
        assert_eq!(scene.step(Mood::Good, Death::None), Step::Refused, "it is not asked again");
    }
    let told = conditions(&scene.facts(), Step::Refused);
    assert_eq!(told[0].message, "Status: 403; Description: no");
    assert_eq!((told[1].kind, told[1].holds), ("Failed", true));
    scene.say(Wish::There);
    assert_eq!(scene.step(Mood::Good, Death::None), Step::Forget);
    assert_eq!(scene.step(Mood::Good, Death::None), Step::Steady);
    assert_eq!(ready(&scene), (true, "ProvisionedSuccessfully".into()));
    assert_eq!((scene.has.clone(), scene.backing.external_id.clone()), before);
}

#[test]
fn a_refusal_after_doubt_is_settled_before_it_is_taken_back() {
    for retrievable in [true, false] {
        let mut scene = Scene { retrievable, ..Scene::new() };
        scene.finish();
        scene.say(Wish::Declared);
        scene.step(Mood::BreaksAfter, Death::None);
        while !matches!(scene.step(Mood::Refuses, Death::None), Step::Ask(_)) {}
        assert_eq!(decide(&scene.facts()), Step::Refused);
        scene.say(Wish::There);
        let settling = scene.step(Mood::Good, Death::None);
        assert_eq!(
            settling,
            if retrievable { Step::Fetch } else { Step::Ask(CurrentOperation::Deprovision) }
        );
        assert_eq!(scene.step(Mood::Good, Death::None), Step::Renew, "what is gone is bought anew");
        assert_eq!(scene.finish(), Step::Steady);
        assert_eq!(scene.backing.external_id, Some(external_id(None, "uid", 1)));
        assert_eq!(scene.has.len(), 1);
    }
}

#[test]
fn doubt_that_a_fetch_dispels_changes_nothing() {
    let mut scene = Scene { retrievable: true, ..Scene::new() };
    scene.finish();
    scene.say(Wish::Declared);
    scene.step(Mood::BreaksBefore, Death::None);
    scene.say(Wish::There);
    assert_eq!(scene.step(Mood::Good, Death::None), Step::Fetch);
    assert_eq!(scene.finish(), Step::Steady);
    assert_eq!(scene.backing.external_id.as_deref(), Some("uid"));
}

#[test]
fn taking_back_an_accepted_delete_waits_for_its_end() {
    for (end, has, id) in [(Mood::Good, 1, 1), (Mood::FailsLater, 1, 0)] {
        let mut scene = Scene::new();
        scene.finish();
        scene.say(Wish::Declared);
        scene.step(Mood::Slow, Death::None);
        scene.say(Wish::There);
        assert!(matches!(scene.step(Mood::Slow, Death::None), Step::Wait(_)));
        assert_eq!(scene.step(end, Death::None), Step::Poll);
        assert_eq!(scene.finish(), Step::Steady);
        assert_eq!(scene.has.len(), has);
        assert_eq!(scene.backing.external_id, Some(external_id(None, "uid", id)), "{end:?}");
    }
}

#[test]
fn a_delete_in_the_middle_goes_on_and_a_plain_one_is_never_given_up() {
    let mut scene = Scene::new();
    scene.finish();
    scene.say(Wish::Declared);
    scene.step(Mood::Slow, Death::None);
    scene.say(Wish::Deleted);
    assert_eq!(scene.finish(), Step::Gone);
    assert!(scene.has.is_empty());

    let mut scene = Scene::new();
    scene.finish();
    scene.say(Wish::Deleted);
    for _ in 0..20 {
        let step = scene.step(Mood::Refuses, Death::None);
        assert!(matches!(step, Step::Ask(_) | Step::Wait(_)), "{step:?}");
    }
    assert_eq!(scene.finish(), Step::Gone);
}

#[test]
fn after_deleted_nothing_is_asked_of_a_broker_again() {
    let mut scene = Scene::new();
    scene.finish();
    scene.say(Wish::Declared);
    assert_eq!(scene.finish(), Step::Gone);
    assert!(scene.deleted);
    for wish in [Wish::There, Wish::Declared, Wish::Deleted] {
        scene.say(wish);
        assert_eq!(scene.step(Mood::Good, Death::None), Step::Gone);
    }
}

#[test]
fn what_was_never_asked_for_goes_without_a_word() {
    for wish in [Wish::Declared, Wish::Deleted] {
        let mut scene = Scene { wish, ..Scene::new() };
        assert_eq!(scene.step(Mood::Good, Death::None), Step::Gone);
    }
    let mut scene = Scene { wish: Wish::Disabled, ..Scene::new() };
    assert_eq!(scene.step(Mood::Good, Death::None), Step::Disabled);
    assert_eq!(ready(&scene).1, "DeclarativeDeleteDisabled");
}

#[test]
fn an_orphan_is_taken_back_and_the_next_try_has_another_identifier() {
    for mood in [Mood::BreaksAfter, Mood::SilentAfter] {
        let mut scene = Scene::new();
        scene.step(mood, Death::None);
        assert!(scene.backing.orphan_mitigation_in_progress);
        assert_eq!(scene.finish(), Step::Steady);
        assert_eq!(scene.has.keys().collect::<Vec<_>>(), [&external_id(None, "uid", 1)]);
    }
}

#[test]
fn a_refused_wish_rests_until_it_changes() {
    let mut scene = Scene::new();
    scene.step(Mood::Refuses, Death::None);
    assert_eq!(scene.step(Mood::Good, Death::None), Step::Refused);
    assert_eq!(ready(&scene), (false, "ProvisionCallFailed".into()));
    scene.say(Wish::There);
    assert_eq!(scene.finish(), Step::Steady);

    scene.wanted.plan_external_id = "q".into();
    scene.generation += 1;
    assert_eq!(scene.step(Mood::Refuses, Death::None), Step::Ask(CurrentOperation::Update));
    assert_eq!(scene.step(Mood::Good, Death::None), Step::Refused);
    scene.wanted.plan_external_id = "p".into();
    scene.generation += 1;
    assert_eq!(scene.step(Mood::Good, Death::None), Step::Steady, "what was there is wanted again");
}

#[test]
fn a_wish_that_changes_while_nobody_knows_is_not_a_conflict() {
    let mut scene = Scene::new();
    scene.step(Mood::Good, Death::AfterTheAnswer);
    scene.wanted.plan_external_id = "q".into();
    scene.generation += 1;
    assert_eq!(scene.step(Mood::Good, Death::None), Step::Mitigate);
    assert_eq!(scene.finish(), Step::Steady);
    assert_eq!(scene.has.len(), 1);
    assert_eq!(scene.backing.external_properties.as_ref().unwrap().plan_external_id, "q");
}

#[test]
fn what_a_binding_gave_is_put_back_without_a_change_at_the_broker() {
    let mut scene = Scene { thing: Thing::Binding, ..Scene::new() };
    assert_eq!(scene.finish(), Step::Steady);
    let before = scene.backing.clone();
    scene.injected = false;
    assert_eq!(decide(&scene.facts()), Step::Restore);
    assert_eq!(ready(&scene), (false, "ErrorInjectingBindResult".to_owned()));
    assert_eq!(scene.finish(), Step::Steady);
    assert_eq!(scene.backing, before);
    // One that is to go is not put back before.
    scene.injected = false;
    scene.say(Wish::Declared);
    assert_eq!(decide(&scene.facts()), Step::Ask(CurrentOperation::Unbind));
}

#[test]
fn polling_ends_when_it_has_taken_too_long() {
    let mut scene = Scene::new();
    scene.step(Mood::Slow, Death::None);
    scene.now += SignedDuration::from_secs(3601);
    assert_eq!(scene.step(Mood::Slow, Death::None), Step::Expire);
    assert!(scene.backing.orphan_mitigation_in_progress);
    assert_eq!(scene.finish(), Step::Steady);
    assert_eq!(scene.has.len(), 1);
}

fn moods() -> impl Strategy<Value = Mood> {
    prop_oneof![
        3 => Just(Mood::Good),
        2 => Just(Mood::Slow),
        1 => Just(Mood::Refuses),
        1 => Just(Mood::Busy),
        1 => Just(Mood::BreaksBefore),
        1 => Just(Mood::BreaksAfter),
        1 => Just(Mood::SilentBefore),
        1 => Just(Mood::SilentAfter),
        1 => Just(Mood::FailsLater),
    ]
}

fn events() -> impl Strategy<Value = (Mood, Death, Option<bool>)> {
    let deaths = prop_oneof![4 => Just(Death::None), 1 => Just(Death::BeforeTheQuestion), 1 => Just(Death::AfterTheAnswer)];
    // Every so often the user changes their mind.
    let minds = prop_oneof![5 => Just(None), 1 => any::<bool>().prop_map(Some)];
    (moods(), deaths, minds)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_made_twice_lost_or_forgotten(
        events in prop::collection::vec(events(), 1..60),
        retrievable in any::<bool>(),
        binding in any::<bool>(),
        end in any::<bool>(),
    ) {
        let thing = if binding { Thing::Binding } else { Thing::Instance };
        let mut scene = Scene { thing, retrievable, ..Scene::new() };
        for (mood, death, mind) in events {
            if let Some(stays) = mind && !scene.deleted {
                scene.say(if stays { Wish::There } else { Wish::Declared });
            }
            scene.step(mood, death);
            // At any time, what the broker has is known by its identifier, so that it can be given back.
            for id in scene.has.keys() {
                prop_assert_eq!(Some(id), scene.backing.external_id.as_ref(), "{:?}", scene.backing);
            }
        }
        // In good weather it ends as the user wants, and nothing else is there.
        scene.say(if end && !scene.deleted { Wish::There } else { Wish::Deleted });
        let rest = scene.finish();
        if scene.wish == Wish::There {
            prop_assert_eq!(rest, Step::Steady);
            prop_assert_eq!(scene.has.len(), 1);
            prop_assert_eq!(scene.backing.provision_status, Some(ProvisionStatus::Provisioned));
        } else {
            prop_assert_eq!(rest, Step::Gone);
            prop_assert!(scene.has.is_empty(), "{:?}", scene.has);
        }
        for (id, times) in &scene.ever {
            prop_assert_eq!(*times, 1, "{} was made {} times", id, times);
        }
    }
}
