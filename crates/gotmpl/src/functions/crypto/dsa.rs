//! Making DSA keys of 2048 bits with a subgroup of 256 bits. Nothing signs with them any more.

use super::der;
use crate::functions::Context;

/// A new key: version, p, q, g, y and x in a sequence, as OpenSSL has it.
pub(super) fn generate(context: &Context) -> Option<Vec<u8>> {
    let key = primes::generate_dsa(&mut |bytes: &mut [u8]| context.environment.fill_random(bytes))?;
    let [modulus, order, generator, public, private] = key.numbers().map(der::integer);
    Some(der::sequence(&[&der::integer(&[]), &modulus, &order, &generator, &public, &private]))
}
