//! Several powers at once, each with a modulus of its own, on processors that have the instructions for it.
//!
//! Moduli are odd and have their highest bit set. If there are fewer of them than the processor takes at once, the
//! last is there several times.

mod fused;
mod ifma;
mod pack;
mod raise;

use num_bigint::BigUint;

use crate::arithmetic::Power;
use crate::montgomery::{Limbs, big, limbs};
use fused::{Eight, Four};
use ifma::Ifma;
use raise::{Kind, Raise, RaiseTwo};

/// How many bits of an exponent are dealt with by choosing where to start.
const HEAD: usize = 10;

/// Proof that the processor can do it, in one way or another.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lanes {
    /// Integers of 52 bits, eight at once.
    Ifma(Ifma),
    /// Floating-point numbers, eight at once.
    Eight(Eight),
    /// Floating-point numbers, four at once.
    Four(Four),
}

/// Calls a function for the instructions of each kind, with as many limbs as they need for numbers of `N` words.
macro_rules! by_kind {
    ($lanes:ident, $function:ident::<$words:ident>($argument:ident)) => {
        match ($lanes, $words) {
            (Lanes::Ifma(kind), 16) => Some($function::<_, 8, 20, $words>(kind, $argument)),
            (Lanes::Ifma(kind), 32) => Some($function::<_, 8, 40, $words>(kind, $argument)),
            (Lanes::Eight(kind), 16) => Some($function::<_, 8, 26, $words>(kind, $argument)),
            (Lanes::Eight(kind), 32) => Some($function::<_, 8, 48, $words>(kind, $argument)),
            (Lanes::Four(kind), 16) => Some($function::<_, 4, 26, $words>(kind, $argument)),
            (Lanes::Four(kind), 32) => Some($function::<_, 4, 48, $words>(kind, $argument)),
            _ => None,
        }
    };
}

impl Lanes {
    /// The fastest that the processor has.
    pub(crate) fn new() -> Option<Self> {
        Self::all().next()
    }

    /// All that the processor has, the fastest first.
    fn all() -> impl Iterator<Item = Self> {
        let ifma = Ifma::try_new().map(Self::Ifma);
        ifma.into_iter().chain(Eight::try_new().map(Self::Eight)).chain(Four::try_new().map(Self::Four))
    }

    /// How many numbers there are at once.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Ifma(_) | Self::Eight(_) => 8,
            Self::Four(_) => 4,
        }
    }

    /// Which of the numbers pass Euler's test to the base two: all primes do, and hardly any others.
    ///
    /// `None` for numbers of a size that has no keys.
    pub(crate) fn pass_two<const N: usize>(self, candidates: &[Limbs<N>]) -> Option<Vec<bool>> {
        by_kind!(self, pass_two::<N>(candidates))
    }

    /// The powers, each below its modulus.
    ///
    /// `None` for numbers of a size that has no keys.
    pub(crate) fn powers<const N: usize>(self, powers: &[Power<N>]) -> Option<Vec<Limbs<N>>> {
        by_kind!(self, raised::<N>(powers))
    }
}

/// The exponent is half of the predecessor, and negative: two to the power of a small negative number is a small
/// power of two in Montgomery's form, so neither the radix' remainder nor the first squarings are needed.
fn pass_two<K: Kind<COUNT, LIMBS>, const COUNT: usize, const LIMBS: usize, const N: usize>(
    kind: K,
    candidates: &[Limbs<N>],
) -> Vec<bool> {
    let bits = 64 * N - 1 - HEAD;
    let start_and_rest = |candidate: &BigUint| {
        let exponent = candidate >> 1u32;
        let head = (&exponent + (BigUint::from(1u32) << bits) - 1u32) >> bits;
        let rest = (&head << bits) - exponent;
        let start_bit = K::RADIX_BITS as u64 - head.iter_u64_digits().next().unwrap_or(0);
        (BigUint::from(1u32) << start_bit, limbs(&rest))
    };
    let passed = candidates.chunks(COUNT).flat_map(|candidates| {
        let candidates: Vec<BigUint> = candidates.iter().map(big).collect();
        let (starts, rests): (Vec<BigUint>, Vec<Limbs<N>>) = candidates.iter().map(start_and_rest).unzip();
        let powers = kind.vectorize(RaiseTwo {
            kind,
            moduli: &K::packed(&candidates),
            start: &pack::numbers(K::BITS, starts),
            exponents: &pack::words(&rests),
            bits,
        });
        let is_one_or_last = |(power, candidate): (BigUint, BigUint)| {
            let power = power % &candidate;
            power == BigUint::from(1u32) || power + 1u32 == candidate
        };
        let powers: Vec<BigUint> = pack::unpacked(K::BITS, &powers).collect();
        powers.into_iter().zip(candidates).map(is_one_or_last)
    });
    passed.collect()
}

fn raised<K: Kind<COUNT, LIMBS>, const COUNT: usize, const LIMBS: usize, const N: usize>(
    kind: K,
    powers: &[Power<N>],
) -> Vec<Limbs<N>> {
    let radix_squared = BigUint::from(1u32) << (2 * K::RADIX_BITS);
    let raised = powers.chunks(COUNT).flat_map(|powers| {
        let moduli: Vec<BigUint> = powers.iter().map(|power| big(power.modulus.limbs())).collect();
        let exponents: Vec<Limbs<N>> = powers.iter().map(|power| power.exponent).collect();
        let results = kind.vectorize(Raise {
            kind,
            moduli: &K::packed(&moduli),
            radix_squared: &pack::numbers(K::BITS, moduli.iter().map(|modulus| &radix_squared % modulus)),
            bases: &pack::numbers(K::BITS, powers.iter().map(|power| big(&power.base))),
            exponents: &pack::words(&exponents),
        });
        let results: Vec<BigUint> = pack::unpacked(K::BITS, &results).collect();
        results.into_iter().zip(moduli).map(|(result, modulus)| limbs(&(result % modulus)))
    });
    raised.collect()
}

#[cfg(test)]
mod tests;
