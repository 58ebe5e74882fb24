//! `slipway template`: renders a chart without a cluster.

mod flags;

pub(crate) use flags::Arguments;

use crate::context::Context;
use crate::report::{Failure, needs_at_least};

const USAGE: &str = "slipway template [NAME] [CHART] [flags]";

pub(crate) fn run(arguments: &Arguments, _context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.arguments, USAGE)?;
    Ok(())
}
