//! The life of a release on the embedded cluster.

use std::path::{Path, PathBuf};

use crate::transcript::Session;

/// A home with an embedded cluster of its own.
struct Place {
    session: Session,
    data: PathBuf,
}

impl Place {
    fn new() -> Self {
        let session = Session::new();
        let data = session.home.path().join("data");
        Self { session, data }
    }

    /// Runs a command on the embedded cluster: its exit code, and both outputs.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = self.session.command(arguments);
        let output = command.arg("--embedded").env("SLIPWAY_DATA", &self.data).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn succeed(&self, arguments: &[&str]) -> (String, String) {
        let (code, out, told) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{told}");
        (out, told)
    }
}

fn shop() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/shop")
}

fn place(text: &str, line: &str) -> usize {
    text.lines().position(|known| known.starts_with(line)).unwrap_or_else(|| panic!("no {line:?} in\n{text}"))
}

#[test]
fn it_is_installed_in_order_upgraded_and_taken_out() {
    let here = Place::new();
    let deploy = ["upgrade", "--install", "shop", shop(), "--wait=ordered"];
    let (out, told) = here.succeed(&deploy);
    assert!(out.contains("STATUS: deployed\nREVISION: 1\n"), "{out}");
    let ready = place(&told, "ready      StatefulSet.apps default/shop-database");
    assert!(ready < place(&told, "created    Deployment.apps default/shop-api"), "{told}");

    let (out, told) = here.succeed(&deploy);
    assert!(out.contains("STATUS: deployed\nREVISION: 2\n"), "{out}");
    assert!(!told.contains("created    Deployment"), "{told}");
    assert!(told.contains("unchanged  StatefulSet.apps default/shop-database"), "{told}");

    let (out, _) = here.succeed(&["list", "-o", "json"]);
    assert!(out.contains(r#""name":"shop","namespace":"default","revision":"2""#), "{out}");
    let (out, _) = here.succeed(&["history", "shop"]);
    assert!(out.contains("superseded") && out.contains("Upgrade complete"), "{out}");

    let (out, told) = here.succeed(&["uninstall", "shop"]);
    assert!(out.ends_with("release \"shop\" uninstalled\n"), "{out}");
    let gone = place(&told, "gone       Deployment.apps default/shop-api");
    assert!(gone < place(&told, "deleting   StatefulSet.apps default/shop-database"), "{told}");
    let (code, _, told) = here.run(&["status", "shop"]);
    assert_eq!((code, told.lines().next()), (1, Some("Error: release: not found")), "{told}");
}

#[test]
fn what_is_wrong_is_told_before_anything_is_touched() {
    let here = Place::new();
    let chart = here.session.home.path().join("bad");
    write(
        &chart,
        "kind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    helm.sh/readiness-timeout: soon\n",
    );
    let (code, _, told) = here.run(&["install", "bad", chart.to_str().unwrap(), "--wait=ordered"]);
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("readiness-timeout") && told.contains("bad/templates/a.yaml"), "{told}");
    let (out, _) = here.succeed(&["list", "-o", "json"]);
    assert_eq!(out, "[]\n");
    for (arguments, words) in [
        (&["install", "Bad_Name", shop()][..], "release name is invalid"),
        (&["upgrade", "none", shop()], "has no deployed releases"),
        (&["uninstall", "none"], "release: not found"),
    ] {
        let (code, _, told) = here.run(arguments);
        assert!(code > 0 && told.contains(words), "{arguments:?}: {told}");
    }
}

#[test]
fn what_fails_is_recorded_and_the_next_command_goes_on_from_there() {
    let here = Place::new();
    let chart = here.session.home.path().join("web");
    let deployment = |annotation: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}, annotations: {{{annotation}}}}}\n    spec: {{containers: [{{name: main, image: web}}]}}\n"
        )
    };
    write(&chart, &deployment("dock.slipway.dev/fail: CrashLoopBackOff"));
    let deploy = ["upgrade", "--install", "web", chart.to_str().unwrap(), "--wait", "--timeout", "2s"];
    let (code, out, told) = here.run(&deploy);
    assert_eq!(code, 1, "{out}{told}");
    assert!(out.contains("STATUS: failed") && told.contains("Deployment.apps default/web"), "{out}{told}");
    write(&chart, &deployment("a: b"));
    let (out, _) = here.succeed(&deploy);
    assert!(out.contains("STATUS: deployed\nREVISION: 2\n"), "{out}");
    here.succeed(&["uninstall", "web"]);
}

#[test]
fn a_namespace_in_which_others_have_objects_is_kept() {
    let here = Place::new();
    let (first, second) = (here.session.home.path().join("first"), here.session.home.path().join("second"));
    write(
        &first,
        "kind: Namespace\nmetadata:\n  name: shared\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n  namespace: shared\n",
    );
    write(&second, "kind: ConfigMap\nmetadata:\n  name: yours\n");
    here.succeed(&["install", "first", first.to_str().unwrap()]);
    here.succeed(&["install", "second", second.to_str().unwrap(), "-n", "shared"]);
    let (out, told) = here.succeed(&["uninstall", "first"]);
    assert!(out.contains("Namespace shared: ") && out.contains("ConfigMap shared/yours"), "{out}");
    assert!(told.contains("gone       ConfigMap shared/mine"), "{told}");
    let (out, _) = here.succeed(&["status", "second", "-n", "shared"]);
    assert!(out.contains("STATUS: deployed"), "{out}");

    here.succeed(&["install", "again", first.to_str().unwrap(), "--take-ownership"]);
    here.succeed(&["uninstall", "second", "-n", "shared"]);
    let (out, _) = here.succeed(&["uninstall", "again"]);
    assert!(!out.contains("kept"), "{out}");
}

fn write(chart: &Path, template: &str) {
    let name = chart.file_name().unwrap().to_str().unwrap();
    std::fs::create_dir_all(chart.join("templates")).unwrap();
    std::fs::write(chart.join("Chart.yaml"), format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n"))
        .unwrap();
    let template = if template.starts_with("apiVersion") {
        template.to_owned()
    } else {
        format!("apiVersion: v1\n{template}")
    };
    std::fs::write(chart.join("templates/a.yaml"), template).unwrap();
}
