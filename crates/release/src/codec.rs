//! The form of a record inside of its Secret: JSON, compressed, in base64.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A record is never larger than this once it is unpacked; whoever wrote more did not mean well.
const MOST: u64 = 256 << 20;

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// It is not base64.
    #[error("it is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// It is not compressed as it should be, or larger than anything that is meant well.
    #[error("it cannot be unpacked: {0}")]
    Packing(#[from] std::io::Error),
    /// It is not what was expected.
    #[error("it is not a record: {0}")]
    Json(#[from] serde_json::Error),
}

/// Writes a record as Helm does.
pub fn encode<T: Serialize>(record: &T) -> Result<Vec<u8>, CodecError> {
    Ok(BASE64_STANDARD.encode(pack(&serde_json::to_vec(record)?)?).into_bytes())
}

/// Reads a record that Helm wrote, also one of the times when they were not compressed.
pub fn decode<T: DeserializeOwned>(text: &[u8]) -> Result<T, CodecError> {
    let bytes = BASE64_STANDARD.decode(text)?;
    let plain = if bytes.starts_with(&[0x1f, 0x8b, 0x08]) { unpack(&bytes)? } else { bytes };
    Ok(serde_json::from_slice(&plain)?)
}

/// Compresses.
pub(crate) fn pack(bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    // Helm takes the best: ten times as long for many objects that are alike, and hardly a byte less.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// Unpacks.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut plain = Vec::new();
    let read = GzDecoder::new(bytes).take(MOST + 1).read_to_end(&mut plain)?;
    if read as u64 > MOST {
        return Err(std::io::Error::other("it is larger than 256 MiB").into());
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_is_written_is_read() -> Result<(), CodecError> {
        let value = json!({"name": "shop", "manifest": "---\n# Source\n".repeat(100)});
        assert_eq!(decode::<Value>(&encode(&value)?)?, value);
        assert_eq!(decode::<Value>(BASE64_STANDARD.encode("{\"a\":1}").as_bytes())?, json!({"a": 1}));
        Ok(())
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (text, expected) in [
            ("not base64!".to_owned(), "it is not base64"),
            (BASE64_STANDARD.encode([0x1f, 0x8b, 0x08, 1, 2]), "it cannot be unpacked"),
            (BASE64_STANDARD.encode("no"), "it is not a record"),
        ] {
            let error = decode::<Value>(text.as_bytes()).map(|_| ()).map_err(|error| error.to_string());
            assert!(error.as_ref().is_err_and(|error| error.starts_with(expected)), "{error:?}");
        }
    }
}
