//! In what form a client wants its answer, and in what form it sends.

use http::{HeaderMap, StatusCode, header};

use crate::status::Status;
use crate::wire::protobuf::MEDIA_TYPE;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accept {
    /// How it is written.
    pub encoding: Encoding,
    /// As what it is shown.
    pub shape: Shape,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `application/json`
    Json,
    /// `application/yaml`
    Yaml,
    /// `application/vnd.kubernetes.protobuf`
    Protobuf,
}

/// As what an object is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// As it is.
    Object,
    /// As rows for people.
    Table,
    /// Its metadata only.
    Metadata,
    /// The metadata only of what is in a list.
    MetadataList,
}

impl Accept {
    /// Plain JSON.
    pub const JSON: Self = Self { encoding: Encoding::Json, shape: Shape::Object };

    /// What a client asks for: the first of its wishes that can be granted. Text is preferred to protobuf, which is
    /// written for those who understand nothing else.
    pub fn of(headers: &HeaderMap) -> Result<Self, Status> {
        let Some(value) = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()) else {
            return Ok(Self::JSON);
        };
        let wishes: Vec<Self> = value.split(',').filter_map(wish).collect();
        let text = wishes.iter().find(|wish| wish.encoding != Encoding::Protobuf);
        text.or(wishes.first())
            .copied()
            .ok_or_else(|| not_acceptable(&["application/json", "application/yaml", MEDIA_TYPE]))
    }
}

fn wish(clause: &str) -> Option<Accept> {
    let mut parts = clause.split(';').map(str::trim);
    let encoding = match parts.next()? {
        "application/json" | "*/*" | "application/*" | "" => Encoding::Json,
        "application/yaml" => Encoding::Yaml,
        MEDIA_TYPE => Encoding::Protobuf,
        _ => return None,
    };
    let (mut kind, mut group, mut version) = ("", "", "");
    for part in parts {
        match part.split_once('=') {
            Some(("as", value)) => kind = value,
            Some(("g", value)) => group = value,
            Some(("v", value)) => version = value,
            _ => {}
        }
    }
    let shape = match (kind, group, version) {
        // Discovery documents negotiate for themselves.
        ("" | "APIGroupDiscoveryList", ..) => Shape::Object,
        ("Table", "meta.k8s.io", "v1") if encoding != Encoding::Protobuf => Shape::Table,
        ("PartialObjectMetadata", "meta.k8s.io", "v1") => Shape::Metadata,
        ("PartialObjectMetadataList", "meta.k8s.io", "v1") => Shape::MetadataList,
        _ => return None,
    };
    Some(Accept { encoding, shape })
}

/// The form of a request's body.
pub fn content(headers: &HeaderMap) -> Result<Encoding, Status> {
    let Some(value) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return Ok(Encoding::Json);
    };
    match value.split(';').next().unwrap_or_default().trim() {
        "application/json" | "*/*" | "" => Ok(Encoding::Json),
        "application/yaml" => Ok(Encoding::Yaml),
        MEDIA_TYPE => Ok(Encoding::Protobuf),
        _ => Err(unsupported(&["application/json", "application/yaml", MEDIA_TYPE])),
    }
}

/// The forms in which the server's own resources are written, and those of their streams.
const FORMS: [&str; 5] = [
    "application/json",
    "application/yaml",
    MEDIA_TYPE,
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
];

/// What the routes to the server's own resources refuse before anybody looks at the request: a patch of no type that is
/// known, and an answer in no form that there is.
pub fn check_route(
    headers: &HeaderMap,
    patch_types: Option<&[&str]>,
    streams: bool,
    text: bool,
) -> Result<(), Status> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let named = |value: &str, known: &dyn Fn(&str) -> bool| {
        value.split(',').any(|clause| known(clause.split(';').next().unwrap_or_default().trim_matches(' ')))
    };
    let sent = header(header::CONTENT_TYPE).unwrap_or_default();
    if patch_types.is_some_and(|types| !named(sent, &|kind| types.contains(&kind))) {
        return Err(refused_by_route(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "415: Unsupported Media Type".into(),
        ));
    }
    let mut forms: Vec<&str> = if text { vec!["text/plain"] } else { Vec::new() };
    forms.extend(&FORMS[..if streams { FORMS.len() } else { 3 }]);
    let wanted = header(header::ACCEPT).filter(|wanted| !wanted.is_empty()).unwrap_or("*/*");
    if named(wanted, &|kind| kind == "*/*" || forms.contains(&kind)) {
        return Ok(());
    }
    let words = format!("406: Not Acceptable\n\nAvailable representations: {}", forms.join(", "));
    Err(refused_by_route(StatusCode::NOT_ACCEPTABLE, words))
}

fn refused_by_route(code: StatusCode, words: String) -> Status {
    let reason = if code == StatusCode::NOT_ACCEPTABLE { "NotAcceptable" } else { "UnsupportedMediaType" };
    let mut status = Status::new(code, reason, words);
    status.details = Some(Box::default());
    status
}

/// 406: the answer can be had in no form that is understood.
pub fn not_acceptable(known: &[&str]) -> Status {
    let words = format!("only the following media types are accepted: {}", known.join(", "));
    Status::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", words)
}

/// 415: the body is in no form that is understood.
pub fn unsupported(known: &[&str]) -> Status {
    let words = format!(
        "the body of the request was in an unknown format - accepted media types include: {}",
        known.join(", ")
    );
    Status::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", words)
}
