//! The wire: what paths, queries and headers mean.

pub mod accept;
pub mod answer;
pub mod options;
pub mod path;
pub mod service;
pub mod user;
