//! `list`: what sets there are, and how they stand.

use std::io::Write as _;

use clap::Args;
use jiff::Timestamp;
use kube::ResourceExt as _;
use kube::api::ListParams;
use serde::Serialize;

use super::kind::State;
use super::moments::{span, until};
use super::{Kind, failed, sets};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::Desk;
use crate::output::{Table, write_json, write_yaml};
use crate::report::Failure;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Of every namespace
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// Only those with these labels: key=value,key!=value
    #[arg(short = 'l', long, value_name = "LABELS")]
    selector: Option<String>,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    namespace: String,
    name: String,
    /// `True`, `False` or `Unknown`.
    ready: String,
    reason: String,
    /// How many of its parts are ready; nothing where the status does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    ready_parts: Option<usize>,
    parts: usize,
    /// How many objects count down or are to go.
    going: usize,
    /// When the next countdown ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<Timestamp>,
}

pub(crate) fn run<K: Kind>(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let desk = Desk::open(context)?;
    let namespace = (!arguments.all_namespaces).then_some(desk.namespace.as_str());
    let api = sets::<K>(&desk, namespace)?;
    let parameters = ListParams { label_selector: arguments.selector.clone(), ..ListParams::default() };
    let found = desk.cluster.wait(api.list(&parameters)).map_err(|error| failed::<K>("", &error))?;
    let mut rows: Vec<Row> = found.items.iter().map(row).collect();
    rows.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &rows)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &rows)?,
        OutputFormat::Table => print(&rows, context)?,
    }
    Ok(())
}

fn row<K: Kind>(set: &K) -> Row {
    let ready = set.status().and_then(|status| status.condition("Ready"));
    let parts = set.parts();
    let (reason, ready) = if set.meta().deletion_timestamp.is_some() {
        ("Deleting".to_owned(), "False".to_owned())
    } else if set.is_suspended() {
        ("Suspended".to_owned(), ready.map_or("Unknown", |ready| ready.status.as_str()).to_owned())
    } else if !set.standing().is_seen {
        ("NotSeenYet".to_owned(), "Unknown".to_owned())
    } else {
        let reason = ready.map(|ready| ready.reason.clone()).unwrap_or_default();
        (reason, ready.map_or_else(|| "Unknown".to_owned(), |ready| ready.status.clone()))
    };
    let tells = parts.iter().any(|part| part.state.is_some());
    Row {
        namespace: set.namespace().unwrap_or_default(),
        name: set.name_any(),
        ready,
        reason,
        ready_parts: tells.then(|| parts.iter().filter(|part| part.state == Some(State::Ready)).count()),
        parts: parts.len(),
        going: set.pending().len() + set.going().len(),
        next: set.pending().iter().filter_map(|pending| pending.due.as_ref()).map(|due| due.0).min(),
        created: set.meta().creation_timestamp.as_ref().map(|time| time.0),
    }
}

fn print(rows: &[Row], context: &mut Context) -> Result<(), Failure> {
    let now = Timestamp::now();
    let mut table = Table::new(60);
    table.row(["NAMESPACE", "NAME", "READY", "REASON", "OBJECTS", "GOING", "NEXT", "AGE"]);
    for row in rows {
        let objects = match row.ready_parts {
            Some(ready) => format!("{ready}/{}", row.parts),
            None => row.parts.to_string(),
        };
        let next = row.next.map_or_else(|| "-".to_owned(), |next| until(next, now));
        let age = row.created.map_or_else(|| "-".to_owned(), |made| span(now.duration_since(made).as_secs()));
        let going = row.going.to_string();
        table.row([&row.namespace, &row.name, &row.ready, &row.reason, &objects, &going, &next, &age]);
    }
    writeln!(context.out, "{table}")?;
    Ok(())
}
