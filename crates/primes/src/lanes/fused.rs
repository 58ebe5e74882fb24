//! Montgomery's arithmetic for several numbers at once, each with a modulus of its own, by floating-point numbers:
//! every processor since 2013 multiplies and adds them in one step, with a single rounding.
//!
//! A number has limbs of 47 bits; each vector holds one limb of all numbers. Products are added to a sum that is so
//! large that its lowest bit stands for 2⁴⁷. What is lost by rounding is the product minus the step that the sum has
//! made, which fits and is computed exactly; it is added to another sum. So there are two sums for each column of a
//! product, and nothing is carried before they are complete.
//!
//! The modulus is multiplied by what makes its lowest limb minus one. Then the multiple of it that clears a limb of a
//! product is that limb itself, and adding it comes down to adding a product with the rest of the modulus, plus one.
//!
//! The radix exceeds the modulus, multiplied so, by a factor of at least 2¹⁰; a square that is doubled stays small
//! enough to be squared again, and nothing is ever subtracted.

#![expect(
    clippy::inline_always,
    reason = "a function has the instructions of its caller only if it is made part of it"
)]

mod columns;
mod instructions;

use num_bigint::BigUint;
use pulp::NullaryFnOnce;

use super::pack;
use super::raise;
use crate::montgomery::negated_inverse;
use columns::Columns;
use instructions::Instructions;
pub(crate) use instructions::{Eight, Four};

/// How many bits a limb has.
const BITS: u32 = 47;

/// How many columns of a product are summed up at once, so that their chains of additions overlap.
const WIDTH: usize = 4;

/// How many of the last limbs are always zero, so that columns beyond the last are like the others.
const PADDING: usize = WIDTH - 1;

/// A floating-point number so large that the bits of an integer take the place of its own lower ones.
const OFFSET: f64 = (1u64 << 52) as f64;

/// So much is added to what a column sums up to, which may be negative, before its upper part is carried.
const BIAS: i64 = 1 << 54;

impl<S: Instructions<COUNT>, const COUNT: usize, const LIMBS: usize> raise::Kind<COUNT, LIMBS> for S {
    const BITS: u32 = BITS;

    const RADIX_BITS: usize = (LIMBS - PADDING) * BITS as usize;

    type Packed = [[u64; COUNT]; LIMBS];

    type Moduli = Moduli<S, COUNT, LIMBS>;

    fn packed(moduli: &[BigUint]) -> Self::Packed {
        pack::numbers(
            BITS,
            moduli.iter().map(|modulus| {
                let lowest = modulus.iter_u64_digits().next().unwrap_or(1);
                let multiplied = modulus * (negated_inverse(lowest) % (1 << BITS));
                (multiplied >> BITS) + 1u32
            }),
        )
    }

    #[inline(always)]
    fn moduli(self, packed: &Self::Packed) -> Self::Moduli {
        Moduli::new(self, packed)
    }

    #[inline(always)]
    fn vectorize<Op: NullaryFnOnce>(self, op: Op) -> Op::Output {
        Instructions::vectorize(self, op)
    }
}

/// Does something for every few columns. When short numbers are squared, each time is a piece of code of its own, with
/// lengths known to the compiler: that saves a seventh of the time.
macro_rules! for_columns {
    ($first:ident of $limbs:ident, $is_square:expr, $body:block) => {
        if $is_square && $limbs == 26 {
            for_columns!($first of $limbs $body 0 4 8 12 16 20);
        } else {
            for $first in (0..$limbs - PADDING).step_by(WIDTH) $body
        }
    };
    ($first:ident of $limbs:ident $body:block $($literal:literal)*) => { $(
        let $first = $literal;
        $body
    )* };
}

/// Numbers of a few limbs, of which the last are zero.
#[derive(Clone, Copy)]
pub(super) struct Numbers<S: Instructions<COUNT>, const COUNT: usize, const LIMBS: usize> {
    limbs: [S::Floats; LIMBS],
    /// Twice the limbs.
    doubled: [S::Floats; LIMBS],
}

/// Odd numbers, and what is needed to calculate modulo them.
pub(super) struct Moduli<S: Instructions<COUNT>, const COUNT: usize, const LIMBS: usize> {
    simd: S,
    /// Without the lowest limb, plus one.
    rest: [S::Floats; LIMBS],
    /// What the columns of a product sum up to.
    wide: [[S::Integers; LIMBS]; 2],
    /// By which multiples of the moduli the lower half of the product is cleared.
    multiples: [S::Floats; LIMBS],
    /// What is carried into the next column of the product, with its bias.
    carry: S::Integers,
    /// What the columns of a product have left over for the next.
    product_over: S::Integers,
    /// The same of the multiples that are added to it.
    over: S::Integers,
}

impl<S: Instructions<COUNT>, const COUNT: usize, const LIMBS: usize> Moduli<S, COUNT, LIMBS> {
    /// How many limbs of a number are not always zero.
    const LENGTH: usize = LIMBS - PADDING;

    #[inline(always)]
    fn new(simd: S, rest: &[[u64; COUNT]; LIMBS]) -> Self {
        const { assert!(Self::LENGTH % WIDTH == 1 || Self::LENGTH % WIDTH == 3, "more is not written out") };
        let (zero, none) = (simd.float(0.0), simd.integer(0));
        let mut moduli = Self {
            simd,
            rest: [zero; LIMBS],
            wide: [[none; LIMBS]; 2],
            multiples: [zero; LIMBS],
            carry: none,
            product_over: none,
            over: none,
        };
        for (limb, packed) in moduli.rest.iter_mut().zip(rest) {
            *limb = float(simd, simd.load(*packed));
        }
        moduli
    }

    /// The next columns of the numbers' square.
    #[inline(always)]
    fn square_columns(&mut self, numbers: &Numbers<S, COUNT, LIMBS>, first: usize) {
        let Numbers { limbs, doubled } = numbers;
        let (start, middle) = ((first + 1).saturating_sub(Self::LENGTH), first / 2);
        let mut columns = Columns::<S, COUNT, WIDTH>::new(self.simd, self.product_over, 0);
        let (left, right) = (&doubled[start..middle], &limbs[first + 1 - middle..first + WIDTH - start]);
        if start > 0 {
            columns.add_last_products::<2>(left, right);
        } else {
            columns.add_products::<2>(left, right);
        }
        // Near the diagonal each column is different.
        for column in 0..WIDTH {
            for left in 0..column.div_ceil(2) {
                columns.add(column, doubled[middle + left], limbs[middle + column - left]);
            }
            if column % 2 == 0 {
                let limb = limbs[middle + column / 2];
                columns.add(column, limb, limb);
            }
        }
        self.keep(first, &columns);
    }

    /// The next columns of a product.
    #[inline(always)]
    fn product_columns(&mut self, left: &[S::Floats; LIMBS], right: &[S::Floats; LIMBS], first: usize) {
        let (start, end) = ((first + 1).saturating_sub(Self::LENGTH), (first + 1).min(Self::LENGTH));
        let mut columns = Columns::<S, COUNT, WIDTH>::new(self.simd, self.product_over, 0);
        columns.add_products::<1>(&left[start..end], &right[first + 1 - end..first + WIDTH - start]);
        for row in 1..WIDTH {
            if first + row < Self::LENGTH {
                for column in row..WIDTH {
                    columns.add(column, left[first + row], right[column - row]);
                }
            }
        }
        self.keep(first, &columns);
    }

    #[inline(always)]
    fn keep(&mut self, first: usize, columns: &Columns<S, COUNT, WIDTH>) {
        for (column, wide) in self.wide.as_flattened_mut()[first..first + WIDTH].iter_mut().enumerate() {
            *wide = columns.sum(column, self.simd.integer(0));
        }
        self.product_over = columns.over();
    }

    /// The limb that is left of a column when the rest of its sum, in which the bias is contained, has been carried.
    #[inline(always)]
    fn carried(&mut self, sum: S::Integers) -> S::Floats {
        let simd = self.simd;
        let sum = simd.add(sum, self.carry);
        self.carry = simd.shift_right(sum);
        float(simd, simd.and(sum, simd.integer((1 << BITS) - 1)))
    }

    /// Clears a few columns of the lower half.
    #[inline(always)]
    fn clear_columns<const WIDTH: usize>(&mut self, first: usize) {
        let mut columns = Columns::<S, COUNT, WIDTH>::new(self.simd, self.over, BIAS - (BIAS >> BITS));
        if first > 0 {
            columns.add_products::<1>(&self.multiples[..first], &self.rest[..first + WIDTH - 1]);
        }
        for column in 0..WIDTH {
            let multiple = self.carried(columns.sum(column, self.wide.as_flattened()[first + column]));
            self.multiples[first + column] = multiple;
            for later in column + 1..WIDTH {
                columns.add(later, multiple, self.rest[later - column - 1]);
            }
        }
        self.over = columns.over();
    }

    /// A few limbs of the upper half, shifted.
    #[inline(always)]
    fn result_columns<const WIDTH: usize>(
        &mut self,
        first: usize,
        shift: S::Integers,
        result: &mut Numbers<S, COUNT, LIMBS>,
    ) {
        let simd = self.simd;
        let mut columns = Columns::<S, COUNT, WIDTH>::new(simd, self.over, 0);
        columns.add_last_products::<1>(
            &self.multiples[first + 1..Self::LENGTH],
            &self.rest[first..Self::LENGTH - 2 + WIDTH],
        );
        let bias = simd.integer(BIAS - (BIAS >> BITS));
        for column in 0..WIDTH {
            let sum = columns.sum(column, self.wide.as_flattened()[Self::LENGTH + first + column]);
            let limb = self.carried(simd.add(simd.shift_left(sum, shift), bias));
            result.limbs[first + column] = limb;
            result.doubled[first + column] = simd.add_floats(limb, limb);
        }
        self.over = columns.over();
    }

    /// Adds multiples of the moduli until the lower half of the product is zero. If there are numbers, the product is
    /// their square, which is computed on the way: there must be something to do while each limb waits for the one
    /// before.
    #[inline(always)]
    fn clear(&mut self, numbers: Option<&Numbers<S, COUNT, LIMBS>>) {
        self.product_over = self.simd.integer(0);
        self.over = self.simd.integer(0);
        self.carry = self.simd.integer(BIAS >> BITS);
        for_columns!(first of LIMBS, numbers.is_some(), {
            if let Some(numbers) = numbers {
                self.square_columns(numbers, 2 * first);
                if first + WIDTH / 2 < Self::LENGTH {
                    self.square_columns(numbers, 2 * first + WIDTH);
                }
            }
            if first + WIDTH <= Self::LENGTH {
                self.clear_columns::<WIDTH>(first);
            } else if Self::LENGTH % WIDTH == 1 {
                self.clear_columns::<1>(first);
            } else {
                self.clear_columns::<3>(first);
            }
        });
    }

    /// The upper half of the product, multiplied by two to the power of `shift`.
    #[inline(always)]
    fn result(&mut self, is_square: bool, shift: S::Integers, result: &mut Numbers<S, COUNT, LIMBS>) {
        let simd = self.simd;
        // What is carried into the upper half is shifted as well.
        self.over = simd.add(self.over, simd.add(self.carry, simd.integer(-(BIAS >> BITS))));
        self.carry = simd.integer(BIAS >> BITS);
        for_columns!(first of LIMBS, is_square, {
            if first + WIDTH <= Self::LENGTH {
                self.result_columns::<WIDTH>(first, shift, result);
            } else if Self::LENGTH % WIDTH == 1 {
                self.result_columns::<1>(first, shift, result);
            } else {
                self.result_columns::<3>(first, shift, result);
            }
        });
    }
}

impl<S: Instructions<COUNT>, const COUNT: usize, const LIMBS: usize> raise::Moduli<COUNT, LIMBS>
    for Moduli<S, COUNT, LIMBS>
{
    type Numbers = Numbers<S, COUNT, LIMBS>;

    #[inline(always)]
    fn load(&self, numbers: &[[u64; COUNT]; LIMBS]) -> Self::Numbers {
        let zero = self.simd.float(0.0);
        let mut loaded = Numbers { limbs: [zero; LIMBS], doubled: [zero; LIMBS] };
        for (index, limb) in numbers.iter().enumerate() {
            loaded.limbs[index] = float(self.simd, self.simd.load(*limb));
            loaded.doubled[index] = self.simd.add_floats(loaded.limbs[index], loaded.limbs[index]);
        }
        loaded
    }

    #[inline(always)]
    fn store(&self, numbers: &Self::Numbers) -> [[u64; COUNT]; LIMBS] {
        let mut stored = [[0; COUNT]; LIMBS];
        for (limb, stored) in numbers.limbs.iter().zip(&mut stored) {
            *stored = self.simd.store(integer(self.simd, *limb));
        }
        stored
    }

    #[inline(always)]
    fn square(&mut self, numbers: &mut Self::Numbers, doubled: [u64; COUNT]) {
        self.clear(Some(numbers));
        self.result(true, self.simd.load(doubled), numbers);
    }

    #[inline(always)]
    fn multiply(&mut self, numbers: &mut Self::Numbers, others: &Self::Numbers) {
        self.product_over = self.simd.integer(0);
        for first in (0..2 * Self::LENGTH).step_by(WIDTH) {
            self.product_columns(&numbers.limbs, &others.limbs, first);
        }
        self.clear(None);
        self.result(false, self.simd.integer(0), numbers);
    }

    #[inline(always)]
    fn decode(&mut self, numbers: &mut Self::Numbers) {
        self.wide = [[self.simd.integer(0); LIMBS]; 2];
        for (limb, wide) in numbers.limbs.iter().zip(self.wide.as_flattened_mut()) {
            *wide = integer(self.simd, *limb);
        }
        self.clear(None);
        self.result(false, self.simd.integer(0), numbers);
    }
}

/// The floating-point number of an integer below 2⁵².
#[inline(always)]
fn float<S: Instructions<COUNT>, const COUNT: usize>(simd: S, integer: S::Integers) -> S::Floats {
    let offset = simd.integer(OFFSET.to_bits() as i64);
    simd.subtract_floats(simd.of_bits(simd.or(integer, offset)), simd.float(OFFSET))
}

/// The integer below 2⁵² of a floating-point number.
#[inline(always)]
fn integer<S: Instructions<COUNT>, const COUNT: usize>(simd: S, float: S::Floats) -> S::Integers {
    let bits = simd.bits(simd.add_floats(float, simd.float(OFFSET)));
    simd.add(bits, simd.integer((OFFSET.to_bits() as i64).wrapping_neg()))
}
