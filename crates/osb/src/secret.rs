//! What must not be seen in a log.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Something that `Debug` does not show.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret<T>(pub T);

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// How a broker knows who is asking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Auth {
    /// It does not.
    #[default]
    None,
    /// By a name and password.
    Basic {
        /// The name.
        username: String,
        /// The password.
        password: Secret<String>,
    },
    /// By a token.
    Bearer(Secret<String>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let auth = Auth::Basic { username: "admin".into(), password: Secret("hunter2".into()) };
        assert_eq!(format!("{auth:?}"), "Basic { username: \"admin\", password: *** }");
        assert_eq!(format!("{:?}", Auth::Bearer(Secret("hunter2".into()))), "Bearer(***)");
    }
}
