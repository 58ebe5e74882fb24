//! X.509 certificates with the fields that sprig gives them.

use std::any::Any;
use std::net::IpAddr;
use std::rc::Rc;

use aws_lc_rs::digest;
use primes::Size;

use super::der::{self, Reader, oid, tag};
use super::key::Key;
use super::{Result, pem, random};
use crate::functions::encoding::BASE64;
use crate::functions::print::sprint;
use crate::functions::{Args, Context, FunctionError};
use crate::gotime::{Location, Time, duration};
use crate::value::types::{GoType, Kind};
use crate::value::{List, Object, Type, Value};

/// `sprig.certificate`
pub(super) static CERTIFICATE: GoType = GoType::object("sprig.certificate", Kind::Struct);

/// A certificate with its key, both as PEM.
struct Certificate {
    cert: Rc<str>,
    key: Rc<str>,
}

impl Object for Certificate {
    fn go_type(&self) -> Type {
        &CERTIFICATE
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![("Cert", self.cert.clone().into()), ("Key", self.key.clone().into())]
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn value(cert: String, key: String) -> Value {
    Value::Object(Rc::new(Certificate { cert: cert.into(), key: key.into() }))
}

fn failed(message: impl Into<String>) -> FunctionError {
    FunctionError::new(message.into())
}

/// What a certificate is to say.
struct Request {
    common_name: String,
    addresses: Vec<IpAddr>,
    names: Vec<String>,
    days: i64,
    is_authority: bool,
}

/// Who signs: the name and the key identifier of the issuer.
struct Issuer {
    subject: Vec<u8>,
    key_id: Vec<u8>,
    key: Key,
}

impl Request {
    /// The request in the first arguments: common name, addresses, names, days.
    fn from_args(args: Args<'_>) -> std::result::Result<Self, FunctionError> {
        Ok(Self {
            common_name: args.str(0).into_owned(),
            addresses: addresses(&args.list(1))?,
            names: names(&args.list(2))?,
            days: args.int(3),
            is_authority: false,
        })
    }
}

fn addresses(list: &List) -> std::result::Result<Vec<IpAddr>, FunctionError> {
    let address = |value: &Value| match value {
        Value::String(text) => {
            let text = text.to_str();
            text.parse().map_err(|_| failed(format!("error parsing ip: {text}")))
        }
        other => Err(failed(format!("error parsing ip: {} is not a string", sprint(other)))),
    };
    list.borrow().iter().map(address).collect()
}

fn names(list: &List) -> std::result::Result<Vec<String>, FunctionError> {
    let name = |value: &Value| match value {
        Value::String(text) => Ok(text.to_string()),
        other => {
            Err(failed(format!("error processing alternate dns name: {} is not a string", sprint(other))))
        }
    };
    list.borrow().iter().map(name).collect()
}

/// The key in an argument, or a new one.
fn subject_key(
    context: &Context,
    args: Args<'_>,
    index: Option<usize>,
) -> std::result::Result<Key, FunctionError> {
    match index {
        Some(index) => {
            Key::from_pem(&args.str(index)).map_err(|error| failed(format!("parsing private key: {error}")))
        }
        None => Key::new_rsa(context, Size::Rsa2048)
            .map_err(|error| failed(format!("error generating rsa key: {error}"))),
    }
}

pub(super) fn authority(context: &Context, args: Args<'_>, key: Option<usize>) -> Result {
    let key = subject_key(context, args, key)?;
    let request = Request {
        common_name: args.str(0).into_owned(),
        addresses: Vec::new(),
        names: Vec::new(),
        days: args.int(1),
        is_authority: true,
    };
    issue(context, &request, &key, None)
}

pub(super) fn self_signed(context: &Context, args: Args<'_>, key: Option<usize>) -> Result {
    let key = subject_key(context, args, key)?;
    issue(context, &Request::from_args(args)?, &key, None)
}

pub(super) fn signed(context: &Context, args: Args<'_>, key: Option<usize>) -> Result {
    let key = subject_key(context, args, key)?;
    let Some(authority) = args.value(4).downcast::<Certificate>() else {
        return Err(failed("unable to decode certificate"));
    };
    let (_, der) = pem::decode(&authority.cert).ok_or_else(|| failed("unable to decode certificate"))?;
    let parsed = parse(&der).ok_or_else(|| {
        failed("error parsing certificate: decodedSignerCert.Bytes: x509: malformed certificate")
    })?;
    let issuer_key = Key::from_pem(&authority.key)
        .map_err(|error| failed(format!("error parsing private key: {error}")))?;
    let request = Request::from_args(args)?;
    if issuer_key.public().is_ok_and(|public| public_info(&public) != parsed.public_info) {
        return Err(failed(
            "error creating certificate: x509: provided PrivateKey doesn't match parent's PublicKey",
        ));
    }
    let issuer = Issuer { subject: parsed.subject, key_id: parsed.key_id, key: issuer_key };
    issue(context, &request, &key, Some(&issuer))
}

/// sprig's `buildCustomCert`: what the user brings, checked.
pub(super) fn custom(_: &Context, args: Args<'_>) -> Result {
    let decoded = |index: usize, what: &str| {
        BASE64
            .decode(args.bytes(index))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(|_| failed(format!("unable to decode base64 {what}")))
    };
    let cert = decoded(0, "certificate")?;
    let key = decoded(1, "private key")?;
    let (_, der) = pem::decode(&cert).ok_or_else(|| failed("unable to decode certificate"))?;
    if parse(&der).is_none() {
        return Err(failed("error parsing certificate: decodedCert.Bytes: x509: malformed certificate"));
    }
    Key::from_pem(&key).map_err(|error| failed(format!("error parsing private key: {error}")))?;
    Ok(value(cert, key))
}

/// What of a certificate matters for signing with its key.
struct Parsed {
    subject: Vec<u8>,
    public_info: Vec<u8>,
    key_id: Vec<u8>,
}

fn parse(der: &[u8]) -> Option<Parsed> {
    let mut certificate = Reader(der).expect(tag::SEQUENCE).map(Reader)?;
    let mut fields = certificate.expect(tag::SEQUENCE).map(Reader)?;
    if fields.peek() == Some(tag::explicit(0)) {
        fields.next();
    }
    fields.expect(tag::INTEGER)?;
    fields.expect(tag::SEQUENCE)?;
    fields.expect(tag::SEQUENCE)?;
    fields.expect(tag::SEQUENCE)?;
    let subject = fields.next().filter(|(tag, ..)| *tag == tag::SEQUENCE)?.2.to_vec();
    let public_info = fields.next().filter(|(tag, ..)| *tag == tag::SEQUENCE)?.2.to_vec();
    let mut key_id = Vec::new();
    while let Some((tag, content, _)) = fields.next() {
        if tag == tag::explicit(3) {
            key_id = subject_key_id(content).unwrap_or_default();
        }
    }
    Some(Parsed { subject, public_info, key_id })
}

fn subject_key_id(extensions: &[u8]) -> Option<Vec<u8>> {
    let mut extensions = Reader(extensions).expect(tag::SEQUENCE).map(Reader)?;
    while let Some((_, content, _)) = extensions.next() {
        let mut fields = Reader(content);
        if fields.expect(tag::OID)? == oid::SUBJECT_KEY_ID {
            if fields.peek() == Some(tag::BOOLEAN) {
                fields.next();
            }
            let inner = fields.expect(tag::OCTET_STRING)?;
            return Reader(inner).expect(tag::OCTET_STRING).map(<[u8]>::to_vec);
        }
    }
    None
}

fn public_info((algorithm, bits): &(Vec<u8>, Vec<u8>)) -> Vec<u8> {
    der::sequence(&[algorithm, &der::bit_string(bits)])
}

/// Makes a certificate; without an issuer, the subject signs for itself.
fn issue(context: &Context, request: &Request, key: &Key, issuer: Option<&Issuer>) -> Result {
    let fail = |error: String| failed(format!("error creating certificate: {error}"));
    let signer = issuer.map_or(key, |issuer| &issuer.key);
    let algorithm = signer.signature_algorithm().map_err(fail)?;
    let public = key.public().map_err(fail)?;
    let subject = subject(&request.common_name);
    let issuer_name = issuer.map_or(&subject, |issuer| &issuer.subject);
    let authority_key_id = issuer.filter(|issuer| issuer.subject != subject).map(|issuer| &*issuer.key_id);
    let extensions = extensions(request, &public.1, authority_key_id, request.common_name.is_empty());
    let to_sign = der::sequence(&[
        &der::value(tag::explicit(0), &der::integer(&[2])),
        &der::integer(&random::<16>(context)),
        &algorithm,
        issuer_name,
        &validity(context, request.days).map_err(fail)?,
        &subject,
        &public_info(&public),
        &der::value(tag::explicit(3), &extensions.map_err(fail)?),
    ]);
    let signature = signer.sign(&to_sign).map_err(fail)?;
    let certificate = der::sequence(&[&to_sign, &algorithm, &der::bit_string(&signature)]);
    let key = key.to_pem().map_err(|error| failed(format!("error pem-encoding key: {error}")))?;
    Ok(value(pem::encode("CERTIFICATE", &certificate), key))
}

/// A name that consists of the common name alone, if there is one.
fn subject(common_name: &str) -> Vec<u8> {
    if common_name.is_empty() {
        return der::sequence(&[]);
    }
    let printable = |b: u8| b.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(&b);
    let tag = if common_name.bytes().all(printable) { tag::PRINTABLE_STRING } else { tag::UTF8_STRING };
    let attribute =
        der::sequence(&[&der::value(tag::OID, oid::COMMON_NAME), &der::value(tag, common_name.as_bytes())]);
    der::sequence(&[&der::value(tag::SET, &attribute)])
}

/// From now on, for so many days.
fn validity(context: &Context, days: i64) -> std::result::Result<Vec<u8>, String> {
    let environment = &*context.environment;
    let from = Time::now(environment).at_location(Location::Utc, environment);
    let until = from.add((24 * duration::HOUR).wrapping_mul(days), environment);
    Ok(der::sequence(&[&time(&from)?, &time(&until)?]))
}

fn time(time: &Time) -> std::result::Result<Vec<u8>, String> {
    match time.year() {
        1950..2050 => Ok(der::value(tag::UTC_TIME, time.format("060102150405Z").as_bytes())),
        0..=9999 => Ok(der::value(tag::GENERALIZED_TIME, time.format("20060102150405Z").as_bytes())),
        _ => Err("asn1: structure error: cannot represent time as GeneralizedTime".to_owned()),
    }
}

fn extension(oid: &[u8], critical: bool, content: &[u8]) -> Vec<u8> {
    let critical = if critical { der::value(tag::BOOLEAN, &[0xff]) } else { Vec::new() };
    der::sequence(&[&der::value(tag::OID, oid), &critical, &der::value(tag::OCTET_STRING, content)])
}

fn extensions(
    request: &Request,
    public_key: &[u8],
    authority_key_id: Option<&[u8]>,
    anonymous: bool,
) -> std::result::Result<Vec<u8>, String> {
    // Digital signature and key encipherment; for an authority also signing certificates.
    let usage = if request.is_authority { [2, 0xa4] } else { [5, 0xa0] };
    let purposes = [oid::SERVER_AUTH, oid::CLIENT_AUTH].map(|purpose| der::value(tag::OID, purpose)).concat();
    let authority = if request.is_authority { der::value(tag::BOOLEAN, &[0xff]) } else { Vec::new() };
    let mut all = vec![
        extension(oid::KEY_USAGE, true, &der::value(tag::BIT_STRING, &usage)),
        extension(oid::EXTENDED_KEY_USAGE, false, &der::value(tag::SEQUENCE, &purposes)),
        extension(oid::BASIC_CONSTRAINTS, true, &der::value(tag::SEQUENCE, &authority)),
    ];
    if request.is_authority {
        let hash = digest::digest(&digest::SHA256, public_key);
        let key_id = der::value(tag::OCTET_STRING, &hash.as_ref()[..20]);
        all.push(extension(oid::SUBJECT_KEY_ID, false, &key_id));
    }
    if let Some(key_id) = authority_key_id.filter(|key_id| !key_id.is_empty()) {
        let content = der::sequence(&[&der::value(tag::implicit(0), key_id)]);
        all.push(extension(oid::AUTHORITY_KEY_ID, false, &content));
    }
    let mut alternatives = Vec::new();
    for name in &request.names {
        if !name.is_ascii() {
            let quoted = goyaml::strconv::quote(name);
            return Err(format!("x509: {quoted} cannot be encoded as an IA5String"));
        }
        alternatives.extend(der::value(tag::implicit(2), name.as_bytes()));
    }
    for address in &request.addresses {
        let address = match address.to_canonical() {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        alternatives.extend(der::value(tag::implicit(7), &address));
    }
    if !alternatives.is_empty() {
        let content = der::value(tag::SEQUENCE, &alternatives);
        all.push(extension(oid::SUBJECT_ALT_NAME, anonymous, &content));
    }
    Ok(der::value(tag::SEQUENCE, &all.concat()))
}
