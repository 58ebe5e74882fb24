//! `slipway diff`: what a command would change, object by object.

use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use clap::Args;
use plan::input::{Order, Policy};
use release::{Difference, Fate, Prepared, ReleaseError, Reuse};
use similar::{ChangeTag, TextDiff};

use super::deploy::{Rendering, Source, Wish};
use crate::context::Context;
use crate::flags::{
    ChartSourceFlags, OperationFlags, OrderFlags, OutputFormat, OutputFormatFlag, PreparationFlags,
    ValuesFlags,
};
use crate::operation::{self, Desk};
use crate::output::{write_json, write_yaml};
use crate::report::{Failure, accepts_at_most, needs_at_least};

/// Show what a command would change, object by object
///
/// With a chart, what installing it or upgrading to it would change. With --revision, what going back to that revision
/// would. With neither, how far the cluster has drifted from what the release has stored. The server itself says how
/// objects would be, and nothing is written. What Secrets hold is masked.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # Before an upgrade
  slipway diff shop ./charts/shop --set web.replicas=3

  # Before a rollback
  slipway diff shop --revision 2

  # What somebody changed by hand; exits with 3 if there is anything
  slipway diff shop --detailed-exitcode")]
pub(crate) struct Arguments {
    /// Name of the release, and the chart
    #[arg(value_name = "NAME [CHART]", hide = true)]
    positional: Vec<String>,

    /// Revision to compare with
    #[arg(long, value_name = "NUMBER")]
    revision: Option<u32>,

    /// Exit with 3 if there are differences
    #[arg(long)]
    detailed_exitcode: bool,

    /// So many lines around each change; all of them with -1
    #[arg(long, value_name = "LINES", default_value_t = 3, allow_negative_numbers = true)]
    context: i64,

    /// Take fields over that others own
    #[arg(long)]
    force_conflicts: bool,

    /// Take objects over that belong to others
    #[arg(long)]
    take_ownership: bool,

    /// Keep the values that were given before, and the defaults of the chart that is deployed
    #[arg(long)]
    reuse_values: bool,

    #[command(flatten)]
    output: OutputFormatFlag,

    #[command(flatten)]
    operation: OperationFlags,

    #[command(flatten)]
    order: OrderFlags,

    #[command(flatten)]
    preparation: PreparationFlags,

    #[command(flatten)]
    values: ValuesFlags,

    #[command(flatten)]
    source: ChartSourceFlags,
}

const USAGE: &str = "slipway diff NAME [CHART] [flags]";

/// The exit code that says that there are differences.
const DIFFERS: u8 = 3;

const HEADING: Style = Style::new().bold();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const HUNK: Style = AnsiColor::Cyan.on_default();

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.positional, USAGE)?;
    accepts_at_most(2, &arguments.positional, USAGE)?;
    let name = &arguments.positional[0];
    let (prepared, desk) = arguments.prepare(name, context)?;
    let found = desk.wait(name, release::differences(&desk.engine, &prepared, arguments.force_conflicts))?;
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &found)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &found)?,
        OutputFormat::Table => {
            for difference in &found {
                arguments.print(difference, context)?;
            }
            let count = |fate: Fate| found.iter().filter(|one| one.change == fate).count();
            writeln!(
                context.out,
                "{} to create, {} to change, {} to delete, {} to count down",
                count(Fate::Created),
                count(Fate::Changed),
                count(Fate::Deleted),
                count(Fate::Stamped)
            )?;
        }
    }
    context.out.flush()?;
    if arguments.detailed_exitcode && !found.is_empty() { Err(Failure::told(DIFFERS)) } else { Ok(()) }
}

impl Arguments {
    fn prepare(&self, name: &str, context: &mut Context) -> Result<(Prepared, Desk), Failure> {
        let mut policy =
            Policy { take_ownership: self.take_ownership, ..self.operation.policy(&self.order)? };
        let Some(reference) = self.positional.get(1) else {
            let desk = Desk::open(context)?;
            let release = desk.release(name)?;
            let wanted = match self.revision {
                Some(version) => release.revision(version),
                None => release.current(),
            };
            let Some(record) = wanted else {
                return Err(operation::failed(name, &ReleaseError::NotFound));
            };
            let prepared = desk.wait(name, release.prepare_rollback(record, &policy))?;
            return Ok((prepared, desk));
        };
        let given = self.values.merge(context)?;
        let source = Source::load(name, reference, &self.source, &self.preparation, context)?;
        if source.is_plain() && policy.order == Order::Kinds {
            policy.order = Order::Phases;
        }
        let desk = Desk::open(context)?;
        let release = desk.release(name)?;
        let reuse = if self.reuse_values { Reuse::Everything } else { Reuse::default() };
        let rendering = Rendering {
            skip_schema_validation: self.preparation.skip_schema_validation,
            files: &self.values.values,
            ..Rendering::default()
        };
        let wish = Wish { reuse, policy: &policy, labels: &[], rendering: &rendering };
        let prepared = wish.prepare(&desk, &release, source, given, context)?;
        Ok((prepared, desk))
    }

    fn print(&self, difference: &Difference, context: &mut Context) -> Result<(), Failure> {
        let coloured = context.out.is_coloured();
        let paint = |style: Style| if coloured { style } else { Style::new() };
        let out = &mut context.out;
        let text = |value: &serde_json::Value| match value {
            serde_json::Value::Null => String::new(),
            value => goyaml::to_string(value).unwrap_or_default(),
        };
        let (before, after) = (text(&difference.before), text(&difference.after));
        let word = match difference.change {
            Fate::Created => "created",
            Fate::Changed => "changed",
            Fate::Deleted => "deleted",
            Fate::Stamped => "counting down",
        };
        let heading = paint(HEADING);
        writeln!(out, "{heading}{}: {word}{heading:#}", difference.object)?;
        let diff = TextDiff::from_lines(&before, &after);
        let radius = usize::try_from(self.context).unwrap_or(usize::MAX / 2);
        for (number, group) in diff.grouped_ops(radius).iter().enumerate() {
            if number > 0 {
                let hunk = paint(HUNK);
                writeln!(out, "{hunk}...{hunk:#}")?;
            }
            for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
                let (sign, style) = match change.tag() {
                    ChangeTag::Delete => ('-', paint(REMOVED)),
                    ChangeTag::Insert => ('+', paint(ADDED)),
                    ChangeTag::Equal => (' ', Style::new()),
                };
                let line = change.value().trim_end_matches('\n');
                writeln!(out, "{style}{sign} {line}{style:#}")?;
            }
        }
        Ok(writeln!(out)?)
    }
}
