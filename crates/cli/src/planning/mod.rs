//! From rendered charts to plans: what `chart` knows is handed to `plan`, which decides.

mod installed;
mod inventory;
mod lint;
mod order;
mod show;

use chart::Rendered;
use jiff::Timestamp;
use plan::input::{Inventory, Live, Policy, Wanted};
use plan::output::Note;
use plan::{Operation, Plan, Request};

pub(crate) use installed::{as_installed, forget_files};
pub(crate) use inventory::read as read_inventory;
pub(crate) use lint::{Found, lint};
pub(crate) use order::order;
pub(crate) use show::show;

use crate::report::{self, Failure};

/// Everything a rendered chart consists of, as the planner wants it.
pub(crate) fn wanted(rendered: &Rendered, namespace: &str) -> Result<Wanted, Failure> {
    release::wanted(rendered, namespace, None).map_err(|error| report::reading(&error, rendered))
}

/// The plan of a first installation, with nothing known about a cluster.
pub(crate) fn install(rendered: &Rendered, namespace: &str, policy: &Policy) -> Result<Plan, Failure> {
    let request = Request {
        operation: Operation::Install,
        wanted: &wanted(rendered, namespace)?,
        stored: &Inventory::default(),
        policy,
        live: &Live::unknown(),
        now: Timestamp::now(),
    };
    plan::plan(&request).map_err(|errors| report::planning(&errors, rendered))
}

/// Tells what is odd about a plan that is not shown itself.
pub(crate) fn tell(plan: &Plan) {
    for note in plan.notes.iter().filter(|note| **note != Note::NotLooked) {
        if note.is_warning() {
            report::warn(&note.told(), &[]);
        } else {
            report::plain(&note.told());
        }
    }
}
