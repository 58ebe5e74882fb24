//! Finding the primes of a key, on two threads if there are two processors.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

/// The numbers among which a prime is looked for.
pub(crate) trait Numbers<const N: usize>: Sync {
    /// The places of those that no small prime divides.
    fn survivors(&self) -> Vec<u32>;

    /// The number at a place, if it still fits.
    fn at(&self, place: u32) -> Option<Limbs<N>>;

    /// The bases for which a number must pass the test.
    fn bases(&self) -> &[Limbs<N>; ROUNDS];

    /// Whether the prime will do.
    fn suits(&self, prime: &Candidate<N>) -> bool;
}

impl<const N: usize> Numbers<N> for Chance<N> {
    fn survivors(&self) -> Vec<u32> {
        sieve::survivors(&self.start)
    }

    fn at(&self, place: u32) -> Option<Limbs<N>> {
        advanced(self.start, u64::from(place))
    }

    fn bases(&self) -> &[Limbs<N>; ROUNDS] {
        &self.bases
    }

    /// The exponent needs an inverse modulo the predecessor.
    fn suits(&self, prime: &Candidate<N>) -> bool {
        prime.remainder(EXPONENT) != 1
    }
}

/// The search for one prime, in which several threads may take part.
struct Search<'c, C, const N: usize> {
    arithmetic: Arithmetic,
    numbers: &'c C,
    /// The places of the numbers that the sieve left.
    places: OnceLock<Vec<u32>>,
    /// Which of them is looked at next.
    next: AtomicUsize,
    /// Whether somebody has a number that is likely prime and asks it again, so that others need not look further.
    likely: AtomicBool,
    found: OnceLock<Limbs<N>>,
}

impl<'c, C: Numbers<N>, const N: usize> Search<'c, C, N> {
    fn new(arithmetic: Arithmetic, numbers: &'c C) -> Self {
        Self {
            arithmetic,
            numbers,
            places: OnceLock::new(),
            next: AtomicUsize::new(0),
            likely: AtomicBool::new(false),
            found: OnceLock::new(),
        }
    }

    /// Looks at a few numbers after the other until somebody has found a prime or none are left.
    fn run(&self) {
        let places = self.places.get_or_init(|| self.numbers.survivors());
        let count = self.arithmetic.at_once();
        while !self.likely.load(Ordering::Relaxed) {
            let first = self.next.fetch_add(count, Ordering::Relaxed);
            let places = places.iter().skip(first).take(count);
            let numbers: Vec<Limbs<N>> = places.map_while(|place| self.numbers.at(*place)).collect();
            if numbers.is_empty() {
                return;
            }
            for number in self.arithmetic.likely_primes(&numbers) {
                if self.likely.swap(true, Ordering::Relaxed) {
                    return;
                }
                if self.is_prime(number) {
                    let _ = self.found.set(number);
                    return;
                }
                self.likely.store(false, Ordering::Relaxed);
            }
        }
    }

    /// Whether a number that is likely prime really is. One test is always by the portable arithmetic, so that no
    /// prime is believed because of the other alone. It takes a while, in which another thread may have nothing to do.
    fn is_prime(&self, number: Limbs<N>) -> bool {
        Candidate::new(number).is_some_and(|candidate| {
            if !self.numbers.suits(&candidate) {
                return false;
            }
            let passes = || candidate.passes(self.arithmetic, self.numbers.bases());
            if self.arithmetic.is_portable() {
                return passes();
            }
            let two = OnceLock::new();
            let passes_two = || *two.get_or_init(|| candidate.passes_two());
            let mut is_prime = false;
            on_two_threads(
                || is_prime = passes() && passes_two(),
                || {
                    passes_two();
                },
            );
            is_prime
        })
    }
}

/// Two primes; `None` if a search ran out of numbers, which happens once in a hundred thousand times.
pub(crate) fn two_primes<const N: usize>(
    arithmetic: Arithmetic,
    chances: &[Chance<N>; 2],
) -> Option<[Limbs<N>; 2]> {
    let [first, second] = chances.each_ref().map(|chance| Search::new(arithmetic, chance));
    on_two_threads(
        || {
            first.run();
            second.run();
        },
        || {
            second.run();
            first.run();
        },
    );
    Some([first.found.into_inner()?, second.found.into_inner()?])
}

/// One prime; `None` if there is none among the numbers.
pub(crate) fn one_prime<const N: usize>(
    arithmetic: Arithmetic,
    numbers: &impl Numbers<N>,
) -> Option<Limbs<N>> {
    let search = Search::new(arithmetic, numbers);
    on_two_threads(|| search.run(), || search.run());
    search.found.into_inner()
}

/// Does the first, and the second at the same time if there is another processor. Without one, the first does it all.
fn on_two_threads(first: impl FnOnce(), second: impl FnOnce() + Send) {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        if processors > 1 {
            let _ = std::thread::Builder::new().spawn_scoped(scope, second);
        }
        first();
    });
}
