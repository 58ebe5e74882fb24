//! Semantic versions and constraints as the Go library `Masterminds/semver` v3 understands them.
//!
//! [`Version::parse`] is coercive (`v1.2` is 1.2.0), [`Version::parse_strict`] is not. [`Constraint`] accepts
//! `=`, `!=`, `<`, `>`, `<=`, `>=`, `~`, `~>`, `^`, wildcards (`1.x`), hyphen ranges (`1 - 2`), conjunction by
//! comma or space and disjunction by `||`; a pre-release only satisfies a group that names one itself.

mod constraint;
mod version;

pub use constraint::{Constraint, ConstraintError};
pub use version::{Version, VersionError};
