//! The operator as a process, and force deletion as a user asks for it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::transcript::Session;

/// An operator with a cluster of its own.
pub(crate) struct Operator {
    pub(crate) session: Session,
    process: Child,
}

impl Operator {
    pub(crate) fn start(flags: &[&str]) -> Self {
        let session = Session::new();
        let mut process = session
            .command(&["operator", "--embedded", "--log-level", "warn", "--write-kubeconfig"])
            .arg(session.home.path().join("dock.yaml"))
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().starts_with("Serving on https://127.0.0.1:"));
        assert!(lines.next().unwrap().unwrap().starts_with("Kubeconfig: "));
        Self { session, process }
    }

    /// Ends it as a cluster ends a pod.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.process.wait().unwrap().code()
    }
}

impl Drop for Operator {
    /// One that was not ended, since its test has failed, is not left behind.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn it_serves_a_cluster_of_its_own_and_ends_when_it_is_told_to() {
    let operator = Operator::start(&["--feature-gates", "DeclarativeDelete=true"]);
    let kubeconfig = operator.session.home.path().join("dock.yaml");
    // Whoever reads the kubeconfig finds the kinds, the policies and the webhook, at once.
    let told = |arguments: &[&str]| {
        let mut command = operator.session.command(arguments);
        let output = command.arg("--kubeconfig").arg(&kubeconfig).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let file = operator.session.home.path().join("instance.yaml");
    let instance = "apiVersion: servicecatalog.slipway.dev/v1alpha1\nkind: ServiceInstance\nmetadata: {name: db}\nspec: {serviceClassExternalName: database}\n";
    std::fs::write(&file, instance).unwrap();
    let alice = ["--kube-as-user", "alice", "--kube-as-group", "system:masters"];
    let (code, _, said) = told(&[&["catalog", "apply", "-f", file.to_str().unwrap()][..], &alice].concat());
    assert_eq!(code, Some(0), "{said}");
    let (_, seen, _) = told(&["catalog", "instance", "describe", "db", "-o", "json"]);
    assert!(seen.contains("\"alice\""), "{seen}");
    let (code, _, said) = told(&["bundle", "list"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, _, said) = told(&["list"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(operator.terminate(), Some(0));
}

#[test]
fn wrong_flags_are_refused_by_name() {
    let session = Session::new();
    for (flags, expected) in [
        (["--feature-gates", "Fly=true"], "--feature-gates: unknown feature gate \"Fly\""),
        (["--listen", "here"], "--listen \"here\" is no address"),
        (["--log-level", "loud"], "--log-level: unknown level \"loud\""),
        (["--write-kubeconfig", "x"], "--write-kubeconfig is for --embedded"),
    ] {
        let mut command = session.command(&["operator"]);
        command.args(flags).env("KUBECONFIG", "nowhere");
        if flags[0] != "--write-kubeconfig" {
            command.arg("--embedded");
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.contains(expected)), (Some(2), true), "{flags:?}: {said}");
    }
}

#[test]
fn force_is_refused_for_what_is_not_being_deleted_or_not_stuck() {
    let session = Session::new();
    let run = |arguments: &[&str]| {
        let output = session.command(arguments).arg("--embedded").output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run(&["force-delete", "namespace/default", "--yes"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("namespace/default is not being deleted"), "{said}");
    let (code, said) = run(&["force-delete", "namespace/nowhere", "--yes"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("namespace/nowhere is not there"), "{said}");
    let (code, said) = run(&["force-delete", "nothing", "--yes"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("\"nothing\" names no object"), "{said}");
}
