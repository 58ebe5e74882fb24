//! Base64 as Go's `encoding/base64` reads it: line ends are skipped, padding is not.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes, or where the first wrong byte stands.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, String> {
    let corrupt = |at: usize| format!("illegal base64 data at input byte {at}");
    let source = text.as_bytes();
    let skip = |mut at: usize| {
        while matches!(source.get(at), Some(b'\r' | b'\n')) {
            at += 1;
        }
        at
    };
    let mut bytes = Vec::with_capacity(source.len() / 4 * 3);
    let mut at = 0;
    loop {
        let (mut group, mut filled) = (0_u32, 0);
        while filled < 4 {
            at = skip(at);
            let Some(byte) = source.get(at) else {
                return if filled == 0 { Ok(bytes) } else { Err(corrupt(at - filled)) };
            };
            at += 1;
            if let Some(digit) = DIGITS.iter().position(|known| known == byte) {
                group |= (digit as u32) << (18 - 6 * filled);
                filled += 1;
                continue;
            }
            if *byte != b'=' || filled < 2 {
                return Err(corrupt(at - 1));
            }
            if filled == 2 {
                at = skip(at);
                match source.get(at) {
                    None => return Err(corrupt(source.len())),
                    Some(b'=') => at += 1,
                    Some(_) => return Err(corrupt(at - 1)),
                }
            }
            at = skip(at);
            if at < source.len() {
                return Err(corrupt(at));
            }
            bytes.extend(&group.to_be_bytes()[1..filled]);
            return Ok(bytes);
        }
        bytes.extend(&group.to_be_bytes()[1..]);
    }
}

/// The bytes as text.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group = [0; 3];
        group[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for index in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * index) & 63) as usize];
            text.push(if index <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_go_refuses() {
        let at = |text: &str| decode(text).unwrap_err().rsplit(' ').next().unwrap().parse::<usize>().unwrap();
        assert_eq!(decode("aGk=\n").unwrap(), b"hi");
        assert_eq!(decode("").unwrap(), b"");
        assert_eq!(at("aGk"), 0);
        assert_eq!(at("!!!!"), 0);
        assert_eq!(at("aGk=x"), 4);
        assert_eq!(at("aG=x"), 2);
        assert_eq!(at("aG="), 3);
        assert_eq!(at("a==="), 1);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(decode(&encode(&bytes)).unwrap(), bytes);
        }
    }
}
