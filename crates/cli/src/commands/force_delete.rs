//! `slipway force-delete`: confirms that an object may be let go by force.

use std::io::{IsTerminal as _, Write as _};

use clap::Args;
use extension::ExtensionStatus;
use extension::annotations::FORCE_DELETION;
use extension::force::is_blocked;
use kube::api::{Patch, PatchParams};
use kube::core::DynamicObject;
use kube::{Api, ResourceExt};
use release::Choice;
use serde_json::{Value, json};

use crate::context::Context;
use crate::operation::Desk;
use crate::prompt;
use crate::report::Failure;

/// Let go of an object by force, whose deletion cannot succeed
///
/// The object must be being deleted, and an error must be on record that blocks that. What it stands for is taken down
/// as far as possible; the rest stays where it is, without anybody who looks after it. It is shown what that may be, and
/// asked, before the confirmation is written to the object. It cannot be taken back, and needs the right to the verb
/// force-delete.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  # Look at what would be left behind, then decide
  slipway force-delete bundle/shop

  # In a script that has decided
  slipway force-delete team-a/serviceinstance/database --yes")]
pub(crate) struct Arguments {
    /// The object as KIND/NAME or NAMESPACE/KIND/NAME
    #[arg(value_name = "KIND/NAME")]
    object: String,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let desk = Desk::open(context)?;
    let choice = Choice::parse(&arguments.object).ok_or_else(|| {
        Failure::usage(format!("{:?} names no object", arguments.object))
            .hint("an object is written as KIND/NAME or NAMESPACE/KIND/NAME, such as bundle/shop")
    })?;
    let api = find(&desk, &choice)?;
    let failed = |error: kube::Error| Failure::new(format!("{choice}: {}", engine::words(&error)));
    let object = desk.cluster.wait(api.get_opt(choice.name())).map_err(failed)?;
    let object = object.ok_or_else(|| Failure::new(format!("{choice} is not there")))?;
    let status: ExtensionStatus = object
        .data
        .get("status")
        .and_then(|status| serde_json::from_value(status.clone()).ok())
        .unwrap_or_default();
    check(&choice, &object, &status)?;
    show(context, &choice, &object, &status)?;
    if !arguments.yes {
        if !std::io::stdin().is_terminal() {
            return Err(
                Failure::new("nobody was asked, and nothing was done").hint("--yes does it without asking")
            );
        }
        let answer = prompt::line(&format!(
            "Type the name of the object to let it go by force ({}): ",
            choice.name()
        ))?;
        if answer.trim() != choice.name() {
            return Err(Failure::new("nothing was done"));
        }
    }
    let confirmed = json!({"metadata": {
        "uid": object.uid(),
        "annotations": {FORCE_DELETION[0]: "true"},
    }});
    let (params, patch) = (PatchParams::default(), Patch::Merge(&confirmed));
    desk.cluster.wait(api.patch(choice.name(), &params, &patch)).map_err(failed)?;
    writeln!(context.out, "{choice} will be let go; 'slipway why {choice}' tells if it is not")?;
    Ok(())
}

fn find(desk: &Desk, choice: &Choice) -> Result<Api<DynamicObject>, Failure> {
    let kind = desk
        .engine
        .served()
        .kinds()
        .find(|kind| choice.is_kind(&kind.resource.group, &kind.resource.kind, &kind.resource.plural))
        .ok_or_else(|| Failure::new(format!("the cluster knows no such kind as that of {choice}")))?;
    let client = desk.engine.client().clone();
    Ok(if kind.namespaced {
        let namespace = choice.namespace().unwrap_or(&desk.namespace);
        Api::namespaced_with(client, namespace, &kind.resource)
    } else {
        Api::all_with(client, &kind.resource)
    })
}

/// The preconditions, which admission checks too, and the operator again.
fn check(choice: &Choice, object: &DynamicObject, status: &ExtensionStatus) -> Result<(), Failure> {
    if object.metadata.deletion_timestamp.is_none() {
        return Err(Failure::new(format!("{choice} is not being deleted"))
            .hint("delete it first; force is for what cannot be deleted otherwise"));
    }
    if !is_blocked(Some(status)) {
        let failure = Failure::new(format!("no error is on record that blocks the deletion of {choice}"));
        return Err(match status.last_errors.first() {
            Some(error) => failure.hint(format!("the operator still tries: {}", error.description)),
            None => failure.hint(format!("'slipway why {choice}' tells what it waits for")),
        });
    }
    Ok(())
}

fn show(
    context: &mut Context,
    choice: &Choice,
    object: &DynamicObject,
    status: &ExtensionStatus,
) -> Result<(), Failure> {
    writeln!(context.out, "{choice} is being deleted, and does not go:")?;
    for error in &status.last_errors {
        let codes: Vec<_> = error.codes.iter().filter_map(|code| serde_json::to_value(code).ok()).collect();
        let codes: Vec<_> = codes.iter().filter_map(Value::as_str).collect();
        writeln!(context.out, "  {} [{}]", error.description, codes.join(", "))?;
    }
    let orphans = orphans(object, status);
    if orphans.is_empty() {
        writeln!(context.out, "What it stands for may stay behind, without anybody who looks after it.")?;
    } else {
        writeln!(context.out, "May stay behind, without anybody who looks after them:")?;
        for orphan in orphans {
            writeln!(context.out, "  {orphan}")?;
        }
    }
    Ok(context.out.flush()?)
}

/// What the object says it has made: the lists that our kinds and generic extensions keep.
fn orphans(object: &DynamicObject, status: &ExtensionStatus) -> Vec<String> {
    let lists = [
        status.state.as_ref().and_then(|state| state.get("objects")),
        object.data.pointer("/status/objects"),
        object.data.pointer("/status/resources"),
        object.data.pointer("/status/managedResources"),
        object.data.pointer("/status/pendingDeletions"),
    ];
    let members = lists.into_iter().flatten().filter_map(Value::as_array).flatten();
    let mut told: Vec<String> = members
        .filter_map(|member| {
            let of = member
                .get("object")
                .or_else(|| member.get("resource"))
                .filter(|of| of.is_object())
                .unwrap_or(member);
            let field = |name: &str| of.get(name).and_then(Value::as_str);
            let name = field("name")?;
            let kind = field("kind").unwrap_or("object");
            let place = field("namespace").map(|namespace| format!("{namespace}/")).unwrap_or_default();
            Some(format!("{kind} {place}{name}"))
        })
        .collect();
    if let Some(id) =
        object.data.pointer("/spec/externalID").or_else(|| object.data.pointer("/status/externalID"))
    {
        told.push(format!("what the broker knows as {}", id.as_str().unwrap_or_default()));
    }
    told.sort();
    told.dedup();
    told
}
