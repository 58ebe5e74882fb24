//! Refusals of server-side apply, in the words of the real server.

use std::fmt;

use crate::conflict::Conflicts;
use crate::gotext::Quoted;
use crate::managers::ManagersError;
use crate::prune::PruneError;
use crate::typed::ValidationErrors;

/// Why an object was not applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// Others own fields that would change. The server answers 409, reason `Conflict`, with a cause for each.
    #[error("{0}")]
    Conflicts(Conflicts),
    /// The applied object is of another kind or version than the request. The server answers 400.
    #[error("invalid object type: {0}")]
    WrongType(ObjectType),
    /// The applied object says who manages it. The server answers 400.
    #[error("metadata.managedFields must be nil")]
    ManagedFieldsGiven,
    /// The managed fields of the live object cannot be read. The server answers 500.
    #[error("failed to decode managed fields: {0}")]
    Managers(#[from] ManagersError),
    /// The applied object does not have the structure of its kind. The server answers 500.
    #[error("failed to create typed patch object ({object}): {errors}")]
    Applied {
        /// What it claims to be.
        object: Box<ObjectName>,
        /// What is wrong.
        errors: ValidationErrors,
    },
    /// The live object does not have the structure of its kind. The server answers 500.
    #[error("failed to create typed live object ({object}): {errors}")]
    Live {
        /// What it is.
        object: Box<ObjectName>,
        /// What is wrong.
        errors: ValidationErrors,
    },
    /// The same, found while ownership was given to what was there before the first apply. The server answers 500.
    #[error(
        "failed to create manager for existing fields: failed to convert {side} object ({object}) to smd typed: {errors}"
    )]
    BeforeFirst {
        /// `new` for the object that is there, `live` for the empty one.
        side: &'static str,
        /// What it is.
        object: Box<ObjectName>,
        /// What is wrong.
        errors: ValidationErrors,
    },
    /// Somebody owns fields in a version that cannot be. The server answers 500.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// The object cannot be converted to a version in which somebody owns fields. The server answers 500.
    #[error(transparent)]
    Prune(#[from] PruneError),
    /// The same, found of what the apply makes of the object. The server answers 500.
    #[error("failed to convert new object: {0}")]
    Unconverted(ValidationErrors),
}

/// Why fields owned in another version cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VersionError {
    /// Not a version at all.
    #[error("unexpected GroupVersion string: {0}")]
    Malformed(String),
    /// Another group.
    #[error("{object} is unstructured and is not suitable for converting to {}", Quoted(target))]
    Group {
        /// The kind of the object.
        object: ObjectType,
        /// The version asked for.
        target: String,
    },
    /// A version that the custom resource does not have.
    #[error("request to convert CR to an invalid group/version: {0}")]
    Unknown(String),
    /// The object does not have the structure of a version, or has items that cannot be told apart: both are refused
    /// when it is converted.
    #[error(transparent)]
    Structure(#[from] ValidationErrors),
}

/// Version and kind of an object, shown as `apps/v1, Kind=Deployment`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectType {
    /// `apps/v1`, or `v1` of the core.
    pub api_version: String,
    /// The kind.
    pub kind: String,
}

/// An object in a refusal, shown as `default/web; apps/v1, Kind=Deployment`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectName {
    /// Its namespace, as far as it says.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: ObjectType,
}

impl ApplyError {
    /// The HTTP status code with which the server refuses.
    pub fn code(&self) -> u16 {
        match self {
            Self::Conflicts(_) => 409,
            Self::WrongType(_) | Self::ManagedFieldsGiven => 400,
            _ => 500,
        }
    }
}

impl fmt::Display for ObjectType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group_version = if self.api_version.contains('/') { "" } else { "/" };
        write!(f, "{group_version}{}, Kind={}", self.api_version, self.kind)
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}; {}", self.namespace, self.name, self.of)
    }
}
