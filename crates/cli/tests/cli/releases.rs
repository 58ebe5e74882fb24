//! The life of a release: on the embedded cluster, or, with `SLIPWAY_CLUSTER=control-plane`, on a real control plane.

use std::path::{Path, PathBuf};

use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::api::PostParams;
use support::{Cluster, On};
use tokio::runtime::Runtime;

use crate::transcript::Session;

/// A home with an embedded cluster of its own, or a namespace of its own in a control plane.
pub(crate) struct Place {
    session: Session,
    data: PathBuf,
    plane: Option<Plane>,
}

/// Where the control plane is, and a namespace there whose name is as long as that of `default`.
struct Plane {
    kubeconfig: String,
    namespace: String,
}

impl Plane {
    fn find() -> Option<Self> {
        let kubeconfig = std::env::var("SLIPWAY_KUBECONFIG").ok()?;
        Runtime::new().unwrap().block_on(async {
            let cluster = Cluster::start().await.unwrap();
            if cluster.on() != On::ControlPlane {
                return None;
            }
            let namespaces: Api<Namespace> = Api::all(cluster.client());
            let number = jiff::Timestamp::now().as_nanosecond() % 1_000_000;
            let namespace = format!("t{number:06}");
            let mut made = Namespace::default();
            made.metadata.name = Some(namespace.clone());
            namespaces.create(&PostParams::default(), &made).await.unwrap();
            Some(Self { kubeconfig, namespace })
        })
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let session = Session::new();
        let data = session.home.path().join("data");
        Self { session, data, plane: Plane::find() }
    }

    /// Runs a command: its exit code, and both outputs. What is in the namespace of its own is told as in `default`.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = self.session.command(arguments);
        match &self.plane {
            None => command.arg("--embedded").env("SLIPWAY_DATA", &self.data),
            Some(plane) => {
                command.args(["--kubeconfig", &plane.kubeconfig]).env("HELM_NAMESPACE", &plane.namespace)
            }
        };
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            self.plane
                .as_ref()
                .map_or_else(|| text.clone(), |plane| text.replace(&plane.namespace, "default"))
        };
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    pub(crate) fn succeed(&self, arguments: &[&str]) -> (String, String) {
        let (code, out, told) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{told}");
        (out, told)
    }
}

pub(crate) fn shop() -> &'static str {
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
    assert!(out.contains("release \"shop\" uninstalled\n"), "{out}");
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

#[test]
fn it_goes_back_in_order_and_nothing_is_sent_twice() {
    let here = Place::new();
    here.succeed(&["install", "shop", shop(), "--wait=ordered"]);
    here.succeed(&["upgrade", "shop", shop(), "--wait=ordered", "--set", "web.replicas=3,catalog=null"]);
    let (out, told) = here.succeed(&["rollback", "shop"]);
    assert_eq!(out, "Rollback was a success!\n");
    let (mug, api) = (
        "created    Product.shop.example.com default/shop-mug",
        "ready      Deployment.apps default/shop-api",
    );
    assert!(place(&told, mug) < place(&told, api), "{told}");
    assert!(told.contains("unchanged  StatefulSet.apps default/shop-database"), "{told}");
    let (out, _) = here.succeed(&["history", "shop", "-o", "json"]);
    assert!(out.contains(r#""revision":3"#) && out.contains("Rollback to 1"), "{out}");

    let (_, told) = here.succeed(&["upgrade", "shop", shop(), "--wait=ordered"]);
    assert!(!told.contains("configured"), "{told}");
    let (code, _, told) = here.run(&["rollback", "shop", "9"]);
    assert!(code == 1 && told.contains("release has no 9 version") && told.contains("1, 2, 3, 4"), "{told}");
}

#[test]
fn values_of_before_are_kept_as_asked() {
    let here = Place::new();
    here.succeed(&["install", "shop", shop(), "--set", "web.replicas=3"]);
    let values = || here.succeed(&["get", "values", "shop", "-o", "json"]).0;
    here.succeed(&["upgrade", "shop", shop()]);
    assert_eq!(values(), "{\"web\":{\"replicas\":3}}\n");
    here.succeed(&["upgrade", "shop", shop(), "--reuse-values", "--set", "api.replicas=1"]);
    assert_eq!(values(), "{\"api\":{\"replicas\":1},\"web\":{\"replicas\":3}}\n");
    here.succeed(&["upgrade", "shop", shop(), "--set", "api.logLevel=warn"]);
    assert_eq!(values(), "{\"api\":{\"logLevel\":\"warn\"}}\n");
    here.succeed(&["upgrade", "shop", shop(), "--reset-values"]);
    assert_eq!(values(), "null\n");
}

#[test]
fn what_is_all_or_nothing_is_taken_back() {
    let here = Place::new();
    let chart = here.session.home.path().join("web");
    let fails = "kind: Pod\nmetadata:\n  name: web\n  annotations: {dock.slipway.dev/fail: CrashLoopBackOff}\nspec:\n  containers: [{name: main, image: web}]\n";
    write(&chart, fails);
    let path = chart.to_str().unwrap();
    let (code, _, told) = here.run(&["install", "web", path, "--atomic", "--timeout", "2s"]);
    assert!(code == 1 && told.contains("taken out again"), "{told}");
    assert_eq!(here.succeed(&["list", "-a", "-o", "json"]).0, "[]\n");

    write(&chart, "kind: ConfigMap\nmetadata:\n  name: settings\ndata: {a: b}\n");
    here.succeed(&["install", "web", path]);
    write(&chart, fails);
    let (code, _, told) = here.run(&["upgrade", "web", path, "--atomic", "--timeout", "2s"]);
    assert!(code == 1 && told.contains("goes back to revision 1"), "{told}");
    assert!(
        told.contains("created    ConfigMap default/settings") || told.contains("unchanged  ConfigMap"),
        "{told}"
    );
    let (out, _) = here.succeed(&["status", "web"]);
    assert!(out.contains("STATUS: deployed\nREVISION: 3\nDESCRIPTION: Rollback to 1\n"), "{out}");
}

#[test]
fn a_dry_run_touches_nothing() {
    let here = Place::new();
    for side in ["--dry-run=client", "--dry-run=server"] {
        let (out, _) = here.succeed(&["install", "shop", shop(), "--wait=ordered", side, "--hide-secret"]);
        assert!(out.contains("kind: Deployment") && !out.contains("kind: Secret"), "{out}");
    }
    let (out, _) = here.succeed(&["install", "shop", shop(), "--wait=ordered", "--dry-run=server"]);
    assert!(out.contains("PLAN:\ninstall shop: 15 to create, 1 hook"), "{out}");
    assert_eq!(here.succeed(&["list", "-a", "-o", "json"]).0, "[]\n");
}

#[test]
fn plain_manifests_have_order_history_and_an_end() {
    let here = Place::new();
    let files = here.session.home.path().join("manifests");
    std::fs::create_dir_all(files.join("deep")).unwrap();
    std::fs::write(
        files.join("a.yaml"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first, annotations: {helm.sh/layer: one}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: second, annotations: {helm.sh/layer: two, helm.sh/depends-on/layers: one}}\n",
    )
    .unwrap();
    std::fs::write(
        files.join("deep/b.json"),
        r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}"#,
    )
    .unwrap();
    let path = files.to_str().unwrap();
    let (out, told) = here.succeed(&["install", "plain", path, "--wait=ordered"]);
    assert!(out.contains("STATUS: deployed"), "{out}");
    assert!(
        place(&told, "ready      ConfigMap default/first")
            < place(&told, "created    ConfigMap default/second"),
        "{told}"
    );
    let (out, _) = here.succeed(&["get", "manifest", "plain"]);
    assert!(out.contains("# Source: plain/deep/b.json"), "{out}");
    std::fs::remove_dir_all(files.join("deep")).unwrap();
    let (_, told) = here.succeed(&["upgrade", "plain", path]);
    assert!(
        told.contains("deleting   Secret default/s") || told.contains("gone       Secret default/s"),
        "{told}"
    );
    let (code, _, told) = here.run(&["upgrade", "plain", path, "--set", "a=b"]);
    assert!(code == 2 && told.contains("plain manifests take no values"), "{told}");
    here.succeed(&["uninstall", "plain"]);
}

#[test]
fn what_was_taken_out_can_be_brought_back() {
    let here = Place::new();
    here.succeed(&["install", "shop", shop(), "--wait=ordered"]);
    let (_, told) =
        here.succeed(&["upgrade", "shop", shop(), "--wait=ordered", "--set", "ingress.enabled=false"]);
    assert!(told.contains("gone       Ingress.networking.k8s.io default/shop"), "{told}");
    let (out, _) = here.succeed(&["undelete", "shop", "ingress/shop"]);
    assert_eq!(out, "ingress/shop is back, as revision 1 had it\n");
    let (code, _, told) = here.run(&["undelete", "shop", "ingress/shop"]);
    assert!(code == 1 && told.contains("nothing has to be brought back"), "{told}");
    // It belongs to nobody, so another revision without it leaves it alone, and one with it takes it up again.
    here.succeed(&["upgrade", "shop", shop(), "--wait=ordered", "--set", "ingress.enabled=false"]);
    here.succeed(&["upgrade", "shop", shop(), "--wait=ordered", "--reset-values"]);

    let (out, _) = here.succeed(&["uninstall", "shop"]);
    assert!(out.contains("'slipway undelete shop' brings its objects back until"), "{out}");
    let (out, told) = here.succeed(&["undelete", "shop"]);
    assert!(out.contains("STATUS: deployed"), "{out}");
    let (database, api) =
        ("ready      StatefulSet.apps default/shop-database", "created    Deployment.apps default/shop-api");
    assert!(place(&told, database) < place(&told, api), "{told}");
    here.succeed(&["uninstall", "shop", "--undelete-window", "0"]);
    let (code, _, told) = here.run(&["undelete", "shop"]);
    assert!(code == 1 && told.contains("not found"), "{told}");
}

/// A chart with an object that has a delay, and one without it.
fn delayed(here: &Place, delay: &str) -> (PathBuf, PathBuf) {
    let (with, without) =
        (here.session.home.path().join("with/delayed"), here.session.home.path().join("without/delayed"));
    write(
        &with,
        &format!(
            "kind: ConfigMap\nmetadata:\n  name: kept\n  annotations: {{slipway.dev/deletion-delay: {delay}}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: plain\n"
        ),
    );
    write(&without, "kind: ConfigMap\nmetadata:\n  name: plain\n");
    (with, without)
}

#[test]
fn what_has_a_delay_goes_to_the_trash() {
    let here = Place::new();
    let (with, without) = delayed(&here, "1h");
    let (with, without) = (with.to_str().unwrap(), without.to_str().unwrap());
    here.succeed(&["install", "data", with]);
    let (_, told) = here.succeed(&["upgrade", "data", without]);
    assert!(told.contains("counting   ConfigMap default/kept: until"), "{told}");
    let (out, _) = here.succeed(&["trash", "list"]);
    assert!(out.contains("data   \tdefault  \tConfigMap default/kept") && out.contains("there"), "{out}");
    here.succeed(&["trash", "sweep"]);
    assert!(here.succeed(&["trash", "list"]).0.contains("ConfigMap default/kept"));
    // It is wanted again, and its countdown ends.
    let (_, told) = here.succeed(&["upgrade", "data", with]);
    assert!(told.contains("restored   ConfigMap default/kept"), "{told}");

    let (out, _) = here.succeed(&["uninstall", "data"]);
    assert!(out.contains("ConfigMap default/kept: it goes at"), "{out}");
    let (out, _) = here.succeed(&["trash", "list", "-o", "json"]);
    assert!(out.contains(r#""uninstalled":true"#), "{out}");
    let (out, _) = here.succeed(&["trash", "restore", "data", "configmap/kept"]);
    assert!(out.contains("ConfigMap default/kept is out of the trash"), "{out}");
    // A release of the name takes up again what is nobody's.
    let (_, told) = here.succeed(&["install", "data", with]);
    assert!(told.contains("configured ConfigMap default/kept"), "{told}");
    here.succeed(&["uninstall", "data"]);
    here.succeed(&["trash", "purge", "data"]);
    assert_eq!(here.succeed(&["trash", "list", "-o", "json"]).0, "[]\n");
    let (_, told) = here.succeed(&["install", "data", with]);
    assert!(told.contains("created    ConfigMap default/kept"), "{told}");
}

#[test]
fn the_trash_is_swept_when_the_delay_is_over() {
    let here = Place::new();
    let (with, without) = delayed(&here, "1s");
    here.succeed(&["install", "data", with.to_str().unwrap()]);
    here.succeed(&["upgrade", "data", without.to_str().unwrap()]);
    std::thread::sleep(std::time::Duration::from_secs(2));
    let (out, told) = here.succeed(&["trash", "sweep"]);
    assert!(out.starts_with("swept the trash of 1 releases"), "{out}{told}");
    assert_eq!(here.succeed(&["trash", "list", "-o", "json"]).0, "[]\n");
    let (_, told) = here.succeed(&["upgrade", "data", with.to_str().unwrap()]);
    assert!(told.contains("created    ConfigMap default/kept"), "{told}");
}

#[test]
fn differences_are_shown_and_secrets_are_not() {
    let here = Place::new();
    let chart = here.session.home.path().join("web");
    let objects = |value: &str| {
        format!(
            "kind: ConfigMap\nmetadata:\n  name: settings\ndata: {{key: {value}}}\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: password\nstringData: {{password: very-{value}}}\n"
        )
    };
    write(&chart, &objects("one"));
    let path = chart.to_str().unwrap();
    let (out, _) = here.succeed(&["diff", "web", path]);
    assert!(out.contains("ConfigMap default/settings: created") && out.contains("2 to create"), "{out}");
    here.succeed(&["install", "web", path]);
    let (out, _) = here.succeed(&["diff", "web"]);
    assert_eq!(out, "0 to create, 0 to change, 0 to delete, 0 to count down\n");
    write(&chart, &objects("two"));
    let (out, _) = here.succeed(&["diff", "web", path]);
    assert!(out.contains("-   key: one\n+   key: two\n"), "{out}");
    assert!(out.contains("*** (before)") && !out.contains("very-"), "{out}");
    let (code, _, _) = here.run(&["diff", "web", path, "--detailed-exitcode"]);
    assert_eq!(code, 3);
}

#[test]
fn tests_run_and_tell_how_they_went() {
    let here = Place::new();
    here.succeed(&["install", "shop", shop(), "--wait=ordered"]);
    let (out, told) = here.succeed(&["test", "shop", "--logs"]);
    assert!(
        out.contains("TEST SUITE:     shop-test-order") && out.contains("Phase:          Succeeded"),
        "{out}"
    );
    assert!(told.contains("running    Pod default/shop-test-order (test)"), "{told}");
    let (out, _) = here.succeed(&["test", "shop", "--filter", "name=none"]);
    assert!(out.contains("STATUS: deployed"), "{out}");
}

#[test]
fn a_test_that_fails_is_recorded_as_failed() {
    let here = Place::new();
    let chart = here.session.home.path().join("web");
    write(
        &chart,
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: smoke\n  annotations: {helm.sh/hook: test, dock.slipway.dev/fail: Error}\nspec: {restartPolicy: Never, containers: [{name: main, image: smoke}]}\n",
    );
    here.succeed(&["install", "web", chart.to_str().unwrap()]);
    let (code, out, told) = here.run(&["test", "web", "--timeout", "30s"]);
    assert!(code == 1 && told.contains("Pod default/smoke: the pod failed"), "{out}{told}");
    assert!(out.contains("TEST SUITE:     smoke") && out.contains("Phase:          Failed"), "{out}");
    let (out, _) = here.succeed(&["status", "web"]);
    assert!(out.contains("Phase:          Failed"), "{out}");
}

#[test]
fn progress_is_told_as_asked() {
    let here = Place::new();
    let (_, told) = here.succeed(&["install", "shop", shop(), "--progress=json"]);
    let events: Vec<serde_json::Value> =
        told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(events.first().map(|event| &event["event"]), Some(&"begun".into()), "{told}");
    assert_eq!(events.last().map(|event| &event["outcome"]), Some(&"done".into()), "{told}");
    let (_, told) = here.succeed(&["uninstall", "shop", "--progress=none"]);
    assert_eq!(told, "");
    let (code, _, told) = here.run(&["uninstall", "shop", "--progress=loud"]);
    assert!(code == 2 && told.contains("auto, plain, json, none"), "{told}");
}

#[test]
fn a_release_that_was_left_behind_is_set_free() {
    let here = Place::new();
    here.succeed(&["install", "shop", shop()]);
    let (out, _) = here.succeed(&["unlock", "shop"]);
    assert_eq!(out, "shop is not locked\n");
    let (code, _, told) = here.run(&["unlock", "none"]);
    assert!(code == 1 && told.contains("not found"), "{told}");
}

#[test]
fn why_tells_what_is_wrong() {
    let here = Place::new();
    let chart = here.session.home.path().join("web");
    write(
        &chart,
        "kind: Pod\nmetadata:\n  name: web\n  annotations: {dock.slipway.dev/fail: CrashLoopBackOff}\nspec:\n  containers: [{name: main, image: web}]\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: held\n  finalizers: [example.com/cleanup]\n",
    );
    let path = chart.to_str().unwrap();
    let (code, _, _) = here.run(&["install", "web", path, "--wait", "--timeout", "3s"]);
    assert_eq!(code, 1);
    let (out, _) = here.succeed(&["why", "web"]);
    assert!(out.starts_with("web: revision 1 is failed: install failed: Pod default/web"), "{out}");
    assert!(out.contains("Pod default/web: it is not ready") && out.contains("CrashLoopBackOff"), "{out}");
    assert!(!out.contains("held"), "{out}");

    let (code, _, told) = here.run(&["uninstall", "web", "--timeout", "2s"]);
    assert!(code == 1 && told.contains("example.com/cleanup"), "{told}");
    let (out, _) = here.succeed(&["why", "configmap/held"]);
    assert!(out.contains("finalizer example.com/cleanup holds it\n    it was put there by slipway"), "{out}");
    assert!(out.contains("no workload that is called like slipway runs"), "{out}");
    let (out, _) = here.succeed(&["why", "web", "-o", "json"]);
    assert!(out.contains(r#""kind":"ConfigMap""#) && !out.contains(r#""kind":"Pod""#), "{out}");
    let (code, _, told) = here.run(&["why", "nothing/x"]);
    assert!(code == 1 && told.contains("no stored revision has") || told.contains("nothing/x"), "{told}");

    let rules = here.session.home.path().join("rules.yaml");
    std::fs::write(
        &rules,
        "- deletionRank: 300\n  waitTimeout: 1s\n  forceDeleteAfterWaitTimeout: {enabled: true, forceTimeout: 5s}\n",
    )
    .unwrap();
    let (out, told) =
        here.succeed(&["uninstall", "web", "--timeout", "20s", "--deletion-rules", rules.to_str().unwrap()]);
    assert!(
        told.contains("forced     ConfigMap default/held: finalizers example.com/cleanup removed"),
        "{told}"
    );
    assert!(out.contains("release \"web\" uninstalled"), "{out}");
}

#[test]
fn releases_have_plans_and_pictures_too() {
    let here = Place::new();
    here.succeed(&["install", "shop", shop(), "--wait=ordered"]);
    let (out, _) = here.succeed(&["dag", "shop"]);
    let (database, api) = (out.find("StatefulSet.apps default/shop-database"), out.find("layer api of shop"));
    assert!(database.is_some() && database < api, "{out}");
    let ordered = ["shop", shop(), "--live", "--wait=ordered", "--set", "ingress.enabled=false"];
    let (out, _) = here.succeed(&[&["plan", "upgrade"][..], &ordered].concat());
    assert!(out.starts_with("upgrade shop: 14 unchanged, 1 to delete, 1 hook"), "{out}");
    let (out, _) = here.succeed(&["plan", "uninstall", "shop", "--live", "-o", "json"]);
    assert!(out.contains("shop-database"), "{out}");
    let (code, _, told) = here.run(&["plan", "rollback", "shop", "7", "--live"]);
    assert!(code == 1 && told.contains("release has no 7 version"), "{told}");
    let (code, _, told) = here.run(&["dag", "none"]);
    assert!(code == 1 && told.contains("release: not found"), "{told}");
}
