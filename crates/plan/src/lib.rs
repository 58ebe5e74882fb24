//! Decides in which order objects are launched and taken out, and says why.

mod apply;
mod draft;
mod error;
mod graph;
mod index;
pub mod input;
mod kinds;
pub mod output;
mod planner;
mod sequence;
mod span;
mod words;

pub use error::{Link, PlanError, PlanErrors};
pub use index::{ChartIndex, HookIndex, LayerIndex, ObjectIndex, OriginIndex, StepIndex};
pub use output::{Operation, Plan};
pub use planner::{Request, plan};

/// Whether a finalizer is the API server's own, so that removing it by hand would break more than it frees.
pub fn is_protected(finalizer: &str) -> bool {
    matches!(
        finalizer,
        "orphan"
            | "customresourcecleanup.apiextensions.k8s.io"
            | "kubernetes.io/pvc-protection"
            | "kubernetes.io/pv-protection"
            | "kubernetes"
    )
}
