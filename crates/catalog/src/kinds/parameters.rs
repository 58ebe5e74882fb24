//! What a user wants of a thing, and who that user is.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The user who last changed a spec. Written by the operator's webhook; what others write here is replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserInfo {
    /// The name.
    #[serde(default)]
    pub username: String,
    /// The cluster's own identifier of the user.
    #[serde(default)]
    pub uid: String,
    /// The groups that the user is in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// What else the authenticator said.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Vec<String>>,
}

/// Parameters that are kept in a Secret, because they are secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParametersFrom {
    /// The key of a Secret, whose value is a JSON object.
    pub secret_key_ref: SecretKey,
}

/// A key of a Secret in the same namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecretKey {
    /// The Secret's name.
    pub name: String,
    /// The key in it.
    pub key: String,
}

/// Why parameters cannot be put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParametersError {
    /// The Secret or the key is not there.
    #[error("the key {key:?} of the Secret {secret:?} in parametersFrom is not there")]
    Missing {
        /// The Secret.
        secret: String,
        /// The key.
        key: String,
    },
    /// What is there is no JSON object. It is a secret, so it is not shown.
    #[error("the key {key:?} of the Secret {secret:?} in parametersFrom holds no JSON object")]
    NoObject {
        /// The Secret.
        secret: String,
        /// The key.
        key: String,
    },
    /// Two sources say something about one parameter.
    #[error("the parameter {name:?} is given twice")]
    Twice {
        /// The parameter.
        name: String,
    },
}

impl ParametersFrom {
    /// Puts parameters together from those in the spec and those in Secrets; `read` gives the bytes of a key.
    ///
    /// # Errors
    /// A key that is missing or holds no object, and a parameter that is given twice.
    pub fn collect(
        written: Option<&Map<String, Value>>,
        from: &[Self],
        read: impl Fn(&SecretKey) -> Option<Vec<u8>>,
    ) -> Result<Option<Map<String, Value>>, ParametersError> {
        if written.is_none() && from.is_empty() {
            return Ok(None);
        }
        let mut all = written.cloned().unwrap_or_default();
        for Self { secret_key_ref: place } in from {
            let (secret, key) = (place.name.clone(), place.key.clone());
            let Some(bytes) = read(place) else { return Err(ParametersError::Missing { secret, key }) };
            let Ok(Value::Object(more)) = serde_json::from_slice(&bytes) else {
                return Err(ParametersError::NoObject { secret, key });
            };
            for (name, value) in more {
                if all.insert(name.clone(), value).is_some() {
                    return Err(ParametersError::Twice { name });
                }
            }
        }
        Ok(Some(all))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_come_from_the_spec_and_from_secrets_and_never_twice() {
        let from =
            |key: &str| ParametersFrom { secret_key_ref: SecretKey { name: "s".into(), key: key.into() } };
        let read = |place: &SecretKey| match place.key.as_str() {
            "password" => Some(br#"{"password":"hunter2"}"#.to_vec()),
            "text" => Some(b"hunter2".to_vec()),
            _ => None,
        };
        let Value::Object(written) = json!({"size": 3}) else { panic!() };
        let all = ParametersFrom::collect(Some(&written), &[from("password")], read).unwrap().unwrap();
        assert_eq!(Value::Object(all), json!({"size": 3, "password": "hunter2"}));
        assert_eq!(ParametersFrom::collect(None, &[], read), Ok(None));
        for (list, words) in [
            (vec![from("none")], "the key \"none\" of the Secret \"s\" in parametersFrom is not there"),
            (
                vec![from("text")],
                "the key \"text\" of the Secret \"s\" in parametersFrom holds no JSON object",
            ),
            (vec![from("password"), from("password")], "the parameter \"password\" is given twice"),
        ] {
            assert_eq!(ParametersFrom::collect(None, &list, read).unwrap_err().to_string(), words);
        }
    }
}
