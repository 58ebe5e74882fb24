//! What every command is given beside its own flags.

use crate::output::Output;
use crate::settings::Settings;

/// The settings of this run and its standard output.
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) out: Output,
}
