//! From a loaded chart and a user's values to the tree of charts that is rendered: aliases, tags and conditions
//! applied, values imported, and everything coalesced.
//!
//! Tables are shared references here, as they are in Helm. That is not an economy but a part of the behaviour: a
//! table of `global` that a parent and its subcharts hold is one table, and what one of them adds, all see.

mod coalesce;
mod dependencies;
mod import;
mod table;
mod tree;

pub use coalesce::CoalesceError;
pub(crate) use coalesce::coalesce;
pub(crate) use table::{Table, from_mapping as table_from, lookup, merge_under};
pub(crate) use tree::ChartTree;

use goyaml::Mapping;

use crate::Chart;
use crate::load::Warnings;

/// Applies a chart's dependency rules under the user's values.
pub(crate) fn process_dependencies(
    chart: &Chart,
    values: &Mapping,
    warnings: &mut Warnings,
) -> Result<ChartTree, CoalesceError> {
    let mut tree = ChartTree::new(chart);
    let values = table::from_mapping(values);
    dependencies::select(&mut tree, &values, "", warnings)?;
    import::import_values(&mut tree, warnings)?;
    Ok(tree)
}
