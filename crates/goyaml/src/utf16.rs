//! UTF-16 input, known by its byte order mark.

use crate::YamlError;

/// The text, if the bytes begin with a byte order mark of UTF-16.
pub(crate) fn decode(bytes: &[u8]) -> Option<Result<String, YamlError>> {
    let (little, rest) = match bytes {
        [0xff, 0xfe, rest @ ..] => (true, rest),
        [0xfe, 0xff, rest @ ..] => (false, rest),
        _ => return None,
    };
    let units = rest.chunks_exact(2).map(|pair| match (pair, little) {
        (&[low, high], true) | (&[high, low], false) => u16::from_be_bytes([high, low]),
        _ => 0,
    });
    let mut text = String::with_capacity(rest.len());
    for c in char::decode_utf16(units) {
        match c {
            Ok(c) => text.push(c),
            Err(error) => return Some(Err(problem(error.unpaired_surrogate()))),
        }
    }
    if rest.len() % 2 != 0 {
        return Some(Err(YamlError::new("yaml: incomplete UTF-16 character", None)));
    }
    Some(Ok(text))
}

fn problem(surrogate: u16) -> YamlError {
    let text = match surrogate {
        0xdc00.. => "yaml: unexpected low surrogate area",
        _ => "yaml: expected low surrogate area",
    };
    YamlError::new(text, None)
}
