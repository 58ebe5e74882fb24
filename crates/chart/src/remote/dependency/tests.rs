//! `dependency build` and `dependency update` on real directories.

use std::path::Path;

use super::list::list;
use super::*;
use crate::remote::http::{BasicAuth, TlsOptions};
use crate::remote::notice::Transcript;
use crate::remote::repo::{AddOptions, RepositoryEntry};
use crate::remote::testing::{FakeRegistry, Guard, Server, archive, remote};

struct World {
    home: tempfile::TempDir,
    remote: Remote,
    registry: FakeRegistry,
    server: Server,
}

impl World {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let index = "apiVersion: v1\nentries:\n  db:\n  - {name: db, version: 1.0.0, urls: [db-1.0.0.tgz]}\n  - {name: db, version: 1.2.0, urls: [db-1.2.0.tgz]}\n  - {name: db, version: 2.0.0, urls: [db-2.0.0.tgz]}\n";
        let files = ["1.0.0", "1.2.0", "2.0.0"].map(|v| (format!("/c/db-{v}.tgz"), archive("db", v)));
        let index = ("/c/index.yaml".to_owned(), index.as_bytes().to_vec());
        Self {
            remote: remote(home.path()),
            registry: FakeRegistry::start(Guard::Open),
            server: Server::with_files(files.into_iter().chain([index])),
            home,
        }
    }

    fn chart(&self, name: &str, dependencies: &str) -> PathBuf {
        let path = self.home.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        let dependencies = dependencies
            .replace("REPO", &self.server.url("/c"))
            .replace("REGISTRY", &format!("oci://{}/team", self.registry.server.host()));
        let text = format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n{dependencies}");
        std::fs::write(path.join("Chart.yaml"), text).unwrap();
        path
    }

    async fn run(&self, chart: &Path, build: bool, skip_refresh: bool) -> (Result<(), String>, String) {
        let registry = self.remote.registry(BasicAuth::default(), TlsOptions::default(), true);
        let manager = Manager {
            remote: &self.remote,
            registry: &registry,
            chart: chart.to_owned(),
            verify: Verify::Never,
            keyring: PathBuf::new(),
            skip_refresh,
            debug: false,
            source_date: None,
        };
        let mut heard = Transcript::default();
        let result = if build { manager.build(&mut heard).await } else { manager.update(&mut heard).await };
        (result.map_err(|error| self.hide(&error.to_string())), self.hide(&heard.said))
    }

    async fn update(&self, chart: &Path) -> (Result<(), String>, String) {
        self.run(chart, false, false).await
    }

    async fn build(&self, chart: &Path) -> (Result<(), String>, String) {
        self.run(chart, true, false).await
    }

    async fn add(&self, name: &str) {
        let entry =
            RepositoryEntry { name: name.into(), url: self.server.url("/c"), ..RepositoryEntry::default() };
        self.remote.add_repository(entry, AddOptions::default(), &mut Transcript::default()).await.unwrap();
    }

    fn hide(&self, text: &str) -> String {
        text.replace(&self.server.host(), "HOST")
            .replace(&self.registry.server.host(), "REGISTRY")
            .replace(self.home.path().to_str().unwrap(), "HOME")
    }
}

fn charts(chart: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(chart.join("charts"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn lock(chart: &Path, name: &str) -> String {
    let text = std::fs::read_to_string(chart.join(name)).unwrap();
    text.lines().filter(|line| !line.starts_with("generated")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn repositories_need_not_be_configured_for_an_update() {
    let world = World::new();
    let chart = world.chart("app", "dependencies: [{name: db, version: ^1, repository: REPO}]");
    let (result, said) = world.update(&chart).await;
    result.unwrap();
    insta::assert_snapshot!(said, @r#"
    Getting updates for unmanaged Helm repositories...
    ...Successfully got an update from the "http://HOST/c" chart repository
    Saving 1 charts
    Downloading db from repo http://HOST/c
    Deleting outdated charts
    "#);
    assert_eq!(charts(&chart), ["db-1.2.0.tgz"]);
    let dir: Vec<_> = std::fs::read_dir(&chart).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(dir.len(), 3, "nothing is left beside charts/: {dir:?}");

    let (result, _) = world.build(&chart).await;
    assert_eq!(
        result.unwrap_err(),
        "no repository definition for http://HOST/c. Please add the missing repos via 'helm repo add'"
    );
    world.add("ours").await;
    std::fs::remove_file(chart.join("charts/db-1.2.0.tgz")).unwrap();
    let (result, said) = world.build(&chart).await;
    result.unwrap();
    insta::assert_snapshot!(said, @r#"
    Hang tight while we grab the latest from your chart repositories...
    ...Successfully got an update from the "ours" chart repository
    Update Complete. ⎈Happy Helming!⎈
    Saving 1 charts
    Downloading db from repo http://HOST/c
    Deleting outdated charts
    "#);
    assert_eq!(charts(&chart), ["db-1.2.0.tgz"]);
}

#[tokio::test]
async fn every_kind_of_dependency_is_settled_and_locked() {
    let world = World::new();
    world.add("ours").await;
    let client = world.remote.registry(BasicAuth::default(), TlsOptions::default(), true);
    for version in ["3.0.0", "3.1.0", "4.0.0"] {
        let name = format!("{}/team/queue:{version}", world.registry.server.host());
        client.push(archive("queue", version), None, &name, "now", &mut Transcript::default()).await.unwrap();
    }
    world.chart("lib", "");
    let chart = world.chart(
        "app",
        "dependencies:\n- {name: db, version: ~1.0, repository: '@ours', alias: store, condition: db.enabled}\n- {name: db, version: '>=2', repository: 'alias:ours', alias: cache}\n- {name: queue, version: ^3, repository: REGISTRY}\n- {name: lib, version: '>=0', repository: 'file://../lib'}\n- {name: own, version: 0.x, repository: ''}\n",
    );
    std::fs::create_dir_all(chart.join("charts/own")).unwrap();
    std::fs::write(chart.join("charts/own/Chart.yaml"), "apiVersion: v2\nname: own\nversion: 0.5.0\n")
        .unwrap();
    std::fs::write(chart.join("charts/old-1.0.0.tgz"), archive("old", "1.0.0")).unwrap();
    std::fs::write(chart.join("charts/_notes.txt"), "not a chart").unwrap();
    let (result, said) = world.update(&chart).await;
    result.unwrap();
    let said: String =
        said.lines().filter(|line| !line.starts_with("Digest: ")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(said);
    assert_eq!(
        charts(&chart),
        ["_notes.txt", "db-1.0.0.tgz", "db-2.0.0.tgz", "lib-0.1.0.tgz", "own", "queue-3.1.0.tgz"]
    );
    let written = world.hide(&lock(&chart, "Chart.lock"));
    let without_digest: Vec<&str> = written.lines().filter(|line| !line.starts_with("digest")).collect();
    insta::assert_snapshot!(without_digest.join("\n"));
    // A build accepts the lock that the update wrote, and an update leaves it alone.
    let before = std::fs::read_to_string(chart.join("Chart.lock")).unwrap();
    world.build(&chart).await.0.unwrap();
    world.update(&chart).await.0.unwrap();
    assert_eq!(std::fs::read_to_string(chart.join("Chart.lock")).unwrap(), before);

    let listing = list(&chart).unwrap();
    let rows: Vec<String> =
        listing.rows.unwrap().iter().map(|row| format!("{} {}", row.name, row.status)).collect();
    assert_eq!(rows, ["db too many matches", "db too many matches", "queue ok", "lib ok", "own unpacked"]);

    let text = std::fs::read_to_string(chart.join("Chart.yaml")).unwrap();
    std::fs::write(chart.join("Chart.yaml"), text.replace("^3", "^4")).unwrap();
    let (result, _) = world.build(&chart).await;
    assert_eq!(
        result.unwrap_err(),
        "the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml). Please update the dependencies with 'helm dependency update'"
    );
}

#[tokio::test]
async fn a_failure_leaves_the_charts_as_they_were() {
    let world = World::new();
    world.add("ours").await;
    let chart = world.chart("app", "dependencies:\n- {name: db, version: 1.0.0, repository: REPO}\n- {name: gone, version: 1.0.0, repository: REGISTRY}\n");
    std::fs::create_dir(chart.join("charts")).unwrap();
    std::fs::write(chart.join("charts/db-0.9.0.tgz"), archive("db", "0.9.0")).unwrap();
    let (result, said) = world.update(&chart).await;
    let error = result.unwrap_err();
    assert_eq!(
        error,
        "could not download oci://REGISTRY/team/gone: failed to perform \"FetchReference\" on source: REGISTRY/team/gone:1.0.0: not found"
    );
    assert!(said.ends_with(&format!("Save error occurred:  {error}\n")), "{said}");
    assert_eq!(charts(&chart), ["db-0.9.0.tgz"]);
    assert!(!chart.join("Chart.lock").exists());
    assert_eq!(std::fs::read_dir(&chart).unwrap().count(), 2);
}

#[tokio::test]
async fn what_cannot_be_settled_says_why() {
    let world = World::new();
    world.add("ours").await;
    for (dependencies, expected) in [
        (
            "[{name: db, version: ^9, repository: REPO}]",
            "can't get a valid version for 1 subchart(s): \"db\" (repository \"http://HOST/c\", version \"^9\"). Make sure a matching chart version exists in the repo, or change the version constraint in Chart.yaml",
        ),
        ("[{name: none, version: 1, repository: REPO}]", "none chart not found in repo http://HOST/c"),
        (
            "[{name: db, version: 1, repository: '@theirs'}]",
            "no repository definition for @theirs. Please add them via 'helm repo add'",
        ),
        (
            "[{name: db, version: 1, repository: stable}]",
            "no repository definition for stable. Please add them via 'helm repo add'\nNote that repositories must be URLs or aliases. For example, to refer to the \"example\"\nrepository, use \"https://charts.example.com/\" or \"@example\" instead of\n\"example\". Don't forget to add the repo, too ('helm repo add').",
        ),
        ("[{name: lib, version: 1, repository: 'file://../nowhere'}]", "directory HOME/nowhere not found"),
        ("[{name: own, version: 1, repository: ''}]", "directory HOME/app/charts/own not found"),
    ] {
        let chart = world.chart("app", &format!("dependencies: {dependencies}"));
        assert_eq!(world.update(&chart).await.0.unwrap_err(), expected);
    }
    let (result, _) = world.update(&world.home.path().join("nowhere")).await;
    assert_eq!(
        result.unwrap_err(),
        "could not find HOME/nowhere: stat HOME/nowhere: no such file or directory"
    );
    let none = world.chart("none", "");
    assert_eq!(world.update(&none).await, (Ok(()), String::new()));
    assert_eq!(list(&none).unwrap().rows, None);
}

#[tokio::test]
async fn charts_of_the_first_generation_have_requirements() {
    let world = World::new();
    world.add("ours").await;
    let chart = world.home.path().join("old");
    std::fs::create_dir(&chart).unwrap();
    std::fs::write(chart.join("Chart.yaml"), "apiVersion: v1\nname: old\nversion: 0.1.0\n").unwrap();
    let requirements =
        format!("dependencies:\n- name: db\n  version: ^1\n  repository: {}\n", world.server.url("/c"));
    std::fs::write(chart.join("requirements.yaml"), requirements).unwrap();
    world.update(&chart).await.0.unwrap();
    assert!(lock(&chart, "requirements.lock").contains("version: 1.2.0"));
    world.build(&chart).await.0.unwrap();
    let text = std::fs::read_to_string(chart.join("requirements.lock")).unwrap();
    let digest = text.lines().find(|line| line.starts_with("digest")).unwrap();
    std::fs::write(chart.join("requirements.lock"), text.replace(digest, "digest: sha256:other")).unwrap();
    assert_eq!(
        world.build(&chart).await.0.unwrap_err(),
        "the lock file (requirements.lock) is out of sync with the dependencies file (requirements.yaml). Please update the dependencies"
    );
    let wanted = crate::Dependency {
        name: "db".into(),
        version: "^1".into(),
        repository: world.server.url("/c"),
        ..crate::Dependency::default()
    };
    let helm2 = format!("digest: {}", digest_of_helm2(Some(&[wanted])).unwrap());
    std::fs::write(chart.join("requirements.lock"), text.replace(digest, &helm2)).unwrap();
    world.build(&chart).await.0.unwrap();
}

#[tokio::test]
async fn cached_indexes_serve_when_asked_to() {
    let world = World::new();
    world.add("ours").await;
    let chart = world.chart("app", "dependencies: [{name: db, version: ^1, repository: REPO}]");
    let before = world.server.requests().len();
    let (result, said) = world.run(&chart, false, true).await;
    result.unwrap();
    assert!(!said.contains("Hang tight"), "{said}");
    assert_eq!(world.server.requests().len(), before + 1, "only the archive is fetched");
}
