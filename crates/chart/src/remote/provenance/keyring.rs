//! Keyrings: binary, armored or a keybox; public keys, secret keys or both.

use std::io::Read as _;
use std::path::Path;

use pgp::armor::Dearmor;
use pgp::composed::{PublicOrSecret, SignedPublicKeyParser, SignedSecretKeyParser};
use pgp::packet::{Packet, PacketParser, SecretKey};
use pgp::types::Password;

use super::keybox;
use crate::remote::files::{self, PathError};
use crate::remote::url::quote;

/// Why a keyring is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyringError {
    /// The file cannot be read.
    #[error(transparent)]
    Path(#[from] PathError),
    /// It is a keybox, but not a sound one.
    #[error("reading keybox {path}: {reason}")]
    Keybox {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// It is armored, but not soundly.
    #[error("reading armored keyring {path}: {reason}")]
    Armor {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// It has no key that can be read.
    #[error("openpgp: {reason}")]
    NoKeys {
        /// What is wrong.
        reason: String,
    },
    /// More than one key fits the name that was asked for.
    #[error("more than one key contain the id {}", quote(id))]
    Ambiguous {
        /// The name.
        id: String,
    },
    /// No key fits the name.
    #[error("private key not found")]
    NotFound,
    /// The key that fits is a public one.
    #[error("provided key is not a private key. Try providing a keyring with secret keys")]
    NotSecret,
    /// The passphrase could not be had.
    #[error("{reason}")]
    Passphrase {
        /// Why.
        reason: String,
    },
}

/// A way to ask for the passphrase of a key; it is given the key's name.
pub type Passphrase<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// The keys of a file.
#[derive(Debug)]
pub struct Keyring {
    pub(super) keys: Vec<PublicOrSecret>,
}

/// A secret key and what opens it.
pub struct Signer<'a> {
    pub(super) key: &'a SecretKey,
    pub(super) password: Password,
}

impl std::fmt::Debug for Signer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").finish_non_exhaustive()
    }
}

impl Keyring {
    /// Reads a keyring's file.
    pub fn load(path: &Path) -> Result<Self, KeyringError> {
        let data = files::read(path)?;
        let name = || path.display().to_string();
        if keybox::is_keybox(&data) {
            let certificates = keybox::certificates(&data)
                .map_err(|reason| KeyringError::Keybox { path: name(), reason })?;
            return Self::from_packets(&certificates);
        }
        if data.trim_ascii_start().starts_with(b"-----BEGIN PGP") {
            return Self::from_armor(&data).map_err(|reason| KeyringError::Armor { path: name(), reason });
        }
        Self::from_packets(&data)
    }

    fn from_packets(data: &[u8]) -> Result<Self, KeyringError> {
        match read_keys(data) {
            (keys, Some(reason)) if keys.is_empty() => Err(KeyringError::NoKeys { reason }),
            (keys, _) => Ok(Self { keys }),
        }
    }

    /// Every block of an armored file: exports are often joined with `cat`.
    fn from_armor(data: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(data);
        let mut keys = Vec::new();
        for block in text.split("-----BEGIN PGP ").skip(1) {
            let kind = block.split("-----").next().unwrap_or_default();
            if kind != "PUBLIC KEY BLOCK" && kind != "PRIVATE KEY BLOCK" {
                let kind = quote(&format!("PGP {kind}"));
                return Err(format!("expected a public or private key block, got {kind}"));
            }
            let block = format!("-----BEGIN PGP {block}");
            let mut packets = Vec::new();
            Dearmor::new(block.as_bytes())
                .read_to_end(&mut packets)
                .map_err(|error| format!("openpgp: invalid data: {error}"))?;
            match read_keys(&packets) {
                (found, Some(reason)) if found.is_empty() => return Err(format!("openpgp: {reason}")),
                (mut found, _) => keys.append(&mut found),
            }
        }
        if keys.is_empty() { Err("no keys found".to_owned()) } else { Ok(Self { keys }) }
    }

    /// The secret key of this name, opened. The whole name wins; else the one key whose name contains it.
    pub fn signer(&self, id: &str, passphrase: Passphrase<'_>) -> Result<Signer<'_>, KeyringError> {
        let key = match self.find(id)?.ok_or(KeyringError::NotFound)? {
            PublicOrSecret::Secret(key) => key,
            PublicOrSecret::Public(_) => return Err(KeyringError::NotSecret),
        };
        let key = &key.primary_key;
        let mut password = Password::empty();
        if key.secret_params().is_encrypted() {
            let name =
                self.find(id)?.and_then(|key| names(key).next()).unwrap_or_else(|| "Unknown".to_owned());
            let phrase = passphrase(&name).map_err(|reason| KeyringError::Passphrase { reason })?;
            password = Password::from(phrase.as_slice());
        }
        Ok(Signer { key, password })
    }

    fn find(&self, id: &str) -> Result<Option<&PublicOrSecret>, KeyringError> {
        if id.is_empty() {
            return Ok(None);
        }
        let mut partial = Vec::new();
        for key in &self.keys {
            for name in names(key) {
                if name == id {
                    return Ok(Some(key));
                }
                if name.contains(id) {
                    partial.push(key);
                }
            }
        }
        if partial.len() > 1 {
            return Err(KeyringError::Ambiguous { id: id.to_owned() });
        }
        Ok(partial.first().copied())
    }
}

/// The names on a key.
pub(super) fn names(key: &PublicOrSecret) -> impl Iterator<Item = String> {
    let users = match key {
        PublicOrSecret::Public(key) => &key.details.users,
        PublicOrSecret::Secret(key) => &key.details.users,
    };
    users.iter().map(|user| String::from_utf8_lossy(user.id.id()).into_owned())
}

/// The keys that can be read, and what is wrong with the last that cannot: a ring with one strange key in it
/// still serves. `GnuPG`'s notes on trust, which its own rings hold between the packets, are passed over.
fn read_keys(data: &[u8]) -> (Vec<PublicOrSecret>, Option<String>) {
    let mut groups: Vec<Vec<Packet>> = Vec::new();
    let mut fault = None;
    for packet in PacketParser::new(data) {
        match packet {
            Ok(Packet::Trust(_)) => {}
            Ok(packet @ (Packet::PublicKey(_) | Packet::SecretKey(_))) => groups.push(vec![packet]),
            Ok(packet) => match groups.last_mut() {
                Some(group) => group.push(packet),
                None => fault = Some("invalid data: first packet was not a public/private key".to_owned()),
            },
            Err(error) => fault = Some(format!("invalid data: {error}")),
        }
    }
    let mut keys = Vec::new();
    for group in groups {
        let secret = matches!(group.first(), Some(Packet::SecretKey(_)));
        let packets = group.into_iter().map(Ok).peekable();
        let key = if secret {
            SignedSecretKeyParser::from_packets(packets).next().map(|key| key.map(PublicOrSecret::Secret))
        } else {
            SignedPublicKeyParser::from_packets(packets).next().map(|key| key.map(PublicOrSecret::Public))
        };
        match key {
            Some(Ok(key)) => keys.push(key),
            Some(Err(error)) => fault = Some(format!("invalid data: {error}")),
            None => {}
        }
    }
    (keys, fault)
}
