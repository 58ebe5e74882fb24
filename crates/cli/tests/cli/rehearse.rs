//! `--rehearse`: what would happen, without anything happening. Through a gate that counts what is written.

use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::stage::{Stage, map};

const DATABASE: &str = "
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: database}
spec:
  selector: {matchLabels: {app: database}}
  template:
    metadata: {labels: {app: database}}
    spec: {containers: [{name: main, image: postgres}]}
";

fn names(report: &Value, field: &str) -> Vec<String> {
    let name = |one: &Value| {
        let id = if one["object"].is_object() { &one["object"] } else { one };
        format!("{}/{}", id["kind"].as_str().unwrap(), id["name"].as_str().unwrap())
    };
    report[field].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn an_install_is_rehearsed_where_nothing_is() {
    let stage = Stage::new();
    let file = stage.manifests("all.yaml", &format!("{}{DATABASE}", map("settings", "1")));
    let file = file.to_str().unwrap();
    let (code, report, told) = stage.rehearse(&["install", "shop", file, "--wait"]);
    assert_eq!((code, &report["succeeds"]), (0, &json!(true)), "{report}{told}");
    assert_eq!(names(&report, "created"), ["ConfigMap/settings", "Deployment/database"]);
    let maps = stage.config_maps();
    assert!(stage.runtime.block_on(maps.get_opt("settings")).unwrap().is_none());
    let (code, _, told) = stage.run(&["status", "shop"]);
    assert!(code == 1 && told.contains("release: not found"), "{told}");
    stage.end(&[]);
}

#[test]
fn an_upgrade_does_what_its_rehearsal_said() {
    let stage = Stage::new();
    let before = [map("stays", "1"), map("changes", "1"), map("goes", "1")].concat() + DATABASE;
    let after = [map("stays", "1"), map("changes", "2"), map("comes", "1")].concat() + DATABASE;
    let (before, after) = (stage.manifests("before.yaml", &before), stage.manifests("after.yaml", &after));
    let (before, after) = (before.to_str().unwrap(), after.to_str().unwrap());
    stage.succeed(&["install", "shop", before, "--wait"]);
    let upgrade = ["upgrade", "shop", after, "--wait"];
    let (code, report, told) = stage.rehearse(&upgrade);
    assert_eq!(code, 0, "{report}{told}");
    assert_eq!(names(&report, "created"), ["ConfigMap/comes"]);
    assert_eq!(names(&report, "changed"), ["ConfigMap/changes"]);
    assert_eq!(names(&report, "deleted"), ["ConfigMap/goes"]);
    assert_eq!(names(&report, "unchanged"), ["ConfigMap/stays", "Deployment/database"]);
    assert_eq!((&report["operation"], &report["revision"]), (&json!("upgrade"), &json!(2)));
    assert!(stage.succeed(&["status", "shop"]).contains("REVISION: 1\n"));

    let (_, out, told) = stage.run(&[&upgrade[..], &["--progress=json"]].concat());
    let done = |event: &str, effect: Option<&str>| {
        let events = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let same = |one: &Value| one["event"] == event && effect.is_none_or(|effect| one["effect"] == effect);
        let mut names: Vec<String> =
            events.filter(same).map(|one| one["object"]["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert!(out.contains("REVISION: 2\n"), "{out}{told}");
    assert_eq!(done("applied", Some("created")), ["comes"], "{told}");
    assert_eq!(done("applied", Some("configured")), ["changes"], "{told}");
    assert_eq!(done("gone", None), ["goes"], "{told}");

    let (code, report, told) = stage.rehearse(&["rollback", "shop", "1"]);
    assert_eq!(code, 0, "{report}{told}");
    assert_eq!(names(&report, "created"), ["ConfigMap/goes"]);
    assert_eq!(names(&report, "changed"), ["ConfigMap/changes"]);
    assert_eq!(names(&report, "deleted"), ["ConfigMap/comes"]);
    let (code, report, told) = stage.rehearse(&["uninstall", "shop"]);
    assert_eq!(code, 0, "{report}{told}");
    assert_eq!(report["deleted"].as_array().unwrap().len(), 4, "{report}");
    // What the Deployment owns goes with it, and is no more than that.
    assert_eq!(report["dependents"], json!({"Pod": 1, "ReplicaSet": 1}), "{report}");
    assert_eq!(report["along"], json!([]), "{report}");
    stage.end(&[]);
}

#[test]
fn a_finalizer_goes_if_its_owner_runs_and_stays_if_not() {
    let stage = Stage::new();
    let file = stage.manifests("all.yaml", &[map("kept", "1"), map("freed", "1")].concat());
    stage.succeed(&["install", "shop", file.to_str().unwrap()]);
    stage.controller("stock-keeper");
    stage.hold("kept", "nobody-at-all");
    stage.hold("freed", "stock-keeper");
    let (code, report, told) = stage.rehearse(&["uninstall", "shop", "--timeout", "5m"]);
    assert_eq!((code, &report["succeeds"]), (1, &json!(false)), "{report}{told}");
    assert_eq!(names(&report, "deleted"), ["ConfigMap/freed"], "{report}");
    assert_eq!(names(&report, "stuck"), ["ConfigMap/kept"], "{report}");
    assert_eq!(report["stuck"][0]["finalizers"], json!(["example.com/hold"]), "{report}");
    assert!(told.contains("the uninstall of shop would fail"), "{told}");
    let assumed = report["assumed"]["finalizers"].as_array().unwrap();
    let of = |name: &str| assumed.iter().find(|one| one["object"]["name"] == name).unwrap();
    assert_eq!((&of("freed")["removed"], &of("kept")["removed"]), (&json!(true), &json!(false)));
    let because = of("freed")["because"].as_str().unwrap();
    assert!(because.contains("Deployment") && because.contains("stock-keeper, runs"), "{because}");
    assert!(report["seconds"].as_f64().unwrap() >= 299.0, "{report}");

    let rules = stage.manifests(
        "rules.yaml",
        "- {deletionRank: 300, waitTimeout: 1m, forceDeleteAfterWaitTimeout: {enabled: true}}\n",
    );
    let rules = ["uninstall", "shop", "--deletion-rules", rules.to_str().unwrap()];
    let (code, report, told) = stage.rehearse(&rules);
    assert_eq!(code, 0, "{report}{told}");
    assert_eq!(names(&report, "forced"), ["ConfigMap/kept"], "{report}");
    let (_, out, _) = stage.run(&[&rules[..], &["--rehearse"]].concat());
    for words in ["Nothing was changed", "Would lose finalizers by force", "stock-keeper, runs"] {
        assert!(out.contains(words), "{words}: {out}");
    }
    let maps = stage.config_maps();
    for name in ["kept", "freed"] {
        let live = stage.runtime.block_on(maps.get(name)).unwrap();
        assert!(live.metadata.deletion_timestamp.is_none(), "{name}");
    }
    stage.end(&["kept", "freed"]);
}

#[test]
fn a_finalizer_whose_owner_goes_first_stays() {
    let stage = Stage::new();
    // The rule takes the controller out before what it looks after.
    let keeper = DATABASE.replace("database", "stock-keeper");
    let keeper = keeper.replace(
        "metadata: {name: stock-keeper}",
        "metadata: {name: stock-keeper, annotations: {slipway.dev/deletion-rank: '50'}}",
    );
    let file = stage.manifests("all.yaml", &(map("goods", "1") + &keeper));
    stage.succeed(&["install", "shop", file.to_str().unwrap(), "--wait"]);
    stage.hold("goods", "stock-keeper");
    let (code, report, told) = stage.rehearse(&["uninstall", "shop"]);
    assert_eq!((code, names(&report, "stuck")), (1, vec!["ConfigMap/goods".to_owned()]), "{report}{told}");
    let because = report["assumed"]["finalizers"][0]["because"].as_str().unwrap();
    assert!(because.contains("has been taken out before"), "{because}");
    stage.end(&["goods"]);
}

#[test]
fn a_failure_is_foreseen_where_the_cluster_says_so() {
    let stage = Stage::new();
    let file = stage.manifests("all.yaml", &map("settings", "1"));
    stage.succeed(&["install", "shop", file.to_str().unwrap()]);
    // Somebody else owns a field that the next revision wants.
    let taken = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"b": "theirs"}});
    let parameters = PatchParams::apply("somebody");
    let maps = stage.config_maps();
    stage.runtime.block_on(maps.patch("settings", &parameters, &Patch::Apply(taken))).unwrap();
    let file = stage.manifests("all.yaml", &map("settings", "1").replace("'1'", "'1', b: ours"));
    let file = file.to_str().unwrap();
    let (code, report, told) = stage.rehearse(&["upgrade", "shop", file]);
    assert_eq!(code, 1, "{report}{told}");
    assert!(told.contains("somebody"), "{told}");
    let (code, report, told) = stage.rehearse(&["upgrade", "shop", file, "--force-conflicts"]);
    assert_eq!(code, 0, "{report}{told}");
    stage.end(&[]);
}
