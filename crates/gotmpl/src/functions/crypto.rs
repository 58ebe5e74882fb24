//! Hashes, passwords, keys, certificates and ciphers.

mod certificate;
mod cipher;
mod der;
mod dsa;
mod ec;
mod key;
mod password;
mod pem;
mod rsa;

use aws_lc_rs::digest;

use super::{Args, Context, Function, FunctionError};
use crate::value::Value;
use crate::value::types::{INT, LIST_ANY, STRING, UINT32};

use certificate::CERTIFICATE;

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("sha1sum", &[STRING], STRING, |_, args| {
        Ok(hashed(&digest::SHA1_FOR_LEGACY_USE_ONLY, args))
    }),
    Function::new("sha256sum", &[STRING], STRING, |_, args| Ok(hashed(&digest::SHA256, args))),
    Function::new("sha512sum", &[STRING], STRING, |_, args| Ok(hashed(&digest::SHA512, args))),
    Function::new("adler32sum", &[STRING], STRING, |_, args| Ok(adler32(args.bytes(0)).to_string().into())),
    Function::new("bcrypt", &[STRING], STRING, |context, args| {
        Ok(password::bcrypt(context, args.bytes(0)).into())
    }),
    Function::new("htpasswd", &[STRING, STRING], STRING, |context, args| {
        let user = args.str(0);
        Ok(if user.contains(':') {
            format!("invalid username: {user}").into()
        } else {
            format!("{user}:{}", password::bcrypt(context, args.bytes(1))).into()
        })
    }),
    Function::new("derivePassword", &[UINT32, STRING, STRING, STRING, STRING], STRING, |_, args| {
        let counter = match args.value(0) {
            Value::Uint(_, counter) => *counter as u32,
            _ => 0,
        };
        let [kind, secret, user, site] = [1, 2, 3, 4].map(|index| args.bytes(index));
        Ok(password::derive(counter, &String::from_utf8_lossy(kind), secret, user, site).into())
    }),
    Function::new("genPrivateKey", &[STRING], STRING, |context, args| {
        Ok(key::generated(context, &args.str(0)).into())
    }),
    Function::new("buildCustomCert", &[STRING, STRING], &CERTIFICATE, certificate::custom),
    Function::new("genCA", &[STRING, INT], &CERTIFICATE, |context, args| {
        certificate::authority(context, args, None)
    }),
    Function::new("genCAWithKey", &[STRING, INT, STRING], &CERTIFICATE, |context, args| {
        certificate::authority(context, args, Some(2))
    }),
    Function::new("genSelfSignedCert", &[STRING, LIST_ANY, LIST_ANY, INT], &CERTIFICATE, |context, args| {
        certificate::self_signed(context, args, None)
    }),
    Function::new(
        "genSelfSignedCertWithKey",
        &[STRING, LIST_ANY, LIST_ANY, INT, STRING],
        &CERTIFICATE,
        |context, args| certificate::self_signed(context, args, Some(4)),
    ),
    Function::new(
        "genSignedCert",
        &[STRING, LIST_ANY, LIST_ANY, INT, &CERTIFICATE],
        &CERTIFICATE,
        |context, args| certificate::signed(context, args, None),
    ),
    Function::new(
        "genSignedCertWithKey",
        &[STRING, LIST_ANY, LIST_ANY, INT, &CERTIFICATE, STRING],
        &CERTIFICATE,
        |context, args| certificate::signed(context, args, Some(5)),
    ),
    Function::new("encryptAES", &[STRING, STRING], STRING, cipher::encrypt),
    Function::new("decryptAES", &[STRING, STRING], STRING, cipher::decrypt),
];

fn hashed(algorithm: &'static digest::Algorithm, args: Args<'_>) -> Value {
    let mut text = String::with_capacity(128);
    for byte in digest::digest(algorithm, args.bytes(0)).as_ref() {
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(nibble)]));
        }
    }
    text.into()
}

fn adler32(bytes: &[u8]) -> u32 {
    let (mut low, mut high) = (1u32, 0u32);
    for byte in bytes {
        low = (low + u32::from(*byte)) % 65521;
        high = (high + low) % 65521;
    }
    high << 16 | low
}

/// Random bytes of the environment.
fn random<const N: usize>(context: &Context) -> [u8; N] {
    let mut bytes = [0; N];
    context.environment.fill_random(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests;
