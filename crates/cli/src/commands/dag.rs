//! `slipway dag`: the order in which a chart's objects are deployed, and why.

use chart::render::Release;
use clap::Args;
use plan::explain::View;
use plan::input::Order;
use plan::output::Note;

use super::plan::looks_like_chart;
use crate::context::Context;
use crate::flags::{OrderFlags, RenderingFlags, ViewFlags};
use crate::operation::Desk;
use crate::planning;
use crate::report::{Failure, needs_exactly};

const USAGE: &str = "slipway dag CHART|RELEASE [flags]";

/// Show the order in which a chart or a release is deployed
///
/// CHART is ., has a / or ends in .tgz; any other name is a release, of which the newest revision is shown as it was
/// declared. CHART is a directory, a packaged chart, a reference such as repo/name, a URL or oci://host/name. It is rendered,
/// and what its layers, subcharts and hooks declare is shown as waves: what is deployed together, what it waits for,
/// and where that is written. For a chart nothing is asked of a cluster.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # Waves with their reasons
  slipway dag ./charts/shop

  # As a release was deployed
  slipway dag shop

  # Refuse layers that nobody is in
  slipway dag ./charts/shop --strict

  # A picture for documentation
  slipway dag ./charts/shop -f production.yaml -o svg --output-file shop.svg

  # For Markdown, for Graphviz, for a machine
  slipway dag ./charts/shop -o mermaid
  slipway dag ./charts/shop -o dot | dot -Tpng > shop.png
  slipway dag ./charts/shop -o json")]
pub(crate) struct Arguments {
    /// The chart or the release
    #[arg(value_name = "CHART|RELEASE", hide = true)]
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
    let subject = &arguments.positional[0];
    if !looks_like_chart(subject) {
        let desk = Desk::open(context)?;
        let release = desk.release(subject)?;
        let mut plan = desk.wait(subject, release.order(&arguments.order.policy(Order::Ordered)))?;
        plan.notes.retain(|note| *note != Note::NotLooked);
        return planning::show(&View::new(&plan, subject), &arguments.view, context);
    }
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
