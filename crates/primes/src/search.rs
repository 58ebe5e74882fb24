//! Finding the two primes of a key, on two threads if there are two processors.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    chance: &'c Chance<N>,
    /// How far from the start the numbers are that the sieve left.
    distances: OnceLock<Vec<u32>>,
    /// Which of them is looked at next.
    next: AtomicUsize,
    found: OnceLock<Limbs<N>>,
}

impl<'c, const N: usize> Search<'c, N> {
    fn new(chance: &'c Chance<N>) -> Self {
        Self { chance, distances: OnceLock::new(), next: AtomicUsize::new(0), found: OnceLock::new() }
    }

    /// Looks at one number after the other until somebody has found a prime or none are left.
    fn run(&self) {
        let distances = self.distances.get_or_init(|| sieve::survivors(&self.chance.start));
        while self.found.get().is_none() {
            let Some(distance) = distances.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            let Some(number) = advanced(self.chance.start, u64::from(*distance)) else { return };
            if self.is_prime(number) {
                // Another thread may have been faster; either prime will do.
                let _ = self.found.set(number);
            }
        }
    }

    fn is_prime(&self, number: Limbs<N>) -> bool {
        Candidate::new(number).is_some_and(|candidate| {
            candidate.passes_two()
                // The exponent needs an inverse modulo the predecessor.
                && candidate.remainder(EXPONENT) != 1
                && self.chance.bases.iter().all(|base| candidate.passes(base))
        })
    }
}

/// Two primes; `None` if a search ran out of numbers, which happens once in a hundred thousand times.
pub(crate) fn two_primes<const N: usize>(chances: &[Chance<N>; 2]) -> Option<[Limbs<N>; 2]> {
    let [first, second] = [Search::new(&chances[0]), Search::new(&chances[1])];
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
