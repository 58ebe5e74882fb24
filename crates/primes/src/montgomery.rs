//! Arithmetic modulo one large odd number, in Montgomery's form: a number `a` stands for `a · 2⁻⁶⁴ᴺ`, which makes
//! the remainder of a product a matter of multiplications.
//!
//! Numbers are limbs of 64 bits, the lowest first. In between they may exceed the modulus, as long as they fit; only
//! [`Modulus::canonical`] brings them below it.

#![expect(
    clippy::inline_always,
    reason = "measured: the carries stay in registers only if all of a row is one function"
)]

use num_bigint::BigUint;

/// A number of `N` limbs.
pub(crate) type Limbs<const N: usize> = [u64; N];

/// The number as a big integer.
pub(crate) fn big<const N: usize>(limbs: &Limbs<N>) -> BigUint {
    let halves = limbs.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]);
    BigUint::new(halves.collect())
}

/// The lowest limbs of a big integer.
pub(crate) fn limbs<const N: usize>(number: &BigUint) -> Limbs<N> {
    let mut digits = number.iter_u64_digits();
    std::array::from_fn(|_| digits.next().unwrap_or(0))
}

/// A product of two numbers on its way to be reduced: the lower half, and the upper, which becomes the result.
///
/// Results stay where they are: a copy right after the limbs were written one by one would wait for them.
pub(crate) type Wide<const N: usize> = [Limbs<N>; 2];

/// An odd number with its highest bit set, and what is needed to calculate modulo it.
#[derive(Debug, Clone)]
pub(crate) struct Modulus<const N: usize> {
    limbs: Limbs<N>,
    /// `-1 / limbs`, modulo 2⁶⁴.
    factor: u64,
}

/// `sum + left · right + carry`, which always fits: the lower limb, and the carry into the next.
///
/// The carries are added one at a time since compilers make the shortest chain of instructions out of that.
#[inline(always)]
fn multiply_add(sum: u64, left: u64, right: u64, carry: u64) -> (u64, u64) {
    let product = u128::from(left) * u128::from(right);
    let (low, over) = (product as u64).overflowing_add(sum);
    let high = ((product >> 64) as u64).wrapping_add(u64::from(over));
    let (low, over) = low.overflowing_add(carry);
    (low, high.wrapping_add(u64::from(over)))
}

/// Adds `numbers · by` to `sums`, and returns what is carried out of the last.
#[inline(always)]
fn add_row<const N: usize>(sums: &mut [u64; N], numbers: &[u64; N], by: u64) -> u64 {
    const { assert!(N.is_multiple_of(16) || N < 16, "rows are taken apart without a rest") };
    let mut carry = 0;
    if N < 16 {
        for index in 0..N {
            (sums[index], carry) = multiply_add(sums[index], numbers[index], by, carry);
        }
    }
    // Sixteen at a time are what compilers still write out.
    for (sums, numbers) in sums.as_chunks_mut::<16>().0.iter_mut().zip(numbers.as_chunks::<16>().0) {
        for index in 0..16 {
            (sums[index], carry) = multiply_add(sums[index], numbers[index], by, carry);
        }
    }
    carry
}

/// The same for rows of any length.
#[inline(always)]
fn add_slice(sums: &mut [u64], numbers: &[u64], by: u64) -> u64 {
    let mut carry = 0;
    let (sum_chunks, last_sums) = sums.as_chunks_mut::<8>();
    let (number_chunks, last_numbers) = numbers.as_chunks::<8>();
    for (sums, numbers) in sum_chunks.iter_mut().zip(number_chunks) {
        for index in 0..8 {
            (sums[index], carry) = multiply_add(sums[index], numbers[index], by, carry);
        }
    }
    for (sum, number) in last_sums.iter_mut().zip(last_numbers) {
        (*sum, carry) = multiply_add(*sum, *number, by, carry);
    }
    carry
}

/// Adds the products of the limb `ROW` with the limbs above it to the square.
#[inline(always)]
fn add_triangle_row<const ROW: usize, const N: usize>(square: &mut [u64], numbers: &[u64; N]) {
    let by = numbers[ROW];
    let mut carry = 0;
    for (index, number) in numbers.iter().enumerate().skip(ROW + 1) {
        let place = ROW + index;
        (square[place], carry) = multiply_add(square[place], *number, by, carry);
    }
    square[ROW + N] = carry;
}

/// Adds two numbers and a carry: the sum, and the carry out of it.
#[inline(always)]
fn add_carry(left: u64, right: u64, carry: u64) -> (u64, u64) {
    let sum = u128::from(left) + u128::from(right) + u128::from(carry);
    (sum as u64, (sum >> 64) as u64)
}

/// Takes `right` from `left`; what is borrowed beyond the highest limb is dropped.
#[inline]
pub(crate) fn subtract<const N: usize>(left: &mut Limbs<N>, right: &Limbs<N>) {
    let mut borrow = false;
    for (left, right) in left.iter_mut().zip(right) {
        let (difference, first) = left.overflowing_sub(*right);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        *left = difference;
        borrow = first | second;
    }
}

/// Whether `left` is less than `right`.
fn is_less<const N: usize>(left: &Limbs<N>, right: &Limbs<N>) -> bool {
    left.iter().rev().lt(right.iter().rev())
}

impl<const N: usize> Modulus<N> {
    /// `None` if the number is even or its highest bit is not set.
    pub(crate) fn new(limbs: Limbs<N>) -> Option<Self> {
        if limbs[0] & 1 == 0 || limbs[N - 1] >> 63 == 0 {
            return None;
        }
        Some(Self { limbs, factor: negated_inverse(limbs[0]) })
    }

    pub(crate) fn limbs(&self) -> &Limbs<N> {
        &self.limbs
    }

    /// One, in Montgomery's form: the remainder of 2⁶⁴ᴺ.
    pub(crate) fn one(&self) -> Limbs<N> {
        let mut one = [0; N];
        subtract(&mut one, &self.limbs);
        one
    }

    /// Minus one, in Montgomery's form.
    pub(crate) fn minus_one(&self) -> Limbs<N> {
        let mut number = self.limbs;
        subtract(&mut number, &self.one());
        number
    }

    /// The same number, below the modulus.
    pub(crate) fn canonical(&self, mut number: Limbs<N>) -> Limbs<N> {
        if !is_less(&number, &self.limbs) {
            subtract(&mut number, &self.limbs);
        }
        number
    }

    /// Twice the number.
    #[inline]
    pub(crate) fn double(&self, number: &mut Limbs<N>) {
        let mut carry = 0;
        for limb in number.iter_mut() {
            (*limb, carry) = (*limb << 1 | carry, *limb >> 63);
        }
        while carry != 0 {
            // What is missing above the highest limb is the carry; it is taken when the difference fits again.
            let before = *number;
            subtract(number, &self.limbs);
            carry -= u64::from(is_less(&before, &self.limbs));
        }
    }

    /// The number times itself, as the upper half of `result`.
    pub(crate) fn square(&self, number: &Limbs<N>, result: &mut Wide<N>) {
        *result = [[0; N]; 2];
        let square = result.as_flattened_mut();
        // Each row is a piece of code of its own, with a length known to the compiler.
        macro_rules! rows {
            ($($row:literal)*) => { $(
                if $row < N {
                    add_triangle_row::<$row, N>(square, number);
                }
            )* };
        }
        if N <= 16 {
            rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        } else {
            for row in 0..N {
                let sums = &mut square[2 * row + 1..row + N];
                square[row + N] = add_slice(sums, &number[row + 1..], number[row]);
            }
        }
        let (mut shifted_out, mut carry) = (0, 0);
        for index in 0..N {
            let diagonal = u128::from(number[index]) * u128::from(number[index]);
            let [low, high] = [square[2 * index], square[2 * index + 1]];
            (square[2 * index], carry) = add_carry(low << 1 | shifted_out, diagonal as u64, carry);
            let high_twice = high << 1 | low >> 63;
            (square[2 * index + 1], carry) = add_carry(high_twice, (diagonal >> 64) as u64, carry);
            shifted_out = high >> 63;
        }
        self.reduce(result);
    }

    /// The product of two numbers.
    pub(crate) fn multiply(&self, left: &Limbs<N>, right: &Limbs<N>) -> Limbs<N> {
        let mut wide = [[0; N]; 2];
        let product = wide.as_flattened_mut();
        for (index, limb) in left.iter().enumerate() {
            if let Some(sums) = product[index..].first_chunk_mut() {
                product[index + N] = add_row(sums, right, *limb);
            }
        }
        self.reduce(&mut wide);
        wide[1]
    }

    /// Divides by 2⁶⁴ᴺ: multiples of the modulus are added until the lower half is zero.
    #[inline(always)]
    fn reduce(&self, wide: &mut Wide<N>) {
        let number = wide.as_flattened_mut();
        let mut over = 0;
        for index in 0..N {
            let by = number[index].wrapping_mul(self.factor);
            if let Some(sums) = number[index..].first_chunk_mut() {
                let carry = add_row(sums, &self.limbs, by);
                (number[index + N], over) = add_carry(number[index + N], carry, over);
            }
        }
        if over != 0 {
            subtract(&mut wide[1], &self.limbs);
        }
    }

    /// The radix, squared: a product with it is in Montgomery's form.
    pub(crate) fn radix_squared(&self) -> Limbs<N> {
        // One in the form is the radix already.
        let mut radix = self.one();
        for _ in 0..64 * N {
            self.double(&mut radix);
        }
        radix
    }

    /// The number of which this is Montgomery's form.
    pub(crate) fn decoded(&self, number: &Limbs<N>) -> Limbs<N> {
        let mut wide = [*number, [0; N]];
        self.reduce(&mut wide);
        wide[1]
    }

    /// A number to the power of an exponent, four bits of it at a time.
    pub(crate) fn power(&self, number: &Limbs<N>, exponent: &Limbs<N>) -> Limbs<N> {
        let mut table = [self.one(); 16];
        for index in 1..table.len() {
            table[index] = self.multiply(&table[index - 1], number);
        }
        let (mut result, mut next) = ([self.one(); 2], [[0; N]; 2]);
        for limb in exponent.iter().rev() {
            for shift in (0..64).step_by(4).rev() {
                for _ in 0..2 {
                    self.square(&result[1], &mut next);
                    self.square(&next[1], &mut result);
                }
                let digit = (limb >> shift & 15) as usize;
                if digit != 0 {
                    result[1] = self.multiply(&result[1], &table[digit]);
                }
            }
        }
        result[1]
    }
}

/// `-1 / odd`, modulo 2⁶⁴, by Newton's iteration: each step doubles the bits that are right.
pub(crate) fn negated_inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const N: usize = 3;

    fn limb() -> impl Strategy<Value = u64> {
        prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(1 << 63), any::<u64>()]
    }

    fn limbs<const N: usize>() -> impl Strategy<Value = Limbs<N>> {
        proptest::array::uniform(limb())
    }

    fn modulus<const N: usize>() -> impl Strategy<Value = Modulus<N>> {
        limbs().prop_map(|mut limbs: Limbs<N>| {
            limbs[0] |= 1;
            limbs[N - 1] |= 1 << 63;
            Modulus::new(limbs).unwrap()
        })
    }

    fn check<const N: usize>(
        modulus: &Modulus<N>,
        left: Limbs<N>,
        right: Limbs<N>,
    ) -> Result<(), TestCaseError> {
        let whole = big(&modulus.limbs);
        let radix = BigUint::from(1u32) << (64 * N);
        let is = |result: Limbs<N>, expected: BigUint| {
            prop_assert_eq!(big(&result) * &radix % &whole, expected % &whole);
            Ok(())
        };
        let mut square = [left; 2];
        modulus.square(&left, &mut square);
        is(square[1], big(&left) * big(&left))?;
        is(modulus.multiply(&left, &right), big(&left) * big(&right))?;
        let mut twice = left;
        modulus.double(&mut twice);
        prop_assert_eq!(big(&twice) % &whole, big(&left) * 2u32 % &whole);
        prop_assert_eq!(big(&modulus.canonical(left)), big(&left) % &whole);
        prop_assert_eq!(big(&modulus.radix_squared()) % &whole, &radix * &radix % &whole);
        is(modulus.decoded(&left), big(&left))?;
        prop_assert_eq!(big(&modulus.one()), &radix % &whole);
        prop_assert_eq!(big(&modulus.minus_one()) + big(&modulus.one()), whole);
        Ok(())
    }

    proptest! {
        #[test]
        fn arithmetic_is_that_of_big_integers(
            modulus in modulus::<N>(),
            left in limbs(),
            right in limbs(),
        ) {
            check(&modulus, left, right)?;
        }

        #[test]
        fn arithmetic_holds_for_the_sizes_in_use(
            modulus in modulus::<16>(),
            wide in modulus::<32>(),
            left in limbs::<32>(),
            right in limbs::<32>(),
        ) {
            check(&modulus, *left.first_chunk().unwrap(), *right.first_chunk().unwrap())?;
            check(&wide, left, right)?;
        }

        #[test]
        fn powers_are_those_of_big_integers(
            modulus in modulus::<N>(),
            base in limbs::<N>(),
            exponent in limbs::<N>(),
        ) {
            let whole = big(&modulus.limbs);
            let radix = BigUint::from(1u32) << (64 * N);
            let encoded = big(&base) * &radix % &whole;
            let mut digits = encoded.to_u64_digits();
            digits.resize(N, 0);
            let power = modulus.power(&digits.try_into().unwrap(), &exponent);
            let expected = big(&base).modpow(&big(&exponent), &whole) * &radix % &whole;
            prop_assert_eq!(big(&modulus.canonical(power)), expected);
        }
    }

    #[test]
    fn a_modulus_is_odd_and_fills_its_limbs() {
        assert!(Modulus::new([2, 1 << 63]).is_none());
        assert!(Modulus::new([1, 1 << 62]).is_none());
        assert!(Modulus::new([1, 1 << 63]).is_some());
    }
}
