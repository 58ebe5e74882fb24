//! `repositories.yaml`: the user's repositories.

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};

use super::RepositoryError;
use crate::remote::files;
use crate::remote::http::{BasicAuth, FetchOptions, TlsOptions};

/// One repository: its name, its address, and how to get at it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RepositoryEntry {
    /// The name that charts are asked for by.
    #[serde(deserialize_with = "nullable")]
    pub name: String,
    /// The address.
    #[serde(deserialize_with = "nullable")]
    pub url: String,
    /// For basic authentication.
    #[serde(deserialize_with = "nullable")]
    pub username: String,
    /// For basic authentication. Never shown, not even by `Debug`.
    #[serde(deserialize_with = "nullable")]
    pub password: String,
    /// The client's certificate.
    #[serde(deserialize_with = "nullable")]
    pub cert_file: String,
    /// Its key.
    #[serde(deserialize_with = "nullable")]
    pub key_file: String,
    /// The authority to trust.
    #[serde(deserialize_with = "nullable")]
    pub ca_file: String,
    /// Trust any server.
    #[serde(rename = "insecure_skip_tls_verify", deserialize_with = "nullable")]
    pub insecure_skip_tls_verify: bool,
    /// Give the password to any server that the index names.
    #[serde(rename = "pass_credentials_all", deserialize_with = "nullable")]
    pub pass_credentials_all: bool,
}

impl std::fmt::Debug for RepositoryEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RepositoryEntry")
            .field("name", &self.name)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl RepositoryEntry {
    /// How to fetch from it.
    pub fn fetch_options(&self) -> FetchOptions {
        FetchOptions {
            credentials_for: self.url.clone(),
            auth: BasicAuth { username: self.username.clone(), password: self.password.clone() },
            pass_credentials_all: self.pass_credentials_all,
            tls: self.tls(),
            ..FetchOptions::default()
        }
    }

    /// Its certificates.
    pub fn tls(&self) -> TlsOptions {
        TlsOptions {
            cert_file: self.cert_file.clone(),
            key_file: self.key_file.clone(),
            ca_file: self.ca_file.clone(),
            insecure: self.insecure_skip_tls_verify,
        }
    }
}

/// The list of repositories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RepositoryFile {
    /// The kind of file; Helm leaves it empty.
    #[serde(deserialize_with = "nullable")]
    pub api_version: String,
    /// When the file was first made; Helm leaves it at its zero time.
    pub generated: String,
    /// The repositories, in the order they were added.
    #[serde(deserialize_with = "without_nulls")]
    pub repositories: Vec<RepositoryEntry>,
}

impl Default for RepositoryFile {
    fn default() -> Self {
        Self {
            api_version: String::new(),
            generated: super::Timestamp::default().to_string(),
            repositories: Vec::new(),
        }
    }
}

impl RepositoryFile {
    /// Reads the file.
    pub fn load(path: &Path) -> Result<Self, RepositoryError> {
        let text = std::fs::read(path)
            .map_err(|source| RepositoryError::Config { path: path.display().to_string(), source })?;
        Self::parse(&text)
    }

    /// Reads the file; one that is not there is an empty list.
    pub fn load_or_default(path: &Path) -> Result<Self, RepositoryError> {
        match Self::load(path) {
            Err(RepositoryError::Config { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            loaded => loaded,
        }
    }

    fn parse(text: &[u8]) -> Result<Self, RepositoryError> {
        let text = String::from_utf8_lossy(text);
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        Ok(goyaml::from_str_as::<Option<Self>>(&text)?.unwrap_or_default())
    }

    /// Writes the file, for the user's eyes only.
    pub fn write(&self, path: &Path) -> Result<(), RepositoryError> {
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            files::make_dirs(parent)?;
        }
        Ok(files::write(path, goyaml::to_string(self)?.as_bytes(), 0o600)?)
    }

    /// The repository of this name.
    pub fn get(&self, name: &str) -> Option<&RepositoryEntry> {
        self.repositories.iter().find(|entry| entry.name == name)
    }

    /// Puts a repository into the list, in place of one of the same name.
    pub fn put(&mut self, entry: RepositoryEntry) {
        match self.repositories.iter_mut().find(|existing| existing.name == entry.name) {
            Some(existing) => *existing = entry,
            None => self.repositories.push(entry),
        }
    }

    /// Takes a repository off the list; whether it was on it.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.repositories.len();
        self.repositories.retain(|entry| entry.name != name);
        self.repositories.len() != before
    }
}

/// `null` is what a missing field is, as in Go.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

fn without_nulls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<RepositoryEntry>, D::Error> {
    let entries = Option::<Vec<Option<RepositoryEntry>>>::deserialize(deserializer)?;
    Ok(entries.unwrap_or_default().into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Helm 4.3.1 wrote it.
    const BY_HELM: &str = "\
apiVersion: \"\"
generated: \"0001-01-01T00:00:00Z\"
repositories:
- caFile: \"\"
  certFile: \"\"
  insecure_skip_tls_verify: false
  keyFile: \"\"
  name: stable
  pass_credentials_all: true
  password: hunter2
  url: https://charts.example.com
  username: me
";

    #[test]
    fn helms_file_survives() {
        let file = RepositoryFile::parse(BY_HELM.as_bytes()).unwrap();
        assert_eq!(file.get("stable").unwrap().username, "me");
        assert!(file.get("stable").unwrap().pass_credentials_all);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/repositories.yaml");
        file.write(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), BY_HELM);
        assert!(!format!("{file:?}").contains("hunter2"));
    }

    #[test]
    fn holes_are_empty() {
        for text in ["", "null", "{}", "repositories: null", "repositories: [null]"] {
            assert_eq!(RepositoryFile::parse(text.as_bytes()).unwrap().repositories, [], "{text}");
        }
        let error = RepositoryFile::load(Path::new("/no/such.yaml")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "couldn't load repositories file (/no/such.yaml): open /no/such.yaml: no such file or directory"
        );
    }

    #[test]
    fn names_are_unique() {
        let mut file = RepositoryFile::default();
        let entry = |name: &str, url: &str| RepositoryEntry {
            name: name.into(),
            url: url.into(),
            ..RepositoryEntry::default()
        };
        file.put(entry("a", "1"));
        file.put(entry("b", "2"));
        file.put(entry("a", "3"));
        assert_eq!(file.repositories, [entry("a", "3"), entry("b", "2")]);
        assert!(file.remove("a"));
        assert!(!file.remove("a"));
    }
}
