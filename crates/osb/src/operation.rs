//! The five requests that change something at a broker.

use std::fmt;

/// A request that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Makes an instance.
    Provision,
    /// Changes an instance's plan or parameters.
    Update,
    /// Takes an instance down.
    Deprovision,
    /// Makes a binding.
    Bind,
    /// Takes a binding down.
    Unbind,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Provision, Self::Update, Self::Deprovision, Self::Bind, Self::Unbind];

    /// Whether something is gone once it has succeeded.
    pub fn removes(self) -> bool {
        matches!(self, Self::Deprovision | Self::Unbind)
    }

    /// Whether something new is there once it has succeeded.
    pub fn makes(self) -> bool {
        matches!(self, Self::Provision | Self::Bind)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Provision => "provision",
            Self::Update => "update",
            Self::Deprovision => "deprovision",
            Self::Bind => "bind",
            Self::Unbind => "unbind",
        })
    }
}
