//! YAML exactly as Go's `sigs.k8s.io/yaml` reads and writes it.
//!
//! Helm and Kubernetes read YAML with `sigs.k8s.io/yaml`: the text is parsed by goyaml v2 (YAML 1.1, a
//! descendant of libyaml), converted to JSON and decoded by `encoding/json`; writing goes the same way
//! back. To render what Helm renders, each of these steps has to be met to the byte, its quirks and its
//! error messages included. That is all this crate is about.
//!
//! # The way in
//!
//! [`from_str`] reads a document into a [`Value`]. The scanner (`scan`) turns text into tokens, the parser
//! (`parse`) tokens into events, the composer (`compose`) events into values, asking `resolve` what a
//! plain scalar means: `yes` is a boolean, `0777` octal, a key `1.50` becomes the string `1.5`. Tokens and
//! events borrow from the text. A document that is refused is read once more (`refusal`), to say what Go says
//! of it: [`Error`] prints Go's words, [`Error::line`] names the line.
//!
//! [`from_str_as`] decodes into a Rust type with Go's leniency: unknown fields are skipped, `null` leaves
//! a field empty, scalars become strings where strings are wanted; [`from_str_as_strict`] is
//! `UnmarshalStrict`. [`Head`] reads only what tells one manifest from another, several times faster, but
//! refuses exactly what the full reader refuses. [`Document`] remembers where each value stands.
//!
//! # The way out
//!
//! [`to_string`] writes any `Serialize` as `yaml.Marshal` does, straight into one string, keys in
//! goyaml's order, long lines folded at 80 columns. [`to_string_pretty`] is goyaml v3's layout, which Helm
//! has as `toYamlPretty`. [`json`] is `encoding/json`, [`strconv`] is Go's `strconv` and [`duration`] its
//! `time.Duration`; these are also what the template engine and the readers of manifests use.
//!
//! # Numbers
//!
//! A [`Value`] keeps integers apart from floats, although Go's `interface{}` would hold `float64` for
//! both. Which view is right depends on the caller: [`Value::numbers_as_float64`] gives the one,
//! [`Value::numbers_as_json_number`] that of a `json.Decoder` with `UseNumber`.
//!
//! # Where it differs from Go
//!
//! Collections nest at most 1000 deep (Go: 10000), so that no input can exhaust the stack. A byte order mark
//! in the middle of a text is an ordinary character. Maps whose keys goyaml orders in a circle (`a1b`, `a01`,
//! `a10`) come out in one fixed order where Go's differs from run to run.

mod base64;
pub mod carried;
mod compose;
mod document;
pub mod duration;
mod emit;
mod error;
mod gosyntax;
mod head;
pub mod json;
mod parse;
mod read;
mod refusal;
mod resolve;
mod scan;
pub mod strconv;
mod text_key;
mod timestamp;
mod utf16;
mod utf8;
mod value;

pub use document::{Document, Position};
pub use emit::{to_string, to_string_pretty};
pub use error::{Error, YamlError};
pub use head::Head;
pub use read::{from_slice, from_str, from_str_as, from_str_as_strict, from_str_strict};
pub use utf8::text_of;
pub use value::{Binary, Broken, Mapping, Number, Timestamp, Value};
