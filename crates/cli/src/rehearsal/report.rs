//! What would happen, told by what happened to the copy.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use engine::{Effect, Event};
use jiff::Timestamp;
use objects::ObjectId;
use release::Deployed;
use serde::Serialize;

use super::Rehearsal;
use super::finalizers::Assumption;
use crate::context::Context;
use crate::flags::OutputFormat;
use crate::output::{write_json, write_yaml};
use crate::report::Failure;

/// What would happen.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    release: String,
    namespace: String,
    operation: String,
    revision: u32,
    /// Whether it would end well.
    succeeds: bool,
    failures: Vec<Trouble>,
    created: BTreeSet<ObjectId>,
    changed: BTreeSet<ObjectId>,
    unchanged: BTreeSet<ObjectId>,
    deleted: BTreeSet<ObjectId>,
    /// What would be deleted and not go.
    stuck: Vec<Stuck>,
    kept: Vec<Kept>,
    forced: Vec<Forced>,
    counting: Vec<Counting>,
    restored: BTreeSet<ObjectId>,
    hooks: BTreeSet<ObjectId>,
    warnings: Vec<String>,
    /// What is nobody's dependent, and would go with its namespace or definition.
    along: BTreeSet<ObjectId>,
    /// What belongs to objects that go or change: how many of each kind would go.
    dependents: BTreeMap<String, usize>,
    /// What is taken for granted.
    assumed: Assumed,
    /// How long it would wait, as far as the copy can tell.
    seconds: f64,
    events: Vec<Moment>,
}

#[derive(Debug, Serialize)]
struct Trouble {
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<ObjectId>,
    message: String,
}

#[derive(Debug, Serialize)]
struct Stuck {
    object: ObjectId,
    finalizers: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Kept {
    object: ObjectId,
    why: String,
}

#[derive(Debug, Serialize)]
struct Forced {
    object: ObjectId,
    finalizers: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Counting {
    object: ObjectId,
    due: Option<Timestamp>,
}

#[derive(Debug, Default, Serialize)]
struct Assumed {
    finalizers: Vec<Assumption>,
    others: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Moment {
    /// Seconds from the beginning.
    after: f64,
    #[serde(flatten)]
    event: Event,
}

impl Report {
    pub(super) fn new(rehearsal: &Rehearsal, deployed: &Deployed) -> Self {
        let record = &deployed.record;
        let mut report = Self {
            release: record.name.clone(),
            namespace: record.namespace.clone(),
            operation: deployed.plan.operation.to_string(),
            revision: record.version,
            succeeds: deployed.outcome.is_success(),
            ..Self::default()
        };
        let failures = deployed.outcome.failures.iter().cloned();
        report.failures.extend(failures.map(|(object, message)| Trouble { object, message }));
        let mut deleting = BTreeSet::new();
        for (after, event) in rehearsal.heard.events() {
            report.hear(&event, &mut deleting);
            report.seconds = after.as_secs_f64();
            report.events.push(Moment { after: after.as_secs_f64(), event });
        }
        report.compare(rehearsal, &deleting);
        report.assume(rehearsal, &deleting);
        report
    }

    fn hear(&mut self, event: &Event, deleting: &mut BTreeSet<ObjectId>) {
        match event.clone() {
            Event::Applied { object, effect } => {
                let found = match effect {
                    Effect::Created => &mut self.created,
                    Effect::Configured => &mut self.changed,
                    Effect::Unchanged => &mut self.unchanged,
                };
                found.insert(object);
            }
            Event::Deleting { object } => drop(deleting.insert(object)),
            Event::Gone { object } => drop(self.deleted.insert(object)),
            Event::Stripped { object, finalizers } => self.forced.push(Forced { object, finalizers }),
            Event::Stamped { object, due } => self.counting.push(Counting { object, due }),
            Event::Restored { object } => drop(self.restored.insert(object)),
            Event::Kept { object, why } => self.kept.push(Kept { object, why }),
            Event::HookBegun { object, .. } => drop(self.hooks.insert(object)),
            Event::Warning { message } => self.warnings.push(message),
            _ => {}
        }
    }

    /// What became of the copy: objects that are still going, and those that went along.
    fn compare(&mut self, rehearsal: &Rehearsal, deleting: &BTreeSet<ObjectId>) {
        let store = rehearsal.dock.store();
        for (key, (id, object)) in rehearsal.copy.keys().zip(rehearsal.copy.objects()) {
            match store.get(&key) {
                Some(stored) if deleting.contains(&id) => {
                    let metadata = &stored.object["metadata"];
                    let same = metadata["uid"].as_str() == object.metadata.uid.as_deref();
                    if same && !metadata["deletionTimestamp"].is_null() {
                        let finalizers = metadata["finalizers"].as_array().into_iter().flatten();
                        let finalizers = finalizers.filter_map(|one| one.as_str().map(str::to_owned));
                        self.stuck.push(Stuck { object: id, finalizers: finalizers.collect() });
                    }
                }
                None if !rehearsal.copy.own.contains(&id) && !self.is_record(&id) => {
                    if object.metadata.owner_references.as_ref().is_none_or(Vec::is_empty) {
                        self.along.insert(id);
                    } else {
                        *self.dependents.entry(id.kind).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
    }

    fn is_record(&self, id: &ObjectId) -> bool {
        let ours = [format!("sh.helm.release.v1.{}.", self.release), format!("slipway.v1.{}.", self.release)];
        id.kind == "Secret" && ours.iter().any(|ours| id.name.starts_with(ours))
    }

    fn assume(&mut self, rehearsal: &Rehearsal, deleting: &BTreeSet<ObjectId>) {
        let concerns = |id: &ObjectId| deleting.contains(id) || self.along.contains(id);
        let told = rehearsal.custodians.assumptions().into_iter();
        self.assumed.finalizers = told.filter(|assumption| concerns(&assumption.object)).collect();
        let others = &mut self.assumed.others;
        others.push("pods that start become ready, and Jobs complete".to_owned());
        others.push("webhooks, admission policies and quotas of the cluster agree".to_owned());
        others.push("you may do all of it".to_owned());
        for what in &rehearsal.copy.unseen {
            others.push(format!("nothing of concern is among the {what}, which you may not read"));
        }
        if let Some(holder) = &rehearsal.holder {
            others.push(format!("{holder}, who is at work on it, is done by then"));
        }
    }

    pub(super) fn print(&self, format: OutputFormat, context: &mut Context) -> Result<(), Failure> {
        match format {
            OutputFormat::Json => Ok(write_json(&mut context.out, self)?),
            OutputFormat::Yaml => Ok(write_yaml(&mut context.out, self)?),
            OutputFormat::Table => self.write(context),
        }
    }

    fn write(&self, context: &mut Context) -> Result<(), Failure> {
        let Self { release, operation, revision, .. } = self;
        let out = &mut context.out;
        let done = if self.succeeds { "it would end well" } else { "it would fail" };
        writeln!(out, "REHEARSAL of the {operation} of {release}, revision {revision}: {done}")?;
        writeln!(out, "Nothing was changed: it happened to a copy of what is there.")?;
        let mut section = |title: &str, lines: Vec<String>| -> std::io::Result<()> {
            if lines.is_empty() {
                return Ok(());
            }
            writeln!(out, "\n{title}:")?;
            lines.iter().try_for_each(|line| writeln!(out, "  {line}"))
        };
        let names = |ids: &BTreeSet<ObjectId>| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        section(
            "Would fail",
            self.failures.iter().map(|trouble| told(trouble.object.as_ref(), &trouble.message)).collect(),
        )?;
        section("Would be created", names(&self.created))?;
        section("Would be changed", names(&self.changed))?;
        section("Would be deleted", names(&self.deleted))?;
        let held = |finalizers: &[String]| match finalizers {
            [] => "it is being deleted, and not gone".to_owned(),
            finalizers => format!("held by {}", finalizers.join(", ")),
        };
        section(
            "Would be stuck",
            self.stuck.iter().map(|stuck| told(Some(&stuck.object), &held(&stuck.finalizers))).collect(),
        )?;
        section(
            "Would lose finalizers by force",
            self.forced
                .iter()
                .map(|forced| told(Some(&forced.object), &forced.finalizers.join(", ")))
                .collect(),
        )?;
        section(
            "Would begin to count down",
            self.counting
                .iter()
                .map(|counting| {
                    let due = counting
                        .due
                        .map_or_else(|| "its delay cannot be read".to_owned(), |due| format!("until {due}"));
                    told(Some(&counting.object), &due)
                })
                .collect(),
        )?;
        section("Would come out of the trash", names(&self.restored))?;
        section("Would be kept", self.kept.iter().map(|kept| told(Some(&kept.object), &kept.why)).collect())?;
        section("Would go along, although no revision has it", names(&self.along))?;
        let dependents = self.dependents.iter().map(|(kind, count)| format!("{count} {kind}"));
        section("Would go or be replaced with what owns them", dependents.collect())?;
        section("Hooks that would run", names(&self.hooks))?;
        section("Warnings", self.warnings.clone())?;
        let finalizers = self.assumed.finalizers.iter().map(|one| {
            let becomes = if one.removed { "is removed" } else { "stays" };
            format!("finalizer {} of {} {becomes}: {}", one.finalizer, one.object, one.because)
        });
        section("Assumed", finalizers.chain(self.assumed.others.iter().cloned()).collect())?;
        if !self.unchanged.is_empty() {
            writeln!(out, "\n{} objects would stay as they are.", self.unchanged.len())?;
        }
        Ok(())
    }

    /// Whether it would succeed.
    pub(super) fn judge(&self) -> Result<(), Failure> {
        if self.succeeds {
            return Ok(());
        }
        let mut told: Vec<String> =
            self.failures.iter().map(|trouble| told(trouble.object.as_ref(), &trouble.message)).collect();
        if told.is_empty() {
            told.push("it was stopped".to_owned());
        }
        Err(Failure::new(format!(
            "the {} of {} would fail:\n  {}",
            self.operation,
            self.release,
            told.join("\n  ")
        ))
        .hint("this was a rehearsal: nothing was changed"))
    }
}

fn told(object: Option<&ObjectId>, words: &str) -> String {
    object.map_or_else(|| words.to_owned(), |object| format!("{object}: {words}"))
}
