//! `describe`: everything there is to say about one set.

use std::io::Write as _;

use clap::Args;
use extension::{ErrorCode, ExtensionStatus};
use jiff::Timestamp;
use kube::ResourceExt as _;
use serde_json::{Value, json};

use super::events::{self, Happened};
use super::kind::{Part, State, id_of};
use super::moments::{ago, until};
use super::{Kind, get};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::Desk;
use crate::output::{Table, write_json, write_yaml};
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
    needs_exactly(1, &arguments.names, &format!("slipway {} describe NAME [flags]", K::COMMAND))?;
    let desk = Desk::open(context)?;
    let set: K = get(&desk, &arguments.names[0])?;
    let happened = events::about(&desk, &set);
    let mut parts = set.parts();
    for part in parts.iter_mut().filter(|part| part.state.is_none()) {
        look(&desk, part);
    }
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &whole(&set, &parts, &happened))?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &whole(&set, &parts, &happened))?,
        OutputFormat::Table => print(&set, &parts, &happened, context)?,
    }
    Ok(())
}

/// How an object stands of which the status says nothing, by what the cluster has.
fn look(desk: &Desk, part: &mut Part) {
    let Some(id) = part.object.clone() else { return };
    match desk.cluster.wait(release::why_member(&desk.engine, id)) {
        Ok(None) => part.state = Some(State::Ready),
        Ok(Some(answer)) => {
            part.state = Some(State::InProgress);
            part.message = answer.what;
        }
        Err(error) => part.message = error.to_string(),
    }
}

fn whole<K: Kind>(set: &K, parts: &[Part], happened: &[Happened]) -> Value {
    let parts: Vec<Value> = parts
        .iter()
        .map(|part| {
            json!({
                "name": part.name,
                "object": part.object.as_ref().map(ToString::to_string),
                "state": part.state.map(State::name),
                "message": part.message,
            })
        })
        .collect();
    let mut object = serde_json::to_value(set).unwrap_or_default();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    json!({"object": object, "parts": parts, "events": happened})
}

fn print<K: Kind>(
    set: &K,
    parts: &[Part],
    happened: &[Happened],
    context: &mut Context,
) -> Result<(), Failure> {
    let now = Timestamp::now();
    let none = ExtensionStatus::default();
    let status = set.status().unwrap_or(&none);
    let out = &mut context.out;
    let mut head = Table::new(0);
    for (title, value) in heading(set, status, now) {
        head.row([&format!("{title}:"), &value]);
    }
    for line in head.to_string().lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    let mut section = |title: &str, columns: &[&str], rows: Vec<Vec<String>>| -> std::io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{title}:")?;
        let mut table = Table::new(0);
        table.cells(columns);
        for row in &rows {
            table.cells(&row.iter().map(String::as_str).collect::<Vec<&str>>());
        }
        table.to_string().lines().try_for_each(|line| writeln!(out, "  {}", line.trim_end()))
    };
    let conditions = status.conditions.iter().map(|condition| {
        vec![
            condition.type_.clone(),
            condition.status.clone(),
            condition.reason.clone(),
            ago(Some(&condition.last_transition_time), now),
            condition.message.clone(),
        ]
    });
    section("Conditions", &["TYPE", "STATUS", "REASON", "SINCE", "MESSAGE"], conditions.collect())?;
    let resources = parts.iter().map(|part| {
        vec![
            part.name.clone(),
            part.object.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string),
            part.state.map_or("-", State::name).to_owned(),
            part.message.clone(),
        ]
    });
    section("Resources", &["NAME", "OBJECT", "STATE", "MESSAGE"], resources.collect())?;
    let pending = set.pending().iter().map(|pending| {
        let due = pending.due.as_ref();
        vec![
            id_of(&pending.object).to_string(),
            pending.since.0.to_string(),
            due.map_or_else(|| "unreadable".to_owned(), |due| due.0.to_string()),
            due.map_or_else(|| "never".to_owned(), |due| until(due.0, now)),
        ]
    });
    section("Pending deletions", &["OBJECT", "SINCE", "DUE", "LEFT"], pending.collect())?;
    let going = set.going().iter().map(|object| {
        vec![id_of(object).to_string(), object.why.clone().unwrap_or_else(|| "it is going".to_owned())]
    });
    section("To be deleted", &["OBJECT", "WHY IT IS STILL THERE"], going.collect())?;
    let errors = status.last_errors.iter().map(|error| {
        let since = ago(error.last_update_time.as_ref(), now);
        vec![since, codes(&error.codes), error.description.clone()]
    });
    section("Errors", &["SINCE", "CODES", "DESCRIPTION"], errors.collect())?;
    let stripped = status.stripped.iter().map(|one| {
        let place = one.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
        vec![
            ago(Some(&one.time), now),
            format!("{} {place}{}", one.kind, one.name),
            one.finalizers.join(", "),
        ]
    });
    section("Let go by force", &["WHEN", "OBJECT", "FINALIZERS TAKEN OFF"], stripped.collect())?;
    let events = happened.iter().map(|one| {
        let time = one.time.map(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time);
        vec![ago(time.as_ref(), now), one.kind.clone(), one.reason.clone(), one.note.clone()]
    });
    section("Events", &["WHEN", "TYPE", "REASON", "NOTE"], events.collect())?;
    Ok(())
}

fn heading<K: Kind>(set: &K, status: &ExtensionStatus, now: Timestamp) -> Vec<(&'static str, String)> {
    let meta = set.meta();
    let number = |number: Option<i64>| number.map_or_else(|| "none".to_owned(), |number| number.to_string());
    let mut told = vec![
        ("Name", set.name_any()),
        ("Namespace", set.namespace().unwrap_or_default()),
        ("Account", set.account().to_owned()),
        ("Age", ago(meta.creation_timestamp.as_ref(), now).replace(" ago", "")),
        ("Generation", format!("{} (seen: {})", number(meta.generation), number(status.observed_generation))),
    ];
    told.extend(set.more());
    if set.is_suspended() {
        told.push(("Suspended", "nothing is done".to_owned()));
    }
    if set.is_taken_down() {
        told.push(("Taken down", "existsExternally is false".to_owned()));
    }
    if let Some(since) = &meta.deletion_timestamp {
        told.push(("Deleting", format!("since {}", ago(Some(since), now))));
    }
    if let Some(last) = &status.last_operation {
        let when = ago(last.last_update_time.as_ref(), now);
        let state = format!("{} {:?}, {} %, {when}", last.operation, last.state, last.progress);
        let words =
            if last.description.is_empty() { String::new() } else { format!(": {}", last.description) };
        told.push(("Operation", format!("{state}{words}")));
    }
    told
}

/// Error codes as they are written.
pub(super) fn codes(codes: &[ErrorCode]) -> String {
    let written: Vec<Value> = codes.iter().filter_map(|code| serde_json::to_value(code).ok()).collect();
    let written: Vec<&str> = written.iter().filter_map(Value::as_str).collect();
    if written.is_empty() { "-".to_owned() } else { written.join(", ") }
}
