//! From numbers to vectors, each with one word of all numbers, and back.

use num_bigint::BigUint;

/// The word at a place in each of the numbers; where numbers are missing, that of the last.
fn vector<T, const COUNT: usize>(numbers: &[T], word: impl Fn(&T) -> u64) -> [u64; COUNT] {
    std::array::from_fn(|lane| numbers.get(lane).or(numbers.last()).map_or(0, &word))
}

/// The words of a few exponents.
pub(super) fn words<const COUNT: usize, const N: usize>(exponents: &[[u64; N]]) -> [[u64; COUNT]; N] {
    std::array::from_fn(|index| vector(exponents, |words| words[index]))
}

/// The limbs of a few numbers, of so many bits each.
pub(super) fn numbers<const COUNT: usize, const LIMBS: usize>(
    bits: u32,
    all: impl IntoIterator<Item = BigUint>,
) -> [[u64; COUNT]; LIMBS] {
    let all: Vec<Vec<u64>> = all.into_iter().map(|number| number.to_u64_digits()).collect();
    std::array::from_fn(|index| {
        let (word, shift) = (index * bits as usize / 64, index * bits as usize % 64);
        vector(&all, |words| {
            let word = |offset: usize| u128::from(words.get(word + offset).copied().unwrap_or(0));
            ((word(0) | word(1) << 64) >> shift) as u64 % (1 << bits)
        })
    })
}

/// The numbers, of limbs that may have more bits than count.
pub(super) fn unpacked<const COUNT: usize, const LIMBS: usize>(
    bits: u32,
    vectors: &[[u64; COUNT]; LIMBS],
) -> impl Iterator<Item = BigUint> {
    (0..COUNT).map(move |lane| {
        let limbs = vectors.iter().rev().map(|vector| vector[lane] % (1 << bits));
        limbs.fold(BigUint::ZERO, |number, limb| (number << bits) + limb)
    })
}
