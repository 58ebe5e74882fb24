//! Striking out the numbers of a window that small primes divide.

use std::sync::OnceLock;

use crate::montgomery::{Limbs, negated_inverse};

/// Numbers are struck out that a prime below this divides. Higher, sieving costs more than the tests it spares.
const LIMIT: usize = 1 << 17;

/// How many odd numbers are looked at, from a start on. One in 355 is prime at 1024 bits, one in 710 at 2048.
const WINDOW: usize = 8192;

/// A few primes and their product, modulo which large numbers are reduced: once for all of them.
struct Group {
    primes: [u32; 3],
    product: u64,
    /// `-1 / product`, modulo 2⁶⁴.
    factor: u64,
    /// The remainder of 2¹²⁸.
    radix_squared: u64,
}

/// The odd primes below the limit, three at a time.
fn groups() -> &'static [Group] {
    static GROUPS: OnceLock<Vec<Group>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let primes = odd_primes();
        // A last group of less than three is left out.
        let (chunks, _) = primes.as_chunks();
        chunks.iter().map(|primes| Group::new(*primes)).collect()
    })
}

fn odd_primes() -> Vec<u32> {
    // Place `i` stands for `2i + 1`.
    let mut composite = vec![false; LIMIT / 2];
    let mut primes = Vec::with_capacity(12_288);
    for index in 1..composite.len() {
        if !composite[index] {
            let prime = 2 * index + 1;
            primes.push(prime as u32);
            for multiple in (prime * prime / 2..composite.len()).step_by(prime) {
                composite[multiple] = true;
            }
        }
    }
    primes
}

impl Group {
    fn new(primes: [u32; 3]) -> Self {
        let product = primes.into_iter().map(u64::from).product();
        let radix = (u64::MAX % product + 1) % product;
        let radix_squared = (u128::from(radix) * u128::from(radix) % u128::from(product)) as u64;
        Self { primes, product, factor: negated_inverse(product), radix_squared }
    }

    /// `sum / 2⁶⁴`, by Montgomery's reduction; at most the product plus one if the sum has no more than 64 bits and
    /// the product on top.
    fn divided(&self, sum: u128) -> u64 {
        let by = (sum as u64).wrapping_mul(self.factor);
        ((sum + u128::from(by) * u128::from(self.product)) >> 64) as u64
    }

    fn multiplied(&self, left: u64, right: u64) -> u64 {
        self.divided(u128::from(left) * u128::from(right))
    }

    /// A number congruent to the given one, modulo the product.
    fn residue<const N: usize>(&self, number: &Limbs<N>) -> u64 {
        const { assert!(N.is_power_of_two()) };
        // Each limb divides what came before by the radix, so N radices are missing at the end.
        let rest = number.iter().fold(0, |rest, limb| self.divided(u128::from(rest) + u128::from(*limb)));
        // Squared and divided: the radix to the powers of 2, 3, 5, 9, 17 …
        let radices =
            (0..N.trailing_zeros()).fold(self.radix_squared, |power, _| self.multiplied(power, power));
        self.multiplied(rest, radices)
    }
}

/// The distances from an odd start to the odd numbers that no small prime divides, ascending.
pub(crate) fn survivors<const N: usize>(start: &Limbs<N>) -> Vec<u32> {
    let mut struck = vec![false; WINDOW];
    for group in groups() {
        let residue = group.residue(start);
        for prime in group.primes {
            // The first index for which start + 2 · index is a multiple.
            let missing = prime - (residue % u64::from(prime)) as u32;
            let first = if missing.is_multiple_of(2) { missing } else { missing + prime } / 2;
            let mut index = first as usize;
            while index < WINDOW {
                struck[index] = true;
                index += prime as usize;
            }
            // A multiple at the start itself is one whole period before the first found.
            if missing == prime {
                struck[0] = true;
            }
        }
    }
    (0..WINDOW).filter(|index| !struck[*index]).map(|index| 2 * index as u32).collect()
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;

    fn check<const N: usize>(mut start: Limbs<N>) -> Result<(), TestCaseError> {
        start[0] |= 1;
        let number =
            BigUint::from_bytes_le(&start.iter().flat_map(|limb| limb.to_le_bytes()).collect::<Vec<_>>());
        let mut expected = vec![true; WINDOW];
        let primes = odd_primes();
        for prime in &primes[..primes.len() / 3 * 3] {
            let rest = (&number % *prime).to_u32_digits().first().copied().unwrap_or(0);
            for (index, survives) in expected.iter_mut().enumerate() {
                *survives &= !(u64::from(rest) + 2 * index as u64).is_multiple_of(u64::from(*prime));
            }
        }
        let expected: Vec<u32> =
            (0..WINDOW).filter(|index| expected[*index]).map(|index| 2 * index as u32).collect();
        prop_assert_eq!(survivors(&start), expected);
        Ok(())
    }

    #[test]
    fn the_primes_are_known() {
        let primes = odd_primes();
        assert_eq!(primes[..8], [3, 5, 7, 11, 13, 17, 19, 23]);
        assert_eq!((primes.len(), primes[primes.len() - 1]), (12_250, 131_071));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2))]

        #[test]
        fn what_survives_has_no_small_divisor(narrow: [u64; 2], wide: [u64; 16], widest: [u64; 32]) {
            check(narrow)?;
            check(wide)?;
            check(widest)?;
        }
    }

    #[test]
    fn a_multiple_at_the_start_is_struck_out() {
        check([3 * 5 * 7, 0]).unwrap();
        check([u64::MAX, u64::MAX]).unwrap();
    }
}
