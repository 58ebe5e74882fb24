//! Groups of flags that several commands share.

mod chart_source;
mod connection;
mod dependencies;
mod global;
mod output_format;
mod planning;
mod rendering;
mod sending;
mod values;
mod view;

pub(crate) use chart_source::ChartSourceFlags;
pub(crate) use connection::ConnectionFlags;
pub(crate) use dependencies::DependencyFlags;
pub(crate) use global::GlobalFlags;
pub(crate) use output_format::{OutputFormat, OutputFormatFlag};
pub(crate) use planning::{OperationFlags, OrderFlags, RunFlags};
pub(crate) use rendering::{ClusterFlags, PreparationFlags, RenderingFlags};
pub(crate) use sending::SendingFlags;
pub(crate) use values::ValuesFlags;
pub(crate) use view::{ViewFlags, ViewFormat};
