//! Command lines that are wrong, and those that only ask.

use insta::assert_snapshot;

use crate::transcript::{Session, transcript};

#[test]
fn wrong_command_lines() {
    for (name, arguments) in [
        ("unknown_flag", &["template", "--shwo-only", "x", "hello"][..]),
        ("unknown_flag_with_value", &["lint", "hello", "--no-such-flag=1"]),
        ("unknown_short_flag", &["template", "-gZ", "hello"]),
        ("unknown_command", &["templat", "hello"]),
        ("unknown_command_like_several", &["uninstal", "hello"]),
        ("unknown_command_of_a_group", &["repo", "ad"]),
        ("flag_without_value", &["template", "hello", "--set"]),
        ("short_flag_without_value", &["template", "hello", "-f"]),
        ("bad_duration", &["template", "hello", "--timeout", "soon"]),
        ("bad_boolean", &["template", "hello", "--skip-tests=maybe"]),
        ("bad_output_format", &["repo", "list", "-o", "xml"]),
        ("bad_wait_strategy", &["template", "hello", "--wait=patiently"]),
        ("bad_color", &["env", "--color", "sometimes"]),
        ("too_few_arguments", &["template"]),
        ("too_many_arguments", &["env", "a", "b"]),
        ("wrong_number_of_arguments", &["show", "chart"]),
        ("arguments_where_none_are_expected", &["version", "please"]),
        ("package_without_chart", &["package"]),
    ] {
        assert_snapshot!(name, transcript(arguments));
    }
}

#[test]
fn a_wrong_command_line_is_told_from_a_failure_by_its_exit_code() {
    let session = Session::new();
    let code = |arguments: &[&str]| session.run(arguments).status.code();
    assert_eq!(code(&["env"]), Some(0));
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["show"]), Some(0));
    assert_eq!(code(&["env", "--no-such-flag"]), Some(2));
}

#[test]
fn flags_are_read_as_go_reads_them() {
    let session = Session::new();
    let stdout = |arguments: &[&str]| {
        let output = session.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(stdout(&["env", "HELM_DEBUG", "--debug"]), "true\n");
    assert_eq!(stdout(&["env", "HELM_DEBUG", "--debug=false"]), "false\n");
    assert_eq!(stdout(&["env", "HELM_DEBUG", "--debug=F", "--debug=T"]), "true\n");
    assert_eq!(stdout(&["--namespace", "a", "env", "HELM_NAMESPACE", "-n", "b"]), "b\n");
    assert_eq!(stdout(&["env", "HELM_KUBETOKEN", "--kube-token", "--dashes"]), "--dashes\n");
}

#[test]
fn help() {
    assert_snapshot!("help_root", transcript(&["-h"]));
    assert_snapshot!("help_template", transcript(&["template", "-h"]));
    assert_snapshot!("help_group", transcript(&["repo"]));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    use std::process::Stdio;
    let session = Session::new();
    let mut child = session
        .command(&["completion", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
