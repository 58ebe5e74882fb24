//! Provenance: a chart's archive signed by its maker.
//!
//! The `.prov` file beside an archive is a clear-signed OpenPGP message. Its text is the chart's metadata as YAML,
//! the line `...`, and the archive's SHA-256:
//!
//! ```text
//! -----BEGIN PGP SIGNED MESSAGE-----
//! Hash: SHA512
//!
//! apiVersion: v2
//! name: app
//! version: 0.1.0
//!
//! ...
//! files:
//!   app-0.1.0.tgz: sha256:…
//! -----BEGIN PGP SIGNATURE-----
//! ```
//!
//! [`verify`] checks the signature against a [`Keyring`] and the digest against the archive; [`sign`] makes one.

mod clearsign;
mod keybox;
mod keyring;
mod signature;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use keyring::{Keyring, KeyringError, Passphrase, Signer};

use super::files::{self, PathError};
use super::sha256_hex;
use super::url::quote;

/// Who signed what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The names on the key.
    pub signed_by: Vec<String>,
    /// The key's fingerprint, in capitals.
    pub fingerprint: String,
    /// The archive's digest, with `sha256:` before it.
    pub file_hash: String,
    /// The name of the archive that the signature is for.
    pub file_name: String,
}

impl std::fmt::Display for Verification {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for name in &self.signed_by {
            writeln!(f, "Signed by: {name}")?;
        }
        writeln!(f, "Using Key With Fingerprint: {}", self.fingerprint)?;
        writeln!(f, "Chart Hash Verified: {}", self.file_hash)
    }
}

/// Why a chart cannot be verified or signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvenanceError {
    /// The chart's file cannot be read.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Only archives are signed.
    #[error("unpacked charts cannot be verified")]
    Unpacked,
    /// The file is no archive, by its name.
    #[error("chart must be a tgz file")]
    NotAnArchive,
    /// There is no signature beside the chart.
    #[error("could not load provenance file {}: {source}", path.display())]
    NoProvenance {
        /// Where it was looked for.
        path: PathBuf,
        /// What the system said.
        source: PathError,
    },
    /// The keyring that signatures are checked with cannot be read.
    #[error("failed to load keyring: {0}")]
    LoadKeyring(#[source] KeyringError),
    /// There is no key to sign with.
    #[error(transparent)]
    Key(#[from] KeyringError),
    /// What is to be signed is not a chart.
    #[error("failed to load chart for signing: {0}")]
    Chart(#[from] crate::LoadError),
    /// The file holds no clear-signed message.
    #[error("signature block not found")]
    NoSignatureBlock,
    /// The signature is not by a key of the ring, or not valid.
    #[error("{reason}")]
    Signature {
        /// Why, in the words of Helm's OpenPGP library.
        reason: String,
    },
    /// The signed text is not what Helm writes.
    #[error("message block must have at least two parts")]
    MessageBlock,
    /// The digests in the signed text cannot be read.
    #[error(transparent)]
    Sums(#[from] goyaml::Error),
    /// Another file was signed.
    #[error("provenance does not contain a SHA for a file named {}", quote(file))]
    OtherFile {
        /// The file that was to be verified.
        file: String,
    },
    /// The archive is not the one that was signed.
    #[error("sha256 sum does not match for {file}: {} != {}", quote(signed), quote(actual))]
    Digest {
        /// The archive.
        file: String,
        /// The digest that was signed.
        signed: String,
        /// The archive's.
        actual: String,
    },
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Sums {
    files: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    images: BTreeMap<String, String>,
}

/// Checks an archive on disk against its provenance file.
pub fn verify_file(
    archive: &Path,
    provenance: &Path,
    keyring: &Path,
) -> Result<Verification, ProvenanceError> {
    let metadata = std::fs::metadata(archive).map_err(PathError::new("stat", archive))?;
    if metadata.is_dir() {
        return Err(ProvenanceError::Unpacked);
    }
    if !archive.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tgz")) {
        return Err(ProvenanceError::NotAnArchive);
    }
    if let Err(error) = std::fs::metadata(provenance) {
        let source = PathError::new("stat", provenance)(error);
        return Err(ProvenanceError::NoProvenance { path: provenance.to_owned(), source });
    }
    let keyring = Keyring::load(keyring).map_err(ProvenanceError::LoadKeyring)?;
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    verify(&files::read(archive)?, &files::read(provenance)?, &name, &keyring)
}

/// Checks an archive against its provenance: signed by a key of the ring, under this name, with this digest.
pub fn verify(
    archive: &[u8],
    provenance: &[u8],
    file_name: &str,
    keyring: &Keyring,
) -> Result<Verification, ProvenanceError> {
    let message = clearsign::decode(provenance).ok_or(ProvenanceError::NoSignatureBlock)?;
    let signer = signature::check(keyring, &message)?;
    let text = String::from_utf8_lossy(&message.text);
    let sums = text.split("\n...\n").nth(1).ok_or(ProvenanceError::MessageBlock)?;
    let sums: Sums = goyaml::from_str_as(sums)?;
    let actual = format!("sha256:{}", sha256_hex(archive));
    match sums.files.get(file_name) {
        None => Err(ProvenanceError::OtherFile { file: file_name.to_owned() }),
        Some(promised) if *promised != actual => {
            Err(ProvenanceError::Digest { file: file_name.to_owned(), signed: promised.clone(), actual })
        }
        Some(_) => Ok(Verification {
            signed_by: signer.identities,
            fingerprint: signer.fingerprint,
            file_hash: actual,
            file_name: file_name.to_owned(),
        }),
    }
}

/// Signs an archive on disk with the key of this name, and writes the provenance file beside it.
pub fn sign_file(
    archive: &Path,
    keyring: &Path,
    key: &str,
    passphrase: Passphrase<'_>,
) -> Result<PathBuf, ProvenanceError> {
    let keyring = Keyring::load(keyring)?;
    let signer = keyring.signer(key, passphrase)?;
    let bytes = files::read(archive)?;
    let metadata = goyaml::to_string(&crate::load::load_archive(&bytes)?.chart.metadata)?;
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let provenance = provenance_path(archive);
    files::write(&provenance, sign(&bytes, &name, &metadata, &signer)?.as_bytes(), 0o644)?;
    Ok(provenance)
}

/// Where the provenance of an archive lies.
pub fn provenance_path(archive: &Path) -> PathBuf {
    let mut path = archive.as_os_str().to_owned();
    path.push(".prov");
    path.into()
}

/// Signs an archive: the text of its provenance file, given the chart's metadata as YAML.
pub fn sign(
    archive: &[u8],
    file_name: &str,
    metadata: &str,
    signer: &Signer<'_>,
) -> Result<String, ProvenanceError> {
    let sums = Sums {
        files: BTreeMap::from([(file_name.to_owned(), format!("sha256:{}", sha256_hex(archive)))]),
        images: BTreeMap::new(),
    };
    let text = format!("{metadata}\n...\n{}", goyaml::to_string(&sums)?);
    signature::sign(&text, signer)
}

#[cfg(test)]
mod tests;
