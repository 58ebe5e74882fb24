//! Columns of a product: what the products of limbs sum up to whose places sum up to the same.

use super::instructions::Instructions;

/// Sums of upper parts begin here: the lowest bit of such a number stands for 2⁴⁷.
const HIGH: f64 = (1u128 << 99) as f64;

/// Sums of lower parts begin here, in the middle of all numbers whose lowest bit stands for one: the parts have signs.
const LOW: f64 = (3u64 << 51) as f64;

/// How many products may be added before the sums are put aside. They have room for 32; up to seven are added
/// besides, near the ends of a number.
const RUN: usize = 24;

/// A few columns next to each other.
pub(super) struct Columns<S: Instructions<COUNT>, const COUNT: usize, const WIDTH: usize> {
    simd: S,
    high: [S::Floats; WIDTH],
    low: [S::Floats; WIDTH],
    /// What has been put aside, less what the bits of the other sums have in addition to what they stand for.
    aside: [S::Integers; WIDTH],
    /// The same for the next column.
    over: S::Integers,
}

impl<S: Instructions<COUNT>, const COUNT: usize, const WIDTH: usize> Columns<S, COUNT, WIDTH> {
    /// The columns after others from which something is left over. Each sum is to come out larger by the bias.
    #[inline(always)]
    pub(super) fn new(simd: S, over: S::Integers, bias: i64) -> Self {
        let (high, low) = (HIGH.to_bits() as i64, LOW.to_bits() as i64);
        let mut aside = [simd.integer(bias.wrapping_sub(low).wrapping_sub(high)); WIDTH];
        aside[0] = simd.add(over, simd.integer(bias.wrapping_sub(low)));
        Self {
            simd,
            high: [simd.float(HIGH); WIDTH],
            low: [simd.float(LOW); WIDTH],
            aside,
            over: simd.integer(high.wrapping_neg()),
        }
    }

    /// Adds a product of two limbs. The product of one that is doubled counts twice.
    #[inline(always)]
    pub(super) fn add(&mut self, column: usize, left: S::Floats, right: S::Floats) {
        let simd = self.simd;
        let high = simd.multiply_add(left, right, self.high[column]);
        let step = simd.subtract_floats(self.high[column], high);
        self.low[column] = simd.add_floats(self.low[column], simd.multiply_add(left, right, step));
        self.high[column] = high;
    }

    /// Adds the products of limbs with as many others for each column: the first limb with the last of them.
    #[inline(always)]
    pub(super) fn add_products<const WEIGHT: usize>(&mut self, left: &[S::Floats], right: &[S::Floats]) {
        let mut end = right.len();
        for (index, left) in left.chunks(RUN / WEIGHT).enumerate() {
            if index > 0 {
                self.put_aside();
            }
            let (pairs, last) = left.as_chunks::<2>();
            for [first, second] in pairs {
                for (column, right) in right[end - WIDTH..end].iter().enumerate() {
                    self.add(column, *first, *right);
                }
                for (column, right) in right[end - WIDTH - 1..end - 1].iter().enumerate() {
                    self.add(column, *second, *right);
                }
                end -= 2;
            }
            if let [last] = last {
                for (column, right) in right[end - WIDTH..end].iter().enumerate() {
                    self.add(column, *last, *right);
                }
                end -= 1;
            }
        }
    }

    /// The same where the other number ends: with the first limb, that is so from the second column on, with the second
    /// limb from the third, and so on.
    #[inline(always)]
    pub(super) fn add_last_products<const WEIGHT: usize>(&mut self, left: &[S::Floats], right: &[S::Floats]) {
        let (few, left) = left.split_at(left.len().min(WIDTH - 1));
        for row in 0..WIDTH - 1 {
            let Some(limb) = few.get(row) else { break };
            for column in 0..=row {
                self.add(column, *limb, right[right.len() - WIDTH - row + column]);
            }
        }
        self.add_products::<WEIGHT>(left, &right[..right.len() - few.len()]);
    }

    /// Makes room for more products.
    #[inline(always)]
    fn put_aside(&mut self) {
        let simd = self.simd;
        let fresh = Self::new(simd, simd.integer(0), 0);
        for column in 0..WIDTH {
            self.aside[column] = self.sum(column, fresh.aside[column]);
        }
        self.over = simd.add(self.over(), fresh.over);
        (self.high, self.low) = (fresh.high, fresh.low);
    }

    /// What a column sums up to together with something else, when all products have been added to it and to the
    /// one before.
    #[inline(always)]
    pub(super) fn sum(&self, column: usize, other: S::Integers) -> S::Integers {
        let simd = self.simd;
        let mut sum = simd.add(self.aside[column], other);
        if column > 0 {
            sum = simd.add(sum, simd.bits(self.high[column - 1]));
        }
        // What is known last is added last.
        simd.add(sum, simd.bits(self.low[column]))
    }

    /// What belongs to the column after the last.
    #[inline(always)]
    pub(super) fn over(&self) -> S::Integers {
        self.simd.add(self.over, self.simd.bits(self.high[WIDTH - 1]))
    }
}
