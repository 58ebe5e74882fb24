//! The Common Expression Language, as Kubernetes evaluates it.
//!
//! Custom resources carry rules such as `self.minReplicas <= self.replicas`, admission policies decide by expressions
//! over the request. Both are written in CEL, with the libraries and limits that Kubernetes adds. This crate reads
//! such an expression, checks its types against what is known of its variables, and evaluates it, with the results
//! and the messages of the real API server: what is refused there when a definition is created, is refused here.
//!
//! An expression goes through four hands. `parse` makes a tree of it and expands macros (`has`, `all`, `map` …) into
//! comprehensions. `check` finds the type of every part and which overloads its calls mean; what does not fit is
//! told in cel-go's words, with the place marked. `plan` resolves names and computes what is constant. The result is
//! a [`Program`], which can be evaluated with an [`Activation`] any number of times.
//!
//! Values are borrowed: an object of a megabyte is bound as it is, and only the fields that the expression names are
//! looked at. With a [`Schema`], texts become moments, spans of time or bytes where it says so, and lists that are
//! sets or maps compare as such. Every evaluation has a budget, so that no rule can hold up the server; costs are
//! those of Kubernetes.
//!
//! ```
//! use cel::{Activation, Env, Program, Type, Value};
//!
//! let env = Env::new().with_variable("object", Type::Dyn);
//! let program = Program::compile("object.spec.replicas <= 5", &env)?;
//! let object = serde_json::json!({"spec": {"replicas": 3}});
//! let mut activation = Activation::new();
//! activation.bind_json("object", &object, None);
//! assert_eq!(program.evaluate(&activation)?.as_bool(), Some(true));
//!
//! let error = Program::compile("object.spec.replicas <= five", &env).unwrap_err();
//! assert!(error.to_string().contains("undeclared reference to 'five'"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activation;
mod ast;
mod check;
mod env;
mod error;
mod escape;
mod eval;
mod functions;
mod parse;
mod plan;
mod program;
mod schema;
mod source;
mod types;
mod value;

pub use activation::{Activation, Members};
pub use env::Env;
pub use error::EvalError;
pub use escape::{escape, is_reserved, unescape};
pub use functions::authorizer::{
    Authorization, Authorizer, Checker, Decision, Question, ResourceAttributes, Subject,
};
pub use functions::formats::NamedFormat;
pub use functions::net::Cidr;
pub use functions::quantity::Quantity;
pub use functions::semver::Version;
pub use functions::urls::Url;
pub use program::{CompileError, Evaluated, PER_CALL_LIMIT, Program};
pub use schema::{ListKind, Schema};
pub use source::{CompileErrors, Issue, Location};
pub use types::Type;
pub use value::{Key, List, Map, Span, Text, Timestamp, Value};
