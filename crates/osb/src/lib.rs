//! A client of the Open Service Broker API, version 2.17.
//!
//! A broker sells things: databases, queues, buckets. A platform asks it for an instance, binds to that, and gives both
//! back one day. The protocol is a handful of HTTP requests; what makes it hard is that each may end in ways after which
//! nobody knows what the broker has done. The specification has two tables about that, and this crate is built around
//! them:
//!
//! ```text
//!   Client ──▶ request ──▶ Reply ──▶ interpret       ──▶ Verdict   what became of a change
//!     │                      │  ├──▶ interpret_poll  ──▶ Poll      how far an asynchronous one is
//!     │                      │  └──▶ interpret_fetch ──▶ Fetched   what the broker has
//!   headers, TLS,        an answer, or
//!   limits, time-outs    why there is none
//! ```
//!
//! - [`Client`] is all the I/O. Every request carries the version, an identity of its own and, where a user is behind it,
//!   that user's [`Identity`]; no redirect is followed, every body is bounded, and a [`Reply`] is handed back whatever
//!   happened.
//! - [`interpret()`], [`interpret_poll()`] and [`interpret_fetch()`] are pure. They know which codes mean what for which
//!   [`Operation`], and whether something may be left behind that nobody will pay for knowingly ([`Failure::orphan`]).
//! - [`Catalog`] is what a broker sells, checked for what the rest relies on. Fields that nobody here knows are kept.
//!
//! A [`Failure`] is one of three [kinds](FailureKind), and that is all a caller has to tell apart: *refused* (nothing was
//! changed, and asking again is of no use), *postponed* (nothing was changed, ask again later), and *unsettled* (nobody
//! knows; find out, or take it back).
//!
//! Where the two tables of the specification disagree, the careful reading wins: a 201 to a deprovision is a success in
//! the table of orphans and a failure in the chapter on deprovisioning; here it is a failure, after which the instance is
//! still remembered and asked about again.
//!
//! Passwords, tokens, credentials and parameters show up in no `Debug` and no message.

mod body;
mod catalog;
mod client;
mod fetch;
mod identity;
mod operation;
mod poll;
mod reply;
mod request;
mod retry_after;
mod secret;
mod verdict;

pub use body::Body;
pub use catalog::{Catalog, CatalogError, MaintenanceInfo, Plan, Service};
pub use client::{Broker, Client, ClientError, DEFAULT_TIMEOUT, VERSION};
pub use fetch::{Fetched, interpret_fetch};
pub use identity::{Identity, unique};
pub use operation::Operation;
pub use poll::{Poll, interpret_poll};
pub use reply::{Answer, Reply};
pub use request::{
    BindRequest, BindingId, InstanceId, Offer, PreviousValues, ProvisionRequest, UpdateRequest,
};
pub use retry_after::RetryAfter;
pub use secret::{Auth, Secret};
pub use trust::{Trust, TrustError};
pub use verdict::{Failure, FailureKind, Verdict, interpret};
