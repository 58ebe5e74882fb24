//! References of every kind, against servers in this process.

use std::path::Path;

use super::*;
use crate::remote::locate::SourceOptions;
use crate::remote::notice::Transcript;
use crate::remote::repo::{RepositoryEntry, RepositoryFile};
use crate::remote::testing::{FakeRegistry, Guard, Response, Server, archive, remote};

fn configure(remote: &Remote, url: &str, index: &str, change: impl FnOnce(&mut RepositoryEntry)) {
    let mut entry = RepositoryEntry { name: "ours".into(), url: url.into(), ..RepositoryEntry::default() };
    change(&mut entry);
    let mut list = RepositoryFile::default();
    list.put(entry);
    list.write(&remote.paths.repository_config).unwrap();
    std::fs::create_dir_all(&remote.paths.repository_cache).unwrap();
    std::fs::write(remote.paths.cached_index("ours"), index).unwrap();
}

fn index(entries: &[(&str, &str, &str)]) -> String {
    let line = |(version, url, digest): &(&str, &str, &str)| {
        format!("  - {{name: app, version: {version}, urls: ['{url}'], digest: '{digest}'}}\n")
    };
    format!("apiVersion: v1\nentries:\n  app:\n{}", entries.iter().map(line).collect::<String>())
}

async fn locate(
    remote: &Remote,
    name: &str,
    options: &SourceOptions,
) -> Result<(String, Transcript), String> {
    let mut heard = Transcript::default();
    let path = remote.locate_chart(name, options, &mut heard).await.map_err(|error| error.to_string())?;
    let chart = crate::load(&path).map_err(|error| error.to_string())?.chart;
    Ok((chart.metadata.version, heard))
}

#[tokio::test]
async fn charts_of_configured_repositories_are_cached_by_digest() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let bytes = archive("app", "1.0.0");
    let server = Server::with_files([("/c/app-1.0.0.tgz".to_owned(), bytes.clone())]);
    let digest = sha256_hex(&bytes);
    configure(
        &remote,
        &server.url("/c"),
        &index(&[("1.0.0", "app-1.0.0.tgz", &format!("sha256:{digest}"))]),
        |_| {},
    );
    for _ in 0..2 {
        let (version, heard) = locate(&remote, "ours/app", &SourceOptions::default()).await.unwrap();
        assert_eq!((version.as_str(), heard.warnings.len()), ("1.0.0", 0));
    }
    assert_eq!(server.requests().len(), 1, "the second time it is in the cache");
    assert_eq!(server.requests()[0].header("accept"), "application/gzip,application/octet-stream");
    assert!(server.requests()[0].header("user-agent").starts_with("Slipway/"));
    assert!(remote.paths.content_cache.join(&digest[..2]).join(format!("{digest}.chart")).exists());
}

#[tokio::test]
async fn an_archive_that_is_not_the_listed_one_is_told_of() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let server = Server::with_files([("/app.tgz".to_owned(), archive("app", "1.0.0"))]);
    configure(&remote, &server.url(""), &index(&[("1.0.0", "app.tgz", &"0".repeat(64))]), |_| {});
    let (_, heard) = locate(&remote, "ours/app", &SourceOptions::default()).await.unwrap();
    assert!(heard.warnings[0].message.contains("not the one that the index"));
    locate(&remote, "ours/app", &SourceOptions::default()).await.unwrap();
    assert_eq!(server.requests().len(), 2, "it is not kept under a digest it does not have");
}

#[tokio::test]
async fn references_that_lead_nowhere_say_why() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    configure(
        &remote,
        "http://127.0.0.1:1",
        &index(&[("1.0.0", "app.tgz", "abc"), ("2.0.0", "", "")]),
        |_| {},
    );
    let said = async |name: &str, version: &str| {
        let options = SourceOptions { version: version.into(), ..SourceOptions::default() };
        locate(&remote, name, &options).await.map(|(version, _)| version).unwrap_err()
    };
    assert_eq!(said("./nothing", "").await, "path \"./nothing\" not found");
    assert_eq!(said("/nothing", "").await, "path \"/nothing\" not found");
    assert_eq!(
        said("nothing", "").await,
        "non-absolute URLs should be in form of repo_name/path_to_chart, got: nothing"
    );
    assert_eq!(said("theirs/app", "").await, "repo theirs not found");
    assert_eq!(
        said("ours/none", "").await,
        "chart \"none\" matching  not found in ours index. (try 'helm repo update'): no chart name found"
    );
    assert_eq!(
        said("ours/app", "^9").await,
        "chart \"app\" matching ^9 not found in ours index. (try 'helm repo update'): no chart version found for app-^9"
    );
    assert_eq!(said("ours/app", "1.0.0").await, "invalid digest \"abc\"");
    assert_eq!(
        said("http://127.0.0.1:1/x.tgz", "").await,
        "Get \"http://127.0.0.1:1/x.tgz\": dial tcp 127.0.0.1:1: connect: connection refused"
    );
    assert_eq!(said(":bad", "").await, "invalid chart URL format: :bad");
    std::fs::remove_file(remote.paths.cached_index("ours")).unwrap();
    let missing = said("ours/app", "").await;
    assert!(missing.starts_with("no cached repo found. (try 'helm repo update'): open "), "{missing}");
}

#[tokio::test]
async fn credentials_of_a_repository_stay_with_it() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let bytes = archive("app", "1.0.0");
    let other = Server::with_files([("/app.tgz".to_owned(), bytes.clone())]);
    let ours = Server::with_files([("/app.tgz".to_owned(), bytes)]);
    let text = index(&[("1.0.0", &ours.url("/app.tgz"), ""), ("2.0.0", &other.url("/app.tgz"), "")]);
    let secret = |entry: &mut RepositoryEntry| {
        entry.username = "me".into();
        entry.password = "secret".into();
    };
    configure(&remote, &ours.url(""), &text, secret);
    let version = |version: &str| SourceOptions { version: version.into(), ..SourceOptions::default() };
    locate(&remote, "ours/app", &version("1.0.0")).await.unwrap();
    locate(&remote, "ours/app", &version("2.0.0")).await.unwrap();
    // By address, the repository that lists it is found, and its credentials used.
    locate(&remote, &ours.url("/app.tgz"), &version("")).await.unwrap();
    let sent = |server: &Server| {
        server.requests().iter().map(|request| request.header("authorization").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(sent(&ours), ["Basic bWU6c2VjcmV0"; 2]);
    assert_eq!(sent(&other), [""]);
    configure(&remote, &ours.url(""), &text, |entry| {
        secret(entry);
        entry.pass_credentials_all = true;
    });
    locate(&remote, "ours/app", &version("2.0.0")).await.unwrap();
    assert_eq!(sent(&other), ["", "Basic bWU6c2VjcmV0"]);
}

#[tokio::test]
async fn a_repository_by_its_address_keeps_its_query() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let bytes = archive("app", "1.0.0");
    let text = index(&[("1.0.0", "app.tgz", "")]);
    let server = Server::start(move |request| match request.target.as_str() {
        "/c/index.yaml?sig=a%2Fb" => Response::new(200, text.clone()),
        "/c/app.tgz?sig=a%2Fb" => Response::new(200, bytes.clone()),
        _ => Response::new(404, ""),
    });
    let options = SourceOptions { repository: server.url("/c?sig=a%2Fb"), ..SourceOptions::default() };
    assert_eq!(locate(&remote, "app", &options).await.unwrap().0, "1.0.0");
}

#[tokio::test]
async fn archives_too_large_are_not_read() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let server = Server::start(|_| Response::new(200, "x").with("content-length", "99999999999"));
    let error =
        locate(&remote, &server.url("/app.tgz"), &SourceOptions::default()).await.map(|_| ()).unwrap_err();
    assert!(error.ends_with("the answer is larger than 268435456 bytes"), "{error}");
}

#[tokio::test]
async fn charts_of_registries_are_located() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let registry = FakeRegistry::start(Guard::Open);
    let host = registry.server.host();
    let client = remote.registry(BasicAuth::default(), TlsOptions::default(), true);
    for version in ["1.0.0", "1.1.0"] {
        let name = format!("{host}/team/app:{version}");
        client.push(archive("app", version), None, &name, "now", &mut Transcript::default()).await.unwrap();
    }
    let options = |version: &str| SourceOptions {
        version: version.into(),
        plain_http: true,
        ..SourceOptions::default()
    };
    let name = format!("oci://{host}/team/app");
    assert_eq!(locate(&remote, &name, &options("")).await.unwrap().0, "1.1.0");
    assert_eq!(locate(&remote, &name, &options("<1.1")).await.unwrap().0, "1.0.0");
    assert_eq!(locate(&remote, &format!("{name}:1.0.0"), &options("")).await.unwrap().0, "1.0.0");
}

#[tokio::test]
async fn values_are_read_by_address() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let server = Server::with_files([("/values.yaml".to_owned(), b"a: 1".to_vec())]);
    assert_eq!(remote.read_file(&server.url("/values.yaml")).await.unwrap(), b"a: 1");
    let path = home.path().join("values.yaml");
    std::fs::write(&path, "b: 2").unwrap();
    assert_eq!(remote.read_file(path.to_str().unwrap()).await.unwrap(), b"b: 2");
    let missing = remote.read_file("nothing.yaml").await.unwrap_err();
    assert_eq!(missing.to_string(), "open nothing.yaml: no such file or directory");
    let missing = remote.read_file(&server.url("/none")).await.unwrap_err();
    assert_eq!(missing.to_string(), format!("failed to fetch {} : 404 Not Found", server.url("/none")));
}

#[test]
fn files_are_named_by_their_address() {
    let name = |address: &str| file_name(address).map_err(|error| error.to_string());
    assert_eq!(name("https://a/b/app-1.0.0.tgz?x=y"), Ok("app-1.0.0.tgz".into()));
    assert_eq!(name("oci://a:1/b/app:1.0.0+x"), Ok("app-1.0.0+x.tgz".into()));
    assert_eq!(name("oci://a/app@sha256:ab"), Ok("app@sha256-ab.tgz".into()));
    assert_eq!(name("https://a/.."), Err("https://a/..: does not name a file".into()));
    assert_eq!(name("https://a/"), Err("https://a/: does not name a file".into()));
    assert_eq!(name("https://a/..%2F..%2Fetc%2Fpasswd"), Ok("passwd".into()));
}

#[tokio::test]
async fn signatures_are_checked_where_asked() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/remote/provenance/testdata");
    let read = |name: &str| std::fs::read(data.join(name)).unwrap();
    let server = Server::with_files([
        ("/signed-1.2.3.tgz".to_owned(), read("signed-1.2.3.tgz")),
        ("/signed-1.2.3.tgz.prov".to_owned(), read("rsa.prov")),
        ("/bare-1.0.0.tgz".to_owned(), archive("bare", "1.0.0")),
    ]);
    let options =
        SourceOptions { verify: true, keyring: data.join("public.gpg"), ..SourceOptions::default() };
    locate(&remote, &server.url("/signed-1.2.3.tgz"), &options).await.unwrap();
    let bare = server.url("/bare-1.0.0.tgz");
    let error = locate(&remote, &bare, &options).await.map(|_| ()).unwrap_err();
    assert_eq!(error, format!("failed to fetch provenance \"{bare}.prov\""));
    let strangers = SourceOptions { keyring: data.join("expired-secret.gpg"), ..options };
    let error = locate(&remote, &server.url("/signed-1.2.3.tgz"), &strangers).await.map(|_| ()).unwrap_err();
    assert_eq!(error, "openpgp: signature made by unknown entity");

    let registry = remote.registry(BasicAuth::default(), TlsOptions::default(), true);
    let download = DownloadOptions { verify: Verify::IfPossible, ..DownloadOptions::default() };
    let downloader = Downloader { remote: &remote, registry: &registry, options: download };
    let mut heard = Transcript::default();
    let fetched = downloader.to_directory(&bare, "", home.path(), &mut heard).await.unwrap();
    assert_eq!(fetched.verification, None);
    assert!(heard.said.starts_with(&format!("WARNING: Verification not found for {bare}: failed to fetch ")));
}
