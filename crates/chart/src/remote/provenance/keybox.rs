//! `GnuPG`'s keybox (`pubring.kbx`): blobs, some of which hold an OpenPGP certificate.

/// Whether the bytes are a keybox: the first blob is a header with the magic `KBXf`.
pub(super) fn is_keybox(data: &[u8]) -> bool {
    data.get(4) == Some(&1) && data.get(8..12) == Some(b"KBXf")
}

/// The certificates of a keybox, one after the other, as a plain keyring has them.
///
/// A blob starts with its length (4 bytes), type (1: 2 is OpenPGP), version (1), flags (2), and for OpenPGP the
/// certificate's offset (4) and length (4). Blobs that `GnuPG` marks as ephemeral are not part of the ring.
pub(super) fn certificates(data: &[u8]) -> Result<Vec<u8>, String> {
    let mut found = Vec::new();
    let mut offset = 0;
    while offset < data.len() {
        let rest = &data[offset..];
        let Some(length) = word(rest, 0).filter(|_| rest.len() >= 5) else {
            return Err(format!("truncated blob header at offset {offset}"));
        };
        if length < 5 {
            return Err(format!("invalid blob length {length} at offset {offset}"));
        }
        let Some(blob) = rest.get(..length) else {
            let left = rest.len();
            return Err(format!(
                "blob at offset {offset} has length {length} exceeding the {left} remaining bytes"
            ));
        };
        if blob[4] == 2 {
            let (Some(at), Some(size)) = (word(blob, 8), word(blob, 12)) else {
                return Err(format!("OpenPGP blob at offset {offset} is too short"));
            };
            let Some(certificate) = at.checked_add(size).and_then(|end| blob.get(at..end)) else {
                return Err(format!("OpenPGP blob at offset {offset} has an out-of-range keyblock"));
            };
            let ephemeral = blob[7] & 2 != 0;
            if !ephemeral {
                found.extend_from_slice(certificate);
            }
        }
        offset += length;
    }
    if found.is_empty() { Err("keybox contains no OpenPGP keys".to_owned()) } else { Ok(found) }
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let word: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(word)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(kind: u8, flags: u8, body: &[u8]) -> Vec<u8> {
        let mut blob = u32::try_from(16 + body.len()).unwrap().to_be_bytes().to_vec();
        blob.extend([kind, 1, 0, flags]);
        blob.extend(16_u32.to_be_bytes());
        blob.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
        blob.extend(body);
        blob
    }

    #[test]
    fn certificates_are_joined_and_the_rest_is_passed_over() {
        let data = [
            blob(1, 0, b""),
            blob(2, 0, b"one"),
            blob(3, 0, b"x509"),
            blob(2, 2, b"gone"),
            blob(2, 0, b"two"),
        ];
        assert_eq!(certificates(&data.concat()).unwrap(), b"onetwo");
    }

    #[test]
    fn torn_boxes_are_refused() {
        for (data, message) in [
            (&b"\0\0"[..], "truncated blob header at offset 0"),
            (&[0, 0, 0, 1, 2], "invalid blob length 1 at offset 0"),
            (&[0, 0, 0, 99, 2, 0], "blob at offset 0 has length 99 exceeding the 6 remaining bytes"),
            (&[0, 0, 0, 6, 2, 0], "OpenPGP blob at offset 0 is too short"),
            (&blob(1, 0, b""), "keybox contains no OpenPGP keys"),
        ] {
            assert_eq!(certificates(data).unwrap_err(), message);
        }
        let mut outside = blob(2, 0, b"one");
        outside[15] = 200;
        assert_eq!(
            certificates(&outside).unwrap_err(),
            "OpenPGP blob at offset 0 has an out-of-range keyblock"
        );
    }
}
