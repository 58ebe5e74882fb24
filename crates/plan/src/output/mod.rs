//! What a plan consists of.

mod deployment;
mod describe;
mod edges;
mod note;
mod origin;
mod plan;
mod reason;
mod step;

pub use deployment::Deployed;
pub use edges::Successors;
pub use note::Note;
pub use origin::{Edge, Origin};
pub use plan::{Operation, Plan, PlannedHook, PlannedObject, Readiness};
pub use reason::{Forgotten, Kept, Phase, RankBy, Reason, UnreadableField};
pub use step::{Barrier, Because, Change, Gate, Recheck, Step, StepKind, Within};
