//! Who is asking: the user behind a request, and the request itself.

use std::collections::BTreeMap;

use base64::Engine as _;
use serde::{Deserialize, Serialize};

/// The user of a Kubernetes cluster on whose behalf a request is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The name, as the cluster authenticated it.
    pub username: String,
    /// The cluster's own identifier of the user.
    #[serde(default)]
    pub uid: String,
    /// The groups that the user is in.
    #[serde(default)]
    pub groups: Vec<String>,
    /// What else the authenticator said.
    #[serde(default)]
    pub extra: BTreeMap<String, Vec<String>>,
}

impl Identity {
    /// The value of `X-Broker-API-Originating-Identity`: the platform, and the user as JSON in base64.
    pub fn header(&self) -> String {
        // A struct of strings has no way not to become JSON.
        let json = serde_json::to_vec(self).unwrap_or_default();
        format!("kubernetes {}", base64::engine::general_purpose::STANDARD.encode(json))
    }
}

/// A random UUID (version 4): for the identity of a request, and for the identifiers of instances and bindings.
///
/// # Errors
/// When the system has no randomness to give.
pub fn unique() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_the_platform_and_the_user_in_base64() {
        let identity =
            Identity { username: "alice".into(), groups: vec!["dev".into()], ..Identity::default() };
        let header = identity.header();
        let (platform, value) = header.split_once(' ').unwrap();
        assert_eq!(platform, "kubernetes");
        let json = base64::engine::general_purpose::STANDARD.decode(value).unwrap();
        assert_eq!(
            String::from_utf8(json).unwrap(),
            r#"{"username":"alice","uid":"","groups":["dev"],"extra":{}}"#
        );
    }

    #[test]
    fn identifiers_are_of_version_4_and_differ() {
        let (one, other) = (unique().unwrap(), unique().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), 36);
        assert_eq!(&one[14..15], "4");
        assert!("89ab".contains(&one[19..20]));
    }
}
