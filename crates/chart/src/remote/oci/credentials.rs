//! Names and passwords of registries: Helm's `registry/config.json`, Docker's, and the helper programs that such a
//! file may hand them to.

mod helper;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Registry;
use crate::remote::files::{self, PathError};

/// What a registry knows somebody by.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credential {
    /// The name.
    pub username: String,
    /// The password.
    pub password: String,
    /// A token to get tokens with.
    pub refresh_token: String,
    /// A token to show.
    pub access_token: String,
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credential").field("username", &self.username).finish_non_exhaustive()
    }
}

/// Why credentials cannot be read or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// The file cannot be read.
    #[error("failed to open config file at {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PathError,
    },
    /// The file is not JSON, or not of this kind.
    #[error("failed to decode config file {}: invalid config format: {reason}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file cannot be written.
    #[error("failed to save config file: {0}")]
    Save(#[from] PathError),
    /// An entry is not the base64 of a name, a colon and a password.
    #[error("failed to decode auth field: invalid config format")]
    Auth,
    /// A name that the file could not give back.
    #[error("bad credential format: colons(:) are not allowed in username")]
    Colon,
    /// A helper program says no.
    #[error("{message}")]
    Helper {
        /// Its words.
        message: String,
    },
    /// The credentials could not be taken away.
    #[error("failed to delete the credential for {server}: {source}")]
    Delete {
        /// The registry.
        server: String,
        /// Why.
        source: Box<CredentialError>,
    },
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct AuthEntry {
    #[serde(skip_serializing_if = "String::is_empty")]
    auth: String,
    #[serde(skip_serializing_if = "String::is_empty", rename = "identitytoken")]
    identity_token: String,
    #[serde(skip_serializing_if = "String::is_empty", rename = "registrytoken")]
    registry_token: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    username: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    password: String,
}

impl AuthEntry {
    fn credential(self) -> Result<Credential, CredentialError> {
        let mut credential = Credential {
            username: self.username,
            password: self.password,
            refresh_token: self.identity_token,
            access_token: self.registry_token,
        };
        if !self.auth.is_empty() {
            let decoded = STANDARD.decode(&self.auth).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let decoded = decoded.ok_or(CredentialError::Auth)?;
            let (username, password) = decoded.split_once(':').ok_or(CredentialError::Auth)?;
            username.clone_into(&mut credential.username);
            password.clone_into(&mut credential.password);
        }
        Ok(credential)
    }
}

/// A `config.json`. What is not about credentials in it is kept as it is.
#[derive(Debug)]
pub struct CredentialFile {
    path: PathBuf,
    content: Map<String, Value>,
    auths: Map<String, Value>,
    store: String,
    helpers: BTreeMap<String, String>,
    /// The helper to begin using because the file names none and this platform's is installed.
    detected: Option<String>,
}

impl CredentialFile {
    /// Reads a file; one that is not there is empty.
    pub fn load(path: &Path) -> Result<Self, CredentialError> {
        let text = match files::read(path) {
            Ok(text) => text,
            Err(error) if error.is_not_found() => Vec::new(),
            Err(source) => return Err(CredentialError::Open { path: path.to_owned(), source }),
        };
        let fault = |error: serde_json::Error| CredentialError::Format {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let content: Map<String, Value> = match text.trim_ascii() {
            [] => Map::new(),
            text => serde_json::from_slice(text).map_err(fault)?,
        };
        let mut file = Self {
            path: path.to_owned(),
            auths: field(&content, "auths").map_err(fault)?,
            store: field(&content, "credsStore").map_err(fault)?,
            helpers: field(&content, "credHelpers").map_err(fault)?,
            content,
            detected: None,
        };
        if file.store.is_empty() && file.helpers.is_empty() && file.auths.is_empty() {
            file.detected = helper::platform_default();
        }
        Ok(file)
    }

    fn helper(&self, server: &str) -> Option<&str> {
        let named = self.helpers.get(server).filter(|helper| !helper.is_empty());
        let store = || Some(&self.store).filter(|store| !store.is_empty());
        named.or_else(store).or(self.detected.as_ref()).map(String::as_str)
    }

    /// The credentials for a server; empty when there are none.
    pub async fn get(&self, server: &str) -> Result<Credential, CredentialError> {
        if let Some(helper) = self.helper(server) {
            return helper::get(helper, server).await;
        }
        // Old files have `https://host/` where new ones have `host`.
        let entry = self
            .auths
            .get(server)
            .or_else(|| self.auths.iter().find(|(key, _)| hostname(key) == server).map(|(_, entry)| entry));
        let Some(entry) = entry else { return Ok(Credential::default()) };
        serde_json::from_value::<AuthEntry>(entry.clone()).map_err(|_| CredentialError::Auth)?.credential()
    }

    /// Keeps a name and password.
    pub async fn put(&mut self, server: &str, username: &str, password: &str) -> Result<(), CredentialError> {
        if let Some(helper) = self.helper(server) {
            helper::store(helper, server, username, password).await?;
            return match self.detected.take() {
                Some(detected) => {
                    self.store = detected;
                    self.save()
                }
                None => Ok(()),
            };
        }
        if username.contains(':') {
            return Err(CredentialError::Colon);
        }
        let mut entry = AuthEntry::default();
        if !username.is_empty() || !password.is_empty() {
            entry.auth = STANDARD.encode(format!("{username}:{password}"));
        }
        let entry = serde_json::to_value(entry).map_err(|_| CredentialError::Auth)?;
        self.auths.insert(server.to_owned(), entry);
        self.save()
    }

    /// Forgets what there is for a server.
    pub async fn delete(&mut self, server: &str) -> Result<(), CredentialError> {
        if let Some(helper) = self.helper(server) {
            return helper::erase(helper, server).await;
        }
        if self.auths.remove(server).is_some() { self.save() } else { Ok(()) }
    }

    fn save(&mut self) -> Result<(), CredentialError> {
        if self.store.is_empty() {
            self.content.remove("credsStore");
        } else {
            self.content.insert("credsStore".to_owned(), Value::String(self.store.clone()));
        }
        self.content.insert("auths".to_owned(), Value::Object(self.auths.clone()));
        let mut text = Vec::new();
        let format = serde_json::ser::PrettyFormatter::with_indent(b"\t");
        let mut serializer = serde_json::Serializer::with_formatter(&mut text, format);
        self.content.serialize(&mut serializer).map_err(|error| CredentialError::Format {
            path: self.path.clone(),
            reason: error.to_string(),
        })?;
        if let Some(parent) = self.path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            files::make_private_dirs(parent)?;
        }
        Ok(files::write(&self.path, &text, 0o600)?)
    }
}

/// A field of the file; `null` is what a missing one is.
fn field<T: serde::de::DeserializeOwned + Default>(
    content: &Map<String, Value>,
    name: &str,
) -> serde_json::Result<T> {
    let value = content.get(name).cloned().unwrap_or_default();
    Ok(serde_json::from_value::<Option<T>>(value)?.unwrap_or_default())
}

/// The key under which the credentials of a host are kept.
pub(super) fn server_address(host: &str) -> &str {
    match host {
        "docker.io" | "registry-1.docker.io" => "https://index.docker.io/v1/",
        host => host,
    }
}

fn hostname(address: &str) -> &str {
    let address = address.strip_prefix("http://").unwrap_or(address);
    let address = address.strip_prefix("https://").unwrap_or(address);
    address.split('/').next().unwrap_or(address)
}

impl Registry {
    /// The credentials to show to a host: those of the command line, else Helm's file, else Docker's.
    pub(super) async fn credential(&self, host: &str) -> Result<Credential, CredentialError> {
        let given = &self.options.auth;
        if given.is_complete() {
            let (username, password) = (given.username.clone(), given.password.clone());
            return Ok(Credential { username, password, ..Credential::default() });
        }
        let server = server_address(host);
        let own = CredentialFile::load(&self.options.config)?.get(server).await?;
        match &self.options.docker_config {
            Some(docker) if own == Credential::default() => CredentialFile::load(docker)?.get(server).await,
            _ => Ok(own),
        }
    }
}

#[cfg(test)]
mod tests;
