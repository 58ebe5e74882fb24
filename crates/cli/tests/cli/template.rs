//! `slipway template` on charts that are right.

use insta::assert_snapshot;

use crate::transcript::{Session, fixtures, transcript};

#[test]
fn everything() {
    assert_snapshot!(transcript(&["template", "shop", "hello"]));
}

#[test]
fn what_is_left_out_and_what_is_added() {
    assert_snapshot!("without_hooks", transcript(&["template", "shop", "hello", "--no-hooks"]));
    assert_snapshot!("without_tests", transcript(&["template", "shop", "hello", "--skip-tests"]));
    assert_snapshot!("with_crds", transcript(&["template", "shop", "hello", "--include-crds", "--no-hooks"]));
    assert_snapshot!(
        "one_template",
        transcript(&["template", "shop", "hello", "-s", "templates/service.yaml"])
    );
    assert_snapshot!(
        "templates_by_pattern",
        transcript(&["template", "shop", "hello", "-s", "templates/*/*.yaml"])
    );
}

#[test]
fn what_the_templates_are_told() {
    let line = [
        "template",
        "hello",
        "-n",
        "prod",
        "--is-upgrade",
        "--kube-version=1.30",
        "--api-versions=a.b/v1,monitoring.coreos.com/v1",
        "-s=templates/configmap.yaml",
    ];
    assert_snapshot!(transcript(&line));
}

#[test]
fn values_from_everywhere() {
    let session = Session::new();
    let values = session.home.path().join("values.yaml");
    std::fs::write(&values, "greeting: from a file\n").unwrap();
    let greeting = |arguments: &[&str]| {
        let line = [&["template", "hello", "-s", "templates/configmap.yaml"], arguments].concat();
        let output = String::from_utf8(session.run(&line).stdout).unwrap();
        output.lines().find(|line| line.contains("greeting:")).unwrap().trim().to_owned()
    };
    let file = values.to_str().unwrap();
    assert_eq!(greeting(&[]), r#"greeting: "hello""#);
    assert_eq!(greeting(&["-f", file]), r#"greeting: "from a file""#);
    assert_eq!(greeting(&["-f", file, "--set", "greeting=set"]), r#"greeting: "set""#);
    assert_eq!(greeting(&["--set", "greeting=a\\,b"]), r#"greeting: "a,b""#);
    assert_eq!(greeting(&["--set-string", "greeting=0012"]), r#"greeting: "0012""#);
    assert_eq!(greeting(&["--set-json", r#"greeting="json""#]), r#"greeting: "json""#);
    assert_eq!(greeting(&["--set-literal", "greeting=a,b=c"]), r#"greeting: "a,b=c""#);
    assert_eq!(
        greeting(&["--set-file", &format!("greeting={file}")]),
        r#"greeting: "greeting: from a file\n""#
    );
}

#[test]
fn values_from_standard_input() {
    use std::io::Write as _;
    use std::process::Stdio;
    let session = Session::new();
    let line = ["template", "hello", "-f", "-", "-s", "templates/configmap.yaml"];
    let mut child = session.command(&line).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"greeting: piped\n").unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(output.contains(r#"greeting: "piped""#), "{output}");
}

#[test]
fn one_file_per_template() {
    let session = Session::new();
    let directory = session.home.path().join("rendered");
    let line = ["template", "shop", "hello", "--include-crds", "--output-dir", directory.to_str().unwrap()];
    assert_snapshot!(session.transcript(&line));
    let text = std::fs::read_to_string(directory.join("hello/templates/service.yaml")).unwrap();
    assert_eq!(
        text,
        "---\n# Source: hello/templates/service.yaml\napiVersion: v1\nkind: Service\nmetadata:\n  name: shop\n\n"
    );
}

#[cfg(unix)]
#[test]
fn a_post_renderer() {
    let line = [
        "template",
        "shop",
        "hello",
        "--no-hooks",
        "--post-renderer",
        "sed",
        "--post-renderer-args",
        "s/hello/goodbye/",
    ];
    assert_snapshot!("post_renderer", transcript(&line));
    let line = ["template", "shop", "hello", "--post-renderer", "no-such-program"];
    assert_snapshot!("post_renderer_missing", transcript(&line));
    let line = ["template", "shop", "hello", "--post-renderer", "a", "--post-renderer", "b"];
    assert_snapshot!("post_renderer_twice", transcript(&line));
}

#[test]
fn debug_shows_what_is_not_yaml() {
    let session = Session::new();
    let output = session.run(&["template", "shop", "bad-yaml", "--debug"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("greeting: hello: world"), "{stdout}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn flags_of_an_installation_are_accepted() {
    let session = Session::new();
    let plain = session.run(&["template", "shop", "hello"]);
    let line = [
        "template",
        "shop",
        "hello",
        "--create-namespace",
        "--wait",
        "--wait-for-jobs",
        "--timeout=10m",
        "--replace",
        "--take-ownership",
        "--server-side=false",
        "--rollback-on-failure",
        "--disable-openapi-validation",
        "--description=x",
        "--labels=a=b,c=d",
        "--dry-run=client",
        "--skip-crds",
        "--devel",
    ];
    let with_flags = session.run(&line);
    assert_eq!(String::from_utf8_lossy(&with_flags.stderr), "");
    assert_eq!(plain.stdout, with_flags.stdout);
}

#[test]
fn the_example_renders() {
    let shop = fixtures().join("../../../../examples/shop");
    let output = Session::new().run(&["template", "shop", shop.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}
