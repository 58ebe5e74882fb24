//! Private keys: making, reading, printing, and signing with them.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use primes::Size;

use super::der::{self, Reader, oid, tag};
use super::ec::EcKey;
use super::rsa::RsaKey;
use super::{dsa, pem, random};
use crate::functions::Context;

/// A private key.
pub(super) enum Key {
    Rsa(RsaKey),
    /// A key on one of the curves of NIST.
    Ec(Box<EcKey>),
    /// An Ed25519 key: the seed it is made of.
    Ed25519([u8; 32]),
    /// A DSA key as OpenSSL writes it.
    Dsa(Vec<u8>),
}

/// What Go says of bytes that are not the structure they should be.
pub(super) const MALFORMED: &str = "asn1: syntax error: data truncated";

/// sprig's `genPrivateKey`: a new key as PEM, or what is wrong.
pub(super) fn generated(context: &Context, kind: &str) -> String {
    let key = match kind {
        "" | "rsa" => Key::new_rsa(context, Size::Rsa4096),
        "dsa" => match dsa::generate(context) {
            Some(key) => Ok(Key::Dsa(key)),
            None => return "failed to generate dsa params: no primes found".to_owned(),
        },
        "ecdsa" => EcKey::generate(context).map(Key::ec),
        "ed25519" => Ok(Key::Ed25519(random(context))),
        _ => return format!("Unknown type {kind}"),
    };
    key.and_then(|key| key.to_pem())
        .unwrap_or_else(|error| format!("failed to generate private key: {error}"))
}

impl Key {
    pub(super) fn new_rsa(context: &Context, size: Size) -> Result<Self, String> {
        RsaKey::generate(context, size).map(Self::Rsa)
    }

    fn ec(key: EcKey) -> Self {
        Self::Ec(Box::new(key))
    }

    /// Reads a key in any of the forms that sprig prints.
    pub(super) fn from_pem(text: &str) -> Result<Self, String> {
        let (label, bytes) = pem::decode(text).ok_or("no PEM data in input")?;
        if label == "PRIVATE KEY" {
            return Self::from_pkcs8(&bytes).map_err(|error| format!("decoding PEM as PKCS#8: {error}"));
        }
        let Some(kind) = label.strip_suffix(" PRIVATE KEY") else {
            return Err(format!("no private key data in PEM block of type {label}"));
        };
        let key = match kind {
            "RSA" => Self::from_pkcs1(&bytes),
            "EC" => EcKey::from_sec1(&bytes).map(Self::ec),
            "DSA" if Reader(&bytes).expect(tag::SEQUENCE).is_none() => Err(MALFORMED.to_owned()),
            "DSA" => Ok(Self::Dsa(bytes)),
            _ => return Err(format!("invalid private key type {label}")),
        };
        key.map_err(|error| format!("parsing {kind} private key from PEM: {error}"))
    }

    fn from_pkcs1(bytes: &[u8]) -> Result<Self, String> {
        RsaKey::from_pkcs1(bytes).map(Self::Rsa)
    }

    fn from_pkcs8(bytes: &[u8]) -> Result<Self, String> {
        let mut fields = Reader(bytes).expect(tag::SEQUENCE).map(Reader).ok_or(MALFORMED)?;
        fields.expect(tag::INTEGER).ok_or(MALFORMED)?;
        let mut algorithm = fields.expect(tag::SEQUENCE).map(Reader).ok_or(MALFORMED)?;
        let kind = algorithm.expect(tag::OID).ok_or(MALFORMED)?;
        let inner = fields.expect(tag::OCTET_STRING).ok_or(MALFORMED)?;
        match kind {
            oid::RSA => Self::from_pkcs1(inner),
            oid::EC => {
                let curve = algorithm.expect(tag::OID).unwrap_or_default();
                EcKey::from_pkcs8(curve, bytes).map(Self::ec)
            }
            oid::ED25519 => {
                let seed = Reader(inner).expect(tag::OCTET_STRING).ok_or(MALFORMED)?;
                let length = seed.len();
                seed.try_into()
                    .map(Self::Ed25519)
                    .map_err(|_| format!("x509: invalid Ed25519 private key length: {length}"))
            }
            _ => Err("PKCS#8 wrapping contained private key with unknown algorithm".to_owned()),
        }
    }

    pub(super) fn to_pem(&self) -> Result<String, String> {
        Ok(match self {
            Self::Rsa(key) => pem::encode("RSA PRIVATE KEY", key.pkcs1()),
            Self::Dsa(bytes) => pem::encode("DSA PRIVATE KEY", bytes),
            Self::Ec(key) => pem::encode("EC PRIVATE KEY", &key.to_sec1()?),
            Self::Ed25519(seed) => {
                let pkcs8 = der::sequence(&[
                    &der::integer(&[]),
                    &der::algorithm(oid::ED25519, &[]),
                    &der::value(tag::OCTET_STRING, &der::value(tag::OCTET_STRING, seed)),
                ]);
                pem::encode("PRIVATE KEY", &pkcs8)
            }
        })
    }

    /// The public key: its algorithm, and its bits.
    pub(super) fn public(&self) -> Result<(Vec<u8>, Vec<u8>), String> {
        Ok(match self {
            Self::Rsa(key) => {
                let null = der::value(tag::NULL, &[]);
                (der::algorithm(oid::RSA, &null), key.public().ok_or(MALFORMED)?)
            }
            Self::Ec(key) => (key.algorithm(), key.public().to_vec()),
            Self::Ed25519(seed) => {
                let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|error| error.to_string())?;
                (der::algorithm(oid::ED25519, &[]), pair.public_key().as_ref().to_vec())
            }
            Self::Dsa(_) => return Err("x509: unsupported public key type: *dsa.PublicKey".to_owned()),
        })
    }

    /// The algorithm that this key signs by.
    pub(super) fn signature_algorithm(&self) -> Result<Vec<u8>, String> {
        Ok(match self {
            Self::Rsa(_) => der::algorithm(oid::SHA256_RSA, &der::value(tag::NULL, &[])),
            Self::Ec(key) => key.signature_algorithm(),
            Self::Ed25519(_) => der::algorithm(oid::ED25519, &[]),
            Self::Dsa(_) => {
                return Err("x509: certificate private key does not implement crypto.Signer".to_owned());
            }
        })
    }

    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            Self::Rsa(key) => key.sign(message),
            Self::Ec(key) => key.sign(message),
            Self::Ed25519(seed) => Ed25519KeyPair::from_seed_unchecked(seed)
                .map(|pair| pair.sign(message).as_ref().to_vec())
                .map_err(|error| error.to_string()),
            Self::Dsa(_) => Err("x509: certificate private key does not implement crypto.Signer".to_owned()),
        }
    }
}
