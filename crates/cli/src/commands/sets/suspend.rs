//! `suspend` and `resume`: the operator keeps away from a set, and comes back.

use std::io::Write as _;

use clap::Args;
use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt as _};
use serde::Serialize;
use serde_json::json;

use super::{Kind, failed, get};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::Desk;
use crate::output::{write_json, write_yaml};
use crate::report::{Failure, needs_at_least};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Their names
    #[arg(value_name = "NAME", hide = true)]
    names: Vec<String>,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Serialize)]
struct Told {
    namespace: String,
    name: String,
    suspended: bool,
    changed: bool,
}

pub(crate) fn run<K: Kind>(
    arguments: &Arguments,
    suspended: bool,
    context: &mut Context,
) -> Result<(), Failure> {
    let verb = if suspended { "suspend" } else { "resume" };
    needs_at_least(1, &arguments.names, &format!("slipway {} {verb} NAME... [flags]", K::COMMAND))?;
    let desk = Desk::open(context)?;
    // All are looked for before the first is changed.
    let found: Vec<K> = arguments.names.iter().map(|name| get(&desk, name)).collect::<Result<_, _>>()?;
    let api: Api<K> = Api::namespaced(desk.engine.client().clone(), &desk.namespace);
    let mut told = Vec::new();
    for set in found {
        let name = set.name_any();
        let changed = set.is_suspended() != suspended;
        if changed {
            let change = json!({"metadata": {"uid": set.uid()}, "spec": {"suspend": suspended}});
            let parameters =
                PatchParams { field_manager: Some("slipway-suspend".to_owned()), ..PatchParams::default() };
            desk.cluster
                .wait(api.patch(&name, &parameters, &Patch::Merge(&change)))
                .map_err(|error| failed::<K>(&name, &error))?;
        }
        if arguments.output.format == OutputFormat::Table {
            let title = format!("{}/{name}", K::COMMAND);
            let already = if changed { "" } else { " already" };
            if suspended {
                let resume = format!("slipway {} resume {name}", K::COMMAND);
                writeln!(context.out, "{title} is suspended{already}: nothing is done until '{resume}'")?;
            } else {
                writeln!(context.out, "{title} is looked after{already}")?;
            }
        }
        told.push(Told { namespace: desk.namespace.clone(), name, suspended, changed });
    }
    match arguments.output.format {
        OutputFormat::Table => {}
        OutputFormat::Json => write_json(&mut context.out, &told)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &told)?,
    }
    Ok(())
}
