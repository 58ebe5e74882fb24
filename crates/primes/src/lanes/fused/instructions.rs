//! The instructions that floating-point lanes are made of, with vectors of eight numbers and of four.

use std::arch::x86_64::{__m256d, __m256i, __m512d, __m512i};

use pulp::NullaryFnOnce;

use super::BITS;

/// Instructions for several floating-point numbers, or integers of 64 bits, at a time.
pub(crate) trait Instructions<const COUNT: usize>: Copy {
    type Floats: Copy;
    type Integers: Copy;

    fn vectorize<Op: NullaryFnOnce>(self, op: Op) -> Op::Output;
    fn load(self, numbers: [u64; COUNT]) -> Self::Integers;
    fn store(self, numbers: Self::Integers) -> [u64; COUNT];
    /// The same number in all places.
    fn float(self, number: f64) -> Self::Floats;
    fn integer(self, number: i64) -> Self::Integers;
    /// The bits as they are.
    fn bits(self, numbers: Self::Floats) -> Self::Integers;
    fn of_bits(self, bits: Self::Integers) -> Self::Floats;
    /// `left · right + sum`, rounded once.
    fn multiply_add(self, left: Self::Floats, right: Self::Floats, sum: Self::Floats) -> Self::Floats;
    fn add_floats(self, left: Self::Floats, right: Self::Floats) -> Self::Floats;
    fn subtract_floats(self, left: Self::Floats, right: Self::Floats) -> Self::Floats;
    fn add(self, left: Self::Integers, right: Self::Integers) -> Self::Integers;
    fn and(self, left: Self::Integers, right: Self::Integers) -> Self::Integers;
    fn or(self, left: Self::Integers, right: Self::Integers) -> Self::Integers;
    /// By as many bits as each place of the other vector says.
    fn shift_left(self, numbers: Self::Integers, by: Self::Integers) -> Self::Integers;
    /// By the bits of a limb.
    fn shift_right(self, numbers: Self::Integers) -> Self::Integers;
}

macro_rules! instructions {
    (
        $name:ident, $count:literal, $floats:ty, $integers:ty,
        $(fn $method:ident($($argument:ident: $type:ty),*) -> $result:ty = $field:ident.$intrinsic:ident$(::<$by:tt>)?;)*
    ) => {
        impl Instructions<$count> for $name {
            type Floats = $floats;
            type Integers = $integers;

            #[inline(always)]
            fn vectorize<Op: NullaryFnOnce>(self, op: Op) -> Op::Output {
                $name::vectorize(self, op)
            }

            #[inline(always)]
            fn load(self, numbers: [u64; $count]) -> Self::Integers {
                pulp::cast(numbers)
            }

            #[inline(always)]
            fn store(self, numbers: Self::Integers) -> [u64; $count] {
                pulp::cast(numbers)
            }

            $(
                #[inline(always)]
                fn $method(self, $($argument: $type),*) -> $result {
                    self.$field.$intrinsic$(::<$by>)?($($argument),*)
                }
            )*
        }
    };
}

pulp::simd_type! {
    /// Proof that the processor has vectors of eight.
    pub(crate) struct Eight {
        avx512f: "avx512f",
    }
}

instructions! {
    Eight, 8, __m512d, __m512i,
    fn float(number: f64) -> __m512d = avx512f._mm512_set1_pd;
    fn integer(number: i64) -> __m512i = avx512f._mm512_set1_epi64;
    fn bits(numbers: __m512d) -> __m512i = avx512f._mm512_castpd_si512;
    fn of_bits(bits: __m512i) -> __m512d = avx512f._mm512_castsi512_pd;
    fn multiply_add(left: __m512d, right: __m512d, sum: __m512d) -> __m512d = avx512f._mm512_fmadd_pd;
    fn add_floats(left: __m512d, right: __m512d) -> __m512d = avx512f._mm512_add_pd;
    fn subtract_floats(left: __m512d, right: __m512d) -> __m512d = avx512f._mm512_sub_pd;
    fn add(left: __m512i, right: __m512i) -> __m512i = avx512f._mm512_add_epi64;
    fn and(left: __m512i, right: __m512i) -> __m512i = avx512f._mm512_and_si512;
    fn or(left: __m512i, right: __m512i) -> __m512i = avx512f._mm512_or_si512;
    fn shift_left(numbers: __m512i, by: __m512i) -> __m512i = avx512f._mm512_sllv_epi64;
    fn shift_right(numbers: __m512i) -> __m512i = avx512f._mm512_srli_epi64::<BITS>;
}

pulp::simd_type! {
    /// Proof that the processor has vectors of four.
    pub(crate) struct Four {
        avx: "avx",
        avx2: "avx2",
        fma: "fma",
    }
}

instructions! {
    Four, 4, __m256d, __m256i,
    fn float(number: f64) -> __m256d = avx._mm256_set1_pd;
    fn integer(number: i64) -> __m256i = avx._mm256_set1_epi64x;
    fn bits(numbers: __m256d) -> __m256i = avx._mm256_castpd_si256;
    fn of_bits(bits: __m256i) -> __m256d = avx._mm256_castsi256_pd;
    fn multiply_add(left: __m256d, right: __m256d, sum: __m256d) -> __m256d = fma._mm256_fmadd_pd;
    fn add_floats(left: __m256d, right: __m256d) -> __m256d = avx._mm256_add_pd;
    fn subtract_floats(left: __m256d, right: __m256d) -> __m256d = avx._mm256_sub_pd;
    fn add(left: __m256i, right: __m256i) -> __m256i = avx2._mm256_add_epi64;
    fn and(left: __m256i, right: __m256i) -> __m256i = avx2._mm256_and_si256;
    fn or(left: __m256i, right: __m256i) -> __m256i = avx2._mm256_or_si256;
    fn shift_left(numbers: __m256i, by: __m256i) -> __m256i = avx2._mm256_sllv_epi64;
    fn shift_right(numbers: __m256i) -> __m256i = avx2._mm256_srli_epi64::<{ BITS as i32 }>;
}
