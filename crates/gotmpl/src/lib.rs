//! Go's `text/template`, with sprig and the functions Helm adds, as Helm 4 runs it.
//!
//! What comes out is meant to be byte for byte what Helm prints, errors included: templates in the wild lean on
//! every corner of Go's engine, from the one rule by which `.a.b` of a missing `a` is an error and `(.a).b` is
//! not, to the column that an error names. So this crate follows Go's semantics step by step, but not Go's means:
//! there is no reflection, functions are looked up while parsing, values are shared and not copied, and all
//! output goes to one buffer.
//!
//! The way of a template:
//!
//! 1. `parse` cuts the source into tokens and reads them into a tree per named template. Every name of a
//!    function is resolved here. Texts and names are spans of the source; nodes know their place for errors, and lie
//!    in a few arrays per source. This needs no values, so it can be done [`Ahead`] on another thread.
//! 2. A [`TemplateSet`] holds the trees by name. [`TemplateSet::execute`] walks one of them with some data.
//! 3. `exec` is that walk. It keeps Go's notion of the node it is *at*, because errors name it, and of whether a
//!    value sits in an `interface {}`, because errors and nil differ by it.
//! 4. Calls check their arguments against the Go signature in the table of [`Functions`], with Go's complaints,
//!    and hand the function a slice of [`Value`]s. Ordinary functions are plain `fn`s under [`functions`]; only
//!    `include`, `tpl` and text/template's own builtins are part of the engine.
//! 5. What an action yields is printed by [`fmt`], which is Go's package of that name.
//!
//! A [`Value`] keeps Go's types apart (`int` and `int64`, `string` and `json.Number`, `[]string` and
//! `[]interface {}`), since templates can ask for them. Lists and maps are shared by reference, so that sprig's
//! `set` is seen by all who hold the map; structs are [`value::Object`]s. A string need not be UTF-8.
//!
//! [`helm`] sets the engine up as Helm does: its functions, its order of templates, the removal of
//! `<no value>`, and its way to word errors. Rendering is pure: clock, random bytes, cluster and network come
//! through [`functions::Environment`], and [`Limits`] bound what a template may use up.

mod ahead;
mod builtins;
mod error;
mod exec;
pub mod fmt;
pub mod functions;
pub mod gotime;
pub mod helm;
mod parse;
pub mod semver;
mod set;
pub mod value;

pub use ahead::Ahead;
pub use builtins::Builtin;
pub use error::{Error, Phase, Place};
pub use exec::{Limits, MissingKey};
pub use functions::{FunctionError, Functions};
/// Regular expressions as Go has them.
pub use goregexp as regexp;
pub use set::{Options, TemplateSet};
pub use value::Value;
