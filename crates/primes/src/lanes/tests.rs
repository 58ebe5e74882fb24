//! The lanes against arithmetic of big integers.

use proptest::prelude::*;

use super::*;
use crate::montgomery::Modulus;

fn limb() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(1 << 63), any::<u64>()]
}

fn number<const N: usize>() -> impl Strategy<Value = Limbs<N>> {
    prop_oneof![proptest::array::uniform(limb()), proptest::array::uniform(any::<u64>())]
}

fn modulus<const N: usize>() -> impl Strategy<Value = Modulus<N>> {
    number().prop_map(|mut limbs: Limbs<N>| {
        limbs[0] |= 1;
        limbs[N - 1] |= 1 << 63;
        Modulus::new(limbs).unwrap()
    })
}

fn power<const N: usize>() -> impl Strategy<Value = Power<N>> {
    (number(), number(), modulus()).prop_map(|(base, exponent, modulus)| Power { base, exponent, modulus })
}

fn passes_by_the_book<const N: usize>(candidate: &Limbs<N>) -> bool {
    let number = big(candidate);
    let power = BigUint::from(2u32).modpow(&(&number >> 1u32), &number);
    power == BigUint::from(1u32) || power + 1u32 == number
}

fn check<const N: usize>(lanes: Lanes, powers: &[Power<N>]) -> Result<(), TestCaseError> {
    let expected: Vec<BigUint> = powers
        .iter()
        .map(|power| big(&power.base).modpow(&big(&power.exponent), &big(power.modulus.limbs())))
        .collect();
    let results = lanes.powers(powers).unwrap();
    let results: Vec<BigUint> =
        results.iter().zip(powers).map(|(result, power)| big(result) % big(power.modulus.limbs())).collect();
    prop_assert_eq!(results, expected);
    let candidates: Vec<Limbs<N>> = powers.iter().map(|power| *power.modulus.limbs()).collect();
    let expected: Vec<bool> = candidates.iter().map(passes_by_the_book).collect();
    prop_assert_eq!(lanes.pass_two(&candidates).unwrap(), expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn powers_are_those_of_big_integers(powers in proptest::collection::vec(power::<16>(), 1..=8)) {
        for lanes in Lanes::all() {
            check(lanes, &powers)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn so_are_those_of_twice_the_size(powers in proptest::collection::vec(power::<32>(), 1..=8)) {
        for lanes in Lanes::all() {
            check(lanes, &powers)?;
        }
    }
}

/// Squares and doubles the largest numbers there can be, of so many bits, and compares.
fn check_largest<K: Kind<COUNT, LIMBS>, const COUNT: usize, const LIMBS: usize>(
    kind: K,
    modulus: &BigUint,
    bits: usize,
) {
    const TIMES: usize = 3;
    let one = BigUint::from(1u32);
    let largest = (&one << bits) - &one;
    let result = kind.vectorize(RaiseTwo {
        kind,
        moduli: &K::packed(std::slice::from_ref(modulus)),
        start: &pack::numbers(K::BITS, [largest.clone()]),
        exponents: &[[u64::MAX; COUNT]],
        bits: TIMES,
    });
    let by_radix = (&one << K::RADIX_BITS).modinv(modulus).unwrap();
    let power = (0..TIMES).fold(largest, |power, _| &power * &power * 2u32 * &by_radix % modulus);
    let expected = power * by_radix % modulus;
    for result in pack::unpacked(K::BITS, &result) {
        assert_eq!(result % modulus, expected, "{modulus}");
    }
}

#[test]
fn the_largest_numbers_have_room() {
    for words in [16, 32] {
        let one = BigUint::from(1u32);
        let moduli = [
            (&one << (64 * words)) - &one,
            (&one << (64 * words - 1)) + &one,
            // The rest of one that is multiplied so that its lowest limb is the largest: all ones, or hardly any.
            (&one << (64 * words)) - (&one << 47) - &one,
            (&one << (64 * words)) - (&one << 47) + &one,
        ];
        for (lanes, modulus) in
            Lanes::all().flat_map(|lanes| moduli.iter().map(move |modulus| (lanes, modulus)))
        {
            // Twice the modulus, which the floating-point lanes multiply by 47 bits.
            match (lanes, words) {
                (Lanes::Ifma(kind), 16) => check_largest::<_, 8, 20>(kind, modulus, 64 * words + 1),
                (Lanes::Ifma(kind), _) => check_largest::<_, 8, 40>(kind, modulus, 64 * words + 1),
                (Lanes::Eight(kind), 16) => check_largest::<_, 8, 26>(kind, modulus, 64 * words + 48),
                (Lanes::Eight(kind), _) => check_largest::<_, 8, 48>(kind, modulus, 64 * words + 48),
                (Lanes::Four(kind), 16) => check_largest::<_, 4, 26>(kind, modulus, 64 * words + 48),
                (Lanes::Four(kind), _) => check_largest::<_, 4, 48>(kind, modulus, 64 * words + 48),
            }
        }
    }
}

#[test]
fn known_primes_pass_among_others() {
    // 2¹⁰²⁴ - 105 and 2²⁰⁴⁸ - 1942289 are prime, the odd numbers next to them are not.
    let near = |distance: u64| {
        let mut number = [u64::MAX; 16];
        number[0] -= distance - 1;
        number
    };
    let around = [101, 103, 105, 107, 109].map(near);
    let mut wide = [u64::MAX; 32];
    wide[0] -= 1_942_288;
    // A modulus of ones and one of zeros, whose predecessors have no bits in the middle.
    let mut lowest = [0; 16];
    (lowest[0], lowest[15]) = (1, 1 << 63);
    for lanes in Lanes::all() {
        assert_eq!(lanes.pass_two(&around).unwrap(), [false, false, true, false, false], "{lanes:?}");
        assert_eq!(lanes.pass_two(&[wide]).unwrap(), [true], "{lanes:?}");
        for number in [[u64::MAX; 16], lowest] {
            assert_eq!(lanes.pass_two(&[number]).unwrap(), [passes_by_the_book(&number)], "{lanes:?}");
        }
    }
}

#[test]
fn other_sizes_are_left_to_others() {
    for lanes in Lanes::all() {
        assert!(lanes.pass_two(&[[u64::MAX; 3]]).is_none());
        assert!(lanes.powers::<3>(&[]).is_none());
    }
}
