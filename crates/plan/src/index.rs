//! Small numbers that stand for objects, charts, layers and steps, so that a plan of a hundred thousand objects
//! holds each name once.

use serde::{Deserialize, Serialize};

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The place in the list it counts.
            pub fn at(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(place: usize) -> Self {
                Self(place as u32)
            }
        }
    )*};
}

index! {
    /// A chart of the tree; the root is the first.
    ChartIndex,
    /// An object of the plan, or of the set or inventory it was made from.
    ObjectIndex,
    /// A layer of the plan or of a stored sequencing.
    LayerIndex,
    /// A hook of the plan.
    HookIndex,
    /// A step of the plan. Steps are numbered in an order in which they may be executed one after the other.
    StepIndex,
    /// A cause of edges.
    OriginIndex,
}
