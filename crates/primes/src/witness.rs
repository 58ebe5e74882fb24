//! Whether a number is prime, asked of witnesses: the test of Miller and Rabin.

use crate::arithmetic::{Arithmetic, Power};
use crate::montgomery::{Limbs, Modulus, subtract};

/// How often a number is asked with a random base.
///
/// For random numbers of 1024 bits four rounds leave a probability below 2⁻¹⁰⁰ that a composite number passes them
/// all (FIPS 186-4, table C.3), and fewer for longer ones; the round to the base two comes on top.
pub(crate) const ROUNDS: usize = 6;

/// A number that may be prime: what its predecessor is made of.
pub(crate) struct Candidate<const N: usize> {
    modulus: Modulus<N>,
    /// The odd part of the predecessor.
    odd: Limbs<N>,
    /// How often two divides the predecessor.
    twos: u32,
}

impl<const N: usize> Candidate<N> {
    /// `None` if the number is even or its highest bit is not set.
    pub(crate) fn new(number: Limbs<N>) -> Option<Self> {
        let modulus = Modulus::new(number)?;
        let mut odd = number;
        odd[0] &= !1;
        let zeros = odd.iter().take_while(|limb| **limb == 0).count();
        let bits = odd[zeros].trailing_zeros();
        let shifted: Limbs<N> = std::array::from_fn(|index| {
            let limb = |offset: usize| odd.get(index + zeros + offset).copied().unwrap_or(0);
            if bits == 0 { limb(0) } else { limb(0) >> bits | limb(1) << (64 - bits) }
        });
        Some(Self { modulus, odd: shifted, twos: zeros as u32 * 64 + bits })
    }

    /// Whether the number passes the test to the base two. Raising two to a power takes squarings and doublings.
    pub(crate) fn passes_two(&self) -> bool {
        let (mut power, mut next) = ([self.modulus.one(); 2], [[0; N]; 2]);
        for limb in self.odd.iter().rev() {
            // Two bits at a time, so that the square of a square is in its place again.
            for shift in (0..64).step_by(2).rev() {
                self.modulus.square(&power[1], &mut next);
                if limb >> (shift + 1) & 1 == 1 {
                    self.modulus.double(&mut next[1]);
                }
                self.modulus.square(&next[1], &mut power);
                if limb >> shift & 1 == 1 {
                    self.modulus.double(&mut power[1]);
                }
            }
        }
        self.ends_well(power[1])
    }

    /// Whether the number passes the test to all of the bases.
    pub(crate) fn passes(&self, arithmetic: Arithmetic, bases: &[Limbs<N>; ROUNDS]) -> bool {
        let power =
            |base: &Limbs<N>| Power { base: *base, exponent: self.odd, modulus: self.modulus.clone() };
        let powers = arithmetic.powers(&bases.each_ref().map(power));
        let radix_squared = self.modulus.radix_squared();
        powers.iter().all(|power| self.ends_well(self.modulus.multiply(power, &radix_squared)))
    }

    /// Whether a base raised to the odd part is one, or meets minus one on its way to the predecessor.
    fn ends_well(&self, mut power: Limbs<N>) -> bool {
        let minus_one = self.modulus.minus_one();
        power = self.modulus.canonical(power);
        if power == self.modulus.one() || power == minus_one {
            return true;
        }
        let mut square = [[0; N]; 2];
        (1..self.twos).any(|_| {
            self.modulus.square(&power, &mut square);
            power = self.modulus.canonical(square[1]);
            power == minus_one
        })
    }

    /// The remainder that a small number leaves.
    pub(crate) fn remainder(&self, divisor: u32) -> u32 {
        let divisor = u64::from(divisor);
        let halves = self.modulus.limbs().iter().rev().flat_map(|limb| [limb >> 32, limb & 0xffff_ffff]);
        halves.fold(0, |rest, half| (rest << 32 | half) % divisor) as u32
    }
}

/// The number that is `distance` further, if it still fits.
pub(crate) fn advanced<const N: usize>(mut number: Limbs<N>, distance: u64) -> Option<Limbs<N>> {
    let mut carry = distance;
    for limb in &mut number {
        let (sum, over) = limb.overflowing_add(carry);
        *limb = sum;
        carry = u64::from(over);
    }
    (carry == 0).then_some(number)
}

/// How far two numbers are apart.
pub(crate) fn distance<const N: usize>(left: &Limbs<N>, right: &Limbs<N>) -> Limbs<N> {
    let less = left.iter().rev().lt(right.iter().rev());
    let (mut high, low) = if less { (*right, left) } else { (*left, right) };
    subtract(&mut high, low);
    high
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;

    fn random_bases<const N: usize>() -> [Limbs<N>; ROUNDS] {
        let limb = || getrandom::u64().unwrap();
        std::array::from_fn(|_| std::array::from_fn(|_| limb()))
    }

    fn is_confirmed<const N: usize>(number: Limbs<N>) -> bool {
        let candidate = Candidate::new(number).unwrap();
        let bases = random_bases();
        let [best, portable] = [Arithmetic::best(), Arithmetic::portable()]
            .map(|arithmetic| candidate.passes(arithmetic, &bases));
        assert_eq!(best, portable, "{number:?}");
        best
    }

    fn is_small_prime(number: u64) -> bool {
        number > 1 && (2..=number.isqrt()).all(|divisor| !number.is_multiple_of(divisor))
    }

    /// The test by the book, in big integers.
    fn passes_two_by_the_book(number: u64) -> bool {
        let number = BigUint::from(number);
        let last = &number - 1u32;
        let twos = last.trailing_zeros().unwrap();
        let mut power = BigUint::from(2u32).modpow(&(&last >> twos), &number);
        if power == BigUint::from(1u32) || power == last {
            return true;
        }
        (1..twos).any(|_| {
            power = &power * &power % &number;
            power == last
        })
    }

    #[test]
    fn known_primes_pass() {
        // The largest primes below 2⁶⁴ and 2¹²⁸.
        for number in [u64::MAX - 58, u64::MAX - 82, u64::MAX - 94] {
            assert!(Candidate::new([number]).unwrap().passes_two());
            assert!(is_confirmed([number]), "{number}");
        }
        assert!(Candidate::new([u64::MAX - 158, u64::MAX]).unwrap().passes_two());
        assert!(is_confirmed([u64::MAX - 158, u64::MAX]));
        // 2¹⁰²⁴ - 105, and 2²⁰⁴⁸ - 1942289.
        let mut number = [u64::MAX; 16];
        number[0] -= 104;
        assert!(Candidate::new(number).unwrap().passes_two());
        assert!(is_confirmed(number));
        let mut number = [u64::MAX; 32];
        number[0] -= 1_942_288;
        assert!(Candidate::new(number).unwrap().passes_two());
        assert!(is_confirmed(number));
    }

    #[test]
    fn products_of_large_primes_do_not_pass() {
        let mersenne = |bits: u32| (BigUint::from(1u32) << bits) - 1u32;
        // All of them make 1024 bits.
        for powers in [[521, 127, 127, 127, 61, 61], [607, 127, 127, 89, 61, 13], [607, 89, 89, 89, 89, 61]] {
            let product: BigUint = powers.into_iter().map(mersenne).product();
            let number: Limbs<16> = product.to_u64_digits().try_into().unwrap();
            assert!(!Candidate::new(number).unwrap().passes_two());
            assert!(!is_confirmed(number));
        }
    }

    #[test]
    fn carmichael_numbers_are_caught() {
        // (6k + 1) (12k + 1) (18k + 1) with three prime factors passes Fermat's test to nearly every base.
        let carmichaels = (192_400..300_000u64).filter_map(|k| {
            let factors = [6 * k + 1, 12 * k + 1, 18 * k + 1];
            let product = factors.iter().try_fold(1u64, |product, factor| product.checked_mul(*factor))?;
            (product >> 63 == 1 && factors.into_iter().all(is_small_prime)).then_some(product)
        });
        let mut count = 0;
        for number in carmichaels.take(40) {
            assert_eq!(
                BigUint::from(2u32).modpow(&BigUint::from(number - 1), &BigUint::from(number)),
                BigUint::from(1u32)
            );
            assert!(!is_confirmed([number]), "{number}");
            count += 1;
        }
        assert!(count > 10, "only {count} found");
    }

    #[test]
    fn strong_pseudoprimes_to_two_pass_it_and_are_caught_later() {
        // Products p (2p - 1) are often strong pseudoprimes to the base two.
        let mut found = 0;
        for p in (2_147_500_009..2_200_000_000u64).step_by(12) {
            let Some(product) = p.checked_mul(2 * p - 1).filter(|product| product >> 63 == 1) else {
                continue;
            };
            if !passes_two_by_the_book(product) {
                continue;
            }
            assert!(!is_small_prime(p) || is_small_prime(2 * p - 1), "{p}");
            assert!(Candidate::new([product]).unwrap().passes_two(), "{product}");
            assert!(!is_confirmed([product]), "{product}");
            found += 1;
            if found == 10 {
                return;
            }
        }
        panic!("only {found} pseudoprimes found");
    }

    proptest! {
        #[test]
        fn the_test_to_the_base_two_is_that_of_the_book(number in any::<u64>()) {
            let number = number | 1 | 1 << 63;
            let candidate = Candidate::new([number]).unwrap();
            prop_assert_eq!(candidate.passes_two(), passes_two_by_the_book(number));
            prop_assert_eq!(u64::from(candidate.remainder(65_537)), number % 65_537);
        }

        #[test]
        fn predecessors_are_split_into_twos_and_an_odd_part(odd in any::<u64>(), twos in 1u32..100) {
            // odd · 2^twos + 1, with the highest bit set.
            let number = (u128::from(odd | 1) << twos | 1 << 127) + 1;
            let candidate = Candidate::new([number as u64, (number >> 64) as u64]).unwrap();
            let found = u128::from(candidate.odd[1]) << 64 | u128::from(candidate.odd[0]);
            prop_assert_eq!(found & 1, 1);
            prop_assert_eq!(found << candidate.twos, number - 1);
        }

        #[test]
        fn numbers_are_advanced_with_carry(number in any::<u128>(), by in any::<u64>()) {
            let split = |number: u128| [number as u64, (number >> 64) as u64];
            prop_assert_eq!(advanced(split(number), by), number.checked_add(u128::from(by)).map(split));
            prop_assert_eq!(
                distance(&split(number), &split(u128::from(by))),
                split(number.abs_diff(u128::from(by)))
            );
        }
    }
}
