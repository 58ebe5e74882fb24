//! AES-256 in CBC mode, the initial vector before the text, all of it in base64.

use aws_lc_rs::cipher::{
    AES_256, DecryptingKey, DecryptionContext, EncryptionContext, PaddedBlockEncryptingKey, UnboundCipherKey,
};
use aws_lc_rs::iv::FixedLength;

use super::{Result, random};
use crate::functions::encoding::BASE64;
use crate::functions::{Args, Context, FunctionError};
use crate::value::Text;

/// The bytes of a block.
const BLOCK: usize = 16;

/// The password as a key: cut off or filled up with zeros.
fn key(password: &[u8]) -> std::result::Result<UnboundCipherKey, FunctionError> {
    let mut key = [0; 32];
    let length = password.len().min(key.len());
    key[..length].copy_from_slice(&password[..length]);
    UnboundCipherKey::new(&AES_256, &key).map_err(unspecified)
}

fn unspecified(error: aws_lc_rs::error::Unspecified) -> FunctionError {
    FunctionError::new(error.to_string())
}

pub(super) fn encrypt(context: &Context, args: Args<'_>) -> Result {
    if args.bytes(1).is_empty() {
        return Ok("".into());
    }
    let vector: [u8; BLOCK] = random(context);
    let mut text = args.bytes(1).to_vec();
    let key = PaddedBlockEncryptingKey::cbc_pkcs7(key(args.bytes(0))?).map_err(unspecified)?;
    key.less_safe_encrypt(&mut text, EncryptionContext::Iv128(FixedLength::from(&vector)))
        .map_err(unspecified)?;
    Ok(BASE64.encode(&[vector.as_slice(), &text].concat()).into())
}

pub(super) fn decrypt(_: &Context, args: Args<'_>) -> Result {
    if args.bytes(1).is_empty() {
        return Ok("".into());
    }
    let sealed = BASE64.decode(args.bytes(1))?;
    let Some((vector, text)) = sealed.split_first_chunk::<BLOCK>() else {
        let capacity = args.bytes(1).len() / 4 * 3;
        return Err(FunctionError::new(format!(
            "runtime error: slice bounds out of range [:{BLOCK}] with capacity {capacity}"
        )));
    };
    if text.len() % BLOCK != 0 {
        return Err(FunctionError::new("crypto/cipher: input not full blocks"));
    }
    let mut text = text.to_vec();
    if !text.is_empty() {
        let key = DecryptingKey::cbc(key(args.bytes(0))?).map_err(unspecified)?;
        key.decrypt(&mut text, DecryptionContext::Iv128(FixedLength::from(vector))).map_err(unspecified)?;
    }
    // The padding is not checked, only cut off.
    let Some(padding) = text.last() else {
        return Err(FunctionError::new("runtime error: index out of range [-1]"));
    };
    let Some(length) = text.len().checked_sub(usize::from(*padding)) else {
        let end = text.len() as i64 - i64::from(*padding);
        return Err(FunctionError::new(format!("runtime error: slice bounds out of range [:{end}]")));
    };
    Ok(Text::from_bytes(&text[..length]).into())
}
