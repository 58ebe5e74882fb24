//! The numbers of a key, made of two primes.

use num_bigint::BigUint;

use crate::Arithmetic;
use crate::montgomery::{Limbs, big};
use crate::search::{Chance, EXPONENT, two_primes};
use crate::witness::{ROUNDS, distance};

/// How often primes are looked for again that turn out too close to each other, or do not turn up.
const ATTEMPTS: usize = 4;

/// The numbers of an RSA key, each as bytes, most significant first.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateKey {
    /// The product of the two primes.
    pub modulus: Vec<u8>,
    /// What messages are raised to by whoever checks or encrypts.
    pub public_exponent: Vec<u8>,
    /// What they are raised to by the owner.
    pub private_exponent: Vec<u8>,
    /// The larger prime.
    pub prime1: Vec<u8>,
    /// The smaller prime.
    pub prime2: Vec<u8>,
    /// The private exponent modulo the predecessor of the first prime.
    pub exponent1: Vec<u8>,
    /// The private exponent modulo the predecessor of the second prime.
    pub exponent2: Vec<u8>,
    /// The inverse of the second prime modulo the first.
    pub coefficient: Vec<u8>,
}

impl PrivateKey {
    /// All numbers, in the order in which PKCS #1 writes them after the version.
    pub fn numbers(&self) -> [&[u8]; 8] {
        [
            &self.modulus,
            &self.public_exponent,
            &self.private_exponent,
            &self.prime1,
            &self.prime2,
            &self.exponent1,
            &self.exponent2,
            &self.coefficient,
        ]
    }

    /// The key of two primes, neither of which is one more than a multiple of the exponent.
    fn of_primes(first: BigUint, second: BigUint) -> Option<Self> {
        let (larger, smaller) = if first > second { (first, second) } else { (second, first) };
        let [before_larger, before_smaller] = [&larger - 1u32, &smaller - 1u32];
        let common = greatest_common_divisor(&before_larger, &before_smaller);
        let order = &before_larger * &before_smaller / common;
        let [private, exponent1, exponent2] =
            [&order, &before_larger, &before_smaller].map(inverse_of_exponent);
        let coefficient = smaller.modinv(&larger)?;
        let [modulus, public_exponent, private_exponent, prime1, prime2, exponent1, exponent2, coefficient] =
            [
                &larger * &smaller,
                EXPONENT.into(),
                private?,
                larger,
                smaller,
                exponent1?,
                exponent2?,
                coefficient,
            ]
            .map(|number| number.to_bytes_be());
        Some(Self {
            modulus,
            public_exponent,
            private_exponent,
            prime1,
            prime2,
            exponent1,
            exponent2,
            coefficient,
        })
    }
}

fn greatest_common_divisor(left: &BigUint, right: &BigUint) -> BigUint {
    let (mut left, mut right) = (left.clone(), right.clone());
    while right != BigUint::ZERO {
        (left, right) = (right.clone(), left % right);
    }
    left
}

/// The inverse of the public exponent, without dividing by anything larger than the exponent: one more than a
/// multiple of the modulus is divisible by it, and which multiple depends on a small remainder only.
fn inverse_of_exponent(modulus: &BigUint) -> Option<BigUint> {
    let rest = (modulus % EXPONENT).to_u32_digits().first().copied().filter(|rest| *rest != 0)?;
    // Inverses modulo a prime are powers.
    let [mut inverse, mut power] = [1, u64::from(rest)];
    for bit in 0..16 {
        if (EXPONENT - 2) >> bit & 1 == 1 {
            inverse = inverse * power % u64::from(EXPONENT);
        }
        power = power * power % u64::from(EXPONENT);
    }
    let times = u64::from(EXPONENT) - inverse;
    Some((modulus * times + 1u32) / EXPONENT)
}

/// The next number in a stream of random bytes.
pub(crate) fn number<const N: usize>(bytes: &mut impl Iterator<Item = u8>) -> Limbs<N> {
    std::array::from_fn(|_| bytes.by_ref().take(8).fold(0, |limb, byte| limb << 8 | u64::from(byte)))
}

/// A key with primes of `N` limbs.
pub(crate) fn generate<const N: usize>(
    arithmetic: Arithmetic,
    random: &mut dyn FnMut(&mut [u8]),
) -> Option<PrivateKey> {
    (0..ATTEMPTS).find_map(|_| {
        let mut bytes = vec![0; 2 * (1 + ROUNDS) * N * 8];
        random(&mut bytes);
        let mut bytes = bytes.into_iter();
        let mut chance = || Chance::new(number(&mut bytes), std::array::from_fn(|_| number(&mut bytes)));
        let [first, second] = two_primes::<N>(arithmetic, &[chance(), chance()])?;
        // Primes close to each other are found from their product.
        let apart = big(&distance(&first, &second)).bits() > 64 * N as u64 - 100;
        if apart { PrivateKey::of_primes(big(&first), big(&second)) } else { None }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Size, generate, generate_by};

    fn fill(bytes: &mut [u8]) {
        getrandom::fill(bytes).unwrap();
    }

    #[expect(clippy::many_single_char_names, reason = "the names that everybody gives these numbers")]
    fn check(key: &PrivateKey, bits: u64) {
        let [n, e, d, p, q, dp, dq, inverse] = key.numbers().map(BigUint::from_bytes_be);
        let one = BigUint::from(1u32);
        assert_eq!(n, &p * &q);
        assert_eq!((n.bits(), p.bits(), q.bits()), (bits, bits / 2, bits / 2));
        assert!(p.bit(bits / 2 - 2) && q.bit(bits / 2 - 2) && p > q);
        assert_eq!(e, BigUint::from(65_537u32));
        for (private, prime) in [(&d, &p), (&d, &q), (&dp, &p), (&dq, &q)] {
            assert_eq!(private * &e % (prime - &one), one);
        }
        assert_eq!([&d % (&p - &one), &d % (&q - &one)], [dp, dq]);
        assert_eq!(inverse * &q % &p, one);
        let message = BigUint::from(0x00c0_ffeeu32);
        assert_eq!(message.modpow(&e, &n).modpow(&d, &n), message);
    }

    #[test]
    fn keys_are_whole_and_never_the_same() {
        let mut primes = HashSet::new();
        for arithmetic in [Arithmetic::best(), Arithmetic::portable()] {
            for _ in 0..10 {
                let key = generate_by(arithmetic, Size::Rsa2048, &mut fill).unwrap();
                check(&key, 2048);
                assert!(primes.insert(key.prime1) && primes.insert(key.prime2));
            }
            check(&generate_by(arithmetic, Size::Rsa4096, &mut fill).unwrap(), 4096);
        }
    }

    #[test]
    fn primes_are_spread_over_their_range() {
        // The third and fourth bit from the top, and the two lowest but one, take all their values.
        let mut seen = HashSet::new();
        for _ in 0..40 {
            let key = generate(Size::Rsa2048, &mut fill).unwrap();
            for prime in [key.prime1, key.prime2] {
                seen.insert(("top", prime[0] >> 4 & 3));
                seen.insert(("bottom", prime[127] >> 1 & 3));
            }
        }
        assert_eq!(seen.len(), 8, "{seen:?}");
    }

    #[test]
    fn bytes_that_repeat_themselves_give_no_key() {
        assert!(generate(Size::Rsa2048, &mut |bytes: &mut [u8]| bytes.fill(0x5a)).is_none());
        assert!(generate(Size::Rsa2048, &mut |bytes: &mut [u8]| bytes.fill(0)).is_none());
        assert!(generate(Size::Rsa2048, &mut |bytes: &mut [u8]| bytes.fill(0xff)).is_none());
    }
}
