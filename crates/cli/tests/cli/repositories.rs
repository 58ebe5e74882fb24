//! Repositories and registries, as far as that goes without a network.

use insta::assert_snapshot;

use crate::transcript::{Session, transcript};

#[test]
fn without_repositories() {
    assert_snapshot!("list_empty", transcript(&["repo", "list"]));
    assert_snapshot!("list_empty_json", transcript(&["repo", "list", "-o", "json"]));
    assert_snapshot!("update_empty", transcript(&["repo", "update"]));
    assert_snapshot!("remove_empty", transcript(&["repo", "remove", "x"]));
    assert_snapshot!("search_empty", transcript(&["search", "repo", "x"]));
}

#[test]
fn names_with_slashes_are_refused() {
    assert_snapshot!(transcript(&["repo", "add", "a/b", "https://charts.example.com"]));
}

#[test]
fn pushing_what_is_not_there() {
    assert_snapshot!("push_missing", transcript(&["push", "no-such.tgz", "oci://localhost/charts"]));
    assert_snapshot!("push_directory", transcript(&["push", "hello", "oci://localhost/charts"]));
    assert_snapshot!("push_no_scheme", transcript(&["push", "hello", "localhost/charts"]));
}

#[test]
fn verifying_what_is_not_signed() {
    let session = Session::new();
    assert_snapshot!(session.transcript(&["verify", "hello/Chart.yaml"]));
}

#[test]
fn a_login_without_a_password() {
    use std::process::Stdio;
    let session = Session::new();
    let output =
        session.command(&["registry", "login", "localhost:1"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}
