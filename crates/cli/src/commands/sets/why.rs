//! `why`: what a set waits for, why, and what comes next.

use std::collections::HashSet;
use std::io::Write as _;

use clap::Args;
use jiff::Timestamp;
use kube::ResourceExt as _;
use objects::ObjectId;
use release::{Answer, Sets};

use super::describe::codes;
use super::kind::{Part, State, id_of};
use super::moments::until;
use super::{Kind, failed, sets};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::Desk;
use crate::output::{write_json, write_yaml};
use crate::report::{Failure, needs_exactly};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Its name
    #[arg(value_name = "NAME", hide = true)]
    names: Vec<String>,

    #[command(flatten)]
    output: OutputFormatFlag,
}

pub(crate) fn run<K: Kind>(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_exactly(1, &arguments.names, &format!("slipway {} why NAME [flags]", K::COMMAND))?;
    let desk = Desk::open(context)?;
    let name = &arguments.names[0];
    let answers = answers::<K>(&desk, name)?;
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &answers)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &answers)?,
        OutputFormat::Table => tell(&answers, &format!("{}/{name}", K::COMMAND), context)?,
    }
    Ok(())
}

/// Prints answers; what they are about is named by them, or else is the set.
pub(crate) fn tell(answers: &[Answer], subject: &str, context: &mut Context) -> Result<(), Failure> {
    if answers.iter().all(|answer| answer.what == NEXT) {
        writeln!(context.out, "{subject} is as it should be")?;
    }
    for Answer { object, what, because } in answers {
        let about = object.as_ref().map_or_else(|| subject.to_owned(), ToString::to_string);
        writeln!(context.out, "{about}: {what}")?;
        for line in because {
            writeln!(context.out, "  {line}")?;
        }
    }
    Ok(())
}

/// What comes without anybody doing anything.
const NEXT: &str = "what comes next";

/// What a set waits for, why, and what comes next.
pub(crate) fn answers<K: Kind>(desk: &Desk, name: &str) -> Result<Vec<Answer>, Failure> {
    let api = sets::<K>(desk, Some(&desk.namespace))?;
    let found = desk.cluster.wait(api.get_opt(name)).map_err(|error| failed::<K>(name, &error))?;
    let Some(set) = found else { return gone::<K>(desk, name) };
    let parts = set.parts();
    let mut answers: Vec<Answer> = whole(&set).into_iter().collect();
    answers.extend(errors(&set, &parts));
    let is_deleted = set.meta().deletion_timestamp.is_some();
    if !is_deleted && !set.is_suspended() && !set.is_taken_down() {
        answers.extend(dependencies(desk, &set)?);
        for part in &parts {
            answers.extend(of_part(desk, part, &parts)?);
        }
    }
    for object in set.going() {
        answers.extend(not_gone(desk, id_of(object), object.why.clone())?);
    }
    answers.extend(next(&set, &parts));
    Ok(answers)
}

/// A set that is not there may have left something behind.
fn gone<K: Kind>(desk: &Desk, name: &str) -> Result<Vec<Answer>, Failure> {
    let sets = Sets::new(desk.engine.client().clone(), &desk.namespace, K::BELONGS);
    let trash = desk.cluster.wait(sets.read_trash(name)).ok().flatten();
    let Some(trash) = trash else {
        return Err(Failure::new(format!(
            "there is no {} {name} in namespace {}",
            K::kind(&()),
            desk.namespace
        ))
        .hint(format!("'slipway {} list -A' shows all there are", K::COMMAND)));
    };
    let left = trash.inventory.entries.iter().map(|entry| {
        let delay = entry.delay.as_deref().map(|delay| format!(", delay {delay}")).unwrap_or_default();
        format!("{}{delay}", entry.id)
    });
    let because = left.chain([format!("a {} of the same name that lists them has them back", K::kind(&()))]);
    let what = "it is gone, and what has a delay counts down in its trash".to_owned();
    Ok(vec![Answer { object: None, what, because: because.collect() }])
}

/// What is the matter with the set as a whole.
fn whole<K: Kind>(set: &K) -> Option<Answer> {
    let (meta, standing) = (set.meta(), set.standing());
    let answer = |what: String, because: Vec<String>| Some(Answer { object: None, what, because });
    let said = || standing.words.clone().into_iter().collect::<Vec<String>>();
    if let Some(since) = &meta.deletion_timestamp {
        let mut because = said();
        if set.is_suspended() {
            because.push("it is suspended, which does not hold back its deletion".to_owned());
        }
        return answer(format!("it is being deleted since {}, and is not gone", since.0), because);
    }
    if set.is_suspended() {
        let resume = format!("'slipway {} resume {}' goes on", K::COMMAND, set.name_any());
        return answer("it is suspended: nothing is done".to_owned(), vec![resume]);
    }
    let interrupted =
        api::INTERRUPT.iter().any(|key| set.annotations().get(*key).is_some_and(|value| value == "true"));
    if interrupted {
        let words = "take the annotation slipway.dev/interrupt off to go on".to_owned();
        return answer("it is interrupted: nothing is done".to_owned(), vec![words]);
    }
    if !standing.is_seen {
        let seen = set.status().and_then(|status| status.observed_generation);
        let generation = meta.generation.unwrap_or_default();
        let mut because = match seen {
            Some(seen) => {
                vec![format!("generation {generation} is wanted, and generation {seen} was seen last")]
            }
            None => Vec::new(),
        };
        because.push(
            "is an operator running? 'slipway operator' is one, and its logs tell what it does".to_owned(),
        );
        return answer("no operator has looked at what is wanted now".to_owned(), because);
    }
    if set.is_taken_down() {
        let mut because = said();
        let deleted = set.status().and_then(|status| status.condition("Deleted"));
        if deleted.is_none_or(|deleted| deleted.status != "True") {
            because
                .push("spec.existsExternally: true brings everything back while it is not over".to_owned());
        }
        return answer("it is taken down: spec.existsExternally is false".to_owned(), because);
    }
    None
}

/// What the operator tried in vain. What is about a part is told with it.
fn errors<K: Kind>(set: &K, parts: &[Part]) -> Vec<Answer> {
    let errors = set.status().map(|status| status.last_errors.as_slice()).unwrap_or_default();
    let retried = set.standing().has_failed.is_none();
    let answer = |error: &extension::LastError| {
        let again = if retried { "it is tried again" } else { "it waits until somebody changes something" };
        let mut because = vec![again.to_owned()];
        if !error.codes.is_empty() {
            because.push(format!("codes: {}", codes(&error.codes)));
        }
        if set.meta().deletion_timestamp.is_some()
            && error.codes.iter().any(extension::ErrorCode::is_blocking)
        {
            let object = format!("{}/{}", K::COMMAND, set.name_any());
            because.push(format!("'slipway force-delete {object}' lets it go, whatever is left behind"));
        }
        Answer { object: None, what: error.description.clone(), because }
    };
    let of_parts: HashSet<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let others =
        errors.iter().filter(|error| !error.task_id.as_deref().is_some_and(|task| of_parts.contains(task)));
    others.map(answer).collect()
}

/// Other sets that it comes after, and that are not ready.
fn dependencies<K: Kind>(desk: &Desk, set: &K) -> Result<Vec<Answer>, Failure> {
    let mut answers = Vec::new();
    for name in set.comes_after() {
        let api = sets::<K>(desk, Some(&desk.namespace))?;
        let other = desk.cluster.wait(api.get_opt(name)).map_err(|error| failed::<K>(name, &error))?;
        let title = format!("{}/{name}", K::COMMAND);
        let because = match other {
            None => format!("{title} is not there"),
            Some(other) if other.standing().is_ready => continue,
            Some(other) => match other.standing().words {
                Some(words) => format!("{title} is not ready: {words}"),
                None => format!("{title} is not ready"),
            },
        };
        let more = format!("'slipway {} why {name}' tells more", K::COMMAND);
        answers.push(Answer {
            object: None,
            what: format!("it waits for {title}"),
            because: vec![because, more],
        });
    }
    Ok(answers)
}

fn of_part(desk: &Desk, part: &Part, all: &[Part]) -> Result<Option<Answer>, Failure> {
    let object = part.object.clone();
    let told =
        |what: String, because: Vec<String>| Ok(Some(Answer { object: object.clone(), what, because }));
    match part.state {
        Some(State::Ready) => Ok(None),
        Some(State::Blocked) => {
            let unready = part.after.iter().filter_map(|name| {
                let other = all.iter().find(|other| other.name == *name)?;
                let state = other.state.filter(|state| *state != State::Ready)?;
                Some(match other.message.as_str() {
                    "" => format!("resource {name} is {}", state.name()),
                    message => format!("resource {name} is {}: {message}", state.name()),
                })
            });
            let mut because: Vec<String> = unready.collect();
            if because.is_empty() {
                because.push(part.message.clone());
            }
            told(format!("resource {} is blocked by what it comes after", part.name), because)
        }
        Some(State::Error) => told(format!("resource {} is refused", part.name), vec![part.message.clone()]),
        Some(State::InProgress) => {
            let live = explained(desk, part)?;
            let mut because = vec![part.message.clone()];
            because.extend(live.into_iter().flat_map(|answer| answer.because));
            because.retain(|line| !line.is_empty());
            told(format!("resource {} is applied, and not ready", part.name), because)
        }
        None => explained(desk, part),
    }
}

/// What the cluster says about the object of a part.
fn explained(desk: &Desk, part: &Part) -> Result<Option<Answer>, Failure> {
    let Some(id) = part.object.clone() else { return Ok(None) };
    desk.wait(&part.name, release::why_member(&desk.engine, id))
}

/// What is to go, and what holds it.
fn not_gone(desk: &Desk, id: ObjectId, why: Option<String>) -> Result<Option<Answer>, Failure> {
    let live = desk.wait(&id.name, release::why_member(&desk.engine, id.clone()))?;
    let because: Vec<String> =
        why.into_iter().chain(live.iter().flat_map(|live| live.because.clone())).collect();
    let what = match live {
        Some(live) if live.what == "it is not there" => return Ok(None),
        Some(live) => live.what,
        None => "it is no longer listed, and is still there".to_owned(),
    };
    Ok(Some(Answer { object: Some(id), what, because }))
}

/// What will happen, in which order.
fn next<K: Kind>(set: &K, parts: &[Part]) -> Option<Answer> {
    let mut because = Vec::new();
    let waits =
        |state: Option<State>| matches!(state, Some(State::Blocked | State::InProgress | State::Error));
    let mut unready: HashSet<&str> =
        parts.iter().filter(|part| waits(part.state)).map(|part| part.name.as_str()).collect();
    if set.meta().deletion_timestamp.is_none() && !set.is_suspended() {
        // In waves: whatever waits only for the wave before.
        let mut wave: Vec<&str> = parts
            .iter()
            .filter(|part| matches!(part.state, Some(State::InProgress | State::Error)))
            .map(|part| part.name.as_str())
            .collect();
        while !wave.is_empty() {
            unready.retain(|name| !wave.contains(name));
            let then: Vec<&str> = parts
                .iter()
                .filter(|part| unready.contains(part.name.as_str()))
                .filter(|part| part.after.iter().all(|name| !unready.contains(name.as_str())))
                .map(|part| part.name.as_str())
                .collect();
            if !then.is_empty() {
                because.push(format!("when {} is ready: {}", wave.join(", "), then.join(", ")));
            }
            wave = then;
        }
        let waiting = set.going().iter().filter(|object| object.why.is_some());
        let waiting: Vec<String> = waiting.map(|object| id_of(object).to_string()).collect();
        if !waiting.is_empty() && !set.standing().is_ready {
            because.push(format!("when all are ready: {} is deleted", waiting.join(", ")));
        }
    }
    let now = Timestamp::now();
    let mut pending: Vec<_> = set.pending().iter().collect();
    pending.sort_by_key(|pending| pending.due.as_ref().map(|due| due.0));
    for pending in pending {
        let id = id_of(&pending.object);
        because.push(match &pending.due {
            Some(due) if set.is_suspended() => {
                format!("{id} counts down until {}, and stays while the set is suspended", due.0)
            }
            Some(due) => format!("{id} is deleted at {} ({})", due.0, until(due.0, now)),
            None => format!("{id} stays: its delay cannot be read"),
        });
    }
    (!because.is_empty()).then(|| Answer { object: None, what: NEXT.to_owned(), because })
}
