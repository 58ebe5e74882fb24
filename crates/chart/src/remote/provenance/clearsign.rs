//! The cleartext signature framework (RFC 9580, 7): a readable text with an armored signature below it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const START: &str = "-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE_START: &str = "-----BEGIN PGP SIGNATURE-----";
const SIGNATURE_END: &str = "-----END PGP SIGNATURE-----";
const HASHES: [&str; 9] =
    ["MD5", "SHA1", "RIPEMD160", "SHA224", "SHA256", "SHA384", "SHA512", "SHA3-256", "SHA3-512"];

/// A clear-signed message, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// The text as people read it, with `\n` between lines and none after the last.
    pub(super) text: Vec<u8>,
    /// The text as it was signed: with `\r\n` between lines.
    pub(super) signed: Vec<u8>,
    /// The signature packets.
    pub(super) signature: Vec<u8>,
}

/// Finds the first clear-signed message.
pub(super) fn decode(data: &[u8]) -> Option<Message> {
    let mut lines = Lines(data);
    loop {
        let at_line = lines.0;
        let line = lines.next()?;
        if line == START.as_bytes() {
            break;
        }
        if at_line.starts_with(START.as_bytes()) {
            return None;
        }
    }
    loop {
        let line = lines.next()?;
        if line.trim_ascii().is_empty() {
            break;
        }
        let line =
            std::str::from_utf8(line).ok().filter(|line| line.bytes().all(|b| (0x20..=0x7e).contains(&b)))?;
        let (key, values) = line.split_once(':')?;
        let known = |value: &str| HASHES.contains(&value.trim().to_ascii_uppercase().as_str());
        if key.trim() != "Hash" || !values.split(',').all(known) {
            return None;
        }
    }
    let mut texts: Vec<&[u8]> = Vec::new();
    loop {
        let line = lines.next()?;
        if line == SIGNATURE_START.as_bytes() {
            break;
        }
        let line = line.strip_prefix(b"- ").unwrap_or(line);
        texts.push(trim_end(line, b" \t"));
    }
    Some(Message {
        text: texts.join(&b"\n"[..]),
        signed: texts.join(&b"\r\n"[..]),
        signature: dearmor(lines)?,
    })
}

/// Reads the base64 lines of an armored block whose first line is already read.
fn dearmor(mut lines: Lines<'_>) -> Option<Vec<u8>> {
    let mut encoded = Vec::new();
    let mut in_headers = true;
    for line in &mut lines {
        let line = line.trim_ascii();
        if line == SIGNATURE_END.as_bytes() {
            return STANDARD.decode(&encoded).ok();
        }
        if in_headers {
            in_headers = !line.is_empty();
        } else if !(line.starts_with(b"=") && line.len() == 5) {
            encoded.extend_from_slice(line);
        }
    }
    None
}

/// What is hashed when a text is signed: lines without trailing white space, joined by `\r\n`.
pub(super) fn signed_form(text: &str) -> String {
    text.split('\n').map(trimmed).collect::<Vec<_>>().join("\r\n")
}

/// A clear-signed message in the layout of Helm's.
pub(super) fn encode(text: &str, hash: &str, signature: &[u8]) -> String {
    let mut message = format!("{START}\nHash: {hash}\n\n");
    for line in text.split('\n').map(trimmed) {
        if line.starts_with('-') {
            message.push_str("- ");
        }
        message.push_str(line);
        message.push('\n');
    }
    message.push_str(SIGNATURE_START);
    message.push_str("\n\n");
    for line in STANDARD.encode(signature).as_bytes().chunks(64) {
        message.push_str(&String::from_utf8_lossy(line));
        message.push('\n');
    }
    message.push_str(SIGNATURE_END);
    message
}

fn trimmed(line: &str) -> &str {
    line.trim_end_matches([' ', '\t', '\r'])
}

fn trim_end<'a>(mut line: &'a [u8], of: &[u8]) -> &'a [u8] {
    while let [rest @ .., last] = line
        && of.contains(last)
    {
        line = rest;
    }
    line
}

/// Lines without their `\n` or `\r\n`.
struct Lines<'a>(&'a [u8]);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let end = self.0.iter().position(|byte| *byte == b'\n');
        let (line, rest) = end.map_or((self.0, &[][..]), |end| (&self.0[..end], &self.0[end + 1..]));
        self.0 = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dashes_are_escaped_and_trailing_space_is_dropped() {
        let message = encode("a: 1  \n- b\n\n...\n-----X\n", "SHA512", b"sig");
        insta::assert_snapshot!(message, @r"
        -----BEGIN PGP SIGNED MESSAGE-----
        Hash: SHA512

        a: 1
        - - b

        ...
        - -----X

        -----BEGIN PGP SIGNATURE-----

        c2ln
        -----END PGP SIGNATURE-----
        ");
        let decoded = decode(message.as_bytes()).unwrap();
        assert_eq!(decoded.signature, b"sig");
        assert_eq!(decoded.signed, b"a: 1\r\n- b\r\n\r\n...\r\n-----X\r\n");
        assert_eq!(decoded.text, b"a: 1\n- b\n\n...\n-----X\n");
    }

    #[test]
    fn other_headers_and_torn_messages_are_refused() {
        let whole = encode("text", "SHA512", b"sig");
        assert!(decode(whole.as_bytes()).is_some());
        assert!(decode(format!("prefix\n{whole}").as_bytes()).is_some());
        assert!(decode(whole.replace("Hash: SHA512", "Comment: x").as_bytes()).is_none());
        assert!(decode(whole.replace("Hash: SHA512", "Hash: WHIRLPOOL").as_bytes()).is_none());
        assert!(decode(whole.replace("MESSAGE-----", "MESSAGE----- x").as_bytes()).is_none());
        assert!(decode(whole.replace("END PGP", "END").as_bytes()).is_none());
        assert!(decode(b"").is_none());
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes_to_what_was_signed(text in "([ -~\t]{0,12}\n){0,5}[ -~]{0,9}", sig: Vec<u8>) {
            let message = decode(encode(&text, "SHA256", &sig).as_bytes()).unwrap();
            prop_assert_eq!(message.signed, signed_form(&text).into_bytes());
            prop_assert_eq!(message.signature, sig);
        }

        #[test]
        fn decoding_anything_ends(data: Vec<u8>) {
            decode(&data);
        }
    }
}
