//! Eight powers at once, each with a modulus of its own, on processors that have the instructions for it.
//!
//! Moduli are odd and have their highest bit set, and there are at most eight of them; if there are fewer, the last
//! is there several times.

mod ifma;
mod pack;

use num_bigint::BigUint;

use crate::arithmetic::Power;
use crate::montgomery::{Limbs, big, limbs};
use ifma::{BITS, Ifma, Raise, RaiseTwo};
use pack::{moduli, numbers, words};

/// How many numbers there are at once.
pub(crate) const COUNT: usize = 8;

/// One word of each of the numbers.
type Vector = [u64; COUNT];

/// How many bits of an exponent are dealt with by choosing where to start.
const HEAD: usize = 10;

/// Proof that the processor can do it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes(Ifma);

impl Lanes {
    pub(crate) fn new() -> Option<Self> {
        Ifma::try_new().map(Self)
    }

    /// Which of the numbers pass Euler's test to the base two: all primes do, and hardly any others.
    ///
    /// `None` for numbers of a size that has no keys.
    pub(crate) fn pass_two<const N: usize>(self, candidates: &[Limbs<N>]) -> Option<Vec<bool>> {
        match N {
            16 => Some(self.pass_two_in::<N, 20>(candidates)),
            32 => Some(self.pass_two_in::<N, 40>(candidates)),
            _ => None,
        }
    }

    /// The exponent is half of the predecessor, and negative: two to the power of a small negative number is a small
    /// power of two in Montgomery's form, so neither the radix' remainder nor the first squarings are needed.
    fn pass_two_in<const N: usize, const M: usize>(self, candidates: &[Limbs<N>]) -> Vec<bool> {
        let bits = 64 * N - 1 - HEAD;
        let start_and_rest = |candidate: &Limbs<N>| {
            let exponent = big(candidate) >> 1u32;
            let head = (&exponent + (BigUint::from(1u32) << bits) - 1u32) >> bits;
            let rest = (&head << bits) - exponent;
            let radix_bits = u64::from(BITS) * M as u64;
            let start_bit = radix_bits - head.to_u64_digits().first().unwrap_or(&0);
            (BigUint::from(1u32) << start_bit, limbs(&rest))
        };
        let (starts, rests): (Vec<BigUint>, Vec<Limbs<N>>) = candidates.iter().map(start_and_rest).unzip();
        let powers = self.0.vectorize(RaiseTwo {
            simd: self.0,
            moduli: &moduli::<M>(candidates.iter().map(big)),
            start: &numbers::<M>(starts),
            exponents: &words(&rests),
            bits,
        });
        let is_one_or_last = |(power, candidate): (BigUint, &Limbs<N>)| {
            power == BigUint::from(1u32) || power + 1u32 == big(candidate)
        };
        pack::unpacked(&powers).zip(candidates).map(is_one_or_last).collect()
    }

    /// The powers, each less than twice its modulus.
    ///
    /// `None` for numbers of a size that has no keys.
    pub(crate) fn powers<const N: usize>(self, powers: &[Power<N>]) -> Option<Vec<Limbs<N>>> {
        match N {
            16 => Some(self.powers_in::<N, 20>(powers)),
            32 => Some(self.powers_in::<N, 40>(powers)),
            _ => None,
        }
    }

    fn powers_in<const N: usize, const M: usize>(self, powers: &[Power<N>]) -> Vec<Limbs<N>> {
        let radix_squared = BigUint::from(1u32) << (2 * M * BITS as usize);
        let exponents: Vec<Limbs<N>> = powers.iter().map(|power| power.exponent).collect();
        let results = self.0.vectorize(Raise {
            simd: self.0,
            moduli: &moduli::<M>(powers.iter().map(|power| big(power.modulus.limbs()))),
            radix_squared: &numbers::<M>(
                powers.iter().map(|power| &radix_squared % big(power.modulus.limbs())),
            ),
            bases: &numbers::<M>(powers.iter().map(|power| big(&power.base))),
            exponents: &words(&exponents),
        });
        pack::unpacked(&results).take(powers.len()).map(|result| limbs(&result)).collect()
    }
}

#[cfg(test)]
mod tests;
