//! The service catalog on a cluster, with brokers that really answer: a whole life, the delete that can be taken back, who
//! the broker hears is asking, and operators that die in the middle.

#![expect(clippy::unwrap_used, reason = "a test whose surroundings fail should fail")]

mod stage;

mod deaths;
mod declared;
mod identities;
mod kills;
mod life;
mod waking;
