//! The client against a registry in this process.

use tempfile::TempDir;

use super::*;
use crate::remote::notice::Transcript;
use crate::remote::testing::{FakeRegistry, Guard, Response, Server, archive};

fn client(home: &TempDir, auth: BasicAuth) -> Registry {
    let options = RegistryOptions {
        config: home.path().join("config.json"),
        docker_config: Some(home.path().join("docker.json")),
        auth,
        plain_http: true,
        ..RegistryOptions::default()
    };
    Registry::new(Http::new(), options).impatient()
}

fn anonymous(home: &TempDir) -> Registry {
    client(home, BasicAuth::default())
}

fn me(password: &str) -> BasicAuth {
    BasicAuth { username: "me".into(), password: password.into() }
}

async fn push(client: &Registry, host: &str, provenance: Option<&str>) -> Result<String, String> {
    let mut heard = Transcript::default();
    let name = format!("{host}/team/app:1.0.0+b.1");
    let provenance = provenance.map(|text| text.as_bytes().to_vec());
    let pushed = client.push(archive("app", "1.0.0+b.1"), provenance, &name, "now", &mut heard).await;
    pushed.map(|_| heard.said).map_err(|error| error.to_string().replace(host, "HOST"))
}

async fn pull(client: &Registry, name: &str, wanted: Wanted) -> Result<Pulled, String> {
    client.pull(name, wanted, &mut Transcript::default()).await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn what_is_pushed_can_be_pulled() {
    let home = tempfile::tempdir().unwrap();
    for guard in [Guard::Open, Guard::Basic, Guard::Bearer] {
        let registry = FakeRegistry::start(guard);
        let host = registry.server.host();
        let client = client(&home, me("secret"));
        let said = push(&client, &host, Some("signature")).await.unwrap();
        assert!(said.starts_with(&format!("Pushed: {host}/team/app:1.0.0_b.1\nDigest: sha256:")), "{said}");
        assert!(said.contains("contains an underscore.\n\nOCI artifact references"), "{said}");
        let pulled = pull(&client, &format!("oci://{host}/team/app:1.0.0+b.1"), Wanted::Both).await.unwrap();
        assert_eq!(pulled.provenance, b"signature");
        let loaded = crate::load::load_archive(&pulled.chart).unwrap();
        assert_eq!(loaded.chart.metadata.version, "1.0.0+b.1");
        assert_eq!(pulled.config, br#"{"name":"app","version":"1.0.0+b.1","apiVersion":"v2"}"#);
        let digest = &pulled.manifest.digest;
        let by_digest = pull(&client, &format!("{host}/team/app@{digest}"), Wanted::Chart).await.unwrap();
        assert_eq!(by_digest.chart, pulled.chart);
    }
}

#[tokio::test]
async fn the_manifest_is_the_one_that_helm_makes() {
    let home = tempfile::tempdir().unwrap();
    let registry = FakeRegistry::start(Guard::Open);
    push(&anonymous(&home), &registry.server.host(), None).await.unwrap();
    let state = registry.state.lock().unwrap();
    let (media_type, manifest) = &state.manifests[&("team/app".to_owned(), "1.0.0_b.1".to_owned())];
    assert_eq!(media_type, "application/vnd.oci.image.manifest.v1+json");
    let text = String::from_utf8_lossy(manifest).into_owned();
    let layer = text.split("\"layers\":").nth(1).unwrap();
    let layer_digest = layer.split('"').nth(7).unwrap();
    let size = state.blobs[layer_digest].len();
    let text = text.replace(layer_digest, "sha256:LAYER").replace(&format!("\"size\":{size}"), "\"size\":0");
    insta::assert_snapshot!(text, @r#"{"schemaVersion":2,"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","digest":"sha256:3e3194d19cbc061e7f0b0666cebeb11764b336c296e0c42484b9b800ec68e777","size":54},"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","digest":"sha256:LAYER","size":0}],"annotations":{"org.opencontainers.image.created":"now","org.opencontainers.image.title":"app","org.opencontainers.image.version":"1.0.0+b.1"}}"#);
}

#[tokio::test]
async fn blobs_that_are_there_are_not_sent_again() {
    let home = tempfile::tempdir().unwrap();
    let registry = FakeRegistry::start(Guard::Open);
    let client = anonymous(&home);
    let host = registry.server.host();
    let name = format!("{host}/team/app:1.0.0");
    let bytes = archive("app", "1.0.0");
    for _ in 0..2 {
        client.push(bytes.clone(), None, &name, "now", &mut Transcript::default()).await.unwrap();
    }
    let uploads = registry.server.requests().iter().filter(|request| request.method == "POST").count();
    assert_eq!(uploads, 2, "the archive and the config, once");
}

#[tokio::test]
async fn without_credentials_closed_registries_refuse() {
    let home = tempfile::tempdir().unwrap();
    let registry = FakeRegistry::start(Guard::Basic);
    let host = registry.server.host();
    let refused =
        pull(&anonymous(&home), &format!("{host}/team/app:1.0.0"), Wanted::Chart).await.unwrap_err();
    assert_eq!(
        refused.replace(&host, "HOST"),
        "failed to perform \"FetchReference\" on source: GET \"http://HOST/v2/team/app/manifests/1.0.0\": \
         basic credential not found"
    );
    let wrong = push(&client(&home, me("wrong")), &host, None).await.unwrap_err();
    assert!(
        wrong.contains("response status code 401: unauthorized: authentication required")
            || wrong.contains("response status code 401: Unauthorized"),
        "{wrong}"
    );
    assert!(!wrong.contains("wrong\""), "{wrong}");
    let bearer = FakeRegistry::start(Guard::Bearer);
    let wrong = push(&client(&home, me("wrong")), &bearer.server.host(), None).await.unwrap_err();
    assert!(
        wrong.contains("/token?") && wrong.contains("response status code 401: unauthorized: who are you"),
        "{wrong}"
    );
}

#[tokio::test]
async fn logging_in_keeps_what_the_registry_accepted() {
    let home = tempfile::tempdir().unwrap();
    for guard in [Guard::Basic, Guard::Bearer] {
        let registry = FakeRegistry::start(guard);
        let host = registry.server.host();
        let mut heard = Transcript::default();
        let error = client(&home, me("wrong")).login(&host, &mut heard).await.unwrap_err().to_string();
        assert!(error.starts_with(&format!("authenticating to \"{host}\": ")), "{error}");
        assert!(!home.path().join("config.json").exists());

        client(&home, me("secret")).login(&host, &mut heard).await.unwrap();
        let kept = std::fs::read_to_string(home.path().join("config.json")).unwrap();
        assert_eq!(
            kept,
            format!(
                "{{\n\t\"auths\": {{\n\t\t\"{host}\": {{\n\t\t\t\"auth\": \"bWU6c2VjcmV0\"\n\t\t}}\n\t}}\n}}"
            )
        );
        push(&anonymous(&home), &host, None).await.unwrap();

        anonymous(&home).logout(&host, &mut heard).await.unwrap();
        assert_eq!(heard.said, format!("Login Succeeded\nRemoving login credentials for {host}\n"));
        assert!(push(&anonymous(&home), &host, None).await.is_err());
        std::fs::remove_file(home.path().join("config.json")).unwrap();
    }
}

#[tokio::test]
async fn docker_credentials_are_the_second_choice() {
    let home = tempfile::tempdir().unwrap();
    let registry = FakeRegistry::start(Guard::Basic);
    let host = registry.server.host();
    let docker = format!(r#"{{"auths":{{"https://{host}/v1/":{{"auth":"bWU6c2VjcmV0"}}}}}}"#);
    std::fs::write(home.path().join("docker.json"), docker).unwrap();
    push(&anonymous(&home), &host, None).await.unwrap();
    let own = format!(r#"{{"auths":{{"{host}":{{"auth":"bWU6d3Jvbmc="}}}}}}"#);
    std::fs::write(home.path().join("config.json"), own).unwrap();
    push(&anonymous(&home), &host, None).await.unwrap_err();
}

#[tokio::test]
async fn registries_out_of_breath_are_asked_again() {
    let home = tempfile::tempdir().unwrap();
    let registry = FakeRegistry::start(Guard::Open);
    let host = registry.server.host();
    let busy = || Response::new(429, "").with("retry-after", "1");
    registry.edit(|state| state.fail("/blobs/uploads", [busy(), Response::new(503, "")]));
    push(&anonymous(&home), &host, None).await.unwrap();
    registry.edit(|state| state.fail("/manifests/", (0..6).map(|_| busy())));
    let error =
        pull(&anonymous(&home), &format!("{host}/team/app:1.0.0+b.1"), Wanted::Chart).await.unwrap_err();
    assert!(error.ends_with("response status code 429: Too Many Requests"), "{error}");
    registry
        .edit(|state| state.fail("/manifests/", [Response::new(403, r#"{"errors":[{"code":"DENIED"}]}"#)]));
    let error =
        pull(&anonymous(&home), &format!("{host}/team/app:1.0.0+b.1"), Wanted::Chart).await.unwrap_err();
    assert!(error.ends_with("response status code 403: denied"), "{error}");
}

#[tokio::test]
async fn what_is_not_what_it_claims_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let registry = FakeRegistry::start(Guard::Open);
    let host = registry.server.host();
    let client = anonymous(&home);
    push(&client, &host, None).await.unwrap();
    let name = format!("{host}/team/app:1.0.0+b.1");
    let whole = pull(&client, &name, Wanted::Chart).await.unwrap();
    let layer = whole.chart_descriptor.digest.clone();
    let size = whole.chart.len();

    registry.edit(|state| *state.blobs.get_mut(&layer).unwrap() = vec![b'x'; size]);
    let error = pull(&client, &name, Wanted::Chart).await.unwrap_err();
    assert_eq!(error, format!("failed to perform \"Fetch\" on source: {layer}: mismatched digest"));

    registry.edit(|state| *state.blobs.get_mut(&layer).unwrap() = vec![b'x'; size + 1]);
    let error = pull(&client, &name, Wanted::Chart).await.unwrap_err();
    assert!(error.ends_with("mismatch Content-Length"), "{error}");

    let chunk = format!("{:x}\r\n{}\r\n0\r\n\r\n", size * 2, "x".repeat(size * 2));
    let endless = Response::new(200, chunk).with("transfer-encoding", "chunked");
    registry.edit(|state| state.fail("/blobs/", [Response::new(200, whole.config.clone()), endless]));
    let error = pull(&client, &name, Wanted::Chart).await.unwrap_err();
    assert!(error.ends_with(&format!("the answer is larger than {size} bytes")), "{error}");

    registry.edit(|state| {
        state.blobs.remove(&layer);
    });
    let error = pull(&client, &name, Wanted::Chart).await.unwrap_err();
    assert_eq!(error, format!("failed to perform \"Fetch\" on source: {layer}: not found"));

    let other = Response::new(200, "{}").with("content-type", "application/vnd.oci.image.manifest.v1+json");
    registry.edit(|state| state.fail("/manifests/", [other]));
    let by_digest = format!("{host}/team/app@{}", whole.manifest.digest);
    let error = pull(&client, &by_digest, Wanted::Chart).await.unwrap_err();
    assert!(error.contains("digest mismatch in Docker-Content-Digest"), "{error}");

    let huge = Response::new(200, "").with("content-length", "9999999");
    registry.edit(|state| state.fail("/manifests/", [huge]));
    let error = pull(&client, &name, Wanted::Chart).await.unwrap_err();
    assert!(error.ends_with("the answer is larger than 4194304 bytes"), "{error}");
}

#[tokio::test]
async fn other_artifacts_are_not_charts() {
    let home = tempfile::tempdir().unwrap();
    let registry = FakeRegistry::start(Guard::Open);
    let host = registry.server.host();
    let client = anonymous(&home);
    let manifest = "application/vnd.oci.image.manifest.v1+json";
    registry.edit(|state| {
        let config = state.put_blob(b"{}");
        let image = r#"{"schemaVersion":2,"config":{"mediaType":"application/vnd.oci.image.config.v1+json"},"layers":[]}"#;
        state.put_manifest("a", "image", manifest, image.as_bytes());
        state.put_manifest("a", "docker", "application/vnd.docker.distribution.manifest.v2+json", b"{}");
        let bare = format!(r#"{{"config":{{"mediaType":"{CONFIG_MEDIA_TYPE}","digest":"{config}","size":2}}}}"#);
        state.put_manifest("a", "bare", manifest, bare.as_bytes());
    });
    for (tag, expected) in [
        ("image", "manifest does not contain minimum number of descriptors (2), descriptors found: 1"),
        ("docker", "manifest does not contain minimum number of descriptors (2), descriptors found: 0"),
        (
            "bare",
            "manifest does not contain a layer with mediatype application/vnd.cncf.helm.chart.content.v1.tar+gzip",
        ),
    ] {
        assert_eq!(pull(&client, &format!("{host}/a:{tag}"), Wanted::Chart).await.unwrap_err(), expected);
    }
    let error = pull(&client, &format!("{host}/a:bare"), Wanted::Provenance).await.unwrap_err();
    assert_eq!(error, format!("manifest does not contain a layer with mediatype {PROVENANCE_MEDIA_TYPE}"));
    let error = pull(&client, &format!("{host}/a:none"), Wanted::Chart).await.unwrap_err();
    assert_eq!(error, format!("failed to perform \"FetchReference\" on source: {host}/a:none: not found"));
}

#[tokio::test]
async fn charts_behind_an_index_and_of_the_old_kind_are_found() {
    let home = tempfile::tempdir().unwrap();
    let registry = FakeRegistry::start(Guard::Open);
    let host = registry.server.host();
    registry.edit(|state| {
        let config = state.put_blob(b"{}");
        let layer = state.put_blob(b"archive");
        let chart = format!(
            r#"{{"config":{{"mediaType":"{CONFIG_MEDIA_TYPE}","digest":"{config}","size":2}},"layers":[{{"mediaType":"{LEGACY_CHART_MEDIA_TYPE}","digest":"{layer}","size":7}}]}}"#
        );
        let kind = "application/vnd.oci.image.manifest.v1+json";
        state.put_manifest("a", "inner", kind, chart.as_bytes());
        let digest = crate::remote::sha256_hex(chart.as_bytes());
        let index = format!(r#"{{"manifests":[{{"mediaType":"{kind}","digest":"sha256:{digest}","size":1}}]}}"#);
        state.put_manifest("a", "index", "application/vnd.oci.image.index.v1+json", index.as_bytes());
    });
    let mut heard = Transcript::default();
    let client = anonymous(&home);
    let pulled = client.pull(&format!("{host}/a:index"), Wanted::Chart, &mut heard).await.unwrap();
    assert_eq!(pulled.chart, b"archive");
    assert!(heard.said.starts_with("Warning: chart media type application/tar+gzip is deprecated\n"));
}

#[tokio::test]
async fn credentials_do_not_follow_a_redirect_to_another_server() {
    let home = tempfile::tempdir().unwrap();
    let storage = Server::start(|request| match request.header("authorization") {
        "" => Response::new(200, "{}"),
        _ => Response::new(400, "leaked"),
    });
    let registry = FakeRegistry::start(Guard::Basic);
    let host = registry.server.host();
    let place = storage.url("/blob");
    registry.edit(|state| {
        let config = format!("sha256:{}", crate::remote::sha256_hex(b"{}"));
        let chart = format!(
            r#"{{"config":{{"mediaType":"{CONFIG_MEDIA_TYPE}","digest":"{config}","size":2}},"layers":[{{"mediaType":"{CHART_MEDIA_TYPE}","digest":"{config}","size":2}}]}}"#
        );
        state.put_manifest("a", "1.0.0", "application/vnd.oci.image.manifest.v1+json", chart.as_bytes());
        let away = || Response::new(307, "").with("location", place.clone());
        state.fail("/blobs/", [away(), away()]);
    });
    let pulled = pull(&client(&home, me("secret")), &format!("{host}/a:1.0.0"), Wanted::Chart).await.unwrap();
    assert_eq!(pulled.chart, b"{}");
}

#[tokio::test]
async fn versions_are_settled_by_tags() {
    let home = tempfile::tempdir().unwrap();
    let registry = FakeRegistry::start(Guard::Bearer);
    let host = registry.server.host();
    let client = client(&home, me("secret"));
    registry.edit(|state| {
        for tag in ["1.0.0", "1.10.0", "1.9.0_b", "2.0.0-rc.1", "latest", "v3.0.0"] {
            state.put_manifest("team/app", tag, "m", b"{}");
        }
    });
    assert_eq!(
        client.tags(&format!("{host}/team/app")).await.unwrap(),
        ["2.0.0-rc.1", "1.10.0", "1.9.0+b", "1.0.0"]
    );
    let locate = async |version: &str| {
        let located = client.locate(&format!("oci://{host}/team/app"), version).await;
        located.map(|located| located.address.replace(&host, "H")).map_err(|error| error.to_string())
    };
    assert_eq!(locate("").await.unwrap(), "oci://H/team/app:1.10.0");
    assert_eq!(locate(">0.0.0-0").await.unwrap(), "oci://H/team/app:2.0.0-rc.1");
    assert_eq!(locate("~1.9").await.unwrap(), "oci://H/team/app:1.9.0+b");
    assert_eq!(locate("7.7.7").await.unwrap(), "oci://H/team/app:7.7.7");
    assert_eq!(
        locate("^3").await.unwrap_err(),
        "could not locate a version matching provided version string ^3"
    );
    let tagged = format!("oci://{host}/team/app:1.0.0");
    let mismatch = client.locate(&tagged, "1.0.1").await.unwrap_err();
    assert_eq!(mismatch.to_string(), "chart reference and version mismatch: 1.0.1 is not 1.0.0");
    assert_eq!(client.locate(&tagged, "").await.unwrap().address, tagged);
    let digest = format!("sha256:{}", crate::remote::sha256_hex(b"{}"));
    let located = client.locate(&format!("{tagged}@{digest}"), "").await.unwrap();
    assert_eq!(located.address, format!("oci://{host}/team/app@{digest}"));
    assert_eq!(located.digest, Some(digest));
    let zeros = "0".repeat(64);
    let other = client.locate(&format!("{tagged}@sha256:{zeros}"), "").await.unwrap_err().to_string();
    assert!(other.starts_with("chart reference digest mismatch: sha256:"), "{other}");
}
