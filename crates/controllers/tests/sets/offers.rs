//! What DeployItems and Bundles offer beside the documents: sources, targets, interruption, hand-over.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use base64::Engine as _;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};
use sha2::Digest as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::deploy_items::archive;
use crate::removal::all_rights;
use crate::yard::{Done, Yard, a_while, condition, delayed, map, map_with, stamp};

/// Answers requests for these files, on a loopback port, for as long as the runtime lives.
async fn files(files: BTreeMap<String, Vec<u8>>) -> std::io::Result<String> {
    guarded(files, None).await
}

/// The same, for those who have this to say.
async fn guarded(files: BTreeMap<String, Vec<u8>>, login: Option<String>) -> std::io::Result<String> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let files = Arc::new(files);
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let (files, login) = (Arc::clone(&files), login.clone());
            tokio::spawn(async move {
                let mut asked = Vec::new();
                let mut part = [0; 1024];
                while !asked.windows(4).any(|end| end == b"\r\n\r\n") {
                    match connection.read(&mut part).await {
                        Ok(count) if count > 0 => asked.extend_from_slice(&part[..count]),
                        _ => return,
                    }
                }
                let line = String::from_utf8_lossy(&asked).into_owned();
                let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                let known =
                    login.is_none_or(|login| line.lines().any(|line| line.eq_ignore_ascii_case(&login)));
                let (code, body) = match files.get(&path) {
                    _ if !known => {
                        ("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"test\"", b"{}".to_vec())
                    }
                    Some(body) => ("200 OK", body.clone()),
                    None => ("404 Not Found", Vec::new()),
                };
                let sort = if path.contains("/manifests/") { MANIFEST } else { "application/octet-stream" };
                let head = format!(
                    "HTTP/1.1 {code}\r\nContent-Type: {sort}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = connection.write_all(head.as_bytes()).await;
                if !line.starts_with("HEAD") {
                    let _ = connection.write_all(&body).await;
                }
            });
        }
    });
    Ok(format!("http://{address}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chart_comes_from_an_http_repository() -> Done {
    let yard = Yard::new().await?;
    let archive = archive()?;
    let index = "apiVersion: v1\nentries:\n  tiny:\n  - {name: tiny, version: 0.1.0, apiVersion: v2, urls: [tiny-0.1.0.tgz]}\n";
    let served = BTreeMap::from([
        ("/index.yaml".to_owned(), index.as_bytes().to_vec()),
        ("/tiny-0.1.0.tgz".to_owned(), archive),
    ]);
    let url = files(served).await?;
    let chart = |version: &str| json!({"repository": {"url": url, "name": "tiny", "version": version}});
    yard.item("shop", json!({"chart": chart("0.1.0"), "values": {"a": "b"}, "helmDeployment": false}))
        .await?;
    yard.deployed("shop").await?;
    assert_eq!(yard.maps.get("shop").await?.data.unwrap_or_default()["a"], "b");
    // A version that is not there is told, and what is deployed stays.
    yard.item("shop", json!({"chart": chart("9.9.9"), "values": {"a": "b"}, "helmDeployment": false}))
        .await?;
    let item = support::eventually(&yard.items, "shop", |item| {
        item.status.as_ref().is_some_and(|status| !status.extension.last_errors.is_empty())
    })
    .await?;
    let error = item.status.unwrap_or_default().extension.last_errors[0].description.clone();
    assert!(error.contains("tiny") && error.contains("9.9.9"), "{error}");
    yard.maps.get("shop").await?;
    Ok(())
}

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// What a registry has of a chart `charts/tiny:0.1.0`.
fn pushed(archive: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let digest = |bytes: &[u8]| {
        let mut text = "sha256:".to_owned();
        for byte in sha2::Sha256::digest(bytes) {
            let _ = write!(text, "{byte:02x}");
        }
        text
    };
    let config = br#"{"name":"tiny","version":"0.1.0","apiVersion":"v2"}"#.to_vec();
    let part =
        |sort: &str, bytes: &[u8]| json!({"mediaType": sort, "digest": digest(bytes), "size": bytes.len()});
    let manifest = json!({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": part("application/vnd.cncf.helm.config.v1+json", &config),
        "layers": [part("application/vnd.cncf.helm.chart.content.v1.tar+gzip", &archive)],
    });
    let manifest = manifest.to_string().into_bytes();
    let place = |what: String| format!("/v2/charts/tiny/{what}");
    BTreeMap::from([
        (place("tags/list".to_owned()), br#"{"name":"charts/tiny","tags":["0.1.0"]}"#.to_vec()),
        (place("manifests/0.1.0".to_owned()), manifest.clone()),
        (place(format!("manifests/{}", digest(&manifest))), manifest),
        (place(format!("blobs/{}", digest(&config))), config),
        (place(format!("blobs/{}", digest(&archive))), archive),
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chart_comes_from_a_registry_with_and_without_a_login() -> Done {
    let yard = Yard::new().await?;
    let failed = async |name: &str, words: &str| -> Done {
        let item = support::eventually(&yard.items, name, |item| {
            let errors = item.status.iter().flat_map(|status| &status.extension.last_errors);
            errors.into_iter().any(|error| error.description.contains(words))
        });
        item.await.map(drop)?;
        Ok(())
    };
    let spec = |url: &str, more: Value| {
        let mut oci = json!({"ref": url.replace("http://", "oci://") + "/charts/tiny", "version": "0.1.0", "plainHTTP": true});
        oci.as_object_mut()
            .into_iter()
            .for_each(|oci| oci.extend(more.as_object().cloned().unwrap_or_default()));
        json!({"chart": {"oci": oci}, "values": {"a": "b"}})
    };
    let open = files(pushed(archive()?)).await?;
    yard.item("shop", spec(&open, json!({}))).await?;
    yard.deployed("shop").await?;
    assert_eq!(yard.maps.get("shop").await?.data.unwrap_or_default()["a"], "b");

    let basic = base64::engine::general_purpose::STANDARD.encode("me:secret");
    let shut = guarded(pushed(archive()?), Some(format!("authorization: Basic {basic}"))).await?;
    yard.item("nobody", spec(&shut, json!({}))).await?;
    failed("nobody", "basic credential not found").await?;
    yard.item("me", spec(&shut, json!({"secretRef": {"name": "login"}}))).await?;
    failed("me", "Secret login: it is not there").await?;
    let secrets: Api<Secret> = yard.namespace.api();
    let login =
        json!({"metadata": {"name": "login"}, "stringData": {"username": "me", "password": "secret"}});
    support::create(&secrets, login).await?;
    yard.deployed("me").await?;
    assert_eq!(yard.maps.get("me").await?.data.unwrap_or_default()["a"], "b");

    // The files of the operator are nobody's source.
    let files = json!({"chart": {"oci": {"ref": env!("CARGO_MANIFEST_DIR")}}});
    yard.item("files", files).await?;
    failed("files", "a reference begins with oci://").await?;
    let files = json!({"chart": {"repository": {"url": "", "name": env!("CARGO_MANIFEST_DIR")}}});
    yard.item("more-files", files).await?;
    failed("more-files", "an address begins with https://").await?;
    for name in ["shop", "me"] {
        yard.items.delete(name, &DeleteParams::default()).await?;
        support::gone(&yard.items, name).await?;
        assert!(yard.maps.get_opt(name).await?.is_none());
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_objects_go_to_the_cluster_whose_kubeconfig_a_secret_has() -> Done {
    let yard = Yard::new().await?;
    let there = dock::Dock::builder().start().await;
    let serving = there.serve(0).await?;
    let other: Api<ConfigMap> = Api::namespaced(Client::new(there, "default"), "default");
    let secrets: Api<Secret> = yard.namespace.api();
    let kubeconfig = serving.kubeconfig(None);
    support::create(
        &secrets,
        json!({"metadata": {"name": "there"}, "stringData": {"kubeconfig": kubeconfig}}),
    )
    .await?;
    let manifest = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "far"}});
    let target = json!({"namespace": "default", "kubeconfig": {"name": "there", "key": "kubeconfig"}});
    yard.item("i", json!({"manifests": [{ "manifest": manifest }], "target": target})).await?;
    yard.deployed("i").await?;
    other.get("far").await?;
    assert!(yard.maps.get_opt("far").await?.is_none(), "not here");
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::gone(&yard.items, "i").await?;
    assert!(other.get_opt("far").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_that_runs_programs_is_refused() -> Done {
    let yard = Yard::new().await?;
    let secrets: Api<Secret> = yard.namespace.api();
    let kubeconfig = "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nclusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: id}}}]\n";
    support::create(&secrets, json!({"metadata": {"name": "bad"}, "stringData": {"kubeconfig": kubeconfig}}))
        .await?;
    let manifest = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "far"}});
    let spec = json!({"manifests": [{ "manifest": manifest }], "target": {"kubeconfig": {"name": "bad"}}});
    yard.item("i", spec).await?;
    let item = support::eventually(&yard.items, "i", |item| {
        item.status.as_ref().is_some_and(|status| !status.extension.last_errors.is_empty())
    })
    .await?;
    let error = item.status.unwrap_or_default().extension.last_errors[0].description.clone();
    assert!(error.contains("runs programs"), "{error}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_deployment_ends_and_goes_on_when_the_annotation_is_taken_off() -> Done {
    let yard = Yard::new().await?;
    // The first is never ready, so that the second waits.
    let first = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "first", "annotations": {
        "slipway.dev/layer": "one", "helm.sh/readiness-success": "[\"{.open} == true\"]", "helm.sh/readiness-timeout": "10m",
    }}});
    let second = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "second", "annotations": {
        "slipway.dev/layer": "two", "slipway.dev/depends-on-layers": "one",
    }}});
    let spec = json!({"manifests": [{"manifest": first}, {"manifest": second}], "waitOrdered": true});
    yard.item("i", spec).await?;
    support::eventually(&yard.maps, "first", |_| true).await?;
    let annotate = |value: Value| json!({"metadata": {"annotations": {"slipway.dev/interrupt": value}}});
    yard.items.patch("i", &PatchParams::default(), &Patch::Merge(&annotate(json!("true")))).await?;
    let is_interrupted = |item: &api::DeployItem| {
        let status = item.status.clone().unwrap_or_default();
        status.extension.condition("Ready").is_some_and(|ready| ready.reason == "Interrupted")
    };
    support::eventually(&yard.items, "i", is_interrupted).await?;
    assert!(yard.maps.get_opt("second").await?.is_none());
    yard.items.patch("i", &PatchParams::default(), &Patch::Merge(&annotate(Value::Null))).await?;
    support::eventually(&yard.items, "i", |item| {
        let last = item.status.clone().unwrap_or_default().extension.last_operation;
        last.is_some_and(|last| last.state == extension::OperationState::Processing)
    })
    .await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_is_handed_over_without_touching_what_exists() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), delayed("two", "24h")])).await?;
    yard.ready("b").await?;
    yard.apply("b", json!([map("one")])).await?;
    support::eventually(&yard.maps, "two", |map| stamp(map).is_some()).await?;
    yard.ready("b").await?;
    let (one, two) = (yard.maps.get("one").await?, yard.maps.get("two").await?);
    let ask = |operation: &str| json!({"metadata": {"annotations": {"slipway.dev/operation": operation}}});
    yard.bundles.patch("b", &PatchParams::default(), &Patch::Merge(&ask("migrate"))).await?;
    let handed = support::eventually(&yard.bundles, "b", |bundle| bundle.finalizers().is_empty()).await?;
    let state = handed.status.clone().unwrap_or_default().extension.state.unwrap_or_default();
    assert_eq!(state["inventory"]["entries"].as_array().map(Vec::len), Some(2), "{state}");
    a_while().await;
    assert_eq!((yard.maps.get("one").await?, yard.maps.get("two").await?), (one.clone(), two.clone()));
    // Whoever takes it over knows nothing but the state.
    let secrets: Api<Secret> = yard.namespace.api();
    secrets.delete("slipway.bundle.v1.b", &DeleteParams::default()).await?;
    yard.bundles.patch("b", &PatchParams::default(), &Patch::Merge(&ask("restore"))).await?;
    support::eventually(&yard.bundles, "b", |bundle| {
        condition(bundle, "Ready") == Some("True")
            && !bundle.finalizers().is_empty()
            && bundle.annotations().get("slipway.dev/operation").is_none()
    })
    .await?;
    secrets.get("slipway.bundle.v1.b").await?;
    assert_eq!(yard.maps.get("one").await?.uid(), one.uid());
    assert_eq!(stamp(&yard.maps.get("two").await?), stamp(&two), "its countdown goes on");
    yard.bundles.delete("b", &DeleteParams::default()).await?;
    support::gone(&yard.maps, "one").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_with_bindsecret_looks_into_the_secret_of_the_binding() -> Done {
    let yard = Yard::new().await?;
    all_rights(&yard).await?;
    // What a binding is to a Bundle: an object that says which Secret it has made.
    let definitions = catalog_definition();
    let api: Api<
        k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    > = Api::all(yard.cluster.client());
    let name = definitions.name_any();
    api.patch(&name, &PatchParams::apply("tests").force(), &Patch::Apply(&definitions)).await?;
    support::eventually(&api, &name, |definition| {
        let conditions = definition.status.iter().flat_map(|status| status.conditions.iter().flatten());
        conditions.into_iter().any(|it| it.type_ == "Established" && it.status == "True")
    })
    .await?;
    let secrets: Api<Secret> = yard.namespace.api();
    let password = base64::engine::general_purpose::STANDARD.encode("geheim");
    support::create(&secrets, json!({"metadata": {"name": "made"}, "data": {"password": password}})).await?;
    let binding = json!({"name": "binding", "spec": {"object": {
        "apiVersion": "servicecatalog.slipway.dev/v1alpha1", "kind": "ServiceBinding", "metadata": {
            "name": "binding", "annotations": {"slipway.dev/wait": "false"},
        },
        "spec": {"instanceRef": {"name": "db"}, "secretName": "made"},
    }}});
    let mut app = map_with("app", json!({}), json!({"password": "!{password}"}));
    app["references"] = json!([
        {"name": "password", "resource": "binding", "path": "data.password", "modifier": "bindsecret"},
    ]);
    yard.apply("b", json!([binding, app])).await?;
    yard.ready("b").await?;
    assert_eq!(yard.maps.get("app").await?.data.unwrap_or_default()["password"], "geheim");
    let all = secrets.list(&ListParams::default()).await?;
    assert!(all.iter().any(|secret| secret.name_any() == "made"), "it stays whose it was");
    Ok(())
}

fn catalog_definition()
-> k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition {
    use kube::CustomResourceExt as _;
    catalog::kinds::ServiceBinding::crd()
}
