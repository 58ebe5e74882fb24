//! Powers of several numbers at once, by whatever instructions multiply them.

#![expect(
    clippy::inline_always,
    reason = "a function has the instructions of its caller only if it is made part of it"
)]

use num_bigint::BigUint;
use pulp::NullaryFnOnce;

/// How many bits of an exponent are taken at once.
const DIGIT: usize = 4;

/// A kind of instructions, for `COUNT` numbers of `LIMBS` limbs at once, each with a modulus of its own.
pub(super) trait Kind<const COUNT: usize, const LIMBS: usize>: Copy {
    /// How many bits a limb has.
    const BITS: u32;

    /// What numbers are multiplied by in Montgomery's form is two to this power.
    const RADIX_BITS: usize;

    /// The moduli as they lie in memory.
    type Packed;

    /// The moduli in use.
    type Moduli: Moduli<COUNT, LIMBS>;

    fn packed(moduli: &[BigUint]) -> Self::Packed;

    fn moduli(self, packed: &Self::Packed) -> Self::Moduli;

    /// Does something with the instructions.
    fn vectorize<Op: NullaryFnOnce>(self, op: Op) -> Op::Output;
}

/// Odd numbers, and what is needed to calculate modulo them.
pub(super) trait Moduli<const COUNT: usize, const LIMBS: usize> {
    /// One number for each modulus.
    type Numbers: Copy;

    fn load(&self, numbers: &[[u64; COUNT]; LIMBS]) -> Self::Numbers;

    /// Limbs may have more bits than count.
    fn store(&self, numbers: &Self::Numbers) -> [[u64; COUNT]; LIMBS];

    /// The squares of numbers, each doubled where a one says so and not where it is a zero.
    fn square(&mut self, numbers: &mut Self::Numbers, doubled: [u64; COUNT]);

    /// The products of numbers.
    fn multiply(&mut self, numbers: &mut Self::Numbers, others: &Self::Numbers);

    /// The numbers themselves, of their Montgomery forms.
    fn decode(&mut self, numbers: &mut Self::Numbers);
}

/// Raises each of several powers of two further: squares it once for each bit of an exponent, and doubles it if the
/// bit is set. The result is no longer in Montgomery's form.
pub(super) struct RaiseTwo<'a, K: Kind<COUNT, LIMBS>, const COUNT: usize, const LIMBS: usize> {
    pub(super) kind: K,
    pub(super) moduli: &'a K::Packed,
    pub(super) start: &'a [[u64; COUNT]; LIMBS],
    /// The words of the exponents, the lowest first.
    pub(super) exponents: &'a [[u64; COUNT]],
    /// How many bits of the exponents there are.
    pub(super) bits: usize,
}

impl<K: Kind<COUNT, LIMBS>, const COUNT: usize, const LIMBS: usize> NullaryFnOnce
    for RaiseTwo<'_, K, COUNT, LIMBS>
{
    type Output = [[u64; COUNT]; LIMBS];

    #[inline(always)]
    fn call(self) -> Self::Output {
        let mut moduli = self.kind.moduli(self.moduli);
        let mut powers = moduli.load(self.start);
        for bit in (0..self.bits).rev() {
            let mut doubled = self.exponents[bit / 64];
            for word in &mut doubled {
                *word = *word >> (bit % 64) & 1;
            }
            moduli.square(&mut powers, doubled);
        }
        moduli.decode(&mut powers);
        moduli.store(&powers)
    }
}

/// Raises several numbers to as many powers.
pub(super) struct Raise<'a, K: Kind<COUNT, LIMBS>, const COUNT: usize, const LIMBS: usize> {
    pub(super) kind: K,
    pub(super) moduli: &'a K::Packed,
    /// The radix, squared: a product with it is in Montgomery's form.
    pub(super) radix_squared: &'a [[u64; COUNT]; LIMBS],
    pub(super) bases: &'a [[u64; COUNT]; LIMBS],
    /// The words of the exponents, the lowest first.
    pub(super) exponents: &'a [[u64; COUNT]],
}

impl<K: Kind<COUNT, LIMBS>, const COUNT: usize, const LIMBS: usize> NullaryFnOnce
    for Raise<'_, K, COUNT, LIMBS>
{
    type Output = [[u64; COUNT]; LIMBS];

    #[inline(always)]
    fn call(self) -> Self::Output {
        let mut moduli = self.kind.moduli(self.moduli);
        let radix_squared = moduli.load(self.radix_squared);
        let mut bases = moduli.load(self.bases);
        moduli.multiply(&mut bases, &radix_squared);
        // The powers up to the fifteenth, as numbers: each of the lanes looks up another.
        let mut powers = radix_squared;
        moduli.decode(&mut powers);
        let mut table = [[[0; COUNT]; LIMBS]; 1 << DIGIT];
        for entry in &mut table {
            *entry = moduli.store(&powers);
            moduli.multiply(&mut powers, &bases);
        }
        powers = moduli.load(&table[0]);
        for word in self.exponents.iter().rev() {
            for shift in (0..64).step_by(DIGIT).rev() {
                for _ in 0..DIGIT {
                    moduli.square(&mut powers, [0; COUNT]);
                }
                let digits = word.map(|word| (word >> shift) as usize % (1 << DIGIT));
                let mut factors = [[0; COUNT]; LIMBS];
                for (limb, factor) in factors.iter_mut().enumerate() {
                    for (lane, word) in factor.iter_mut().enumerate() {
                        *word = table[digits[lane]][limb][lane];
                    }
                }
                let factors = moduli.load(&factors);
                moduli.multiply(&mut powers, &factors);
            }
        }
        moduli.decode(&mut powers);
        moduli.store(&powers)
    }
}
