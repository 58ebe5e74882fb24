//! Montgomery's arithmetic for eight numbers at once, each with a modulus of its own, by the instructions that
//! multiply integers of 52 bits (AVX-512 IFMA).
//!
//! A number has limbs of 52 bits; each vector holds one limb of all eight. Sums are kept in the 64 bits that a vector
//! has for each, and carried at the end only: the longest sum, of 40 limbs, has 160 terms of 52 bits. What is above
//! the lowest 52 bits of a limb is left where it is, since the multiplication does not look at it.
//!
//! The radix exceeds every modulus by a factor of at least 2¹⁶, so a square that is doubled stays small enough to be
//! squared again, and nothing is ever subtracted.

#![expect(
    clippy::inline_always,
    reason = "a function has the instructions of its caller only if it is made part of it"
)]

use std::arch::x86_64::__m512i;

use num_bigint::BigUint;
use pulp::NullaryFnOnce;

use super::pack;
use super::raise::{self, Kind};
use crate::montgomery::negated_inverse;

/// How many numbers there are at once.
const COUNT: usize = 8;

/// How many bits a limb has.
const BITS: u32 = 52;

/// How many limbs are multiplied by others at once: with the sums, they fit into the registers.
const ROWS: usize = 5;

pulp::simd_type! {
    /// Proof that the processor has the instructions.
    pub(crate) struct Ifma {
        avx512f: "avx512f",
        avx512ifma: "avx512ifma",
    }
}

/// One limb of each of the eight numbers.
type Limb = __m512i;

impl Ifma {
    #[inline(always)]
    fn zero(self) -> Limb {
        self.avx512f._mm512_setzero_si512()
    }

    /// `sum` and the lower 52 bits of a product.
    #[inline(always)]
    fn low(self, sum: Limb, left: Limb, right: Limb) -> Limb {
        self.avx512ifma._mm512_madd52lo_epu64(sum, left, right)
    }

    /// `sum` and the upper 52 bits of a product.
    #[inline(always)]
    fn high(self, sum: Limb, left: Limb, right: Limb) -> Limb {
        self.avx512ifma._mm512_madd52hi_epu64(sum, left, right)
    }

    #[inline(always)]
    fn add(self, left: Limb, right: Limb) -> Limb {
        self.avx512f._mm512_add_epi64(left, right)
    }

    /// What is carried into the next limb.
    #[inline(always)]
    fn carry(self, limb: Limb) -> Limb {
        self.avx512f._mm512_srli_epi64::<BITS>(limb)
    }

    /// Adds the product of a few limbs and a number to sums.
    ///
    /// The sums that all rows add to wander through the registers, in two parts to have enough of them under way.
    #[inline(always)]
    fn add_product(self, sums: &mut [Limb], few: &[Limb; ROWS], number: &[Limb]) {
        let Some((mut current, rest)) = sums.as_chunks_mut::<ROWS>().0.split_first_mut() else { return };
        let mut lower = *current;
        let mut upper = [self.zero(); ROWS];
        for (limbs, next) in number.as_chunks::<ROWS>().0.iter().zip(rest) {
            for (place, limb) in limbs.iter().enumerate() {
                current[place] = self.add(self.low(lower[place], few[0], *limb), upper[place]);
                (lower[place], upper[place]) = (next[place], self.zero());
                for row in 1..ROWS {
                    let column = (place + row) % ROWS;
                    lower[column] = self.low(lower[column], few[row], *limb);
                    upper[column] = self.high(upper[column], few[row - 1], *limb);
                }
                upper[place] = self.high(upper[place], few[ROWS - 1], *limb);
            }
            current = next;
        }
        for place in 0..ROWS {
            current[place] = self.add(lower[place], upper[place]);
        }
    }

    /// Adds the products of the few limbs with those that come after them, in a number's square.
    #[inline(always)]
    fn add_triangle(self, sums: &mut [Limb; 2 * ROWS], few: &[Limb; ROWS]) {
        for left in 0..ROWS {
            for right in left + 1..ROWS {
                let place = left + right;
                sums[place] = self.low(sums[place], few[left], few[right]);
                sums[place + 1] = self.high(sums[place + 1], few[left], few[right]);
            }
        }
    }
}

/// Eight odd numbers, and what is needed to calculate modulo them.
struct Moduli<const N: usize> {
    simd: Ifma,
    limbs: [Limb; N],
    /// `-1 / limbs`, modulo 2⁵².
    factor: Limb,
}

/// A product on its way to be reduced. It is zero before it is multiplied, and zero again when it has been reduced:
/// clearing it on the way costs nothing.
type Wide<const N: usize> = [[Limb; N]; 2];

impl<const N: usize> Moduli<N> {
    #[inline(always)]
    fn new(simd: Ifma, moduli: &Packed<N>) -> Self {
        const { assert!(N.is_multiple_of(ROWS)) };
        Self { simd, limbs: moduli.limbs.map(pulp::cast), factor: pulp::cast(moduli.factor) }
    }

    #[inline(always)]
    fn wide(&self) -> Wide<N> {
        [[self.simd.zero(); N]; 2]
    }

    /// Adds multiples of the moduli until the lower half is zero, and carries out the upper. On the way, what results
    /// is multiplied by two to the power of `shift`.
    #[inline(always)]
    fn reduce(&self, wide: &mut Wide<N>, shift: Limb, result: &mut [Limb; N]) {
        let simd = self.simd;
        let sums = wide.as_flattened_mut();
        let (few, others) = self.limbs.split_at(ROWS);
        for start in (0..N).step_by(ROWS) {
            let sums = &mut sums[start..start + N + ROWS];
            let Some(near) = sums.first_chunk_mut::<{ 2 * ROWS }>() else { return };
            let mut multiples = [simd.zero(); ROWS];
            for row in 0..ROWS {
                let multiple = simd.low(simd.zero(), near[row], self.factor);
                for (index, limb) in few.iter().enumerate() {
                    let place = row + index;
                    near[place] = simd.low(near[place], multiple, *limb);
                    near[place + 1] = simd.high(near[place + 1], multiple, *limb);
                }
                near[row + 1] = simd.add(near[row + 1], simd.carry(near[row]));
                near[row] = simd.zero();
                multiples[row] = multiple;
            }
            simd.add_product(&mut sums[ROWS..], &multiples, others);
        }
        let mut carry = simd.zero();
        for (sum, result) in wide[1].iter_mut().zip(result) {
            *result = simd.add(simd.avx512f._mm512_sllv_epi64(*sum, shift), carry);
            *sum = simd.zero();
            carry = simd.carry(*result);
        }
    }

    /// The squares of numbers, multiplied by two to the power of `shift`.
    #[inline(always)]
    fn square(&self, numbers: &mut [Limb; N], shift: Limb, wide: &mut Wide<N>) {
        let simd = self.simd;
        let sums = wide.as_flattened_mut();
        for start in (0..N).step_by(ROWS) {
            let (few, others) = numbers[start..].split_at(ROWS);
            let (Some(few), Some(near)) = (few.first_chunk(), sums[2 * start..].first_chunk_mut()) else {
                return;
            };
            simd.add_triangle(near, few);
            simd.add_product(&mut sums[2 * start + ROWS..start + ROWS + N], few, others);
        }
        for (pair, limb) in sums.as_chunks_mut::<2>().0.iter_mut().zip(numbers.iter()) {
            pair[0] = simd.low(simd.add(pair[0], pair[0]), *limb, *limb);
            pair[1] = simd.high(simd.add(pair[1], pair[1]), *limb, *limb);
        }
        self.reduce(wide, shift, numbers);
    }

    /// The products of numbers.
    #[inline(always)]
    fn multiply(&self, numbers: &mut [Limb; N], others: &[Limb; N], wide: &mut Wide<N>) {
        let simd = self.simd;
        let sums = wide.as_flattened_mut();
        for (index, few) in numbers.as_chunks().0.iter().enumerate() {
            let start = index * ROWS;
            simd.add_product(&mut sums[start..start + N + ROWS], few, others);
        }
        self.reduce(wide, simd.zero(), numbers);
    }

    /// The numbers themselves, of their Montgomery forms.
    #[inline(always)]
    fn decoded(&self, mut numbers: [Limb; N]) -> [Limb; N] {
        let avx512f = self.simd.avx512f;
        let mask = avx512f._mm512_set1_epi64((1 << BITS) - 1);
        let mut wide = [numbers.map(|limb| avx512f._mm512_and_si512(limb, mask)), [self.simd.zero(); N]];
        self.reduce(&mut wide, self.simd.zero(), &mut numbers);
        numbers
    }
}

/// Eight moduli as they lie in memory.
pub(super) struct Packed<const N: usize> {
    limbs: [[u64; COUNT]; N],
    /// `-1 / limbs`, modulo 2⁵².
    factor: [u64; COUNT],
}

impl<const N: usize> Kind<COUNT, N> for Ifma {
    const BITS: u32 = BITS;

    const RADIX_BITS: usize = N * BITS as usize;

    type Packed = Packed<N>;

    type Moduli = Work<N>;

    fn packed(moduli: &[BigUint]) -> Packed<N> {
        let limbs: [[u64; COUNT]; N] = pack::numbers(BITS, moduli.iter().cloned());
        Packed { limbs, factor: limbs[0].map(|limb| negated_inverse(limb) % (1 << BITS)) }
    }

    #[inline(always)]
    fn moduli(self, packed: &Packed<N>) -> Work<N> {
        let moduli = Moduli::new(self, packed);
        let wide = moduli.wide();
        Work { moduli, wide }
    }

    #[inline(always)]
    fn vectorize<Op: NullaryFnOnce>(self, op: Op) -> Op::Output {
        Ifma::vectorize(self, op)
    }
}

/// The moduli, and room for a product.
pub(super) struct Work<const N: usize> {
    moduli: Moduli<N>,
    wide: Wide<N>,
}

impl<const N: usize> raise::Moduli<COUNT, N> for Work<N> {
    type Numbers = [Limb; N];

    #[inline(always)]
    fn load(&self, numbers: &[[u64; COUNT]; N]) -> [Limb; N] {
        numbers.map(pulp::cast)
    }

    #[inline(always)]
    fn store(&self, numbers: &[Limb; N]) -> [[u64; COUNT]; N] {
        numbers.map(pulp::cast)
    }

    #[inline(always)]
    fn square(&mut self, numbers: &mut [Limb; N], doubled: [u64; COUNT]) {
        self.moduli.square(numbers, pulp::cast(doubled), &mut self.wide);
    }

    #[inline(always)]
    fn multiply(&mut self, numbers: &mut [Limb; N], others: &[Limb; N]) {
        self.moduli.multiply(numbers, others, &mut self.wide);
    }

    #[inline(always)]
    fn decode(&mut self, numbers: &mut [Limb; N]) {
        *numbers = self.moduli.decoded(*numbers);
    }
}
