//! How credentials become the keys of a Secret.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One change of the keys. Exactly one of the four is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretTransform {
    /// Gives a key another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rename_key: Option<RenameKey>,
    /// Adds a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add_key: Option<AddKey>,
    /// Adds all keys of another Secret; those that are there already are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add_keys_from: Option<AddKeysFrom>,
    /// Removes a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove_key: Option<RemoveKey>,
}

/// Gives a key another name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RenameKey {
    /// The name that the broker gave it.
    pub from: String,
    /// The name that it gets.
    pub to: String,
}

/// Adds a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddKey {
    /// The key.
    pub key: String,
    /// Its value, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Its value, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub string_value: Option<String>,
    /// Where its value is in the credentials, as JSONPath: `{.host}`, or several with text between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_path_expression: Option<String>,
}

/// Adds all keys of another Secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddKeysFrom {
    /// The Secret.
    pub secret_ref: NamespacedName,
}

/// A Secret by namespace and name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamespacedName {
    /// The namespace; that of the binding if it is not given. No other is read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// Removes a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoveKey {
    /// The key.
    pub key: String,
}

/// Why credentials cannot become a Secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransformError {
    /// A transform is not exactly one of the four.
    #[error(
        "secretTransforms[{index}] must have exactly one of renameKey, addKey, addKeysFrom and removeKey"
    )]
    NotOne {
        /// Which.
        index: usize,
    },
    /// A key to add has not exactly one value.
    #[error(
        "secretTransforms[{index}].addKey must have exactly one of value, stringValue and jsonPathExpression"
    )]
    NoValue {
        /// Which.
        index: usize,
    },
    /// The value is not base64.
    #[error("secretTransforms[{index}].addKey.value is not base64")]
    NotBase64 {
        /// Which.
        index: usize,
    },
    /// The expression gives nothing.
    #[error("secretTransforms[{index}].addKey.jsonPathExpression {expression:?}: {why}")]
    Path {
        /// Which.
        index: usize,
        /// The expression.
        expression: String,
        /// What is wrong with it.
        why: String,
    },
    /// The other Secret is not there.
    #[error("secretTransforms[{index}].addKeysFrom: the Secret {name:?} is not there")]
    NoSecret {
        /// Which.
        index: usize,
        /// The Secret.
        name: String,
    },
    /// The other Secret is in another namespace, whose owner was not asked.
    #[error("secretTransforms[{index}].addKeysFrom: {namespace:?} is not the namespace of the binding")]
    Elsewhere {
        /// Which.
        index: usize,
        /// The namespace.
        namespace: String,
    },
}

/// The keys of the Secret that credentials become: text as it is, anything else as JSON, changed by the transforms in
/// their order. `path` evaluates a JSONPath template on the credentials, `read` gives the keys of another Secret.
///
/// # Errors
/// The first transform that cannot be done.
pub fn transform(
    credentials: &Map<String, Value>,
    transforms: &[SecretTransform],
    namespace: &str,
    path: impl Fn(&str, &Map<String, Value>) -> Result<String, String>,
    read: impl Fn(&str) -> Option<BTreeMap<String, Vec<u8>>>,
) -> Result<BTreeMap<String, Vec<u8>>, TransformError> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes();
    let mut keys: BTreeMap<String, Vec<u8>> =
        credentials.iter().map(|(key, value)| (key.clone(), text(value))).collect();
    for (index, transform) in transforms.iter().enumerate() {
        match transform {
            SecretTransform {
                rename_key: Some(rename),
                add_key: None,
                add_keys_from: None,
                remove_key: None,
            } => {
                if let Some(value) = keys.remove(&rename.from) {
                    keys.insert(rename.to.clone(), value);
                }
            }
            SecretTransform {
                rename_key: None,
                add_key: Some(add),
                add_keys_from: None,
                remove_key: None,
            } => {
                let value = added(index, add, credentials, &path)?;
                keys.insert(add.key.clone(), value);
            }
            SecretTransform {
                rename_key: None,
                add_key: None,
                add_keys_from: Some(from),
                remove_key: None,
            } => {
                let NamespacedName { namespace: of, name } = &from.secret_ref;
                if !of.is_empty() && of != namespace {
                    return Err(TransformError::Elsewhere { index, namespace: of.clone() });
                }
                let more =
                    read(name).ok_or_else(|| TransformError::NoSecret { index, name: name.clone() })?;
                keys.extend(more);
            }
            SecretTransform {
                rename_key: None,
                add_key: None,
                add_keys_from: None,
                remove_key: Some(remove),
            } => {
                keys.remove(&remove.key);
            }
            _ => return Err(TransformError::NotOne { index }),
        }
    }
    Ok(keys)
}

fn added(
    index: usize,
    add: &AddKey,
    credentials: &Map<String, Value>,
    path: impl Fn(&str, &Map<String, Value>) -> Result<String, String>,
) -> Result<Vec<u8>, TransformError> {
    use base64::Engine as _;
    match (&add.value, &add.string_value, &add.json_path_expression) {
        (Some(value), None, None) => base64::engine::general_purpose::STANDARD
            .decode(value)
            .map_err(|_| TransformError::NotBase64 { index }),
        (None, Some(text), None) => Ok(text.clone().into_bytes()),
        (None, None, Some(expression)) => path(expression, credentials)
            .map(String::into_bytes)
            .map_err(|why| TransformError::Path { index, expression: expression.clone(), why }),
        _ => Err(TransformError::NoValue { index }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(transforms: Value) -> Result<BTreeMap<String, String>, String> {
        let Value::Object(credentials) = json!({"user": "u", "port": 5432, "tls": {"ca": "x"}}) else {
            panic!()
        };
        let transforms: Vec<SecretTransform> = serde_json::from_value(transforms).unwrap();
        let path = |expression: &str, credentials: &Map<String, Value>| match expression {
            "{.port}" => Ok(credentials["port"].to_string()),
            _ => Err("nothing is there".to_owned()),
        };
        let read = |name: &str| (name == "more").then(|| [("user".to_owned(), b"other".to_vec())].into());
        transform(&credentials, &transforms, "shop", path, read)
            .map(|keys| {
                keys.into_iter().map(|(key, value)| (key, String::from_utf8(value).unwrap())).collect()
            })
            .map_err(|error| error.to_string())
    }

    fn keys(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn credentials_become_keys_and_the_four_transforms_change_them_in_order() {
        let plain = keys(&[("port", "5432"), ("tls", r#"{"ca":"x"}"#), ("user", "u")]);
        assert_eq!(run(json!([])), Ok(plain));
        let all = run(json!([
            {"renameKey": {"from": "user", "to": "USER"}},
            {"addKey": {"key": "a", "value": "aGk="}},
            {"addKey": {"key": "b", "stringValue": "text"}},
            {"addKey": {"key": "c", "jsonPathExpression": "{.port}"}},
            {"addKeysFrom": {"secretRef": {"namespace": "shop", "name": "more"}}},
            {"removeKey": {"key": "tls"}},
        ]));
        let expected = keys(&[
            ("USER", "u"),
            ("a", "hi"),
            ("b", "text"),
            ("c", "5432"),
            ("port", "5432"),
            ("user", "other"),
        ]);
        assert_eq!(all, Ok(expected));
        assert_eq!(
            run(json!([{"renameKey": {"from": "none", "to": "x"}}])),
            run(json!([])),
            "as Service Catalog does"
        );
    }

    #[test]
    fn what_cannot_be_done_is_named() {
        for (transform, words) in [
            (
                json!({}),
                "secretTransforms[0] must have exactly one of renameKey, addKey, addKeysFrom and removeKey",
            ),
            (
                json!({"removeKey": {"key": "a"}, "addKey": {"key": "a"}}),
                "secretTransforms[0] must have exactly one of renameKey, addKey, addKeysFrom and removeKey",
            ),
            (
                json!({"addKey": {"key": "a"}}),
                "secretTransforms[0].addKey must have exactly one of value, stringValue and jsonPathExpression",
            ),
            (json!({"addKey": {"key": "a", "value": "?"}}), "secretTransforms[0].addKey.value is not base64"),
            (
                json!({"addKey": {"key": "a", "jsonPathExpression": "{.x}"}}),
                "secretTransforms[0].addKey.jsonPathExpression \"{.x}\": nothing is there",
            ),
            (
                json!({"addKeysFrom": {"secretRef": {"name": "none"}}}),
                "secretTransforms[0].addKeysFrom: the Secret \"none\" is not there",
            ),
            (
                json!({"addKeysFrom": {"secretRef": {"namespace": "kube-system", "name": "more"}}}),
                "secretTransforms[0].addKeysFrom: \"kube-system\" is not the namespace of the binding",
            ),
        ] {
            assert_eq!(run(json!([transform])).unwrap_err(), words);
        }
    }
}
