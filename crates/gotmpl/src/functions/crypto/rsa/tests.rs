//! Keys that are made here are sound to aws-lc, and keys that are not sound are refused as Go refuses them.

use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

use super::*;

fn new_key(size: Size) -> PrivateKey {
    primes::generate(size, &mut |bytes: &mut [u8]| aws_lc_rs::rand::fill(bytes).unwrap()).unwrap()
}

/// The key that aws-lc made, as PKCS #1 writes it.
fn foreign(size: KeySize) -> Vec<u8> {
    use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
    let pair = KeyPair::generate(size).unwrap();
    let pkcs8: Pkcs8V1Der<'_> = pair.as_der().unwrap();
    let mut fields = Reader(pkcs8.as_ref()).expect(tag::SEQUENCE).map(Reader).unwrap();
    fields.next();
    fields.next();
    fields.expect(tag::OCTET_STRING).unwrap().to_vec()
}

#[test]
fn signatures_are_those_of_aws_lc() {
    let made = [Size::Rsa2048, Size::Rsa4096].map(|size| pkcs1(&new_key(size)));
    let theirs = [KeySize::Rsa2048, KeySize::Rsa3072].map(foreign);
    for (pkcs1, ours) in [(&made[0], true), (&made[1], true), (&theirs[0], true), (&theirs[1], false)] {
        let key = RsaKey::from_pkcs1(pkcs1).unwrap();
        assert_eq!(key.numbers.is_some(), ours);
        let pair = KeyPair::from_der(pkcs1).unwrap();
        assert_eq!(key.public().unwrap(), pair.public_key().as_ref());
        for message in [b"".as_slice(), b"to be signed", &[0xa5; 1000]] {
            let signature = key.sign(message).unwrap();
            let mut expected = vec![0; pair.public_modulus_len()];
            pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut expected).unwrap();
            assert_eq!(signature, expected);
            let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public().unwrap());
            public.verify(message, &signature).unwrap();
            assert!(public.verify(b"something else", &signature).is_err());
        }
    }
}

type Change<'a> = &'a dyn Fn(&mut PrivateKey);

#[test]
fn numbers_that_do_not_belong_together_are_refused() {
    let key = new_key(Size::Rsa2048);
    check(&key).unwrap();
    let plus = |number: &[u8], by: u32| (BigUint::from_bytes_be(number) + by).to_bytes_be();
    let broken = |change: Change<'_>| {
        let mut broken = key.clone();
        change(&mut broken);
        RsaKey::from_pkcs1(&pkcs1(&broken)).err()
    };
    let cases: [(Change<'_>, &str); 15] = [
        (&|key| key.private_exponent.clear(), "x509: private key contains zero or negative value"),
        (&|key| key.coefficient.clear(), "x509: private key contains zero or negative value"),
        (&|key| key.private_exponent = vec![0xff; 256], "input overflows the modulus"),
        (&|key| key.modulus[255] ^= 1, "crypto/rsa: public modulus is even"),
        (&|key| key.public_exponent = vec![1], "crypto/rsa: public exponent too small or negative"),
        (&|key| key.public_exponent = vec![1, 0, 0], "crypto/rsa: public exponent is even"),
        (&|key| key.public_exponent = vec![0x80, 0, 0, 1], "crypto/rsa: public exponent too large"),
        (&|key| key.modulus[200] ^= 4, "crypto/rsa: p * q != n"),
        (&|key| key.prime1[100] ^= 1, "crypto/rsa: p * q != n"),
        (&|key| key.public_exponent = vec![1, 0, 3], "crypto/rsa: invalid CRT exponent"),
        (&|key| key.exponent1 = plus(&key.exponent1, 2), "crypto/rsa: invalid CRT exponent"),
        (&|key| key.exponent2 = vec![0xff; 128], "crypto/rsa: invalid CRT exponent"),
        (&|key| key.coefficient = plus(&key.coefficient, 1), "crypto/rsa: invalid CRT coefficient"),
        (&|key| key.private_exponent = plus(&key.private_exponent, 2), "crypto/rsa: d does not match dP"),
        (&|key| key.private_exponent.clone_from(&key.exponent1), "crypto/rsa: d does not match dQ"),
    ];
    for (change, message) in cases {
        assert_eq!(broken(change).as_deref(), Some(message));
    }
}

#[test]
fn primes_close_to_each_other_are_refused() {
    // 2¹⁰²⁴ - 105 and a number nearby that the exponent seven suits; whether it is prime is not asked.
    let p = (BigUint::from(1u32) << 1024u32) - 105u32;
    let q = &p - 1_000_002u32;
    let seven = BigUint::from(7u32);
    let [before_p, before_q] = [&p - 1u32, &q - 1u32];
    let inverse = |modulus: &BigUint| seven.modinv(modulus).unwrap();
    let order = &before_p * &before_q / 2u32;
    let numbers = [
        &p * &q,
        seven.clone(),
        inverse(&order),
        p.clone(),
        q.clone(),
        inverse(&before_p),
        inverse(&before_q),
        q.modinv(&p).unwrap(),
    ];
    let numbers = numbers.map(|number| der::integer(&number.to_bytes_be()));
    let pkcs1 = der::sequence(&[&der::integer(&[]), &numbers.concat()]);
    assert_eq!(RsaKey::from_pkcs1(&pkcs1).err().as_deref(), Some("crypto/rsa: |p - q| too small"));
}

#[test]
fn what_is_written_otherwise_is_refused() {
    let key = new_key(Size::Rsa2048);
    let usual = pkcs1(&key);
    assert!(numbers(&usual).is_some_and(|numbers| numbers == key));
    let [modulus, rest @ ..] = key.numbers().map(der::integer);
    let rest = rest.concat();
    let with = |parts: &[&[u8]]| der::sequence(parts);
    let negative = der::value(tag::INTEGER, &key.modulus);
    let long = der::value(tag::INTEGER, &[&[0, 0], key.modulus.as_slice()].concat());
    for (unusual, message) in [
        ([usual.as_slice(), &[0]].concat(), TRAILING),
        (with(&[&der::integer(&[2]), &modulus, &rest]), MALFORMED),
        (with(&[&der::integer(&[]), &modulus, &rest, &der::integer(&[1])]), MALFORMED),
        (with(&[&der::integer(&[]), &modulus]), MALFORMED),
        (with(&[&der::integer(&[]), &negative, &rest]), MALFORMED),
        (with(&[&der::integer(&[]), &long, &rest]), MALFORMED),
        (with(&[&der::integer(&[]), &der::value(tag::INTEGER, &[]), &rest]), MALFORMED),
    ] {
        assert_eq!(RsaKey::from_pkcs1(&unusual).err().as_deref(), Some(message));
    }
    // Go reads a version for more primes than two, and writes another.
    let version = RsaKey::from_pkcs1(&with(&[&der::integer(&[1]), &modulus, &rest])).unwrap();
    assert_eq!(version.pkcs1(), usual);
}
