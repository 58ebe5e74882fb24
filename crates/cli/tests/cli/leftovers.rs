//! What earlier commands have left behind: tombstones, countdowns of objects that others have by now, and what a failed
//! upgrade has created.

use std::time::Duration;

use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::stage::{Stage, map};

fn delayed(name: &str) -> String {
    map(name, "1").replace(
        &format!("{{name: {name}}}"),
        &format!("{{name: {name}, annotations: {{slipway.dev/deletion-delay: 1h}}}}"),
    )
}

#[test]
fn an_expired_tombstone_goes_with_the_next_command_in_the_namespace() {
    let stage = Stage::new();
    let file = stage.manifests("all.yaml", &map("settings", "1"));
    let file = file.to_str().unwrap();
    stage.succeed(&["install", "shop", file]);
    let secrets = stage.namespace.api::<k8s_openapi::api::core::v1::Secret>();
    let tombstone = || stage.runtime.block_on(secrets.get_opt("slipway.v1.shop.tombstone")).unwrap();
    stage.succeed(&["uninstall", "shop", "--undelete-window", "1h"]);
    let other = stage.manifests("other.yaml", &map("other", "1"));
    stage.succeed(&["install", "other", other.to_str().unwrap()]);
    assert!(tombstone().is_some(), "its time is not over");

    stage.succeed(&["install", "shop", file]);
    stage.succeed(&["uninstall", "shop", "--undelete-window", "1s"]);
    assert!(tombstone().is_some());
    std::thread::sleep(Duration::from_millis(1100));
    stage.succeed(&["list"]);
    assert!(tombstone().is_some(), "whoever only looks removes nothing");
    stage.succeed(&["upgrade", "other", other.to_str().unwrap()]);
    assert!(tombstone().is_none());
    stage.end(&[]);
}

#[test]
fn an_object_that_another_release_wants_by_now_loses_its_stamp() {
    let stage = Stage::new();
    let both = stage.manifests("both.yaml", &[delayed("shared"), map("own", "1")].concat());
    let own = stage.manifests("own.yaml", &map("own", "1"));
    let shared = stage.manifests("shared.yaml", &delayed("shared"));
    stage.succeed(&["install", "first", both.to_str().unwrap()]);
    stage.succeed(&["upgrade", "first", own.to_str().unwrap()]);
    let maps = stage.config_maps();
    let stamp = || {
        let live = stage.runtime.block_on(maps.get("shared")).unwrap();
        live.annotations().get("slipway.dev/deletion-timestamp").cloned()
    };
    let stamped = stamp().unwrap();
    // Another release takes it over; then the stamp is put there again, since Helm would have left it.
    stage.succeed(&["install", "second", shared.to_str().unwrap(), "--take-ownership"]);
    assert_eq!(stamp(), None);
    let change = json!({"metadata": {"annotations": {"slipway.dev/deletion-timestamp": stamped}}});
    let parameters = PatchParams::default();
    stage.runtime.block_on(maps.patch("shared", &parameters, &Patch::Merge(change))).unwrap();
    let (_, _, told) = stage.run(&["upgrade", "first", own.to_str().unwrap()]);
    assert!(told.contains("restored   ConfigMap"), "{told}");
    assert_eq!(stamp(), None);
    stage.end(&[]);
}

#[test]
fn what_a_failed_upgrade_has_created_goes_if_asked() {
    let stage = Stage::new();
    let before = stage.manifests("before.yaml", &map("stays", "1"));
    // The second is refused by the server.
    let refused =
        "---\napiVersion: v1\nkind: Service\nmetadata: {name: refused}\nspec: {ports: [{port: 0}]}\n";
    let after = stage.manifests("after.yaml", &[&map("stays", "2"), &map("comes", "1"), refused].concat());
    stage.succeed(&["install", "shop", before.to_str().unwrap()]);
    let upgrade = ["upgrade", "shop", after.to_str().unwrap()];
    let maps = stage.config_maps();
    let comes = || stage.runtime.block_on(maps.get_opt("comes")).unwrap();
    let (code, _, told) = stage.run(&upgrade);
    assert!(code == 1 && comes().is_some(), "{told}");
    stage.succeed(&["rollback", "shop", "1"]);
    assert!(comes().is_none());
    let (code, out, told) = stage.run(&[&upgrade[..], &["--cleanup-on-fail"]].concat());
    assert_eq!(code, 1, "{told}");
    assert!(out.contains("STATUS: failed") && told.contains("gone       ConfigMap"), "{out}{told}");
    assert!(comes().is_none(), "{told}");
    let stays = stage.runtime.block_on(maps.get("stays")).unwrap();
    assert_eq!(stays.data.unwrap()["a"], "2", "what was there before is left as it is");
    stage.succeed(&["uninstall", "shop"]);
    stage.end(&[]);
}

#[test]
fn ways_that_are_not_offered_are_refused_with_a_sentence() {
    let stage = Stage::new();
    let file = stage.manifests("all.yaml", &map("settings", "1"));
    let file = file.to_str().unwrap();
    for (arguments, words) in [
        (&["install", "shop", file, "--force-replace"][..], "--force-replace is not offered"),
        (&["install", "shop", file, "--server-side=false"], "--server-side=false is not offered"),
        (&["upgrade", "shop", file, "--server-side", "false"], "--server-side=false is not offered"),
        (&["upgrade", "shop", file, "--server-side", "never"], "server-side apply method: never"),
        (&["rollback", "shop", "--force-replace"], "--force-replace is not offered"),
        (&["rollback", "shop", "--dry-run=maybe"], "invalid dry-run value"),
        (&["get", "all", "shop", "--template", "{{.}}"], "--template is not offered"),
        (&["install", "shop", file, "--rehearse", "--dry-run=server"], "--dry-run and --rehearse cannot"),
    ] {
        let (code, _, told) = stage.run(arguments);
        assert!(code == 2 && told.contains(words), "{arguments:?}: {told}");
    }
    assert_eq!(stage.gate.writes(), 0);
    stage.succeed(&["install", "shop", file, "--server-side", "--disable-openapi-validation"]);
    stage.succeed(&["upgrade", "shop", file, "--server-side", "auto", "--description", "again"]);
    let back = stage.succeed(&[
        "rollback",
        "shop",
        "1",
        "--server-side=true",
        "--description",
        "back",
        "-o",
        "json",
    ]);
    let back: Value = serde_json::from_str(&back).unwrap();
    assert_eq!((&back["version"], &back["info"]["description"]), (&json!(3), &json!("back")), "{back}");
    let history = stage.succeed(&["history", "shop", "--show-rollback-revision"]);
    assert!(history.lines().next().unwrap().contains("ROLLBACK"), "{history}");
    let history: Value = serde_json::from_str(&stage.succeed(&["history", "shop", "-o", "json"])).unwrap();
    assert_eq!(
        (&history[1]["rollback_revision"], &history[2]["rollback_revision"]),
        (&Value::Null, &json!(1))
    );
    let removed =
        stage.succeed(&["uninstall", "shop", "--keep-history", "--description", "gone", "-o", "json"]);
    let removed: Value = serde_json::from_str(&removed).unwrap();
    assert_eq!((&removed["status"], &removed["description"]), (&json!("uninstalled"), &json!("gone")));
    assert_eq!(removed["deleted"][0]["name"], "settings", "{removed}");
    stage.end(&[]);
}

#[test]
fn everything_can_be_had_for_machines() {
    let stage = Stage::new();
    let file = stage.manifests("all.yaml", &[delayed("late"), map("settings", "1")].concat());
    let file = file.to_str().unwrap();
    for arguments in [
        &["install", "shop", file][..],
        &["upgrade", "shop", file],
        &["rollback", "shop", "1"],
        &["rollback", "shop", "1", "--dry-run"],
        &["status", "shop", "--show-resources"],
        &["history", "shop"],
        &["list"],
        &["get", "all", "shop"],
        &["get", "manifest", "shop"],
        &["get", "hooks", "shop"],
        &["get", "notes", "shop"],
        &["get", "values", "shop"],
        &["get", "metadata", "shop"],
        &["test", "shop"],
        &["diff", "shop"],
        &["why", "shop"],
        &["dag", "shop"],
        &["unlock", "shop"],
        &["uninstall", "shop", "--dry-run"],
        &["uninstall", "shop"],
        &["trash", "list"],
        &["trash", "restore", "shop", "configmap/late"],
        &["trash", "sweep"],
        &["undelete", "shop"],
        &["trash", "purge", "shop"],
    ] {
        let out = stage.succeed(&[arguments, &["-o", "json"]].concat());
        let read: Result<Value, _> = serde_json::from_str(&out);
        assert!(read.is_ok(), "{arguments:?}: {out}");
        let mut yaml = arguments.to_vec();
        if !matches!(arguments, ["install" | "undelete" | "uninstall" | "trash", ..]) {
            yaml.extend(["-o", "yaml"]);
            assert!(!stage.succeed(&yaml).starts_with('{'), "{yaml:?}");
        }
    }
    stage.end(&[]);
}
