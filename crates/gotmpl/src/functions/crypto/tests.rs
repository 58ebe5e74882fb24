//! What is random is tested by what holds of it; what is not, by values that Go computed.

use std::rc::Rc;

use super::*;
use crate::functions::{Environment, Functions, Instant, Run};
use crate::value::types::UINT32;

/// A clock that stands still and bytes that are random.
struct Fixture;

impl Environment for Fixture {
    fn now(&self) -> Instant {
        Instant { seconds: 1_700_000_000, nanoseconds: 0 }
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        aws_lc_rs::rand::fill(buffer).unwrap();
    }
}

fn try_call(name: &str, arguments: &[Value]) -> Result {
    let mut functions = Functions::builtin();
    functions.add_library();
    let context = Context { environment: Rc::new(Fixture), lint: false, value_bytes: 1 << 20 };
    match functions.get(name).unwrap().run {
        Run::Native(run) | Run::Deep(run) => run(&context, Args::new(arguments)),
        Run::Engine(_) => panic!("{name} is the engine's"),
    }
}

fn call(name: &str, arguments: &[Value]) -> Value {
    try_call(name, arguments).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text(value: &Value) -> String {
    value.as_text().unwrap().to_string()
}

fn field(value: &Value, name: &str) -> String {
    match value {
        Value::Object(object) => text(&object.field(name).unwrap()),
        other => panic!("{other:?} has no fields"),
    }
}

#[test]
fn hashes_are_those_of_everyone() {
    assert_eq!(text(&call("sha1sum", &["abc".into()])), "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_eq!(
        text(&call("sha256sum", &["abc".into()])),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(text(&call("adler32sum", &["abc".into()])), "38600999");
}

#[test]
fn passwords_are_derived_as_in_go() {
    for (counter, kind, password, user, site, expected) in [
        (1, "long", "password", "user", "example.com", "ZedaFaxcZaso9*"),
        (2, "maximum", "password", "user", "example.com", "O8-6Bwz1*I5XVPPq)@H!"),
        (1, "pin", "pässword", "usér", "x", "0695"),
        (1, "x", "p", "u", "s", "cannot find password template x"),
    ] {
        let arguments =
            [Value::Uint(UINT32, counter), kind.into(), password.into(), user.into(), site.into()];
        assert_eq!(text(&call("derivePassword", &arguments)), expected);
    }
}

#[test]
fn bcrypt_hashes_verify() {
    let line = text(&call("htpasswd", &["me".into(), "secret".into()]));
    let hash = line.strip_prefix("me:").unwrap();
    assert!(hash.starts_with("$2a$10$"), "{hash}");
    assert!(bcrypt::verify("secret", hash).unwrap());
    assert!(!bcrypt::verify("other", hash).unwrap());
    assert_eq!(text(&call("htpasswd", &["a:b".into(), "x".into()])), "invalid username: a:b");
    let long = "x".repeat(73);
    assert!(text(&call("bcrypt", &[long.into()])).ends_with("bcrypt: password length exceeds 72 bytes"));
}

#[test]
fn ciphers_undo_themselves() {
    for length in [1, 15, 16, 17, 100] {
        let plain = "é".repeat(length);
        let sealed = call("encryptAES", &["key".into(), plain.as_str().into()]);
        assert_eq!(text(&call("decryptAES", &["key".into(), sealed])), plain);
    }
    // Sealed by Go.
    let sealed = "Duw6+9J/AI8K19BDYJJ5ysdApQDukJupWndITjVH9OU=";
    assert_eq!(text(&call("decryptAES", &["secretkey".into(), sealed.into()])), "plaintext");
    for (sealed, message) in [
        ("YWJj", "runtime error: slice bounds out of range [:16] with capacity 3"),
        ("YWJjYWJjYWJjYWJjYWJjYWJjYWJj", "crypto/cipher: input not full blocks"),
        ("*", "illegal base64 data at input byte 0"),
    ] {
        let error = try_call("decryptAES", &["k".into(), sealed.into()]).unwrap_err();
        assert_eq!(error.message(), message);
    }
}

#[test]
fn keys_are_printed_in_their_usual_form() {
    for (kind, label) in [("ecdsa", "EC PRIVATE KEY"), ("ed25519", "PRIVATE KEY"), ("rsa", "RSA PRIVATE KEY")]
    {
        let pem = text(&call("genPrivateKey", &[kind.into()]));
        assert!(pem.starts_with(&format!("-----BEGIN {label}-----\n")), "{pem}");
        assert!(pem.ends_with(&format!("-----END {label}-----\n")), "{pem}");
        let read = key::Key::from_pem(&pem).unwrap();
        assert_eq!(read.to_pem().unwrap(), pem, "{kind}");
    }
    assert_eq!(text(&call("genPrivateKey", &["x".into()])), "Unknown type x");
}

#[test]
fn certificates_are_signed_by_their_authority() {
    for kind in ["ecdsa", "ed25519"] {
        let key = call("genPrivateKey", &[kind.into()]);
        let authority = call("genCAWithKey", &["the authority".into(), Value::int(365), key.clone()]);
        assert_eq!(field(&authority, "Key"), text(&key));
        let addresses = Value::list(vec!["10.0.0.1".into(), "::1".into()]);
        let names = Value::list(vec!["a.example".into(), "*.b.example".into()]);
        let arguments = ["server".into(), addresses, names, Value::int(30), authority.clone(), key];
        let signed = call("genSignedCertWithKey", &arguments);
        let (label, der) = pem::decode(&field(&signed, "Cert")).unwrap();
        assert_eq!(label, "CERTIFICATE");
        for part in [b"the authority".as_slice(), b"server", b"a.example", b"*.b.example", &[10, 0, 0, 1]] {
            assert!(der.windows(part.len()).any(|window| window == part), "{part:?} in {kind}");
        }
        // From the day the clock shows, for thirty days.
        for time in [b"231114221320Z", b"231214221320Z"] {
            assert!(der.windows(time.len()).any(|window| window == time));
        }
    }
}

/// What a certificate says, and its signature.
fn signed_part(certificate: &Value) -> (Vec<u8>, Vec<u8>) {
    use der::{Reader, tag};
    let (_, der) = pem::decode(&field(certificate, "Cert")).unwrap();
    let mut fields = Reader(&der).expect(tag::SEQUENCE).map(Reader).unwrap();
    let (_, _, said) = fields.next().unwrap();
    fields.next();
    (said.to_vec(), fields.expect(tag::BIT_STRING).unwrap()[1..].to_vec())
}

#[test]
fn signatures_of_new_authorities_verify() {
    use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
    let authority = call("genCA", &["the authority".into(), Value::int(365)]);
    let arguments = ["server".into(), Value::Nil, Value::Nil, Value::int(30), authority.clone()];
    let signed = call("genSignedCert", &arguments);
    let key = key::Key::from_pem(&field(&authority, "Key")).unwrap();
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public().unwrap().1);
    for certificate in [&authority, &signed] {
        let (said, signature) = signed_part(certificate);
        public.verify(&said, &signature).unwrap();
    }
    let own = key::Key::from_pem(&field(&signed, "Key")).unwrap();
    assert_ne!(own.public().unwrap(), key.public().unwrap());
}

#[test]
fn a_custom_certificate_is_checked() {
    let made = call("genSelfSignedCert", &["x".into(), Value::Nil, Value::Nil, Value::int(1)]);
    let encode = |name| call("b64enc", &[field(&made, name).into()]);
    let custom = call("buildCustomCert", &[encode("Cert"), encode("Key")]);
    assert_eq!(field(&custom, "Cert"), field(&made, "Cert"));
    let error = try_call("buildCustomCert", &[encode("Key"), encode("Key")]).unwrap_err();
    assert!(error.message().starts_with("error parsing certificate"), "{error}");
    let error = try_call("genCAWithKey", &["a".into(), Value::int(1), "x".into()]).unwrap_err();
    assert_eq!(error.message(), "parsing private key: no PEM data in input");
}
