//! RSA keys: made, read, checked as Go checks them, and signed with.
//!
//! Keys of the usual sizes are `primes`' from beginning to end; the first number that aws-lc draws at random costs
//! more time than making a key. All others are aws-lc's.

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::RSA_PKCS1_SHA256;
use num_bigint::BigUint;
use primes::{PrivateKey, Size};

use super::der::{self, Reader, tag};
use super::key::MALFORMED;
use crate::functions::Context;

/// An RSA key.
pub(super) struct RsaKey {
    /// As PKCS #1 writes it.
    pkcs1: Vec<u8>,
    /// Its numbers, if they have the usual sizes.
    numbers: Option<PrivateKey>,
}

/// What PKCS #1 writes between the padding and a hash: that it is of SHA-256, and how long it is.
const SHA256_PREFIX: [u8; 19] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
    0x04, 0x20,
];

/// What Go says of bytes after a key.
const TRAILING: &str = "asn1: syntax error: trailing data";

impl RsaKey {
    pub(super) fn generate(context: &Context, size: Size) -> Result<Self, String> {
        let mut random = |bytes: &mut [u8]| context.environment.fill_random(bytes);
        let key = primes::generate(size, &mut random).ok_or("random numbers repeat themselves")?;
        Ok(Self { pkcs1: pkcs1(&key), numbers: Some(key) })
    }

    pub(super) fn from_pkcs1(bytes: &[u8]) -> Result<Self, String> {
        let mut outer = Reader(bytes);
        if outer.next().is_some() && outer.peek().is_some() {
            return Err(TRAILING.to_owned());
        }
        if let Some(key) = numbers(bytes) {
            check(&key)?;
            return Ok(Self { pkcs1: pkcs1(&key), numbers: Some(key) });
        }
        KeyPair::from_der(bytes).map_err(|_| MALFORMED.to_owned())?;
        Ok(Self { pkcs1: bytes.to_vec(), numbers: None })
    }

    pub(super) fn pkcs1(&self) -> &[u8] {
        &self.pkcs1
    }

    /// The public key as PKCS #1 writes it.
    pub(super) fn public(&self) -> Option<Vec<u8>> {
        let mut fields = Reader(&self.pkcs1).expect(tag::SEQUENCE).map(Reader)?;
        fields.next();
        let [modulus, exponent] = [fields.next()?.2, fields.next()?.2];
        Some(der::sequence(&[modulus, exponent]))
    }

    /// A signature of a message's SHA-256 hash, by PKCS #1 version 1.5.
    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        if let Some(signature) = self.numbers.as_ref().and_then(|key| sign(key, message)) {
            return Ok(signature);
        }
        let pair = KeyPair::from_der(&self.pkcs1).map_err(|error| error.to_string())?;
        let mut signature = vec![0; pair.public_modulus_len()];
        pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .map_err(|error| error.to_string())?;
        Ok(signature)
    }
}

fn sign(key: &PrivateKey, message: &[u8]) -> Option<Vec<u8>> {
    let hash = digest(&SHA256, message);
    let ending = [&[0], SHA256_PREFIX.as_slice(), hash.as_ref()].concat();
    let mut padded = vec![0xff; key.modulus.len()];
    padded[..2].copy_from_slice(&[0, 1]);
    padded.last_chunk_mut::<{ 1 + SHA256_PREFIX.len() + 32 }>()?.copy_from_slice(&ending);
    key.raise(&padded)
}

/// The key as PKCS #1 writes it.
fn pkcs1(key: &PrivateKey) -> Vec<u8> {
    der::sequence(&[&der::integer(&[]), &key.numbers().map(der::integer).concat()])
}

/// The numbers of a key with two primes of 1024 or 2048 bits each, as it is usually written.
fn numbers(pkcs1: &[u8]) -> Option<PrivateKey> {
    let mut fields = Reader(pkcs1).expect(tag::SEQUENCE).map(Reader)?;
    let mut number = || match fields.expect(tag::INTEGER)? {
        [0] => Some(Vec::new()),
        // Neither negative nor longer than needed.
        [0, number @ ..] if number[0] >= 0x80 => Some(number.to_vec()),
        number => number.first().filter(|first| (1..0x80).contains(*first)).map(|_| number.to_vec()),
    };
    let version = number()?;
    let key = PrivateKey {
        modulus: number()?,
        public_exponent: number()?,
        private_exponent: number()?,
        prime1: number()?,
        prime2: number()?,
        exponent1: number()?,
        exponent2: number()?,
        coefficient: number()?,
    };
    let whole = matches!(version.as_slice(), [] | [1]) && fields.peek().is_none();
    let length = key.modulus.len();
    let is_full = |number: &[u8], length: usize| number.len() == length && number[0] & 0x80 != 0;
    let usual = matches!(length, 256 | 512)
        && is_full(&key.modulus, length)
        && is_full(&key.prime1, length / 2)
        && is_full(&key.prime2, length / 2);
    (whole && usual).then_some(key)
}

/// What Go checks when it reads a key, in its words.
#[expect(clippy::many_single_char_names, reason = "the names that Go's messages give these numbers")]
fn check(key: &PrivateKey) -> Result<(), String> {
    let [n, e, d, p, q, dp, dq, qinv] = key.numbers().map(BigUint::from_bytes_be);
    let half = n.bits() / 2;
    let one = BigUint::from(1u32);
    if [&d, &dp, &dq, &qinv].contains(&&BigUint::ZERO) {
        return Err("x509: private key contains zero or negative value".to_owned());
    }
    let before = [&p - &one, &q - &one];
    let distance = if p > q { &p - &q } else { &q - &p };
    let broken = [
        (d >= n || qinv >= p, "input overflows the modulus"),
        (!n.bit(0), "crypto/rsa: public modulus is even"),
        (e <= one, "crypto/rsa: public exponent too small or negative"),
        (!e.bit(0), "crypto/rsa: public exponent is even"),
        (e.bits() > 31, "crypto/rsa: public exponent too large"),
        (&p * &q != n, "crypto/rsa: p * q != n"),
        (dp >= before[0] || &dp * &e % &before[0] != one, "crypto/rsa: invalid CRT exponent"),
        (dq >= before[1] || &dq * &e % &before[1] != one, "crypto/rsa: invalid CRT exponent"),
        (qinv * &q % &p != one, "crypto/rsa: invalid CRT coefficient"),
        (&d % &before[0] != dp, "crypto/rsa: d does not match dP"),
        (&d % &before[1] != dq, "crypto/rsa: d does not match dQ"),
        (distance == BigUint::ZERO, "crypto/rsa: p == q"),
        (distance.bits() <= half - 100, "crypto/rsa: |p - q| too small"),
        (d.bits() <= half, "crypto/rsa: d too small"),
    ];
    match broken.into_iter().find(|(broken, _)| *broken) {
        Some((_, message)) => Err(message.to_owned()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
