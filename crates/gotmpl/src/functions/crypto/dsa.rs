//! Making DSA keys of 2048 bits with a subgroup of 256 bits. Nothing signs with them any more.

use num_bigint::BigUint;

use super::der;
use crate::functions::Context;

const MODULUS_BITS: u64 = 2048;
const SUBGROUP_BITS: u64 = 256;
/// Rounds of the Miller-Rabin test.
const ROUNDS: usize = 64;

/// How many numbers are tried; one in ninety is prime, unless the source is not random at all.
const ATTEMPTS: u64 = 10_000;

/// A new key: version, p, q, g, y and x in a sequence, as OpenSSL has it.
pub(super) fn generate(context: &Context) -> Option<Vec<u8>> {
    let one = BigUint::from(1u32);
    let (modulus, order) = (0..ATTEMPTS).find_map(|_| {
        let order = random(context, SUBGROUP_BITS);
        if !is_prime(&order, context) {
            return None;
        }
        (0..4 * MODULUS_BITS).find_map(|_| {
            let mut modulus = random(context, MODULUS_BITS);
            // One more than a multiple of twice the order.
            modulus -= (&modulus - &one) % (&order * 2u32);
            let fits = modulus.bits() == MODULUS_BITS && is_prime(&modulus, context);
            fits.then(|| (modulus, order.clone()))
        })
    })?;
    let cofactor = (&modulus - &one) / &order;
    let generator = (2..100u32)
        .map(|base| BigUint::from(base).modpow(&cofactor, &modulus))
        .find(|generator| *generator != one)?;
    let private = random(context, SUBGROUP_BITS) % (&order - &one) + &one;
    let public = generator.modpow(&private, &modulus);
    let numbers = [BigUint::default(), modulus, order, generator, public, private]
        .map(|number| der::integer(&number.to_bytes_be()));
    Some(der::value(der::tag::SEQUENCE, &numbers.concat()))
}

/// An odd number of so many bits, the highest of them set.
fn random(context: &Context, bits: u64) -> BigUint {
    let mut bytes = vec![0; (bits / 8) as usize];
    context.environment.fill_random(&mut bytes);
    let mut number = BigUint::from_bytes_be(&bytes);
    number.set_bit(bits - 1, true);
    number.set_bit(0, true);
    number
}

fn is_prime(number: &BigUint, context: &Context) -> bool {
    let small = |divisor: u32| number % divisor == BigUint::default();
    if (3..2000u32).step_by(2).any(small) {
        return false;
    }
    let one = BigUint::from(1u32);
    let last = number - &one;
    let twos = last.trailing_zeros().unwrap_or(0);
    let odd = &last >> twos;
    (0..ROUNDS).all(|_| {
        let base = random(context, number.bits() - 1);
        let mut power = base.modpow(&odd, number);
        if power == one || power == last {
            return true;
        }
        (1..twos).any(|_| {
            power = &power * &power % number;
            power == last
        })
    })
}
