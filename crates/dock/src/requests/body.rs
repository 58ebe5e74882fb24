//! Reading what a client sends.

use serde_json::Value;

use super::call::Call;
use crate::http::accept::Encoding;
use crate::http::options::FieldValidation;
use crate::registry::{Decoded, Resource};
use crate::server::Server;
use crate::status::Status;

/// What the objects of a request are expected to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpectedKind<'a> {
    /// The group, empty for the core.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The kind.
    pub kind: &'a str,
}

impl ExpectedKind<'_> {
    fn api_version(self) -> String {
        if self.group.is_empty() { self.version.into() } else { format!("{}/{}", self.group, self.version) }
    }
}

impl Server {
    /// The object in the body of a create or update, decoded and with its defaults.
    pub(super) fn read_object(&self, call: &Call) -> Result<Value, Status> {
        let expected = ExpectedKind {
            group: &call.resource.key.group,
            version: &call.version,
            kind: &call.resource.kind,
        };
        let (value, repeated) = parse(call, expected)?;
        let (value, kind) = typed(value, expected, &call.body)?;
        let Decoded { object, unknown } = call
            .resource
            .decode(value, &call.version)
            .map_err(|why| cannot_be_handled(&kind, expected, &why))?;
        let strict: Vec<String> = repeated.into_iter().chain(unknown).collect();
        if !strict.is_empty() {
            match call.options.validation() {
                FieldValidation::Ignore => {}
                FieldValidation::Warn => strict.into_iter().for_each(|words| call.warn(words)),
                FieldValidation::Strict => {
                    let words = format!("strict decoding error: {}", strict.join(", "));
                    return Err(cannot_be_handled(&kind, expected, &words));
                }
            }
        }
        self.defaulted(&call.resource, object)
    }

    /// The object with the defaults of its kind.
    pub(super) fn defaulted(&self, resource: &Resource, mut object: Value) -> Result<Value, Status> {
        resource.rules().default(&mut object);
        Ok(object)
    }
}

/// The body as a value, and which fields stand in it twice.
pub(super) fn parse(call: &Call, expected: ExpectedKind<'_>) -> Result<(Value, Vec<String>), Status> {
    match call.encoding {
        Encoding::Json => {
            let text = std::str::from_utf8(&call.body).unwrap_or_default();
            // The server reads YAML where it finds something else than JSON.
            match serde_json::from_str(text) {
                Ok(value) => Ok((value, crate::shims::schema::duplicate_fields(text))),
                Err(error) => Err(unrecognized(
                    expected,
                    &format!(
                        "couldn't get version/kind; json parse error: {}",
                        crate::shims::schema::go_json_error(text, &error)
                    ),
                    &call.body,
                )),
            }
        }
        Encoding::Yaml => {
            let text = std::str::from_utf8(&call.body).unwrap_or_default();
            goyaml::from_str_as(text)
                .map(|value| (value, Vec::new()))
                .map_err(|error| unrecognized(expected, &error.to_string(), &call.body))
        }
        Encoding::Protobuf => crate::wire::protobuf::decode(&call.body).map(|value| (value, Vec::new())),
    }
}

/// Fills in the type of an object that has none, and refuses another than the expected one.
pub(super) fn typed(
    mut value: Value,
    expected: ExpectedKind<'_>,
    body: &[u8],
) -> Result<(Value, String), Status> {
    let Some(fields) = value.as_object_mut() else {
        let words = "couldn't get version/kind; json parse error: json: cannot unmarshal into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }";
        return Err(unrecognized(expected, words, body));
    };
    let text = |field: &str| fields.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (mut api_version, mut kind) = (text("apiVersion"), text("kind"));
    if kind.is_empty() {
        kind = expected.kind.into();
    }
    if api_version.is_empty() {
        api_version = expected.api_version();
    }
    if api_version != expected.api_version() {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({})",
            expected.api_version()
        )));
    }
    if kind != expected.kind {
        let words = format!("converting (v1.{kind}) to (core.{}): unknown conversion", expected.kind);
        return Err(cannot_be_handled(&kind, expected, &words));
    }
    fields.insert("apiVersion".into(), api_version.into());
    fields.insert("kind".into(), kind.as_str().into());
    Ok((value, kind))
}

fn cannot_be_handled(kind: &str, expected: ExpectedKind<'_>, why: &str) -> Status {
    Status::bad_request(format!(
        "{kind} in version {:?} cannot be handled as a {}: {why}",
        expected.version, expected.kind
    ))
}

fn unrecognized(expected: ExpectedKind<'_>, why: &str, body: &[u8]) -> Status {
    Status::bad_request(format!(
        "the object provided is unrecognized (must be of type {}): {why} ({})",
        expected.kind,
        summary(body)
    ))
}

/// The beginning of a body: as it is if it looks like JSON, else in hexadecimal.
fn summary(body: &[u8]) -> String {
    const SHOWN: usize = 30;
    let (shown, more) = if body.len() > SHOWN { (&body[..SHOWN], " ...") } else { (body, "") };
    match body.first() {
        None => "<empty>".into(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(shown)),
        Some(_) => {
            let hex: String = shown.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{hex}{more}")
        }
    }
}
