//! Flags, variables and files that settle how a run goes; and what is generated from the flags.

use insta::assert_snapshot;

use crate::transcript::Session;

#[test]
fn the_environment() {
    let session = Session::new();
    assert_snapshot!("env", session.transcript(&["env"]));
    let arguments = ["env", "HELM_REPOSITORY_CONFIG"];
    let mut command = session.command(&arguments);
    command.env("HELM_CONFIG_HOME", "/etc/charts");
    assert_snapshot!("env_one", session.record(&mut command, &arguments));
}

#[test]
fn the_namespace_comes_from_the_nearest_place() {
    let session = Session::new();
    let namespace = |arguments: &[&str], variables: &[(&str, &str)]| {
        let line = [&["env", "HELM_NAMESPACE"], arguments].concat();
        let output = session.command(&line).envs(variables.iter().copied()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(namespace(&[], &[]), "default");

    let kubeconfig = session.home.path().join("config");
    let contexts = "current-context: a\ncontexts:\n- name: a\n  context: {cluster: c, namespace: from-a}\n- name: b\n  context: {cluster: c, namespace: from-b}\n- name: c\n  context: {cluster: c}\n";
    std::fs::write(&kubeconfig, contexts).unwrap();
    let file = kubeconfig.to_str().unwrap();
    assert_eq!(namespace(&["--kubeconfig", file], &[]), "from-a");
    assert_eq!(namespace(&[], &[("KUBECONFIG", file)]), "from-a");
    assert_eq!(namespace(&["--kube-context", "b"], &[("KUBECONFIG", file)]), "from-b");
    assert_eq!(namespace(&["--kube-context", "c"], &[("KUBECONFIG", file)]), "default");
    assert_eq!(namespace(&[], &[("KUBECONFIG", file), ("HELM_KUBECONTEXT", "b")]), "from-b");
    assert_eq!(namespace(&[], &[("KUBECONFIG", file), ("HELM_NAMESPACE", "variable")]), "variable");
    assert_eq!(namespace(&["-n", "flag"], &[("KUBECONFIG", file), ("HELM_NAMESPACE", "variable")]), "flag");
}

#[test]
fn colours_only_where_they_are_wanted() {
    let session = Session::new();
    let stderr = |arguments: &[&str], variables: &[(&str, &str)]| {
        let line = [&["template", "./nowhere"], arguments].concat();
        let output = session.command(&line).envs(variables.iter().copied()).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(!stderr(&[], &[]).contains('\u{1b}'));
    assert!(stderr(&["--color=always"], &[]).contains('\u{1b}'));
    assert!(stderr(&[], &[("HELM_COLOR", "always")]).contains('\u{1b}'));
    assert!(!stderr(&[], &[("HELM_COLOR", "always"), ("NO_COLOR", "1")]).contains('\u{1b}'));
}

#[test]
fn the_version() {
    let session = Session::new();
    assert_snapshot!("version", session.transcript(&["version"]));
    assert_snapshot!("version_short", session.transcript(&["version", "--short"]));
    assert_snapshot!("version_json", session.transcript(&["version", "-o", "json"]));
    let by_template = ["version", "--template", "{{.Version}} {{printf \"%q\" .HelmVersion}}"];
    assert_snapshot!("version_template", session.transcript(&by_template));
}

#[test]
fn completions_know_the_commands() {
    let session = Session::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let output = session.run(&["completion", shell]);
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("template") && script.contains("show-only"), "{shell}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let session = Session::new();
    let directory = session.home.path().join("man");
    assert_snapshot!("man", session.transcript(&["man", directory.to_str().unwrap()]));
    let mut pages: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    assert_snapshot!("man_pages", pages.join("\n"));
}
