//! Striking out the numbers of a window that small primes divide.

use std::sync::OnceLock;

use crate::montgomery::{Limbs, negated_inverse};

/// Numbers are struck out that a prime below this divides. Higher, sieving costs more than the tests it spares.
const LIMIT: usize = 1 << 17;

/// How many odd numbers are looked at, from a start on. One in 355 is prime at 1024 bits, one in 710 at 2048.
const WINDOW: usize = 8192;

/// For how many groups of primes the remainders are computed at once.
const AT_ONCE: usize = 8;

/// What the reciprocals of primes are multiplied by, so that they are integers.
const RADIX: f64 = (1u128 << 64) as f64;

/// A few primes and their product, modulo which large numbers are reduced: once for all of them.
struct Group {
    primes: [u32; 3],
    /// 2⁶⁴ divided by each prime.
    reciprocals: [u64; 3],
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
    for prime in (3..=LIMIT.isqrt()).step_by(2) {
        if !composite[prime / 2] {
            for multiple in composite[prime * prime / 2..].iter_mut().step_by(prime) {
                *multiple = true;
            }
        }
    }
    // A processor cannot foresee which numbers are prime, so each is written, and kept or not. Less than one in ten is.
    let (mut primes, mut count) = (vec![0; LIMIT / 10], 0);
    for (index, composite) in composite.into_iter().enumerate().skip(1) {
        primes[count] = 2 * index as u32 + 1;
        count += usize::from(!composite);
    }
    primes.truncate(count);
    primes
}

impl Group {
    fn new(primes: [u32; 3]) -> Self {
        let product = primes.into_iter().map(u64::from).product();
        let reciprocals = primes.map(|prime| (RADIX / f64::from(prime)) as u64);
        let mut group =
            Self { primes, reciprocals, product, factor: negated_inverse(product), radix_squared: 0 };
        // Two times the radix, squared and divided: 2², 2⁴, 2⁸ … times the radix.
        let two = 2 * (u64::MAX % product + 1);
        group.radix_squared = (0..6).fold(two, |power, _| group.multiplied(power, power));
        group
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

    /// The remainder of a number below 2⁵², divided by one of the primes: without a division of integers, which is slow.
    fn remainder(&self, index: usize, number: u64) -> u64 {
        let prime = u64::from(self.primes[index]);
        // The upper 53 bits of the reciprocal are right, so the quotient is never too large, and too small by one at
        // most.
        let quotient = ((u128::from(number) * u128::from(self.reciprocals[index])) >> 64) as u64;
        let rest = number - quotient * prime;
        if rest < prime { rest } else { rest - prime }
    }
}

/// Numbers congruent to the given one, modulo the products of groups: of a few at once, since each has to wait for one
/// multiplication after the other.
fn residues<const N: usize, const G: usize>(groups: &[Group; G], number: &Limbs<N>) -> [u64; G] {
    const { assert!(N.is_power_of_two()) };
    // Each limb divides what came before by the radix, so N radices are missing at the end.
    let mut rest = [0; G];
    for limb in number {
        for (rest, group) in rest.iter_mut().zip(groups) {
            *rest = group.divided(u128::from(*rest) + u128::from(*limb));
        }
    }
    // Squared and divided: the radix to the powers of 2, 3, 5, 9, 17 …
    let mut radices = groups.each_ref().map(|group| group.radix_squared);
    for _ in 0..N.trailing_zeros() {
        for (power, group) in radices.iter_mut().zip(groups) {
            *power = group.multiplied(*power, *power);
        }
    }
    std::array::from_fn(|index| groups[index].multiplied(rest[index], radices[index]))
}

/// The distances from an odd start to the odd numbers that no small prime divides, ascending.
pub(crate) fn survivors<const N: usize>(start: &Limbs<N>) -> Vec<u32> {
    // The inverse of two is half of what comes after the prime.
    let indexes = indexes(start, |group| group.primes.map(|prime| prime.div_ceil(2)));
    indexes.map(|index| 2 * index).collect()
}

/// The steps that lead from a start to numbers that no small prime divides, ascending. No small prime but two
/// divides the step.
pub(crate) fn surviving_steps<const N: usize, const M: usize>(start: &Limbs<N>, step: &Limbs<M>) -> Vec<u32> {
    let indexes = indexes(start, |group| {
        let [residue] = residues(std::array::from_ref(group), step);
        std::array::from_fn(|index| inverse(group.remainder(index, residue) as u32, group.primes[index]))
    });
    indexes.collect()
}

/// The indexes for which start + step · index survives; the inverses are those of the step.
fn indexes<const N: usize>(
    start: &Limbs<N>,
    inverses: impl Fn(&Group) -> [u32; 3],
) -> impl Iterator<Item = u32> {
    let mut struck = vec![false; WINDOW];
    let (chunks, last) = groups().as_chunks::<AT_ONCE>();
    let first = chunks.iter().flat_map(|groups| residues(groups, start));
    let last = last.iter().flat_map(|group| residues(std::array::from_ref(group), start));
    for (group, residue) in groups().iter().zip(first.chain(last)) {
        let inverses = inverses(group);
        for (place, prime) in group.primes.into_iter().enumerate() {
            let missing = u64::from(prime) - group.remainder(place, residue);
            let mut index = group.remainder(place, missing * u64::from(inverses[place])) as usize;
            while index < WINDOW {
                struck[index] = true;
                index += prime as usize;
            }
        }
    }
    (0..).zip(struck).filter_map(|(index, struck)| (!struck).then_some(index))
}

/// The inverse of a number modulo a prime, by Euclid's algorithm.
fn inverse(number: u32, prime: u32) -> u32 {
    let (mut rest, mut next) = (i64::from(prime), i64::from(number));
    let (mut factor, mut next_factor) = (0_i64, 1_i64);
    while next != 0 {
        let quotient = rest / next;
        (rest, next) = (next, rest - quotient * next);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    factor.rem_euclid(i64::from(prime)) as u32
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
    fn what_survives_in_steps_has_no_small_divisor() {
        let (start, step) = ([0x1234_5678_9abc_def1, u64::MAX], [2 * 1_000_003, 0]);
        let survivors = surviving_steps(&start, &step);
        let primes = odd_primes();
        let first = BigUint::from(start[1]) << 64u32 | BigUint::from(start[0]);
        let number = |index: u32| &first + step[0] * u64::from(index);
        let divided = |index: u32| {
            primes[..primes.len() / 3 * 3].iter().any(|prime| number(index) % *prime == BigUint::ZERO)
        };
        let expected: Vec<u32> = (0..500).filter(|index| !divided(*index)).collect();
        assert_eq!(survivors[..expected.len()], expected);
        assert!(survivors[expected.len()] >= 500);
    }

    #[test]
    fn a_multiple_at_the_start_is_struck_out() {
        check([3 * 5 * 7, 0]).unwrap();
        check([u64::MAX, u64::MAX]).unwrap();
    }
}
