//! Protobuf bodies, which typed Go clients send.

use serde_json::Value;

use crate::http::accept::unsupported;
use crate::status::Status;

/// Reads an object from protobuf.
pub fn decode(_body: &[u8]) -> Result<Value, Status> {
    Err(unsupported(&["application/json", "application/yaml"]))
}
