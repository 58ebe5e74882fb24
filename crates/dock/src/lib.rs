//! A Kubernetes API server in this process.
//!
//! [`Dock`] is the server: an HTTP service that a client is given in place of a connection, or that
//! [serves](Dock::serve) a socket. A request is understood by [`http`] (which path, which options, who asks, in what
//! form), finds its resource in the [`registry`] (the built-in ones and those that definitions add), and becomes a
//! [`requests::Call`]. Reads are answered from the [`store`], which keeps every object at every revision for a while, so
//! that lists in pages and watches can begin in the past. Writes go the way of the real server: decoding by the
//! structure of the kind (crate `schema`), defaults and validation by the rules of the kind ([`kinds`], [`crd`] for
//! custom ones), ownership of fields (crate `fields`), [`admission`], then one conditional change of the store.
//!
//! What makes objects come to life and go away runs beside it: [`controllers`] are pure functions of an object and the
//! world around it, run over the store's own changes and its [`clock`], which a test can turn.
//!
//! Every refusal is a [`status::Status`] in the words of the real server, against which a differential suite holds
//! every answer.

pub mod admission;
pub mod clock;
pub mod controllers;
pub mod crd;
pub mod embedded;
pub mod faults;
pub mod field;
pub mod http;
pub mod kinds;
pub mod meta;
pub mod registry;
pub mod requests;
pub mod selectors;
mod serve;
mod server;
pub mod status;
pub mod store;
pub mod wire;

pub use serve::{CertificateError, ServeError, Serving};
pub use server::{Builder, Dock, Server};
