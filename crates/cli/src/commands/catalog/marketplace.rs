//! `slipway catalog marketplace`: what is sold, and in which sizes.

use std::io::Write as _;

use clap::Args;
use serde_json::json;

use super::counter::Counter;
use super::grid::Grid;
use super::scope::ScopeFlag;
use super::sold;
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{write_json, write_yaml};
use crate::report::Failure;

/// Show what is sold: classes, and the plans that they come in
#[derive(Args, Debug)]
#[command(
    visible_aliases = ["market", "mp"],
    after_help = "\
Examples:
  slipway catalog marketplace

  # What only this namespace can buy
  slipway catalog marketplace --scope namespace -n shop"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    scope: ScopeFlag,

    #[command(flatten)]
    output: OutputFormatFlag,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let scope = arguments.scope.scope;
    let (classes, plans) = (sold::classes(&counter, scope)?, sold::plans(&counter, scope)?);
    let on_sale = classes.iter().filter(|class| !class.removed).map(|class| {
        let names = sold::of_class(&plans, class).filter(|plan| !plan.removed);
        (class, names.map(|plan| plan.what.external_name.as_str()).collect::<Vec<_>>())
    });
    match arguments.output.format {
        OutputFormat::Table => {
            let mut grid = Grid::new(&["CLASS", "PLANS", "DESCRIPTION"]);
            for (class, names) in on_sale {
                grid.row([&class.what.external_name, &names.join(", "), &class.what.description]);
            }
            Ok(writeln!(context.out, "{grid}")?)
        }
        format => {
            let all: Vec<_> = on_sale
                .map(|(class, names)| {
                    json!({
                        "class": class.what.external_name, "plans": names, "description": class.what.description,
                        "broker": class.broker, "scope": if class.of_cluster { "cluster" } else { "namespace" },
                    })
                })
                .collect();
            match format {
                OutputFormat::Yaml => write_yaml(&mut context.out, &all)?,
                _ => write_json(&mut context.out, &all)?,
            }
            Ok(())
        }
    }
}
