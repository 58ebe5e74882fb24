//! The numbers of a DSA key, of 2048 bits with a subgroup of 256. Nothing signs with such keys any more, but charts can
//! still ask for one.

use num_bigint::BigUint;

use crate::Arithmetic;
use crate::arithmetic::Power;
use crate::key::number;
use crate::montgomery::{Limbs, Modulus, big, limbs};
use crate::search::{Numbers, one_prime};
use crate::sieve;
use crate::witness::{Candidate, ROUNDS, advanced};

/// Limbs of the order of the subgroup, and of the modulus.
const ORDER: usize = 4;
const MODULUS: usize = 32;

/// How often the order is asked whether it is prime, [`ROUNDS`] bases at a time: more often than a longer number,
/// since few random bases tell less about a short one.
const REPEATED: usize = 10;

/// How often primes are looked for again that do not turn up.
const ATTEMPTS: usize = 4;

/// The numbers of a DSA key, each as bytes, most significant first.
#[derive(Clone, PartialEq, Eq)]
pub struct DsaKey {
    /// The modulus, a prime.
    pub modulus: Vec<u8>,
    /// The order of the subgroup, a prime that divides the modulus' predecessor.
    pub order: Vec<u8>,
    /// What generates the subgroup.
    pub generator: Vec<u8>,
    /// The generator to the power of the private number.
    pub public: Vec<u8>,
    /// What only the owner knows.
    pub private: Vec<u8>,
}

impl DsaKey {
    /// All numbers, in the order in which OpenSSL writes them after the version.
    pub fn numbers(&self) -> [&[u8]; 5] {
        [&self.modulus, &self.order, &self.generator, &self.public, &self.private]
    }
}

/// Makes a new DSA key, from bytes that `random` fills.
///
/// `None` if the bytes are not random.
pub fn generate_dsa(random: &mut dyn FnMut(&mut [u8])) -> Option<DsaKey> {
    generate_dsa_by(Arithmetic::best(), random)
}

/// The same, by an arithmetic of one's choice.
pub fn generate_dsa_by(arithmetic: Arithmetic, random: &mut dyn FnMut(&mut [u8])) -> Option<DsaKey> {
    (0..ATTEMPTS).find_map(|_| {
        let order = one_prime(arithmetic, &Orders::new(arithmetic, random))?;
        let modulus = one_prime(arithmetic, &Moduli::new(&order, random))?;
        key(arithmetic, &big(&modulus), &big(&order), random)
    })
}

/// So many numbers made of random bytes.
fn numbers<const N: usize>(random: &mut dyn FnMut(&mut [u8]), count: usize) -> Vec<Limbs<N>> {
    let mut bytes = vec![0; count * N * 8];
    random(&mut bytes);
    let mut bytes = bytes.into_iter();
    (0..count).map(|_| number(&mut bytes)).collect()
}

fn bases<const N: usize>(random: &mut dyn FnMut(&mut [u8])) -> [Limbs<N>; ROUNDS] {
    let mut bases = numbers(random, ROUNDS).into_iter();
    std::array::from_fn(|_| bases.next().unwrap_or([2; N]))
}

/// The odd numbers from a random one on, one of which becomes the order.
struct Orders {
    arithmetic: Arithmetic,
    start: Limbs<ORDER>,
    bases: [Limbs<ORDER>; ROUNDS],
    more_bases: [[Limbs<ORDER>; ROUNDS]; REPEATED],
}

impl Orders {
    fn new(arithmetic: Arithmetic, random: &mut dyn FnMut(&mut [u8])) -> Self {
        let mut start = numbers::<ORDER>(random, 1).first().copied().unwrap_or_default();
        start[0] |= 1;
        start[ORDER - 1] |= 1 << 63;
        Self { arithmetic, start, bases: bases(random), more_bases: std::array::from_fn(|_| bases(random)) }
    }
}

impl Numbers<ORDER> for Orders {
    fn survivors(&self) -> Vec<u32> {
        sieve::survivors(&self.start)
    }

    fn at(&self, place: u32) -> Option<Limbs<ORDER>> {
        advanced(self.start, u64::from(place))
    }

    fn bases(&self) -> &[Limbs<ORDER>; ROUNDS] {
        &self.bases
    }

    fn suits(&self, prime: &Candidate<ORDER>) -> bool {
        self.more_bases.iter().all(|bases| prime.passes(self.arithmetic, bases))
    }
}

/// The numbers from a random one on that are one more than a multiple of the order.
struct Moduli {
    start: BigUint,
    step: BigUint,
    bases: [Limbs<MODULUS>; ROUNDS],
}

impl Moduli {
    fn new(order: &Limbs<ORDER>, random: &mut dyn FnMut(&mut [u8])) -> Self {
        let mut start = numbers::<MODULUS>(random, 1).first().map(big).unwrap_or_default();
        start.set_bit(64 * MODULUS as u64 - 1, true);
        // Odd ones only.
        let step = big(order) * 2u32;
        start += &step - &start % &step + 1u32;
        Self { start, step, bases: bases(random) }
    }
}

impl Numbers<MODULUS> for Moduli {
    fn survivors(&self) -> Vec<u32> {
        sieve::surviving_steps(&limbs::<MODULUS>(&self.start), &limbs::<8>(&self.step))
    }

    fn at(&self, place: u32) -> Option<Limbs<MODULUS>> {
        let number = &self.start + &self.step * place;
        (number.bits() == 64 * MODULUS as u64).then(|| limbs(&number))
    }

    fn bases(&self) -> &[Limbs<MODULUS>; ROUNDS] {
        &self.bases
    }

    fn suits(&self, _: &Candidate<MODULUS>) -> bool {
        true
    }
}

/// The key of a modulus and the order of its subgroup.
fn key(
    arithmetic: Arithmetic,
    modulus: &BigUint,
    order: &BigUint,
    random: &mut dyn FnMut(&mut [u8]),
) -> Option<DsaKey> {
    let power = |base: &BigUint, exponent: &BigUint| {
        let modulus = Modulus::new(limbs::<MODULUS>(modulus))?;
        let powers = arithmetic.powers(&[Power { base: limbs(base), exponent: limbs(exponent), modulus }]);
        powers.first().map(big)
    };
    let one = BigUint::from(1u32);
    let cofactor = (modulus - &one) / order;
    let generator =
        (2..100u32).find_map(|base| power(&base.into(), &cofactor).filter(|generator| *generator != one))?;
    // Twice as long as the order, so that the remainder is spread evenly.
    let private = numbers::<{ 2 * ORDER }>(random, 1).first().map(big)? % (order - &one) + &one;
    let public = power(&generator, &private)?;
    let [modulus, order, generator, public, private] =
        [modulus, order, &generator, &public, &private].map(BigUint::to_bytes_be);
    Some(DsaKey { modulus, order, generator, public, private })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(bytes: &mut [u8]) {
        getrandom::fill(bytes).unwrap();
    }

    /// The test of Fermat, in big integers; what is random and passes it is prime.
    fn is_prime(number: &BigUint) -> bool {
        [2u32, 3, 5, 7, 11]
            .into_iter()
            .all(|base| BigUint::from(base).modpow(&(number - 1u32), number) == BigUint::from(1u32))
    }

    #[test]
    fn keys_are_whole_and_never_the_same() {
        let mut before = None;
        for arithmetic in [Arithmetic::best(), Arithmetic::portable()] {
            let key = generate_dsa_by(arithmetic, &mut fill).unwrap();
            let [modulus, order, generator, public, private] = key.numbers().map(BigUint::from_bytes_be);
            let one = BigUint::from(1u32);
            assert_eq!((modulus.bits(), order.bits()), (2048, 256));
            assert!(is_prime(&modulus) && is_prime(&order));
            assert_eq!((&modulus - &one) % &order, BigUint::ZERO);
            assert!(generator > one && generator < modulus);
            assert_eq!(generator.modpow(&order, &modulus), one);
            assert_eq!(generator.modpow(&private, &modulus), public);
            assert!(private > BigUint::ZERO && private < order);
            assert!(before.replace(key.clone()) != Some(key));
        }
    }
}
