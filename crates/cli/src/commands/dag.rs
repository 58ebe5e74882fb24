//! `slipway dag`: the order in which a chart's objects are deployed, and why.

use chart::render::Release;
use clap::Args;
use plan::explain::View;
use plan::input::Order;
use plan::output::Note;

use crate::context::Context;
use crate::flags::{OrderFlags, RenderingFlags, ViewFlags};
use crate::planning;
use crate::report::{Failure, needs_exactly};

const USAGE: &str = "slipway dag CHART [flags]";

/// Show the order in which a chart is deployed
///
/// CHART is a directory, a packaged chart, a reference such as repo/name, a URL or oci://host/name. It is rendered,
/// and what its layers, subcharts and hooks declare is shown as waves: what is deployed together, what it waits for,
/// and where that is written. Nothing is asked of a cluster.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # Waves with their reasons
  slipway dag ./charts/shop

  # Refuse layers that nobody is in
  slipway dag ./charts/shop --strict

  # A picture for documentation
  slipway dag ./charts/shop -f production.yaml -o svg --output-file shop.svg

  # For Markdown, for Graphviz, for a machine
  slipway dag ./charts/shop -o mermaid
  slipway dag ./charts/shop -o dot | dot -Tpng > shop.png
  slipway dag ./charts/shop -o json")]
pub(crate) struct Arguments {
    /// The chart
    #[arg(value_name = "CHART", hide = true)]
    positional: Vec<String>,

    #[command(flatten)]
    view: ViewFlags,

    #[command(flatten)]
    order: OrderFlags,

    #[command(flatten)]
    rendering: RenderingFlags,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_exactly(1, &arguments.positional, USAGE)?;
    let namespace = context.settings.namespace();
    let values = arguments.rendering.values(context)?;
    let release = Release { namespace: namespace.clone(), ..Release::default() };
    let rendered = arguments.rendering.render(&arguments.positional[0], release, &values, context)?;
    let mut plan = planning::install(&rendered, &namespace, &arguments.order.policy(Order::Ordered))?;
    // That nobody looked is no news here.
    plan.notes.retain(|note| *note != Note::NotLooked);
    let name = rendered.charts.first().map(|chart| chart.name.clone()).unwrap_or_default();
    planning::show(&View::new(&plan, name), &arguments.view, context)
}
