//! A plan for people: what happens, in which waves, and why each thing stands where it stands.
//!
//! A [`Plan`](crate::Plan) has a step for every apply, wait and delete, and barriers between them. [`View::new`] folds
//! that into [groups](Group): a layer, the unlayered rest of a chart, the hooks of a moment, a deletion rank. Edges
//! run between groups, each with its cause, so that their number depends on what was declared and not on the number
//! of objects. A view serialises as it is, and is drawn as [text](text()), for [Graphviz](dot()), for
//! [Mermaid](mermaid()), or as a [picture](svg()).

mod dot;
mod fold;
mod label;
mod mermaid;
mod svg;
mod text;
mod view;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::svg;
pub use text::{Tone, text};
pub use view::{After, Cause, Counts, Group, GroupKind, Remark, Row, Verb, View};
