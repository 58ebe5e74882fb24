//! One review: an `AdmissionReview` in, one out.

use std::convert::Infallible;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::identity;

/// The largest review that is read: the API server's own limit of requests, twice, and a little.
const LARGEST: usize = 8 << 20;

pub(super) async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = Limited::new(request.into_body(), LARGEST).collect().await;
    let review = body.ok().and_then(|body| serde_json::from_slice::<Value>(&body.to_bytes()).ok());
    let (status, text) = match review.as_ref().and_then(|review| review.get("request")) {
        Some(request) => (StatusCode::OK, reviewed(request).to_string()),
        None => (StatusCode::BAD_REQUEST, "an AdmissionReview was expected".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    Ok(response)
}

/// The review of a request.
fn reviewed(request: &Value) -> Value {
    let mut response = json!({"uid": request["uid"], "allowed": true});
    if let Some(patch) = identity::patch(request) {
        response["patchType"] = json!("JSONPatch");
        response["patch"] = json!(BASE64_STANDARD.encode(patch.to_string()));
    }
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
}
