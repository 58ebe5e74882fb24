//! Random decisions, made from a seed, so that each can be made again.

use proptest::prelude::Rng;
use proptest::test_runner::TestRng;

/// Makes the decisions of a generator.
#[derive(Debug)]
pub struct Dice(TestRng);

impl Dice {
    /// Dice that fall as this source of randomness says.
    pub fn new(source: TestRng) -> Self {
        Self(source)
    }

    /// A number below the bound, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    /// A number of a range, its end included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// One of several, each as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, of: &[(usize, T)]) -> T {
        let sum: usize = of.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(sum);
        for (weight, item) in of {
            if left < *weight {
                return *item;
            }
            left -= weight;
        }
        of[0].1
    }
}
