//! Repositories against a server in this process.

use std::path::Path;

use super::search::Query;
use super::*;
use crate::remote::http::BasicAuth;
use crate::remote::notice::Transcript;
use crate::remote::testing::{Response, Server, archive, remote};

const INDEX: &str = "\
apiVersion: v1
generated: 2026-01-01T00:00:00Z
entries:
  app:
  - {name: app, version: 1.0.0, description: The first, urls: [app-1.0.0.tgz], created: 2026-01-01T00:00:00Z, digest: abc}
  - {name: app, version: 1.10.0, description: The best, keywords: [ship, dock], urls: [charts/app-1.10.0.tgz]}
  - {name: app, version: 1.9.0, appVersion: 9, urls: ['https://elsewhere/app-1.9.0.tgz']}
  - {name: app, version: 2.0.0-rc.1, urls: [app-2.0.0-rc.1.tgz]}
  other:
  - {name: other, version: 0.1.0, description: Uses the app}
";

fn parse(text: &str) -> Result<(Index, Vec<String>), String> {
    let mut heard = Transcript::default();
    let index = Index::parse(text.as_bytes(), "SOURCE", &mut heard).map_err(|error| error.to_string())?;
    Ok((index, heard.warnings.iter().map(ToString::to_string).collect()))
}

fn versions(index: &Index, name: &str) -> Vec<String> {
    index.entries[name].iter().map(|entry| entry.metadata.version.clone()).collect()
}

#[test]
fn the_newest_version_comes_first() {
    let (index, warnings) = parse(INDEX).unwrap();
    assert_eq!(versions(&index, "app"), ["2.0.0-rc.1", "1.10.0", "1.9.0", "1.0.0"]);
    assert_eq!(warnings, [] as [&str; 0]);
    assert_eq!(index.entries["app"][2].metadata.app_version, "9");
}

#[test]
fn versions_are_found_by_range() {
    let (index, _) = parse(INDEX).unwrap();
    let get = |name: &str, version: &str| {
        let mut heard = Transcript::default();
        let found = index.get(name, version, &mut heard);
        let found = found.map(|entry| entry.metadata.version.clone()).map_err(|error| error.to_string());
        (found, heard.warnings.len())
    };
    let ok = |version: &str, warnings: usize| (Ok(version.to_owned()), warnings);
    assert_eq!(get("app", ""), ok("1.10.0", 0));
    assert_eq!(get("app", "~1.9"), ok("1.9.0", 0));
    assert_eq!(get("app", ">0.0.0-0"), ok("2.0.0-rc.1", 0));
    assert_eq!(get("app", "2.0.0-rc.1"), ok("2.0.0-rc.1", 0));
    assert_eq!(get("app", "1.9"), ok("1.9.0", 1));
    assert_eq!(get("app", "1.x"), ok("1.10.0", 0));
    assert_eq!(get("none", ""), (Err("no chart name found".into()), 0));
    assert_eq!(get("app", "^3"), (Err("no chart version found for app-^3".into()), 0));
    assert!(get("app", "not a range").0.is_err());
}

#[test]
fn bad_entries_are_passed_over() {
    let (index, warnings) = parse(
        "apiVersion: v1\nentries:\n  app:\n  - name: app\n    version: not.a.version\n  - null\n  - {name: app, version: 1.0.0}\n  - {version: 1.0.0}\n  none: null\n",
    )
    .unwrap();
    assert_eq!(versions(&index, "app"), ["1.0.0"]);
    assert_eq!(index.entries["none"].len(), 0);
    insta::assert_snapshot!(warnings.join("\n"), @r#"
    level=WARN msg="skipping loading invalid entry for chart" name=app version=1.0.0 source=SOURCE error="validation: chart.metadata.name is required"
    level=WARN msg="skipping loading invalid entry for chart: empty entry" name=app source=SOURCE
    level=WARN msg="skipping loading invalid entry for chart" name=app version=not.a.version source=SOURCE error="validation: chart.metadata.version \"not.a.version\" is invalid"
    "#);
}

#[test]
fn dependencies_without_their_aliases_are_forgiven() {
    let (index, warnings) = parse(
        "apiVersion: v1\nentries:\n  app:\n  - {name: app, version: 1.0.0, dependencies: [{name: a, repository: ''}, {name: a, repository: ''}]}\n",
    )
    .unwrap();
    assert_eq!((versions(&index, "app").len(), warnings.len()), (1, 0));
}

#[test]
fn what_is_no_index_is_refused() {
    for (text, expected) in [
        ("", "empty index.yaml file"),
        ("entries: {}", "no API version specified"),
        (
            "apiVersion: v1\nsurprise: 1",
            "error unmarshaling JSON: while decoding JSON: json: unknown field \"surprise\"",
        ),
        (
            "apiVersion: v1\nentries: {a: [{name: a, version: 1.0.0, surprise: 1}]}",
            "error unmarshaling JSON: while decoding JSON: json: unknown field \"surprise\"",
        ),
    ] {
        assert_eq!(parse(text).map(|_| ()).unwrap_err(), expected);
    }
    assert!(parse("apiVersion: v1\napiVersion: v1\n").is_err(), "keys are unique in YAML");
    assert!(parse("apiVersion: v1\ngenerated: yesterday\n").is_err());
}

#[test]
fn json_is_read_leniently() {
    let text =
        r#"{"apiVersion":"v1","surprise":1,"entries":{"a":[{"name":"a","version":"1.0.0","surprise":1}]}}"#;
    assert_eq!(versions(&parse(text).unwrap().0, "a"), ["1.0.0"]);
}

fn entry(name: &str, url: String) -> RepositoryEntry {
    RepositoryEntry { name: name.into(), url, ..RepositoryEntry::default() }
}

#[tokio::test]
async fn repositories_are_added_updated_and_removed() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let server = Server::with_files([("/charts/index.yaml".to_owned(), INDEX.into())]);
    let mut heard = Transcript::default();
    let ours = entry("ours", server.url("/charts"));
    remote.add_repository(ours.clone(), AddOptions::default(), &mut heard).await.unwrap();
    remote.add_repository(ours, AddOptions::default(), &mut heard).await.unwrap();
    let names = std::fs::read_to_string(remote.paths.cached_names("ours")).unwrap();
    assert_eq!(names, "app\nother\n");
    assert_eq!(std::fs::read_to_string(remote.paths.cached_index("ours")).unwrap(), INDEX);
    assert_eq!(remote.chart_names("ours", &mut heard), ["app", "other"]);

    let taken =
        remote.add_repository(entry("ours", "http://x".into()), AddOptions::default(), &mut heard).await;
    assert_eq!(
        taken.unwrap_err().to_string(),
        "repository name (ours) already exists, please specify a different name"
    );
    remote.update_repositories(&[], None, &mut heard).await.unwrap();
    let unknown = remote.update_repositories(&["no".into()], None, &mut heard).await.unwrap_err();
    assert_eq!(unknown.to_string(), "no repositories found matching 'no'.  Nothing will be updated");
    remote.remove_repositories(&["ours".into()], &mut heard).await.unwrap();
    assert!(!remote.paths.cached_index("ours").exists());
    let none = remote.remove_repositories(&["ours".into()], &mut heard).await.unwrap_err();
    assert_eq!(none.to_string(), "no repositories configured");
    insta::assert_snapshot!(heard.said, @r#"
    "ours" has been added to your repositories
    "ours" already exists with the same configuration, skipping
    Hang tight while we grab the latest from your chart repositories...
    ...Successfully got an update from the "ours" chart repository
    Update Complete. ⎈Happy Helming!⎈
    "ours" has been removed from your repositories
    "#);
}

#[tokio::test]
async fn what_is_no_repository_is_not_added() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let server = Server::with_files([("/bad/index.yaml".to_owned(), b"entries: {}".to_vec())]);
    let add = async |name: &str, url: String| {
        let mut heard = Transcript::default();
        let added = remote.add_repository(entry(name, url), AddOptions::default(), &mut heard).await;
        added.unwrap_err().to_string().replace(&server.host(), "HOST")
    };
    assert_eq!(
        add("x", server.url("/none")).await,
        "looks like \"http://HOST/none\" is not a valid chart repository or cannot be reached: failed to fetch http://HOST/none/index.yaml : 404 Not Found"
    );
    assert_eq!(
        add("x", server.url("/bad")).await,
        "looks like \"http://HOST/bad\" is not a valid chart repository or cannot be reached: no API version specified"
    );
    assert_eq!(
        add("x", "http://127.0.0.1:1/".into()).await,
        "looks like \"http://127.0.0.1:1/\" is not a valid chart repository or cannot be reached: Get \"http://127.0.0.1:1/index.yaml\": dial tcp 127.0.0.1:1: connect: connection refused"
    );
    assert_eq!(add("x", "ftp://x".into()).await, "could not find protocol handler for: ftp");
    assert_eq!(
        add("a/b", server.url("/none")).await,
        "repository name (a/b) contains '/', please specify a different name without '/'"
    );
    assert_eq!(
        add("x", "https://kubernetes-charts.storage.googleapis.com".into()).await,
        "repo \"https://kubernetes-charts.storage.googleapis.com\" is no longer available; try \"https://charts.helm.sh/stable\" instead"
    );
    assert!(!remote.paths.repository_config.exists());
}

#[tokio::test]
async fn an_update_goes_on_after_a_failure() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let server = Server::with_files([("/good/index.yaml".to_owned(), INDEX.into())]);
    let mut list = RepositoryFile::default();
    list.put(entry("bad", server.url("/bad")));
    list.put(entry("good", server.url("/good")));
    list.write(&remote.paths.repository_config).unwrap();
    let mut heard = Transcript::default();
    let error = remote.update_repositories(&[], None, &mut heard).await.unwrap_err().to_string();
    assert_eq!(error, format!("failed to update the following repositories: [{}]", server.url("/bad")));
    assert!(heard.said.contains("...Successfully got an update from the \"good\" chart repository\n"));
    assert!(heard.said.contains("...Unable to get an update from the \"bad\" chart repository ("));
    assert!(remote.paths.cached_index("good").exists());
}

#[tokio::test]
async fn passwords_go_to_their_server_only() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let server = Server::start(|request| match (request.path(), request.header("authorization")) {
        ("/index.yaml", "Basic bWU6c2VjcmV0") => Response::new(200, INDEX),
        ("/moved/index.yaml", _) => Response::new(302, "").with("location", "/index.yaml"),
        _ => Response::new(401, ""),
    });
    let access = |url: String, password: &str| RepositoryAccess {
        url,
        auth: BasicAuth { username: "me".into(), password: password.into() },
        ..RepositoryAccess::default()
    };
    let find = async |access: RepositoryAccess, name: &str, version: &str| {
        let found = remote.find_chart(&access, name, version, &mut Transcript::default()).await;
        found.map_err(|error| error.to_string().replace(&server.host(), "HOST"))
    };
    let home_url = server.url("");
    assert_eq!(
        find(access(home_url.clone(), "secret"), "app", "").await.unwrap(),
        server.url("/charts/app-1.10.0.tgz")
    );
    assert_eq!(
        find(access(server.url("/moved"), "secret"), "app", "1.0.0").await.unwrap(),
        server.url("/moved/app-1.0.0.tgz")
    );
    let refused = find(access(home_url.clone(), "wrong"), "app", "").await.unwrap_err();
    assert!(refused.ends_with("failed to fetch http://HOST/index.yaml : 401 Unauthorized"), "{refused}");
    let none = find(access(home_url.clone(), "secret"), "app", "9.0.0").await.unwrap_err();
    assert_eq!(none, "chart \"app\" version \"9.0.0\" not found in http://HOST repository");
    let none = find(access(home_url, "secret"), "other", "").await.unwrap_err();
    assert_eq!(none, "chart \"other\" has no downloadable URLs");
}

fn search(remote: &crate::remote::Remote, query: &Query) -> Vec<String> {
    let found = remote.search(query, &mut Transcript::default()).unwrap();
    found
        .iter()
        .map(|found| format!("{} {} {}", found.name, found.chart.metadata.version, found.score))
        .collect()
}

#[test]
fn searches_find_the_nearest_first() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let mut list = RepositoryFile::default();
    list.put(entry("ours", "http://x".into()));
    list.put(entry("lost", "http://y".into()));
    list.write(&remote.paths.repository_config).unwrap();
    std::fs::create_dir_all(&remote.paths.repository_cache).unwrap();
    std::fs::write(remote.paths.cached_index("ours"), INDEX).unwrap();
    let query = |term: &str| Query { term: Some(term.into()), ..Query::default() };
    assert_eq!(search(&remote, &Query::default()), ["ours/app 1.10.0 0", "ours/other 0.1.0 0"]);
    assert_eq!(search(&remote, &query("APP")), ["ours/app 1.10.0 0", "ours/other 0.1.0 2"]);
    assert_eq!(search(&remote, &query("dock")), ["ours/app 1.10.0 3"]);
    assert_eq!(search(&remote, &query("ours/o")), ["ours/other 0.1.0 1"]);
    assert_eq!(search(&remote, &query("nothing")), [] as [&str; 0]);
    let devel = Query { devel: true, ..query("ours/app") };
    assert_eq!(search(&remote, &devel), ["ours/app 2.0.0-rc.1 1"]);
    let versions = Query { versions: true, ..query("ours/app") };
    assert_eq!(search(&remote, &versions), ["ours/app 1.10.0 1", "ours/app 1.9.0 1", "ours/app 1.0.0 1"]);
    let range = Query { version: "<1.9.5".into(), ..query("ours/app") };
    assert_eq!(search(&remote, &range), ["ours/app 1.9.0 1"]);
    let regexp = Query { regexp: true, ..query("^o.+er") };
    assert_eq!(search(&remote, &regexp), ["ours/other 0.1.0 0"]);
    let mut heard = Transcript::default();
    remote.search(&Query::default(), &mut heard).unwrap();
    assert!(
        heard.warnings[0]
            .to_string()
            .starts_with("level=WARN msg=\"repo is corrupt or missing\" repo=lost error=")
    );
    assert!(remote.search(&Query { regexp: true, ..query("(") }, &mut heard).is_err());
    let bad = Query { version: "nonsense".into(), ..query("a") };
    let error = remote.search(&bad, &mut heard).unwrap_err().to_string();
    assert!(error.starts_with("an invalid version/constraint format: "), "{error}");
}

fn written(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let hide = |line: &str| {
        let (key, rest) = line.split_once(':').unwrap_or((line, ""));
        let varies = ["digest", "created", "generated"].contains(&key.trim_start_matches([' ', '-']));
        if varies && !rest.is_empty() { format!("{key}: …") } else { line.to_owned() }
    };
    text.lines().map(hide).collect::<Vec<_>>().join("\n")
}

#[test]
fn indexes_are_made_and_merged() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("more")).unwrap();
    std::fs::write(dir.path().join("app-1.0.0.tgz"), archive("app", "1.0.0")).unwrap();
    std::fs::write(dir.path().join("app-1.1.0.tgz"), archive("app", "1.1.0")).unwrap();
    std::fs::write(dir.path().join("more/lib-0.1.0.tgz"), archive("lib", "0.1.0")).unwrap();
    std::fs::write(dir.path().join("not-a-chart.tgz"), "").unwrap();
    std::fs::write(dir.path().join("old.yaml"), INDEX).unwrap();
    let old = dir.path().join("old.yaml");
    generate::write_index(dir.path(), "https://c/x?t=1", Some(&old), false, &mut Transcript::default())
        .unwrap();
    insta::assert_snapshot!(written(&dir.path().join("index.yaml")));
    let fresh = dir.path().join("fresh.yaml");
    generate::write_index(dir.path(), "", Some(&fresh), true, &mut Transcript::default()).unwrap();
    assert!(fresh.exists());
    let json = std::fs::read_to_string(dir.path().join("index.yaml")).unwrap();
    assert!(json.starts_with("{\n  \"apiVersion\": \"v1\",\n  \"generated\": "), "{json}");
    let (index, _) = parse(&json).unwrap();
    assert_eq!(index.entries["lib"][0].urls, ["more/lib-0.1.0.tgz"]);
    assert_eq!(index.entries["app"][0].urls, ["app-1.1.0.tgz"]);
    std::fs::write(&old, "nonsense").unwrap();
    let error = generate::write_index(dir.path(), "", Some(&old), false, &mut Transcript::default());
    assert!(error.unwrap_err().to_string().starts_with("merge failed: error loading "));
}
