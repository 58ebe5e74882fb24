//! What the planner promises, by subject.

mod seeds;
mod world;
