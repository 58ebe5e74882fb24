//! Keys on the curves of NIST: made, read, and signed with.
//!
//! aws-lc would draw random numbers for both, and takes forty milliseconds to collect the first of them. So keys are
//! made of the environment's randomness, and signatures need none (RFC 6979): aws-lc is left the curve.

use aws_lc_rs::digest::digest;
use aws_lc_rs::encoding::{AsBigEndian, EcPrivateKeyBin};
use aws_lc_rs::hmac;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1,
    ECDSA_P384_SHA384_ASN1_SIGNING, ECDSA_P521_SHA512_ASN1, ECDSA_P521_SHA512_ASN1_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, EcdsaVerificationAlgorithm, KeyPair as _, UnparsedPublicKey,
};
use num_bigint::BigUint;

use super::der::{self, Reader, oid, tag};
use super::key::MALFORMED;
use super::random;
use crate::functions::Context;

/// A key on one of the curves of NIST.
pub(super) struct EcKey {
    curve: &'static Curve,
    pair: EcdsaKeyPair,
}

/// A curve, and how certificates are signed on it.
struct Curve {
    oid: &'static [u8],
    signing: &'static EcdsaSigningAlgorithm,
    verifying: &'static EcdsaVerificationAlgorithm,
    signature: &'static [u8],
    mac: hmac::Algorithm,
    /// How many points there are.
    order: &'static [u8],
}

static CURVES: [Curve; 3] = [
    Curve {
        oid: oid::P256,
        signing: &ECDSA_P256_SHA256_ASN1_SIGNING,
        verifying: &ECDSA_P256_SHA256_ASN1,
        signature: oid::ECDSA_SHA256,
        mac: hmac::HMAC_SHA256,
        order: &[
            0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
        ],
    },
    Curve {
        oid: oid::P384,
        signing: &ECDSA_P384_SHA384_ASN1_SIGNING,
        verifying: &ECDSA_P384_SHA384_ASN1,
        signature: oid::ECDSA_SHA384,
        mac: hmac::HMAC_SHA384,
        order: &[
            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc7, 0x63, 0x4d, 0x81, 0xf4, 0x37, 0x2d, 0xdf,
            0x58, 0x1a, 0x0d, 0xb2, 0x48, 0xb0, 0xa7, 0x7a, 0xec, 0xec, 0x19, 0x6a, 0xcc, 0xc5, 0x29, 0x73,
        ],
    },
    Curve {
        oid: oid::P521,
        signing: &ECDSA_P521_SHA512_ASN1_SIGNING,
        verifying: &ECDSA_P521_SHA512_ASN1,
        signature: oid::ECDSA_SHA512,
        mac: hmac::HMAC_SHA512,
        order: &[
            0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xff, 0xfa, 0x51, 0x86, 0x87, 0x83, 0xbf, 0x2f, 0x96, 0x6b, 0x7f, 0xcc, 0x01, 0x48, 0xf7, 0x09,
            0xa5, 0xd0, 0x3b, 0xb5, 0xc9, 0xb8, 0x89, 0x9c, 0x47, 0xae, 0xbb, 0x6f, 0xb7, 0x1e, 0x91, 0x38,
            0x64, 0x09,
        ],
    },
];

impl EcKey {
    /// A new key on P-256.
    pub(super) fn generate(context: &Context) -> Result<Self, String> {
        let mut made = Err(MALFORMED.to_owned());
        // One number in four billion is too large.
        for _ in 0..4 {
            made = Self::from_sec1(&sec1(&CURVES[0], &random::<32>(context)));
            if made.is_ok() {
                break;
            }
        }
        made
    }

    pub(super) fn from_sec1(bytes: &[u8]) -> Result<Self, String> {
        let mut fields = Reader(bytes).expect(tag::SEQUENCE).map(Reader).ok_or(MALFORMED)?;
        fields.expect(tag::INTEGER).ok_or(MALFORMED)?;
        fields.expect(tag::OCTET_STRING).ok_or(MALFORMED)?;
        let named = fields.expect(tag::explicit(0)).and_then(|content| Reader(content).expect(tag::OID));
        Self::on(named.unwrap_or_default(), |algorithm| {
            EcdsaKeyPair::from_private_key_der(algorithm, bytes).ok()
        })
    }

    /// Reads a key of a curve in PKCS #8.
    pub(super) fn from_pkcs8(curve: &[u8], bytes: &[u8]) -> Result<Self, String> {
        Self::on(curve, |algorithm| EcdsaKeyPair::from_pkcs8(algorithm, bytes).ok())
    }

    fn on(
        curve: &[u8],
        read: impl FnOnce(&'static EcdsaSigningAlgorithm) -> Option<EcdsaKeyPair>,
    ) -> Result<Self, String> {
        let curve = CURVES.iter().find(|known| known.oid == curve).ok_or("x509: unknown elliptic curve")?;
        let pair = read(curve.signing).ok_or("x509: invalid elliptic curve private key value")?;
        Ok(Self { curve, pair })
    }

    /// The key as SEC 1 has it.
    pub(super) fn to_sec1(&self) -> Result<Vec<u8>, String> {
        let private: EcPrivateKeyBin<'_> =
            self.pair.private_key().as_be_bytes().map_err(|error| error.to_string())?;
        Ok(der::sequence(&[
            &der::integer(&[1]),
            &der::value(tag::OCTET_STRING, private.as_ref()),
            &der::value(tag::explicit(0), &der::value(tag::OID, self.curve.oid)),
            &der::value(tag::explicit(1), &der::bit_string(self.public())),
        ]))
    }

    /// The public point.
    pub(super) fn public(&self) -> &[u8] {
        self.pair.public_key().as_ref()
    }

    /// The algorithm of the public key.
    pub(super) fn algorithm(&self) -> Vec<u8> {
        der::algorithm(oid::EC, &der::value(tag::OID, self.curve.oid))
    }

    /// The algorithm that this key signs by.
    pub(super) fn signature_algorithm(&self) -> Vec<u8> {
        der::algorithm(self.curve.signature, &[])
    }

    /// A signature of a message's hash, by the hash that suits the curve.
    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let private: EcPrivateKeyBin<'_> =
            self.pair.private_key().as_be_bytes().map_err(|error| error.to_string())?;
        let order = BigUint::from_bytes_be(self.curve.order);
        let hash = digest(self.curve.mac.digest_algorithm(), message);
        let hash = self.curve.number(hash.as_ref());
        let secret = BigUint::from_bytes_be(private.as_ref());
        let signature = Nonces::new(self.curve, private.as_ref(), &(&hash % &order)).find_map(|nonce| {
            // The point that a number leads to is what aws-lc has for its public key.
            let point = Self::from_sec1(&sec1(self.curve, &nonce)).ok()?;
            let horizontal = point.public().get(1..=self.curve.order.len())?;
            let first = BigUint::from_bytes_be(horizontal) % &order;
            let inverse = BigUint::from_bytes_be(&nonce).modinv(&order)?;
            let second = inverse * (&hash + &first * &secret) % &order;
            let usable = first != BigUint::ZERO && second != BigUint::ZERO;
            usable.then(|| {
                let [first, second] = [first, second].map(|number| der::integer(&number.to_bytes_be()));
                der::sequence(&[&first, &second])
            })
        });
        let signature = signature.ok_or("no signature was found")?;
        // A signature that is wrong could tell the key.
        UnparsedPublicKey::new(self.curve.verifying, self.public())
            .verify(message, &signature)
            .map_err(|_| "the signature is wrong")?;
        Ok(signature)
    }
}

/// A private number of a curve as SEC 1 has it, without its public point.
fn sec1(curve: &Curve, private: &[u8]) -> Vec<u8> {
    der::sequence(&[
        &der::integer(&[1]),
        &der::value(tag::OCTET_STRING, private),
        &der::value(tag::explicit(0), &der::value(tag::OID, curve.oid)),
    ])
}

impl Curve {
    /// The number that the first bits are, as many as the order has.
    fn number(&self, bytes: &[u8]) -> BigUint {
        let bits = BigUint::from_bytes_be(self.order).bits();
        BigUint::from_bytes_be(bytes) >> (bytes.len() as u64 * 8).saturating_sub(bits)
    }

    /// A number in as many bytes as the order has.
    fn padded(&self, number: &BigUint) -> Vec<u8> {
        let bytes = number.to_bytes_be();
        let mut padded = vec![0; self.order.len().saturating_sub(bytes.len())];
        padded.extend(bytes);
        padded
    }
}

/// The numbers that a message is signed with, one after the other, should one of them not do: made of the key and the
/// hash, as RFC 6979 has it.
struct Nonces {
    curve: &'static Curve,
    key: hmac::Key,
    state: Vec<u8>,
}

impl Nonces {
    fn new(curve: &'static Curve, private: &[u8], hash: &BigUint) -> Self {
        let length = curve.mac.digest_algorithm().output_len();
        let mut nonces =
            Self { curve, key: hmac::Key::new(curve.mac, &vec![0; length]), state: vec![1; length] };
        let seed = [private, &curve.padded(hash)].concat();
        nonces.stir(&[&[0], seed.as_slice()].concat());
        nonces.stir(&[&[1], seed.as_slice()].concat());
        nonces
    }

    fn step(&mut self) {
        self.state = hmac::sign(&self.key, &self.state).as_ref().to_vec();
    }

    fn stir(&mut self, with: &[u8]) {
        let key = hmac::sign(&self.key, &[self.state.as_slice(), with].concat());
        self.key = hmac::Key::new(self.curve.mac, key.as_ref());
        self.step();
    }
}

impl Iterator for Nonces {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let order = BigUint::from_bytes_be(self.curve.order);
        // One number in four billion is too large.
        for _ in 0..4 {
            let mut bytes = Vec::new();
            while bytes.len() < self.curve.order.len() {
                self.step();
                bytes.extend_from_slice(&self.state);
            }
            let nonce = self.curve.number(&bytes);
            self.stir(&[0]);
            if nonce != BigUint::ZERO && nonce < order {
                return Some(self.curve.padded(&nonce));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
        digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
    }

    /// RFC 6979, appendix A.2: the message "sample" under the hash that suits each curve.
    const EXAMPLES: [[&str; 3]; 3] = [
        [
            "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721",
            "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
            "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8",
        ],
        [
            "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D896D5724E4C70A825F872C9EA60D2EDF5",
            "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46",
            "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8",
        ],
        [
            "00FAD06DAA62BA3B25D2FB40133DA757205DE67F5BB0018FEE8C86E1B68C7E75CAA896EB32F1F47C70855836A6D16FCC1466F6D8FBEC67DB89EC0C08B0E996B83538",
            "00C328FAFCBD79DD77850370C46325D987CB525569FB63C5D3BC53950E6D4C5F174E25A1EE9017B5D450606ADD152B534931D7D4E8455CC91F9B15BF05EC36E377FA",
            "00617CCE7CF5064806C467F678D3B4080D6F1CC50AF26CA209417308281B68AF282623EAA63E5B5C0723D8B8C37FF0777B1A20F8CCB1DCCC43997F1EE0E44DA4A67A",
        ],
    ];

    #[test]
    fn signatures_are_those_of_the_standard() {
        for (curve, [private, first, second]) in CURVES.iter().zip(EXAMPLES) {
            let key = EcKey::from_sec1(&sec1(curve, &bytes(private))).unwrap();
            let [first, second] = [first, second].map(|number| der::integer(&bytes(number)));
            assert_eq!(key.sign(b"sample").unwrap(), der::sequence(&[&first, &second]));
        }
    }

    #[test]
    fn signatures_of_many_messages_verify() {
        for (curve, [private, ..]) in CURVES.iter().zip(EXAMPLES) {
            let key = EcKey::from_sec1(&sec1(curve, &bytes(private))).unwrap();
            for message in 0..40_u8 {
                let signature = key.sign(&[message]).unwrap();
                let public = UnparsedPublicKey::new(curve.verifying, key.public());
                public.verify(&[message], &signature).unwrap();
                assert!(public.verify(&[message + 1], &signature).is_err());
            }
        }
    }
}
