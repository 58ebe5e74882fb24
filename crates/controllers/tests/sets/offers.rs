//! What DeployItems and Bundles offer beside the documents: sources, targets, interruption, hand-over.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::deploy_items::archive;
use crate::removal::all_rights;
use crate::yard::{Done, Yard, a_while, condition, delayed, map, map_with, stamp};

/// Answers requests for these files, on a loopback port, for as long as the runtime lives.
async fn files(files: BTreeMap<String, Vec<u8>>) -> std::io::Result<String> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let files = Arc::new(files);
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let files = Arc::clone(&files);
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
                let (code, body) =
                    files.get(&path).map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body.clone()));
                let head =
                    format!("HTTP/1.1 {code}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                let _ = connection.write_all(head.as_bytes()).await;
                let _ = connection.write_all(&body).await;
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
