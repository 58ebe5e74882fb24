//! The commands that write charts: `create`, `package`, and what can be done with the result.

use insta::assert_snapshot;

use crate::transcript::Session;

#[test]
fn a_created_chart_works() {
    let session = Session::new();
    let chart = session.home.path().join("fresh");
    let path = chart.to_str().unwrap();
    assert_snapshot!("create", session.transcript(&["create", path]));
    assert_snapshot!("create_lint", session.transcript(&["lint", path]));
    let output = session.run(&["template", path]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("app.kubernetes.io/name: fresh"), "{output:?}");
}

#[test]
fn a_packaged_chart_renders_as_its_directory() {
    let session = Session::new();
    let home = session.home.path().to_str().unwrap().to_owned();
    assert_snapshot!("package", session.transcript(&["package", "hello", "-d", &home]));
    let archive = format!("{home}/hello-0.1.0.tgz");
    assert_eq!(
        session.run(&["template", "shop", &archive]).stdout,
        session.run(&["template", "shop", "hello"]).stdout
    );
}

#[test]
fn the_same_chart_gives_the_same_bytes() {
    let session = Session::new();
    let bytes = |directory: &str| {
        let target = session.home.path().join(directory);
        let arguments = ["package", "hello", "-d", target.to_str().unwrap()];
        let output = session.command(&arguments).env("SOURCE_DATE_EPOCH", "1700000000").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        std::fs::read(target.join("hello-0.1.0.tgz")).unwrap()
    };
    assert_eq!(bytes("one"), bytes("two"));
}

#[test]
fn what_cannot_be_packaged() {
    let session = Session::new();
    let home = session.home.path().to_str().unwrap().to_owned();
    assert_snapshot!("package_missing", session.transcript(&["package", "no-such-chart"]));
    assert_snapshot!(
        "package_dependency",
        session.transcript(&["package", "missing-dependency", "-d", &home])
    );
    assert_snapshot!(
        "package_version",
        session.transcript(&["package", "hello", "--version", "one", "-d", &home])
    );
    assert_snapshot!("package_sign", session.transcript(&["package", "hello", "--sign", "-d", &home]));
    let arguments = ["package", "hello", "-d", &home];
    let mut command = session.command(&arguments);
    assert_snapshot!("package_epoch", session.record(command.env("SOURCE_DATE_EPOCH", "soon"), &arguments));
}

#[test]
fn an_index_of_archives_can_be_searched() {
    let session = Session::new();
    let home = session.home.path().to_str().unwrap().to_owned();
    assert!(session.run(&["package", "hello", "-d", &home]).status.success());
    let output = session.run(&["repo", "index", &home, "--url", "https://charts.example.com"]);
    assert!(output.status.success(), "{output:?}");
    let index = std::fs::read_to_string(session.home.path().join("index.yaml")).unwrap();
    assert!(index.contains("- https://charts.example.com/hello-0.1.0.tgz"), "{index}");

    // What `repo add` and `repo update` would leave behind.
    let cache = session.home.path().join(".cache/helm/repository");
    std::fs::create_dir_all(&cache).unwrap();
    std::fs::write(cache.join("example-index.yaml"), index).unwrap();
    let config = session.home.path().join(".config/helm");
    std::fs::create_dir_all(&config).unwrap();
    let list = "apiVersion: \"\"\ngenerated: \"0001-01-01T00:00:00Z\"\nrepositories:\n- name: example\n  url: https://charts.example.com\n";
    std::fs::write(config.join("repositories.yaml"), list).unwrap();
    assert_snapshot!("search", session.transcript(&["search", "repo", "little"]));
    assert_snapshot!("search_json", session.transcript(&["search", "repo", "-o", "json"]));
    assert_snapshot!(
        "search_nothing",
        session.transcript(&["search", "repo", "nginx", "--fail-on-no-result"])
    );
    assert_snapshot!("repositories", session.transcript(&["repo", "list"]));
}
