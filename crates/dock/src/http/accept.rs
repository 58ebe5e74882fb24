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
        ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1") => Shape::Metadata,
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
