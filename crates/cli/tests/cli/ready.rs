//! `slipway ready`: one line per object, and what is said about bad input.

use std::io::Write as _;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::transcript::{Session, transcript};

/// Twenty seconds after the Pod of the fixture was made.
const LATER: &str = "2026-03-01T00:00:20Z";

#[test]
fn lines() {
    assert_snapshot!("lines", transcript(&["ready", "-f", "ready/shop.yaml", "--now", LATER]));
    assert_snapshot!(
        "gate",
        transcript(&["ready", "-f", "ready/shop.yaml", "--now", "2026-03-01T00:00:10Z", "--gate"])
    );
    assert_snapshot!(
        "several_files",
        transcript(&["ready", "-f", "ready/done.json", "-f", "ready/odd.yaml"])
    );
}

#[test]
fn colours() {
    let text = transcript(&["ready", "-f", "ready/shop.yaml", "--now", LATER, "--color", "always"]);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("Job.batch")).collect();
    assert_snapshot!(lines.join("\n").replace('\u{1b}', "ESC"));
}

#[test]
fn for_machines() {
    let output = |format: &str| transcript(&["ready", "-f", "ready/shop.yaml", "--now", LATER, "-o", format]);
    assert_snapshot!("json", output("json"));
    assert_snapshot!("yaml", output("yaml"));
}

#[test]
fn bad_input() {
    assert_snapshot!("bad_expression", transcript(&["ready", "-f", "ready/bad-expression.yaml"]));
    assert_snapshot!("no_kind", transcript(&["ready", "-f", "ready/no-kind.yaml"]));
    assert_snapshot!("broken", transcript(&["ready", "-f", "ready/broken.yaml"]));
    assert_snapshot!("missing_file", transcript(&["ready", "-f", "ready/gone.yaml"]));
    assert_snapshot!("no_file", transcript(&["ready"]));
    assert_snapshot!("bad_now", transcript(&["ready", "-f", "ready/done.json", "--now", "today"]));
}

#[test]
fn exit_codes_only_when_asked_for() {
    let session = Session::new();
    let code = |arguments: &[&str]| session.run(arguments).status.code();
    assert_eq!(code(&["ready", "-f", "ready/done.json", "--exit-code"]), Some(0));
    assert_eq!(code(&["ready", "-f", "ready/odd.yaml", "--exit-code"]), Some(3));
    assert_eq!(code(&["ready", "-f", "ready/shop.yaml", "--exit-code"]), Some(4));
    assert_eq!(code(&["ready", "-f", "ready/shop.yaml"]), Some(0));
    assert_eq!(code(&["ready", "-f", "ready/broken.yaml", "--exit-code"]), Some(1));
}

#[test]
fn standard_input() {
    let session = Session::new();
    let read = |text: &str| {
        let mut child = session
            .command(&["ready", "-f", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    assert_eq!(
        read("apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: shop}\n"),
        "Current  Secret shop/key  Resource is always ready\n"
    );
    assert_eq!(read(""), "");
    assert!(read("apiVersion: v1\n").starts_with("Error: standard input: the object has no kind\n"));
}

#[test]
fn help() {
    assert_snapshot!("help", transcript(&["ready", "-h"]));
}
