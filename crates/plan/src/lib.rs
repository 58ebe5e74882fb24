//! Decides in which order objects are launched and taken out, and says why.
//!
//! [`plan`] is a function. Into it goes a [`Request`]: what is [wanted](input::Wanted) (rendered objects with the charts
//! they come from, hooks, definitions), what was [stored](input::Inventory) by earlier revisions, what the user
//! [decides](input::Policy), what the cluster [has](input::Live), and what time it is. Out comes a [`Plan`], or every
//! reason why there can be none. Nothing here reads a file, a cluster or a clock, and the same input gives the same
//! plan to the byte.
//!
//! A [`Plan`] is a graph of [steps](output::Step): apply this, await that, run a hook, delete, await its end, stamp,
//! keep. Steps are listed in an order in which they may be executed one after the other; an [edge](output::Edge) says
//! which must really wait for which, and its [origin](output::Origin) says why: somebody declared it (on which object,
//! in which template, on which line), it follows from how a cluster works, or it is a default. Each step carries its
//! [reason](output::Reason) too. Whoever runs a plan decides nothing any more.
//!
//! # How it is made
//!
//! 1. **Read.** [`input::WantedBuilder`] reads each document once and keeps what matters: identity, the annotations of
//!    [`input::Meaning`], what the object refers to.
//! 2. **Declare.** Annotations become layers, `Chart.yaml` fields become an order of charts (`sequence`). References
//!    to nothing, cycles and bad values end the planning here, with the place where each is written.
//! 3. **Apply.** Members become steps between the begin and the end of their layer and chart (`apply`). Edges between
//!    layers run from barrier to barrier, so that their number depends on what was declared, and never on the number of
//!    objects times itself. Unannotated objects that others need move before their users.
//! 4. **Finish.** Steps are put in order, numbered, and given their wave: how many waits come before.
//!
//! ```
//! use jiff::Timestamp;
//! use objects::Source;
//! use plan::input::{ChartTree, Inventory, Live, Order, Policy, Wanted, Written};
//! use plan::{ChartIndex, Operation, Request};
//!
//! let mut wanted = Wanted::builder(ChartTree::single("shop"), "default");
//! let source = Source::new("shop/templates/all.yaml");
//! let written = Written { chart: ChartIndex(0), source: &source, line: 1 };
//! wanted.manifest(written, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n  annotations:\n    helm.sh/layer: app\n    helm.sh/depends-on/layers: database\n")?;
//! wanted.manifest(written, "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n  annotations:\n    helm.sh/layer: database\n")?;
//! let plan = plan::plan(&Request {
//!     operation: Operation::Install,
//!     wanted: &wanted.finish(),
//!     stored: &Inventory::default(),
//!     policy: &Policy { order: Order::Ordered, ..Policy::default() },
//!     live: &Live::empty(),
//!     now: Timestamp::UNIX_EPOCH,
//! })?;
//! let first = plan.steps[0].kind.object().map(|object| plan.object(object).id.to_string());
//! assert_eq!(first.as_deref(), Some("Secret default/db"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod check;
mod deletion;
mod draft;
mod error;
pub mod explain;
mod graph;
mod index;
pub mod input;
mod intent;
pub mod output;
mod planner;
mod sanitise;
mod sequence;
mod span;
mod words;

pub use check::{Difference, Fingerprint, Seen};
pub use error::{Link, PlanError, PlanErrors};
pub use index::{ChartIndex, HookIndex, LayerIndex, ObjectIndex, OriginIndex, StepIndex};
pub use output::{Operation, Plan};
pub use planner::{Request, plan};
pub use sanitise::{sanitise, sanitise_annotations};

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
