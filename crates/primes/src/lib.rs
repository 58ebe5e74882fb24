//! RSA keys, found quickly.
//!
//! Charts make certificates while they render, and a certificate wants a key: two primes of a thousand bits. Finding
//! them is nearly all the time such a chart takes, so this crate does nothing but that, and nothing in it is
//! general. It knows no encodings, no signatures and no source of randomness: the caller brings random bytes, and
//! takes away the numbers of which [`PrivateKey`] consists.
//!
//! How a prime is found:
//!
//! 1. A random odd number whose two highest bits are set, so that the product of two such primes has all its bits.
//! 2. The odd numbers from there on, as a window; the `sieve` strikes out all that a small prime divides. One in
//!    twenty remains.
//! 3. Each of these in turn is asked whether it passes the test of Miller and Rabin to the base two, which costs
//!    squarings only (`montgomery`). A composite number hardly ever passes.
//! 4. The one that does is asked again with random bases (`witness`), often enough that a composite number passes
//!    with a probability below 2⁻¹⁰⁰.
//!
//! The two primes of a key are searched by two threads; the one that is done first helps the other (`search`).
//!
//! The search takes longer for some keys than for others and branches on what it finds: somebody who can measure
//! this process closely may learn something about the key. That is accepted, since the same process prints the key
//! into a manifest. Do not use this crate for keys that must stay inside of it.

mod key;
mod montgomery;
mod search;
mod sieve;
mod witness;

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
    match size {
        Size::Rsa2048 => key::generate::<16>(random),
        Size::Rsa4096 => key::generate::<32>(random),
    }
}
