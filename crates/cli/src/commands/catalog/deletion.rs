//! Giving an instance or a binding back: by a plain delete, by its spec, or without the broker.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use catalog::kinds::{DELETED, FAILED, READY};
use clap::Args;
use extension::annotations::FORCE_DELETION;
use extension::force::is_blocked;
use extension::status::OperationType;
use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use kube::{Api, ResourceExt as _};
use serde_json::json;

use super::bought::{Bought, holds, left_behind, words};
use super::counter::{Counter, FEATURE};
use super::waiting::{Seen, Wait, WaitFlags};
use crate::context::Context;
use crate::prompt;
use crate::report::{self, Failure};

/// In which way it is given back.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct DeletionFlags {
    /// Give it back by its spec, which can be taken back with 'slipway catalog undo' if the broker refuses
    #[arg(long)]
    pub(super) declarative: bool,

    /// Let go of it when the broker does not take it back, which may go on to be charged for
    #[arg(long)]
    pub(super) abandon: bool,

    /// Do not ask before it is abandoned
    #[arg(long, short)]
    pub(super) yes: bool,

    #[command(flatten)]
    pub(super) waiting: WaitFlags,
}

impl DeletionFlags {
    /// Refuses what contradicts itself.
    pub(super) fn check(self) -> Result<(), Failure> {
        if self.declarative && self.abandon {
            return Err(Failure::usage("--declarative and --abandon cannot be given together").hint(
                "--declarative keeps the object until the broker has agreed, --abandon does without the broker",
            ));
        }
        Ok(())
    }
}

/// What svcat says before it abandons anything.
const WARNING: &str = "This action is not reversible and may cause you to be charged for the broker resources that are abandoned.";
/// How long an object that is deprovisioned is given to go, before it is taken for one that is retained.
const RETAINED: Duration = Duration::from_secs(3);

/// Asks before anything is abandoned.
pub(super) fn confirm(flags: DeletionFlags, what: &str) -> Result<(), Failure> {
    if !flags.abandon || flags.yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        return Err(
            Failure::new("nobody was asked, and nothing was done").hint("--yes does it without asking")
        );
    }
    report::plain(&format!("{what} is deleted; what the broker does not take back is abandoned."));
    report::plain(WARNING);
    match prompt::line("Are you sure? [y|n]: ")?.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::new("nothing was done")),
    }
}

/// Gives one back, and tells it.
pub(super) fn give_back<K: Bought>(
    counter: &Counter,
    context: &mut Context,
    object: &K,
    flags: DeletionFlags,
) -> Result<(), Failure> {
    let name = object.name_any();
    let api = counter.api::<K>(false);
    if flags.declarative {
        return declare(counter, context, &api, object, flags.waiting);
    }
    if object.meta().deletion_timestamp.is_none() {
        let preconditions = Preconditions { uid: object.uid(), resource_version: None };
        let deletion = DeleteParams::default().preconditions(preconditions);
        counter.wait(&name, api.delete(&name, &deletion))?;
    }
    if flags.abandon {
        return abandon(counter, context, &api, object, flags.waiting);
    }
    if flags.waiting.wait {
        report::plain(&format!("Waiting for the {} to be deleted...", K::WORD));
        let wait = Wait { name: &name, timeout: flags.waiting.timeout };
        wait.follow(counter, &api, |seen: Option<&K>| match same(seen, object) {
            None => Seen::Done,
            Some(seen) => Seen::Going(words(seen)),
        })?;
    }
    Ok(writeln!(context.out, "deleted {name}")?)
}

/// The object, unless it is gone or another has its name.
fn same<'a, K: Bought>(seen: Option<&'a K>, object: &K) -> Option<&'a K> {
    seen.filter(|seen| seen.uid() == object.uid())
}

fn declare<K: Bought>(
    counter: &Counter,
    context: &mut Context,
    api: &Api<K>,
    object: &K,
    waiting: WaitFlags,
) -> Result<(), Failure> {
    let name = object.name_any();
    if object.meta().deletion_timestamp.is_some() {
        return Err(Failure::new(format!("the {} {name:?} is being deleted already", K::WORD)));
    }
    let change = json!({"metadata": {"uid": object.uid()}, "spec": {"existsExternally": false}});
    counter.wait(&name, api.patch(&name, &PatchParams::default(), &Patch::Merge(&change)))?;
    let prefix = if K::WORD == "instance" { String::new() } else { format!("{}/", K::WORD) };
    let undo = format!("'slipway catalog undo {prefix}{name}' takes it back");
    if !waiting.wait {
        writeln!(context.out, "{name} is being given back")?;
        return Ok(writeln!(context.out, "{undo}")?);
    }
    report::plain(&format!("Waiting for the {} to be given back...", K::WORD));
    let judge = |seen: Option<&K>| {
        let Some(seen) = same(seen, object) else { return Seen::Done };
        if holds(seen, DELETED).is_some() {
            return Seen::Done;
        }
        if let Some(refused) = holds(seen, FAILED) {
            return Seen::Failed(refused, Some(undo.clone()));
        }
        let ready = seen.status().and_then(|status| status.condition(READY));
        if ready.is_some_and(|ready| ready.reason == "DeclarativeDeleteDisabled") {
            let words = "the feature DeclarativeDelete is off, and nothing is done";
            return Seen::Failed(words.to_owned(), Some(format!("{undo}; {FEATURE}")));
        }
        Seen::Going(words(seen))
    };
    let left = Wait { name: &name, timeout: waiting.timeout }.follow(counter, api, judge)?;
    if left.is_some_and(|left| left.uid() == object.uid()) {
        // The operator deletes the object, unless it was told to retain such.
        let wait = Wait { name: &name, timeout: RETAINED };
        let gone = wait.follow(counter, api, |seen: Option<&K>| match same(seen, object) {
            None => Seen::Done,
            Some(_) => Seen::Going(String::new()),
        });
        if gone.is_err() {
            return Ok(writeln!(context.out, "{name} is given back; the object stays until it is deleted")?);
        }
    }
    Ok(writeln!(context.out, "{name} is given back")?)
}

/// Waits until it is gone or its deletion is known to be stuck, and lets go of it in the second case.
fn abandon<K: Bought>(
    counter: &Counter,
    context: &mut Context,
    api: &Api<K>,
    object: &K,
    waiting: WaitFlags,
) -> Result<(), Failure> {
    let name = object.name_any();
    report::plain(&format!("Waiting for the {} to be deleted, or for the broker to refuse...", K::WORD));
    let wait = Wait { name: &name, timeout: waiting.timeout };
    let stuck = wait.follow(counter, api, |seen: Option<&K>| {
        let Some(seen) = same(seen, object) else { return Seen::Done };
        let status = seen.status();
        let tried = status.and_then(|status| status.last_operation.as_ref());
        let tried = tried.is_some_and(|last| last.operation == OperationType::Delete);
        if tried && is_blocked(status) { Seen::Done } else { Seen::Going(words(seen)) }
    })?;
    let Some(stuck) = stuck.filter(|stuck| stuck.uid() == object.uid()) else {
        return Ok(writeln!(context.out, "deleted {name}; nothing was abandoned")?);
    };
    let error = stuck.status().and_then(|status| status.last_errors.first());
    if let Some(error) = error {
        report::plain(&format!("  {}", error.description));
    }
    let confirmed = json!({"metadata": {"uid": stuck.uid(), "annotations": {FORCE_DELETION[0]: "true"}}});
    counter.wait(&name, api.patch(&name, &PatchParams::default(), &Patch::Merge(&confirmed)))?;
    wait.follow(counter, api, |seen: Option<&K>| match same(seen, object) {
        None => Seen::Done,
        Some(_) => Seen::Going(String::new()),
    })?;
    let left = left_behind(&stuck).unwrap_or_else(|| "nothing that is known".to_owned());
    Ok(writeln!(context.out, "deleted {name}; abandoned: {left}")?)
}
