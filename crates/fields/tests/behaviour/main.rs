//! What writes do to an object and its managers, seen through the doors a server uses.

mod apply;
mod kubectl;
mod laws;
mod object;
mod scale;
mod update;
