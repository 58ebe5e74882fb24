//! Making and checking the signature of a clear-signed message, with the rules of Helm's OpenPGP library.

use std::time::{Duration, SystemTime};

use pgp::composed::{PublicOrSecret, SignedKeyDetails, SignedPublicKey};
use pgp::crypto::hash::HashAlgorithm;
use pgp::packet::{
    Packet, PacketParser, PacketTrait as _, Signature, SignatureConfig, SignatureType, Subpacket,
    SubpacketData,
};
use pgp::types::{KeyDetails as _, KeyId, KeyVersion, Tag, Timestamp};

use super::ProvenanceError;
use super::clearsign::{self, Message};
use super::keyring::{Keyring, Signer, names};

/// The key that a signature is by.
pub(super) struct SignedBy {
    pub(super) identities: Vec<String>,
    pub(super) fingerprint: String,
}

const UNKNOWN: &str = "openpgp: signature made by unknown entity";
const REVOKED: &str = "openpgp: signature made by revoked key";
const KEY_EXPIRED: &str = "openpgp: key expired";
const EXPIRED: &str = "openpgp: signature expired";

/// Signs a text with the primary key, over SHA-512.
pub(super) fn sign(text: &str, signer: &Signer<'_>) -> Result<String, ProvenanceError> {
    let fault =
        |error: pgp::errors::Error| ProvenanceError::Signature { reason: format!("openpgp: {error}") };
    let key = signer.key;
    if key.version() != KeyVersion::V4 {
        let reason = "openpgp: unsupported feature: signing with a key that is not of version 4".to_owned();
        return Err(ProvenanceError::Signature { reason });
    }
    // Tells a wrong passphrase from everything else that signing can trip over.
    if key.unlock(&signer.password, |_, _| Ok(())).and_then(|opened| opened).is_err() {
        let reason = "openpgp: invalid data: private key checksum failure".to_owned();
        return Err(ProvenanceError::Signature { reason });
    }
    let mut config = SignatureConfig::v4(SignatureType::Text, key.algorithm(), HashAlgorithm::Sha512);
    config.hashed_subpackets = vec![
        Subpacket::regular(SubpacketData::SignatureCreationTime(Timestamp::now())).map_err(fault)?,
        Subpacket::regular(SubpacketData::IssuerKeyId(key.legacy_key_id())).map_err(fault)?,
        Subpacket::regular(SubpacketData::IssuerFingerprint(key.fingerprint())).map_err(fault)?,
    ];
    let canonical = clearsign::signed_form(text);
    let signature = config.sign(key, &signer.password, canonical.as_bytes()).map_err(fault)?;
    let mut packet = Vec::new();
    signature.to_writer_with_header(&mut packet).map_err(fault)?;
    Ok(clearsign::encode(text, "SHA512", &packet))
}

/// Checks a message against a ring: the first signature whose key is in it decides.
pub(super) fn check(keyring: &Keyring, message: &Message) -> Result<SignedBy, ProvenanceError> {
    let fail = |reason: &str| Err(ProvenanceError::Signature { reason: reason.to_owned() });
    for packet in PacketParser::new(message.signature.as_slice()) {
        let Ok(packet) = packet else { return fail("openpgp: invalid data: unreadable signature packet") };
        let Packet::Signature(signature) = packet else {
            return fail("openpgp: invalid data: non signature packet found");
        };
        let Some(issuer) = issuer(&signature) else {
            return fail("openpgp: invalid data: signature doesn't have an issuer");
        };
        let candidates: Vec<Candidate<'_>> =
            keyring.keys.iter().flat_map(|key| Candidate::with_id(key, issuer)).collect();
        if candidates.is_empty() {
            continue;
        }
        for candidate in candidates {
            if candidate.verifies(&signature, &message.signed) {
                return match candidate.fault(&signature, SystemTime::now()) {
                    Some(reason) => fail(reason),
                    None => Ok(candidate.signed_by()),
                };
            }
        }
        return fail(&format!("openpgp: invalid signature: {} verification failure", algorithm(&signature)));
    }
    fail(UNKNOWN)
}

fn issuer(signature: &Signature) -> Option<KeyId> {
    if let Some(id) = signature.issuer_key_id().first() {
        return Some(**id);
    }
    let fingerprint = *signature.issuer_fingerprint().first()?;
    let bytes = fingerprint.as_bytes();
    let id: [u8; 8] = match fingerprint.version()? {
        KeyVersion::V6 => bytes.get(..8)?.try_into().ok()?,
        _ => bytes.get(bytes.len().checked_sub(8)?..)?.try_into().ok()?,
    };
    Some(KeyId::from(id))
}

fn algorithm(signature: &Signature) -> &'static str {
    use pgp::crypto::public_key::PublicKeyAlgorithm as Algorithm;
    match signature.config().map(|config| config.pub_alg) {
        Some(Algorithm::RSA | Algorithm::RSASign) => "RSA",
        Some(Algorithm::DSA) => "DSA",
        Some(Algorithm::ECDSA) => "ECDSA",
        Some(Algorithm::EdDSALegacy) => "EdDSA",
        Some(Algorithm::Ed25519) => "Ed25519",
        _ => "signature",
    }
}

/// A key of the ring that may have made a signature.
struct Candidate<'a> {
    entry: &'a PublicOrSecret,
    key: SignedPublicKey,
    /// Which of the subkeys it is; `None` for the primary key.
    subkey: Option<usize>,
}

impl<'a> Candidate<'a> {
    /// The keys with this id that are meant for signing.
    fn with_id(entry: &'a PublicOrSecret, id: KeyId) -> Vec<Self> {
        let key = match entry {
            PublicOrSecret::Public(key) => key.clone(),
            PublicOrSecret::Secret(key) => key.to_public_key(),
        };
        let mut found = Vec::new();
        if key.primary_key.legacy_key_id() == id && self_signature(&key).is_some_and(may_sign) {
            found.push(Self { entry, key: key.clone(), subkey: None });
        }
        for (at, subkey) in key.public_subkeys.iter().enumerate() {
            if subkey.key.legacy_key_id() == id && binding(&key, at).is_some_and(may_sign) {
                found.push(Self { entry, key: key.clone(), subkey: Some(at) });
            }
        }
        found
    }

    fn verifies(&self, signature: &Signature, signed: &[u8]) -> bool {
        match self.subkey {
            None => signature.verify(&self.key.primary_key, signed).is_ok(),
            Some(at) => signature.verify(&self.key.public_subkeys[at].key, signed).is_ok(),
        }
    }

    /// Why a good signature does not count: revoked or expired keys, expired signatures.
    fn fault(&self, signature: &Signature, now: SystemTime) -> Option<&'static str> {
        let primary = &self.key.primary_key;
        let own = self_signature(&self.key)?;
        let revoked = self
            .key
            .details
            .revocation_signatures
            .iter()
            .any(|revocation| revocation.verify_key(primary).is_ok());
        if revoked {
            return Some(REVOKED);
        }
        if expired(primary.created_at(), own.key_expiration_time(), now) {
            return Some(KEY_EXPIRED);
        }
        let mut signatures = vec![signature, own];
        if let Some(at) = self.subkey {
            let subkey = &self.key.public_subkeys[at];
            let revoked = subkey.signatures.iter().any(|signature| {
                signature.typ() == Some(SignatureType::SubkeyRevocation)
                    && signature.verify_subkey_binding(primary, &subkey.key).is_ok()
            });
            if revoked {
                return Some(REVOKED);
            }
            let binding = binding(&self.key, at)?;
            if expired(subkey.key.created_at(), binding.key_expiration_time(), now) {
                return Some(KEY_EXPIRED);
            }
            signatures.push(binding);
        }
        let gone = |signature: &&Signature| {
            signature
                .created()
                .is_some_and(|created| expired(created, signature.signature_expiration_time(), now))
        };
        signatures.iter().any(gone).then_some(EXPIRED)
    }

    fn signed_by(&self) -> SignedBy {
        SignedBy {
            identities: names(self.entry).collect(),
            fingerprint: format!("{:X}", self.key.primary_key.fingerprint()),
        }
    }
}

fn may_sign(signature: &Signature) -> bool {
    signature.key_flags().sign()
}

fn expired(from: Timestamp, lasting: Option<pgp::types::Duration>, now: SystemTime) -> bool {
    let lasting = lasting.map_or(0, pgp::types::Duration::as_secs);
    lasting != 0 && SystemTime::from(from) + Duration::from_secs(u64::from(lasting)) < now
}

/// The newest valid signature of the primary key over one of its names; the name marked as primary comes first.
fn self_signature(key: &SignedPublicKey) -> Option<&Signature> {
    let details: &SignedKeyDetails = &key.details;
    let mut best: Option<&Signature> = None;
    for user in &details.users {
        let newest = user
            .signatures
            .iter()
            .filter(|signature| signature.typ() != Some(SignatureType::CertRevocation))
            .filter(|signature| {
                signature.verify_certification(&key.primary_key, Tag::UserId, &user.id).is_ok()
            })
            .max_by_key(|signature| signature.created());
        let Some(newest) = newest else { continue };
        let better = best
            .is_none_or(|best| (newest.is_primary(), newest.created()) > (best.is_primary(), best.created()));
        if better {
            best = Some(newest);
        }
    }
    best
}

/// The newest valid signature that binds a subkey; a signing subkey must have signed its primary key in return.
fn binding(key: &SignedPublicKey, at: usize) -> Option<&Signature> {
    let subkey = &key.public_subkeys[at];
    subkey
        .signatures
        .iter()
        .filter(|signature| signature.typ() == Some(SignatureType::SubkeyBinding))
        .filter(|signature| signature.verify_subkey_binding(&key.primary_key, &subkey.key).is_ok())
        .filter(|signature| {
            !may_sign(signature)
                || signature.embedded_signature().is_some_and(|back| {
                    back.verify_primary_key_binding(&subkey.key, &key.primary_key).is_ok()
                })
        })
        .max_by_key(|signature| signature.created())
}
