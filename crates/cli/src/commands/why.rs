//! `slipway why`: why something is waiting, or not gone.

use api::{Bundle, DeployItem};
use clap::Args;
use release::{Answer, Choice, ReleaseError};

use super::sets;
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::{self, Desk};
use crate::output::{write_json, write_yaml};
use crate::report::Failure;

/// Tell why a release or an object is waiting, or not gone
///
/// Of a release, every object that is not as it should be; of an object, what holds it: what its pods say and logged,
/// the finalizer that keeps it and whether its likely owner still runs, the webhook that refuses, the API that does
/// not answer.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  # Everything that is not as it should be
  slipway why shop

  # One object
  slipway why deployment/shop-api
  slipway why bundle/shop
  slipway why namespace/staging")]
pub(crate) struct Arguments {
    /// Name of a release, or an object as KIND/NAME or NAMESPACE/KIND/NAME
    #[arg(value_name = "RELEASE|KIND/NAME")]
    subject: String,

    #[command(flatten)]
    output: OutputFormatFlag,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let subject = &arguments.subject;
    let mut desk = Desk::open(context)?;
    let answers = if subject.contains('/') {
        let choice = Choice::parse(subject).ok_or_else(|| {
            Failure::usage(format!("{subject:?} names no object"))
                .hint("an object is written as KIND/NAME or NAMESPACE/KIND/NAME, such as deployment/web")
        })?;
        of_object(&mut desk, subject, &choice)?
    } else {
        of_release(&desk, subject)?
    };
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &answers)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &answers)?,
        OutputFormat::Table => sets::why::tell(&answers, subject, context)?,
    }
    Ok(())
}

/// A set is told of by its status; any other object by what the cluster has.
fn of_object(desk: &mut Desk, subject: &str, choice: &Choice) -> Result<Vec<Answer>, Failure> {
    if let Some(namespace) = choice.namespace() {
        namespace.clone_into(&mut desk.namespace);
    }
    if choice.is_kind(api::GROUP, "Bundle", "bundles") {
        return sets::why::answers::<Bundle>(desk, choice.name());
    }
    if choice.is_kind(api::GROUP, "DeployItem", "deployitems") {
        return sets::why::answers::<DeployItem>(desk, choice.name());
    }
    let answer = release::why_object(&desk.engine, choice, &desk.namespace);
    Ok(desk.wait(subject, answer)?.into_iter().collect())
}

fn of_release(desk: &Desk, name: &str) -> Result<Vec<Answer>, Failure> {
    let release = desk.release(name)?;
    let Some(record) = release.current() else {
        return Err(operation::failed(name, &ReleaseError::NotFound));
    };
    let kept = desk.wait(name, release.kept(record))?;
    let left: Vec<_> =
        kept.into_iter().flat_map(|kept| kept.inventory.entries).map(|entry| entry.id).collect();
    desk.wait(name, release::why_release(&desk.engine, record, &left))
}
