//! `slipway plan`: what an operation would do, step by step, and why.

use chart::Rendered;
use chart::render::Release;
use clap::{Args, Subcommand};
use goyaml::Mapping;
use jiff::Timestamp;
use objects::parse_time;
use plan::explain::{Remark, View};
use plan::input::{Inventory, Order, Policy, Wanted};
use plan::{Operation, Request};

use super::deploy::{Rendering, Source, Wish};
use super::rollback;
use crate::context::Context;
use crate::flags::{OperationFlags, OrderFlags, RenderingFlags, ValuesFlags, ViewFlags};
use crate::operation::Desk;
use crate::planning;
use crate::report::{self, Failure, accepts_at_most, needs_at_least};

/// Show what an operation would do, and why in this order
///
/// Plans are made from files: charts that are rendered here, and inventories that were saved. Nothing is asked of a
/// cluster, so objects of the old chart or inventory are taken to be there. With --live they are made for a release
/// of a cluster, as it is now.
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// What installing a chart would do
    #[command(override_usage = INSTALL_USAGE, after_help = "\
Examples:
  # By layers and subcharts
  slipway plan install shop ./charts/shop --wait=ordered

  # Keep what would be stored, to plan the next upgrade from
  slipway plan install shop ./charts/shop --wait=ordered --save shop.json")]
    Install(Planning),
    /// What upgrading to a chart would do
    #[command(override_usage = UPGRADE_USAGE, after_help = "\
Examples:
  # From one version of a chart to the next
  slipway plan upgrade shop ./charts/shop --from ./old/shop --wait=ordered

  # From what an earlier plan would have stored, with rules for what goes
  slipway plan upgrade shop ./charts/shop --inventory shop.json --deletion-rules rules.yaml

  # Of a release on the cluster, as a picture
  slipway plan upgrade shop ./charts/shop --live --wait=ordered -o svg --output-file upgrade.svg")]
    Upgrade(Planning),
    /// What rolling back to an earlier chart would do
    #[command(override_usage = ROLLBACK_USAGE, after_help = "\
Examples:
  # Back to the old chart, which was installed in order
  slipway plan rollback shop ./old/shop --from ./charts/shop --wait=ordered")]
    Rollback(Planning),
    /// What uninstalling a chart would do
    #[command(override_usage = UNINSTALL_USAGE, after_help = "\
Examples:
  # What was installed in order goes in the reverse order
  slipway plan uninstall shop ./charts/shop --wait=ordered

  # With rules of its own, and with the definitions of crds/
  slipway plan uninstall shop ./charts/shop --deletion-rules rules.yaml --crds=delete

  # From an inventory alone
  slipway plan uninstall shop --inventory shop.json -o json")]
    Uninstall(Planning),
}

const INSTALL_USAGE: &str = "slipway plan install [NAME] CHART [flags]";
const UPGRADE_USAGE: &str = "slipway plan upgrade [NAME] CHART --from OLD-CHART|--inventory FILE [flags]";
const ROLLBACK_USAGE: &str = "slipway plan rollback [NAME] CHART --from OLD-CHART|--inventory FILE [flags]";
const UNINSTALL_USAGE: &str = "slipway plan uninstall [NAME] CHART|--inventory FILE [flags]";

#[derive(Args, Debug)]
struct Planning {
    /// Name of the release (optional) and the chart
    #[arg(value_name = "[NAME] CHART", hide = true)]
    positional: Vec<String>,

    #[command(flatten)]
    view: ViewFlags,

    #[command(flatten)]
    stored: Stored,

    #[command(flatten)]
    operation: OperationFlags,

    #[command(flatten)]
    order: OrderFlags,

    #[command(flatten)]
    rendering: RenderingFlags,
}

/// What is there already.
#[derive(Args, Debug)]
#[command(next_help_heading = "What is there")]
struct Stored {
    /// Chart of the current revision, installed in order if this operation is ordered
    #[arg(long, value_name = "CHART")]
    from: Option<String>,

    /// Values of the current revision, as with --values; the new ones if not given
    #[arg(long, value_name = "FILE")]
    from_values: Vec<String>,

    /// Inventory of the current revision: a file that --save wrote
    #[arg(long, value_name = "FILE")]
    inventory: Option<String>,

    /// Look at the cluster: NAME is a release there, and nothing has to be said about what it has
    #[arg(long)]
    live: bool,

    /// Save the plan, with the inventory that would be stored, to this file
    #[arg(long, value_name = "FILE")]
    save: Option<String>,

    /// Plan as of this moment instead of now, written as 2006-01-02T15:04:05Z
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// What a plan from files cannot know.
const NOT_LOOKED: &str = "no cluster was looked at: what the current revision has is taken to be there, as it was \
                          installed, and nothing else";

/// What a release is called that nobody named.
const DEFAULT_NAME: &str = "release-name";

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::Install(planning) => planning.show(Operation::Install, INSTALL_USAGE, context),
        Action::Upgrade(planning) => planning.show(Operation::Upgrade, UPGRADE_USAGE, context),
        Action::Rollback(planning) => {
            let sequenced = planning.operation.is_ordered();
            planning.show(Operation::Rollback { sequenced }, ROLLBACK_USAGE, context)
        }
        Action::Uninstall(planning) => planning.show(Operation::Uninstall, UNINSTALL_USAGE, context),
    }
}

impl Planning {
    fn show(&self, operation: Operation, usage: &str, context: &mut Context) -> Result<(), Failure> {
        if self.stored.live {
            return self.show_live(operation, usage, context);
        }
        self.check(operation, usage)?;
        let policy = self.operation.policy(&self.order)?;
        let now = self.now()?;
        let (name, chart) = self.name_and_chart();
        let values = self.rendering.values(context)?;
        let rendered = match chart {
            Some(chart) => self.render(chart, name, operation, &values, context)?,
            None => Rendered::default(),
        };
        let namespace = context.settings.namespace();
        let wanted = match chart {
            Some(_) => planning::wanted(&rendered, &namespace)?,
            None => Wanted::nothing(&namespace),
        };
        let stored = self.stored(operation, &rendered, &policy, &values, context)?;
        let live = planning::as_installed(&stored, &wanted);
        let request =
            Request { operation, wanted: &wanted, stored: &stored, policy: &policy, live: &live, now };
        let mut plan = plan::plan(&request).map_err(|errors| report::planning(&errors, &rendered))?;
        planning::forget_files(&mut plan);
        self.save(&plan)?;
        let mut view = View::new(&plan, name);
        view.notes.push(Remark { warning: false, message: NOT_LOOKED.to_owned() });
        planning::show(&view, &self.view, context)
    }

    /// What the operation would do on the cluster as it is now.
    fn show_live(&self, operation: Operation, usage: &str, context: &mut Context) -> Result<(), Failure> {
        needs_at_least(1, &self.positional, usage)?;
        accepts_at_most(2, &self.positional, usage)?;
        let (name, second) = (&self.positional[0], self.positional.get(1));
        let mut policy = self.operation.policy(&self.order)?;
        let desk = Desk::open(context)?;
        let release = desk.release(name)?;
        let prepared = match operation {
            Operation::Uninstall => desk.wait(name, release.prepare_uninstall(&policy))?,
            Operation::Rollback { .. } => {
                let revision = second.map_or(Ok(0), |text| text.parse()).map_err(|_| {
                    Failure::usage("with --live, rollback takes a name and the number of a revision")
                })?;
                let to = rollback::target(&release, name, revision)?;
                desk.wait(name, release.prepare_rollback(to, &policy))?
            }
            _ => {
                let chart = second.ok_or_else(|| Failure::usage("a name and a chart are needed"))?;
                let flags = &self.rendering;
                let given = flags.values(context)?;
                let source = Source::load(name, chart, &flags.source, &flags.preparation, context)?;
                if source.is_plain() && policy.order == Order::Kinds {
                    policy.order = Order::Phases;
                }
                let rendering = Rendering {
                    skip_schema_validation: flags.preparation.skip_schema_validation,
                    files: &flags.values.values,
                    ..Rendering::default()
                };
                let reuse = release::Reuse::default();
                let wish = Wish { reuse, policy: &policy, labels: &[], rendering: &rendering };
                wish.prepare(&desk, &release, source, given, context)?
            }
        };
        self.save(&prepared.plan)?;
        planning::show(&View::new(&prepared.plan, name), &self.view, context)
    }

    fn save(&self, plan: &plan::Plan) -> Result<(), Failure> {
        let Some(path) = &self.stored.save else { return Ok(()) };
        let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{path}: {error}"));
        let text = goyaml::json::to_string_raw(plan).map_err(|error| failed(&error))?;
        std::fs::write(path, text + "\n").map_err(|error| failed(&error))
    }

    fn check(&self, operation: Operation, usage: &str) -> Result<(), Failure> {
        let has_inventory = self.stored.inventory.is_some();
        let goes = operation == Operation::Uninstall;
        if !(goes && has_inventory) {
            needs_at_least(1, &self.positional, usage)?;
        }
        accepts_at_most(2, &self.positional, usage)?;
        if self.stored.from.is_some() && has_inventory {
            return Err(Failure::usage("--from and --inventory are two ways to say the same: give one"));
        }
        let is_change = matches!(operation, Operation::Upgrade | Operation::Rollback { .. });
        if is_change && self.stored.from.is_none() && !has_inventory {
            return Err(Failure::usage(format!("what is there now? {operation} needs a current revision"))
                .hint("--from names its chart, and --inventory a file that --save wrote"));
        }
        if !is_change && self.stored.from.is_some() {
            return Err(Failure::usage(format!("--from has no meaning for {operation}")));
        }
        Ok(())
    }

    /// The release's name, and the chart if there is one; one argument is the chart, unless an inventory is enough.
    fn name_and_chart(&self) -> (&str, Option<&str>) {
        match self.positional.as_slice() {
            [name, chart, ..] => (name, Some(chart)),
            [only] if self.stored.inventory.is_some() && !looks_like_chart(only) => (only, None),
            [chart] => (DEFAULT_NAME, Some(chart)),
            [] => (DEFAULT_NAME, None),
        }
    }

    fn now(&self) -> Result<Timestamp, Failure> {
        let Some(text) = &self.stored.now else {
            // Nobody reads fractions of a second.
            let now = Timestamp::now();
            return Ok(Timestamp::from_second(now.as_second()).unwrap_or(now));
        };
        parse_time(text).ok_or_else(|| {
            Failure::usage(format!("invalid argument {text:?} for \"--now\" flag: not a time"))
                .hint("write 2006-01-02T15:04:05Z")
        })
    }

    fn render(
        &self,
        chart: &str,
        name: &str,
        operation: Operation,
        values: &Mapping,
        context: &mut Context,
    ) -> Result<Rendered, Failure> {
        let is_upgrade = operation == Operation::Upgrade;
        let release = Release {
            name: name.to_owned(),
            namespace: context.settings.namespace(),
            revision: if is_upgrade { 2 } else { 1 },
            is_upgrade,
        };
        self.rendering.render(chart, release, values, context)
    }

    /// What is stored before the operation.
    fn stored(
        &self,
        operation: Operation,
        rendered: &Rendered,
        policy: &Policy,
        values: &Mapping,
        context: &mut Context,
    ) -> Result<Inventory, Failure> {
        if let Some(file) = &self.stored.inventory {
            return planning::read_inventory(file);
        }
        // The rules of deletion are those of the operation, not of the revision that goes.
        let policy = Policy { rules: plan::input::Rules::default(), strict: false, ..policy.clone() };
        let namespace = context.settings.namespace();
        match (&self.stored.from, operation) {
            (Some(chart), _) => {
                let values = match self.stored.from_values.as_slice() {
                    [] => values.clone(),
                    files => {
                        let flags = ValuesFlags { values: files.to_vec(), ..ValuesFlags::default() };
                        flags.merge(context)?
                    }
                };
                let name = self.name_and_chart().0;
                let old = self.render(chart, name, Operation::Install, &values, context)?;
                Ok(planning::install(&old, &namespace, &policy)?.intent)
            }
            (None, Operation::Uninstall) => Ok(planning::install(rendered, &namespace, &policy)?.intent),
            (None, _) => Ok(Inventory::default()),
        }
    }
}

/// A chart is `.`, has a `/` or ends in `.tgz`; everything else is a name.
pub(crate) fn looks_like_chart(text: &str) -> bool {
    text == "." || text.contains('/') || std::path::Path::new(text).extension().is_some_and(|is| is == "tgz")
}
