//! Replays generated sequences of API calls on the dock and on a real kube-apiserver, and compares what they answer.
//!
//! A [`sequence::Sequence`] is data: requests with blanks for what only a server can say, such as uids and versions. The
//! generator ([`generate`]) makes them from a seed and keeps a rough idea of what is there, so that most calls succeed;
//! what the [`kinds`] look like, how they are changed and what is wrong with them is told kind by kind.
//! [`replay`] asks one [`server::Server`], as raw HTTP and without any type of Kubernetes, and fills the blanks from its
//! own answers. [`normal`] replaces what a server chooses for itself by the order in which it appeared, [`compare`] finds
//! the first answer that differs, in its code, form, warnings or body, and [`shrink`] leaves out steps for as long as the
//! difference stays. A [`campaign::Campaign`] does that for thousands of sequences, each with namespaces of its own, many
//! at a time; [`coverage`] is the table of what was asked. A difference that does not show again when the same sequence
//! is replayed is counted but is no finding: two watches of a loaded server need not be equally quick.
//!
//! Without controllers every effect of a call is there when it is answered, so everything is compared: each answer, the
//! events of watches, and at the end all that is stored. With them ([`generate::Mode::Controllers`]) sequences are about
//! deletion alone: after each step both servers [`settle`], then all that is stored is compared, and at the end the
//! states that each object went through.

pub mod campaign;
pub mod compare;
pub mod coverage;
pub mod dice;
pub mod generate;
pub mod kinds;
pub mod normal;
pub mod plane;
pub mod replay;
pub mod report;
pub mod sequence;
pub mod server;
pub mod settle;
pub mod shrink;
