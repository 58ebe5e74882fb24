//! From numbers to vectors, each with one word of all numbers, and back.

use num_bigint::BigUint;

use super::ifma::{BITS, Packed};
use super::{COUNT, Vector};
use crate::montgomery::negated_inverse;

/// The word at a place in each of the numbers; where numbers are missing, that of the last.
fn vector<T>(numbers: &[T], word: impl Fn(&T) -> u64) -> Vector {
    std::array::from_fn(|lane| numbers.get(lane).or(numbers.last()).map_or(0, &word))
}

/// The words of up to eight exponents.
pub(super) fn words<const N: usize>(exponents: &[[u64; N]]) -> [Vector; N] {
    std::array::from_fn(|index| vector(exponents, |words| words[index]))
}

/// The limbs of up to eight numbers.
pub(super) fn numbers<const M: usize>(all: impl IntoIterator<Item = BigUint>) -> [Vector; M] {
    let all: Vec<Vec<u64>> = all.into_iter().map(|number| number.to_u64_digits()).collect();
    std::array::from_fn(|index| {
        let (word, shift) = (index * BITS as usize / 64, index * BITS as usize % 64);
        vector(&all, |words| {
            let word = |offset: usize| u128::from(words.get(word + offset).copied().unwrap_or(0));
            ((word(0) | word(1) << 64) >> shift) as u64 % (1 << BITS)
        })
    })
}

/// Up to eight moduli.
pub(super) fn moduli<const M: usize>(all: impl IntoIterator<Item = BigUint>) -> Packed<M> {
    let limbs = numbers(all);
    Packed { limbs, factor: limbs[0].map(|limb| negated_inverse(limb) % (1 << BITS)) }
}

/// The eight numbers, of limbs that may have more bits than count.
pub(super) fn unpacked<const M: usize>(vectors: &[Vector; M]) -> impl Iterator<Item = BigUint> {
    (0..COUNT).map(|lane| {
        let limbs = vectors.iter().rev().map(|vector| vector[lane] % (1 << BITS));
        limbs.fold(BigUint::ZERO, |number, limb| (number << BITS) + limb)
    })
}
