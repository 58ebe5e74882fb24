//! Finding the two primes of a key, on two threads if there are two processors.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::arithmetic::Arithmetic;
use crate::montgomery::Limbs;
use crate::sieve;
use crate::witness::{Candidate, ROUNDS, advanced};

/// The public exponent of every key.
pub(crate) const EXPONENT: u32 = 65_537;

/// What chance contributes to one prime.
pub(crate) struct Chance<const N: usize> {
    /// Where the search begins: an odd number with its two highest bits set.
    start: Limbs<N>,
    /// The bases for which a number must pass the test.
    bases: [Limbs<N>; ROUNDS],
}

impl<const N: usize> Chance<N> {
    pub(crate) fn new(mut start: Limbs<N>, bases: [Limbs<N>; ROUNDS]) -> Self {
        start[0] |= 1;
        start[N - 1] |= 3 << 62;
        Self { start, bases }
    }
}

/// The search for one prime, in which several threads may take part.
struct Search<'c, const N: usize> {
    arithmetic: Arithmetic,
    chance: &'c Chance<N>,
    /// How far from the start the numbers are that the sieve left.
    distances: OnceLock<Vec<u32>>,
    /// Which of them is looked at next.
    next: AtomicUsize,
    found: OnceLock<Limbs<N>>,
}

impl<'c, const N: usize> Search<'c, N> {
    fn new(arithmetic: Arithmetic, chance: &'c Chance<N>) -> Self {
        Self {
            arithmetic,
            chance,
            distances: OnceLock::new(),
            next: AtomicUsize::new(0),
            found: OnceLock::new(),
        }
    }

    /// Looks at a few numbers after the other until somebody has found a prime or none are left.
    fn run(&self) {
        let distances = self.distances.get_or_init(|| sieve::survivors(&self.chance.start));
        let count = self.arithmetic.at_once();
        while self.found.get().is_none() {
            let first = self.next.fetch_add(count, Ordering::Relaxed);
            let distances = distances.iter().skip(first).take(count);
            let numbers: Vec<Limbs<N>> =
                distances.map_while(|distance| advanced(self.chance.start, u64::from(*distance))).collect();
            if numbers.is_empty() {
                return;
            }
            let likely = self.arithmetic.likely_primes(&numbers);
            if let Some(prime) = likely.into_iter().find(|number| self.is_prime(*number)) {
                // Another thread may have been faster; either prime will do.
                let _ = self.found.set(prime);
            }
        }
    }

    /// Whether a number that is likely prime really is. One test is always by the portable arithmetic, so that no
    /// prime is believed because of the other alone.
    fn is_prime(&self, number: Limbs<N>) -> bool {
        Candidate::new(number).is_some_and(|candidate| {
            // The exponent needs an inverse modulo the predecessor.
            candidate.remainder(EXPONENT) != 1
                && (self.arithmetic.is_portable() || candidate.passes_two())
                && candidate.passes(self.arithmetic, &self.chance.bases)
        })
    }
}

/// Two primes; `None` if a search ran out of numbers, which happens once in a hundred thousand times.
pub(crate) fn two_primes<const N: usize>(
    arithmetic: Arithmetic,
    chances: &[Chance<N>; 2],
) -> Option<[Limbs<N>; 2]> {
    let [first, second] = chances.each_ref().map(|chance| Search::new(arithmetic, chance));
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        if processors > 1 {
            // Without a second thread, the first does it all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || {
                second.run();
                first.run();
            });
        }
        first.run();
        second.run();
    });
    Some([first.found.into_inner()?, second.found.into_inner()?])
}
