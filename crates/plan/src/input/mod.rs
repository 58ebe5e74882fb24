//! What a plan is made from. Everything here is read by somebody else and handed in; nothing here reads a cluster,
//! a file or a clock.

mod chart_tree;
pub(crate) mod facts;
mod hook;
mod inventory;
pub(crate) mod list;
mod live;
pub(crate) mod marks;
mod member;
mod policy;
mod rank;
mod rules;
mod rules_file;
mod vocabulary;
mod wanted;

pub use chart_tree::{ChartFacts, ChartTree, Declared, Dependency, display_path};
pub use facts::{Definition, Grant, Nature, Need, Reference};
pub use hook::{Hook, HookDeletion, HookEvent};
pub use inventory::{Entry, Inventory, Moved, Sequencing, StoredChart, StoredLayer, StoredNeed};
pub use live::{Live, LiveObject, Owner};
pub use member::{Annotation, Digest, Member, Place};
pub use policy::{Cascade, CrdsInstall, Hooks, Order, Policy, WaitStrategy};
pub use rank::Rank;
pub use rules::{BadType, Force, Rule, RuleConflict, Rules, TypePattern};
pub use rules_file::RulesError;
pub use vocabulary::{Meaning, NEEDS_SUBCHARTS, STAMP, Spelling};
pub use wanted::{ReadError, Wanted, WantedBuilder, Written};
