//! What only the owner of a key can do: raising a number to the private exponent.

use num_bigint::BigUint;

use crate::Arithmetic;
use crate::arithmetic::Power;
use crate::key::PrivateKey;
use crate::montgomery::{Modulus, limbs};

impl PrivateKey {
    /// The number, of bytes with the most significant first, to the power of the private exponent; of as many bytes
    /// as the modulus.
    ///
    /// `None` if the number is not below the modulus, if the modulus does not have 2048 or 4096 bits and its primes
    /// half of them each, or if the public exponent does not undo it: a result that is wrong would tell the primes.
    pub fn raise(&self, number: &[u8]) -> Option<Vec<u8>> {
        self.raise_by(Arithmetic::best(), number)
    }

    /// The same, by an arithmetic of one's choice.
    pub fn raise_by(&self, arithmetic: Arithmetic, number: &[u8]) -> Option<Vec<u8>> {
        match self.modulus.len() {
            256 => self.raise_in::<16>(arithmetic, number),
            512 => self.raise_in::<32>(arithmetic, number),
            _ => None,
        }
    }

    /// Modulo each of the primes, which have `N` limbs, and then put together.
    fn raise_in<const N: usize>(&self, arithmetic: Arithmetic, number: &[u8]) -> Option<Vec<u8>> {
        let [modulus, public, _, prime1, prime2, exponent1, exponent2, coefficient] =
            self.numbers().map(BigUint::from_bytes_be);
        let number = BigUint::from_bytes_be(number);
        let power = |prime: &BigUint, exponent: &BigUint| {
            let fits = prime.bits() == 64 * N as u64 && exponent < prime;
            let modulus = Modulus::new(limbs::<N>(prime)).filter(|_| fits)?;
            Some(Power { base: limbs(&(&number % prime)), exponent: limbs(exponent), modulus })
        };
        let powers = arithmetic.powers(&[power(&prime1, &exponent1)?, power(&prime2, &exponent2)?]);
        let [first, second] = powers.as_slice() else { return None };
        let [first, second] = [first, second].map(crate::montgomery::big);
        let difference = first + &prime1 - &second % &prime1;
        let raised = difference * coefficient % prime1 * prime2 + second;
        if raised >= modulus || undone(&raised, &public, &modulus) != number {
            return None;
        }
        let bytes = raised.to_bytes_be();
        let mut padded = vec![0; self.modulus.len() - bytes.len()];
        padded.extend(bytes);
        Some(padded)
    }
}

/// The number to the power of the public exponent, without the arithmetic whose result is checked.
fn undone(number: &BigUint, exponent: &BigUint, modulus: &BigUint) -> BigUint {
    let one = BigUint::from(1u32);
    (0..exponent.bits()).rev().fold(one, |power, bit| {
        let square = &power * &power % modulus;
        if exponent.bit(bit) { square * number % modulus } else { square }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Size, generate};

    fn new_key(size: Size) -> PrivateKey {
        generate(size, &mut |bytes: &mut [u8]| getrandom::fill(bytes).unwrap()).unwrap()
    }

    #[test]
    fn powers_are_those_of_the_private_exponent() {
        for (size, length) in [(Size::Rsa2048, 256), (Size::Rsa4096, 512)] {
            let key = new_key(size);
            let [modulus, _, private, prime, ..] = key.numbers().map(BigUint::from_bytes_be);
            let mut random = vec![0; length];
            getrandom::fill(&mut random[1..]).unwrap();
            let last = (&modulus - 1u32).to_bytes_be();
            // A multiple of a prime has no inverse, but a power.
            for number in [vec![0], vec![1], last, prime.to_bytes_be(), random] {
                let expected = BigUint::from_bytes_be(&number).modpow(&private, &modulus);
                for arithmetic in [Arithmetic::best(), Arithmetic::portable()] {
                    let raised = key.raise_by(arithmetic, &number).unwrap();
                    assert_eq!((raised.len(), BigUint::from_bytes_be(&raised)), (length, expected.clone()));
                }
            }
            assert_eq!(key.raise(&key.modulus), None, "not below the modulus");
        }
    }

    #[test]
    fn a_wrong_result_is_kept_back() {
        let key = new_key(Size::Rsa2048);
        let message = [0x5a; 255];
        assert!(key.raise(&message).is_some());
        let wrong: [fn(&mut PrivateKey); 7] = [
            |key| key.modulus[100] ^= 1,
            |key| key.public_exponent = vec![3],
            |key| key.prime1[100] ^= 1,
            |key| key.prime2[127] ^= 1,
            |key| key.exponent1[100] ^= 1,
            |key| key.exponent2 = key.prime2.clone(),
            |key| key.coefficient[100] ^= 1,
        ];
        for (index, wrong) in wrong.iter().enumerate() {
            let mut key = key.clone();
            wrong(&mut key);
            assert_eq!(key.raise(&message), None, "{index}");
        }
    }

    #[test]
    fn other_sizes_are_left_to_others() {
        let mut key = new_key(Size::Rsa2048);
        key.modulus.push(0);
        assert_eq!(key.raise(&[1]), None);
    }
}
