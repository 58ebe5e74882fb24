//! Powers, by whatever instructions the processor has.

use crate::lanes::Lanes;
use crate::montgomery::{Limbs, Modulus};
use crate::witness::Candidate;

/// A power to be computed.
#[derive(Debug)]
pub(crate) struct Power<const N: usize> {
    pub(crate) base: Limbs<N>,
    pub(crate) exponent: Limbs<N>,
    /// Odd, with its highest bit set.
    pub(crate) modulus: Modulus<N>,
}

/// Which instructions are used. The results are the same.
#[derive(Debug, Clone, Copy)]
pub struct Arithmetic(Option<Lanes>);

impl Arithmetic {
    /// The fastest that this processor has.
    pub fn best() -> Self {
        Self(Lanes::new())
    }

    /// What all processors have.
    pub fn portable() -> Self {
        Self(None)
    }

    /// Whether nothing is used that some processors do not have.
    pub fn is_portable(self) -> bool {
        self.0.is_none()
    }

    /// How many candidates are looked at in the time of one.
    pub(crate) fn at_once(self) -> usize {
        self.0.map_or(1, Lanes::count)
    }

    /// Those of a few odd numbers, with their highest bit set, that pass a first test: all primes, and hardly any
    /// others.
    pub(crate) fn likely_primes<const N: usize>(self, candidates: &[Limbs<N>]) -> Vec<Limbs<N>> {
        let portable = |number: &Limbs<N>| Candidate::new(*number).is_some_and(|number| number.passes_two());
        let passed = self
            .0
            .and_then(|lanes| lanes.pass_two(candidates))
            .unwrap_or_else(|| candidates.iter().map(portable).collect());
        candidates.iter().zip(passed).filter_map(|(number, passed)| passed.then_some(*number)).collect()
    }

    /// Powers, each below its modulus.
    pub(crate) fn powers<const N: usize>(self, powers: &[Power<N>]) -> Vec<Limbs<N>> {
        let results = self.0.and_then(|lanes| lanes.powers(powers)).unwrap_or_else(|| {
            let portable = |Power { base, exponent, modulus }: &Power<N>| {
                let encoded = modulus.multiply(base, &modulus.radix_squared());
                modulus.decoded(&modulus.power(&encoded, exponent))
            };
            powers.iter().map(portable).collect()
        });
        results.into_iter().zip(powers).map(|(result, power)| power.modulus.canonical(result)).collect()
    }
}
