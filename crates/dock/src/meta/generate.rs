//! Names and identities that the server makes up.

const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
const SUFFIX: usize = 5;
const LONGEST_BASE: usize = 63 - SUFFIX;

/// The name made of `generateName` and a suffix. A base that is too long is cut.
pub fn generated_name(base: &str, suffix: &str) -> String {
    let mut end = base.len().min(LONGEST_BASE);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{suffix}", &base[..end])
}

/// Five signs of the alphabet without vowels, drawn from random bytes. Bytes beyond the alphabet are passed over.
pub fn suffix_from(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes
        .into_iter()
        .filter_map(|byte| ALPHABET.get(usize::from(byte & 31)))
        .take(SUFFIX)
        .map(|&sign| char::from(sign))
        .collect()
}

/// A suffix from the randomness of the system.
pub fn random_suffix() -> String {
    suffix_from(std::iter::repeat_with(random_bytes::<16>).flatten())
}

/// A UUID from the randomness of the system.
pub fn random_uid() -> String {
    let mut bytes = random_bytes::<16>();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// A system without randomness still makes names, only predictable ones; they are not secrets.
fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let _ = getrandom::fill(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_to_leave_room() {
        assert_eq!(generated_name("web-", "bcdfg"), "web-bcdfg");
        assert_eq!(generated_name(&"a".repeat(100), "bcdfg").len(), 63);
    }

    #[test]
    fn suffixes_have_no_vowels() {
        assert_eq!(suffix_from([31, 0, 26, 27, 32, 1, 2, 3]), "b9bcd");
        let suffix = random_suffix();
        assert_eq!(suffix.len(), 5);
        assert!(suffix.bytes().all(|sign| ALPHABET.contains(&sign)));
    }

    #[test]
    fn uids_are_random_uuids() {
        let uid = random_uid();
        assert_eq!(uid.len(), 36);
        assert_eq!(&uid[14..15], "4");
        assert!("89ab".contains(&uid[19..20]));
        assert_ne!(uid, random_uid());
    }
}
