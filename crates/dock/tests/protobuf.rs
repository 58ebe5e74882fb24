//! Clients that speak nothing but protobuf.

#![expect(clippy::unwrap_used, reason = "a test whose surroundings fail should fail")]

use bytes::Bytes;
use dock::Dock;
use dock::http::answer::AnswerBody;
use dock::wire::protobuf::{MEDIA_TYPE, STREAM_TYPE, decode, encode};
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower_service::Service;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn ask(dock: &Dock, method: &str, path: &str, body: Vec<u8>) -> Response<AnswerBody> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::ACCEPT, MEDIA_TYPE)
        .header(header::CONTENT_TYPE, MEDIA_TYPE)
        .body(Full::new(Bytes::from(body)))
        .expect("the request is well formed");
    dock.clone().call(request).await.unwrap()
}

async fn read(response: Response<AnswerBody>) -> Value {
    assert_eq!(response.headers()[header::CONTENT_TYPE], MEDIA_TYPE);
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    decode(&bytes, "", "").expect("the answer is protobuf")
}

#[tokio::test]
async fn objects_lists_and_refusals_are_protobuf() {
    let dock = Dock::builder().controllers(false).start().await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y"}});
    let response = ask(&dock, "POST", MAPS, encode(&map).unwrap()).await;
    assert_eq!(response.status(), StatusCode::CREATED);
    assert_eq!(read(response).await["data"], json!({"x": "y"}));

    let list = read(ask(&dock, "GET", MAPS, Vec::new()).await).await;
    assert_eq!(list["kind"], "ConfigMapList");
    assert_eq!(list["items"][0]["metadata"]["name"], "a");

    let refusal = read(ask(&dock, "GET", &format!("{MAPS}/b"), Vec::new()).await).await;
    assert_eq!((&refusal["kind"], &refusal["reason"]), (&json!("Status"), &json!("NotFound")));
}

#[tokio::test]
async fn watches_are_protobuf_with_lengths() {
    let dock = Dock::builder().controllers(false).start().await;
    let response = ask(&dock, "GET", "/api/v1/namespaces?watch=true", Vec::new()).await;
    assert_eq!(response.headers()[header::CONTENT_TYPE], STREAM_TYPE);
    let mut body = response.into_body();
    let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
    let length = u32::from_be_bytes(frame[..4].try_into().unwrap()) as usize;
    assert_eq!(length, frame.len() - 4);
    assert!(frame.windows(4).any(|bytes| bytes == b"k8s\0"));
    assert!(frame.windows(7).any(|bytes| bytes == b"default"));
}
