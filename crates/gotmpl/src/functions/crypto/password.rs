//! Hashing passwords, and deriving them from a master password.

use aws_lc_rs::hmac;

use super::random;
use crate::functions::Context;

/// A salted hash that htpasswd files and many programs understand.
pub(super) fn bcrypt(context: &Context, password: &[u8]) -> String {
    const COST: u32 = 10;
    if password.len() > 72 {
        return "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes".to_owned();
    }
    match bcrypt::hash_with_salt(password, COST, random(context)) {
        Ok(hash) => hash.format_for_version(bcrypt::Version::TwoA),
        Err(error) => format!("failed to encrypt string with bcrypt: {error}"),
    }
}

/// The name of the scheme, which goes into every key.
const SCHEME: &[u8] = b"com.lyndir.masterpassword";

/// What passwords of a kind look like: each letter stands for a class of characters.
fn templates(kind: &str) -> Option<&'static [&'static [u8]]> {
    Some(match kind {
        "maximum" => &[b"anoxxxxxxxxxxxxxxxxx", b"axxxxxxxxxxxxxxxxxno"],
        "long" => &[
            b"CvcvnoCvcvCvcv",
            b"CvcvCvcvnoCvcv",
            b"CvcvCvcvCvcvno",
            b"CvccnoCvcvCvcv",
            b"CvccCvcvnoCvcv",
            b"CvccCvcvCvcvno",
            b"CvcvnoCvccCvcv",
            b"CvcvCvccnoCvcv",
            b"CvcvCvccCvcvno",
            b"CvcvnoCvcvCvcc",
            b"CvcvCvcvnoCvcc",
            b"CvcvCvcvCvccno",
            b"CvccnoCvccCvcv",
            b"CvccCvccnoCvcv",
            b"CvccCvccCvcvno",
            b"CvcvnoCvccCvcc",
            b"CvcvCvccnoCvcc",
            b"CvcvCvccCvccno",
            b"CvccnoCvcvCvcc",
            b"CvccCvcvnoCvcc",
            b"CvccCvcvCvccno",
        ],
        "medium" => &[b"CvcnoCvc", b"CvcCvcno"],
        "short" => &[b"Cvcn"],
        "basic" => &[b"aaanaaan", b"aannaaan", b"aaannaaa"],
        "pin" => &[b"nnnn"],
        _ => return None,
    })
}

/// The characters a letter of a template stands for.
fn characters(class: u8) -> &'static [u8] {
    match class {
        b'C' => b"BCDFGHJKLMNPQRSTVWXYZ",
        b'v' => b"aeiou",
        b'c' => b"bcdfghjklmnpqrstvwxyz",
        b'a' => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
        b'n' => b"0123456789",
        b'o' => b"@&%?,=[]_:-+*$#!'^~;()/.",
        _ => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
    }
}

/// The password of a site, as the Master Password algorithm derives it.
pub(super) fn derive(counter: u32, kind: &str, password: &[u8], user: &[u8], site: &[u8]) -> String {
    let Some(templates) = templates(kind) else {
        return format!("cannot find password template {kind}");
    };
    let length = |bytes: &[u8]| (bytes.len() as u32).to_be_bytes();
    let salt = [SCHEME, &length(user), user].concat();
    let mut key = [0; 64];
    let derived = scrypt::Params::new(15, 8, 2).map_err(|error| error.to_string()).and_then(|params| {
        scrypt::scrypt(password, &salt, &params, &mut key).map_err(|error| error.to_string())
    });
    if let Err(error) = derived {
        return format!("failed to derive password: {error}");
    }
    let message = [SCHEME, &length(site), site, &counter.to_be_bytes()].concat();
    let seed = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), &message);
    let (first, rest) = seed.as_ref().split_at(1);
    let template = templates[usize::from(first[0]) % templates.len()];
    template
        .iter()
        .zip(rest)
        .map(|(class, byte)| {
            let choices = characters(*class);
            char::from(choices[usize::from(*byte) % choices.len()])
        })
        .collect()
}
