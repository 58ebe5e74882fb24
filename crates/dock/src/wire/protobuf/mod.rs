//! Protobuf bodies, which typed Go clients send.
//!
//! An object comes in an envelope that says what it is: a prefix, then a message with its type and its bytes. What the
//! bytes are is told by the structure that the type has anyhow, and by the numbers of its fields.

mod numbers;
mod read;
#[cfg(test)]
mod tests;
mod write;

use schema::{Shape, View};
use serde_json::{Map, Value};

use self::read::Malformed;
use self::write::Message;

/// The name of the form of watches.
pub const STREAM_TYPE: &str = "application/vnd.kubernetes.protobuf;stream=watch";

/// The name of the form.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// What every object in protobuf begins with.
const PREFIX: &[u8] = b"k8s\0";

/// The type of schemas in definitions, which stand in structures that are one of several things.
const SCHEMA: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/// Why a body cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// It is something else.
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    NotProtobuf,
    /// It is of a type that has no protobuf.
    #[error(
        "no kind {kind:?} is registered for version {api_version:?} in scheme \"pkg/api/legacyscheme/scheme.go:30\""
    )]
    UnknownType {
        /// Its version.
        api_version: String,
        /// Its kind.
        kind: String,
    },
    /// Its bytes are not what its type says.
    #[error("{0}")]
    Malformed(String),
}

impl From<Malformed> for DecodeError {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed.to_string())
    }
}

/// Reads an object. It may say nothing of its type: then it is of the given one.
pub fn decode(body: &[u8], api_version: &str, kind: &str) -> Result<Value, DecodeError> {
    let envelope = read::envelope(body.strip_prefix(PREFIX).ok_or(DecodeError::NotProtobuf)?)?;
    let or = |said: &str, expected: &str| if said.is_empty() { expected.to_owned() } else { said.to_owned() };
    let (api_version, kind) = (or(envelope.api_version, api_version), or(envelope.kind, kind));
    let name = message_type(&api_version, &kind).filter(|name| numbers::fields(name).is_some());
    let Some(name) = name else {
        return Err(DecodeError::UnknownType { api_version, kind });
    };
    let mut object = Map::new();
    if let Some(view) = schema::types().named(&name) {
        read::fields(envelope.raw, &name, view, &mut object)?;
    }
    object.insert("apiVersion".to_owned(), api_version.into());
    object.insert("kind".to_owned(), kind.into());
    Ok(Value::Object(object))
}

/// Writes an object; nothing if its type has no protobuf.
pub fn encode(object: &Value) -> Option<Vec<u8>> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let name = message_type(api_version, kind).filter(|name| numbers::fields(name).is_some())?;
    let mut raw = Message::default();
    raw.fields(object.as_object()?, &name, schema::types().named(&name)?);
    let mut envelope = Message::default();
    envelope.bytes(1, &Message::of_texts([(1, api_version), (2, kind)]).into_bytes());
    envelope.bytes(2, &raw.into_bytes());
    Some([PREFIX, &envelope.into_bytes()].concat())
}

/// Writes an event of a watch, with its length before it; nothing if the object's type has no protobuf.
pub fn encode_event(kind: &str, object: &Value) -> Option<Vec<u8>> {
    let mut raw = Message::default();
    raw.bytes(1, &encode(object)?);
    let mut event = Message::of_texts([(1, kind)]);
    event.bytes(2, &raw.into_bytes());
    let event = event.into_bytes();
    let length = u32::try_from(event.len()).ok()?;
    Some([&length.to_be_bytes(), event.as_slice()].concat())
}

/// The name of the type of a kind, of a list of one, or of what all groups have.
fn message_type(api_version: &str, kind: &str) -> Option<String> {
    const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    if matches!(kind, "Status" | "DeleteOptions" | "PartialObjectMetadata" | "PartialObjectMetadataList") {
        return Some(format!("{META}.{kind}"));
    }
    let mut known =
        schema::kinds().iter().filter(|known| &*known.group == group && &*known.version == version);
    known.find_map(|known| {
        if &*known.kind == kind {
            return Some(known.type_name.to_string());
        }
        let (package, _) = known.type_name.rsplit_once('.')?;
        (known.list_kind.as_deref() == Some(kind)).then(|| format!("{package}.{kind}"))
    })
}

/// The name of the type that stands at a place.
fn type_name(view: View<'_>) -> &str {
    let mut schema = view.schema();
    let mut name = "";
    while let Shape::Named(next) = &schema.shape {
        name = next;
        match view.types().get(next) {
            Some(named) => schema = named,
            None => break,
        }
    }
    name
}
