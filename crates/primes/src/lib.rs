//! RSA keys, and DSA keys, found quickly.
//!
//! Charts make certificates while they render, and a certificate wants a key: two primes of a thousand bits. Finding
//! them is nearly all the time such a chart takes, so this crate does nothing but that, and nothing in it is
//! general. It knows no encodings, no hashes and no source of randomness: the caller brings random bytes, and
//! takes away the numbers of which [`PrivateKey`] consists. It can raise a number to the private exponent, which is
//! what signing comes down to, since that is the same arithmetic.
//!
//! How a prime is found:
//!
//! 1. A random odd number whose two highest bits are set, so that the product of two such primes has all its bits.
//! 2. The odd numbers from there on, as a window; the `sieve` strikes out all that a small prime divides. One in
//!    twenty remains.
//! 3. These are asked whether they pass a first test, to the base two, which costs squarings only. A composite number
//!    hardly ever passes. Where the processor has the instructions, eight numbers are asked at once, or four (`lanes`):
//!    by integers of 52 bits if it multiplies those, and by floating-point numbers on nearly all others. Elsewhere it
//!    is one after the other (`montgomery`).
//! 4. The one that does is asked again with random bases (`witness`), often enough that a composite number passes
//!    with a probability below 2⁻¹⁰⁰. These are powers of one number, so the lanes take several bases at once.
//!
//! The lanes are the only part that depends on the processor, and no prime is believed because of them alone: it has
//! passed the test of Miller and Rabin in the portable arithmetic too. [`Arithmetic`] chooses between the two, for
//! tests and measurements.
//!
//! The two primes of a key are searched by two threads; the one that is done first helps the other (`search`).
//!
//! A DSA key has two primes as well, of which one divides the predecessor of the other. The longer one is searched in
//! steps of the shorter instead of steps of two, and otherwise in the same way (`dsa`).
//!
//! The search takes longer for some keys than for others and branches on what it finds, and so do the powers: somebody
//! who can measure this process closely may learn something about the key. That is accepted, since the same process
//! prints the key into a manifest, and signs with it once or twice. Do not use this crate for keys that must stay
//! inside of it. A power that came out wrong would tell the key to whoever reads it, so each is checked with the
//! public exponent first (`sign`).

mod arithmetic;
mod dsa;
mod key;
#[cfg_attr(not(target_arch = "x86_64"), path = "no_lanes.rs")]
mod lanes;
mod montgomery;
mod search;
mod sieve;
mod sign;
mod witness;

pub use arithmetic::Arithmetic;
pub use dsa::{DsaKey, generate_dsa, generate_dsa_by};
pub use key::PrivateKey;

/// How many bits the modulus of a key has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// 2048 bits.
    Rsa2048,
    /// 4096 bits.
    Rsa4096,
}

/// Makes a new key, from bytes that `random` fills.
///
/// `None` if the bytes are not random: the same ones again and again lead to the same prime twice.
pub fn generate(size: Size, random: &mut dyn FnMut(&mut [u8])) -> Option<PrivateKey> {
    generate_by(Arithmetic::best(), size, random)
}

/// The same, by an arithmetic of one's choice.
pub fn generate_by(
    arithmetic: Arithmetic,
    size: Size,
    random: &mut dyn FnMut(&mut [u8]),
) -> Option<PrivateKey> {
    match size {
        Size::Rsa2048 => key::generate::<16>(arithmetic, random),
        Size::Rsa4096 => key::generate::<32>(arithmetic, random),
    }
}
