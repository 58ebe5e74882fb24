//! `slipway bundle` and `slipway deployitem`: what a user sees of Bundles and DeployItems, with an operator at work.

use insta::assert_snapshot;
use serde_json::Value;

use crate::operator::Operator;
use crate::transcript::Session;

/// Transcripts of commands on the operator's cluster, with the times taken out.
struct Desk {
    operator: Operator,
}

impl Desk {
    fn open() -> Self {
        Self { operator: Operator::start(&["--feature-gates", "DeclarativeDelete=true"]) }
    }

    fn session(&self) -> &Session {
        &self.operator.session
    }

    fn transcript(&self, arguments: &[&str]) -> String {
        let mut command = self.session().command(arguments);
        command.arg("--embedded");
        timeless(&self.session().record(&mut command, arguments))
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.session().command(arguments).args(["--embedded", "-o", "json"]).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Looks until something is as expected.
    fn eventually(&self, arguments: &[&str], is_so: impl Fn(&Value) -> bool) -> Value {
        let begun = std::time::Instant::now();
        loop {
            let found = self.json(arguments);
            if is_so(&found) {
                return found;
            }
            assert!(begun.elapsed().as_secs() < 120, "{arguments:?}: {found}");
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    }
}

/// Without what the time and the order of events make different.
fn timeless(text: &str) -> String {
    let replaced = [
        (r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "[TIME]"),
        (r"\b(\d+[dhms]){1,2} ago", "[AGO]"),
        (r"\bin (\d+[dhms]){1,2}", "in [SPAN]"),
        (r"(Age: +\t)\S+", "${1}[AGE]"),
        (r"\b\d+[dhms](\d+[dhms])? *\n", "[AGE]\n"),
        (r" +\t", " | "),
        (r"\t", " | "),
    ];
    let mut text = text.to_owned();
    for (pattern, with) in replaced {
        let expression = goregexp::Regexp::compile(pattern).unwrap();
        text = expression.replace_all(&text, with, usize::MAX).unwrap();
    }
    text
}

#[test]
fn what_is_wrong_is_told_with_file_line_and_field_before_anything_is_done() {
    let desk = Desk::open();
    for (name, arguments) in [
        ("unknown_fields", ["bundle", "apply", "-f", "sets/unknown-fields.yaml"]),
        ("plugin", ["bundle", "apply", "-f", "sets/plugin.yaml"]),
        ("reference_to_nothing", ["bundle", "apply", "-f", "sets/reference-to-nothing.yaml"]),
        ("bad_delay", ["bundle", "apply", "-f", "sets/bad-delay.yaml"]),
        ("undeclared", ["bundle", "apply", "-f", "sets/undeclared.yaml"]),
        ("another_kind", ["bundle", "apply", "-f", "sets/item.yaml"]),
        ("bad_rule", ["deployitem", "apply", "-f", "sets/bad-rule.yaml"]),
        ("missing_namespace", ["bundle", "apply", "-f", "../../../../examples/bundles/soft-delete.yaml"]),
        ("one_refused", ["bundle", "apply", "-f", "sets/one-refused.yaml"]),
    ] {
        assert_snapshot!(name, desk.transcript(&arguments));
    }
    assert_eq!(desk.json(&["bundle", "list", "-A"]), serde_json::json!([]));
    assert_eq!(desk.json(&["deployitem", "list", "-A"]), serde_json::json!([]));
    assert_eq!(desk.operator.terminate(), Some(0));
}

#[test]
fn a_bundle_from_its_first_apply_to_a_countdown() {
    let desk = Desk::open();
    assert_snapshot!("dry_run", desk.transcript(&["bundle", "apply", "-f", "sets/shop.yaml", "--dry-run"]));
    assert_eq!(desk.json(&["bundle", "list"]), serde_json::json!([]));
    assert_snapshot!("applied", desk.transcript(&["bundle", "apply", "-f", "sets/shop.yaml", "--wait"]));
    assert_snapshot!("applied_again", desk.transcript(&["bundle", "apply", "-f", "sets/shop.yaml"]));
    assert_snapshot!("listed", desk.transcript(&["bundle", "list"]));
    assert_snapshot!("as_it_should_be", desk.transcript(&["bundle", "why", "shop"]));

    desk.transcript(&["bundle", "apply", "-f", "sets/without-database.yaml", "--wait"]);
    desk.eventually(&["bundle", "list"], |rows| rows[0]["going"] == 1);
    assert_snapshot!("counting_down", desk.transcript(&["bundle", "describe", "shop"]));
    assert_snapshot!("why_counting_down", desk.transcript(&["bundle", "why", "shop"]));
    assert_snapshot!("listed_counting_down", desk.transcript(&["bdl", "ls", "-A"]));

    assert_snapshot!("suspended", desk.transcript(&["bundle", "suspend", "shop"]));
    assert_snapshot!("suspended_again", desk.transcript(&["bundle", "suspend", "shop"]));
    assert_snapshot!("why_suspended", desk.transcript(&["why", "bundle/shop"]));
    assert_snapshot!("resumed", desk.transcript(&["bundle", "resume", "shop"]));
    assert_snapshot!("not_there", desk.transcript(&["bundle", "suspend", "shop", "nothing"]));
    assert_ne!(desk.json(&["bundle", "describe", "shop"])["object"]["spec"]["suspend"], true);

    let whole = desk.json(&["bundle", "describe", "shop"]);
    assert_eq!(whole["object"]["status"]["pendingDeletions"][0]["object"]["name"], "database");
    assert_eq!(whole["parts"][0]["state"], "Ready", "{whole}");
    assert!(!whole["events"].as_array().unwrap().is_empty(), "{whole}");
    assert_eq!(desk.operator.terminate(), Some(0));
}

#[test]
fn why_says_what_is_waited_for_and_what_would_come_next() {
    let desk = Desk::open();
    desk.transcript(&["bundle", "apply", "-f", "sets/blocked.yaml"]);
    desk.eventually(&["bundle", "describe", "blocked"], |whole| whole["parts"][2]["state"] == "Blocked");
    assert_snapshot!("why_blocked", desk.transcript(&["bundle", "why", "blocked"]));
    let arguments = ["bundle", "apply", "-f", "sets/blocked.yaml", "--wait", "--timeout", "1s"];
    assert_snapshot!("not_ready_in_time", desk.transcript(&arguments));
    assert_eq!(desk.operator.terminate(), Some(0));
}

#[test]
fn a_deploy_item_in_the_shape_of_the_landscaper() {
    let desk = Desk::open();
    assert_snapshot!(
        "item_applied",
        desk.transcript(&["deployitem", "apply", "-f", "sets/item.yaml", "--wait"])
    );
    assert_snapshot!("item_described", desk.transcript(&["deployitem", "describe", "item"]));
    assert_snapshot!("items_listed", desk.transcript(&["di", "ls"]));
    let whole = desk.json(&["deployitem", "describe", "item"]);
    let rule = &whole["object"]["spec"]["deletionOrderRules"][0];
    assert_eq!(rule["forceDeleteAfterWaitTimeout"]["enabled"], true, "by its other name: {whole}");
    desk.transcript(&["deployitem", "apply", "-f", "sets/after-item.yaml"]);
    desk.eventually(&["deployitem", "list"], |rows| rows[0]["reason"] == "DependenciesNotReady");
    assert_snapshot!("why_item_waits", desk.transcript(&["deployitem", "why", "after"]));
    assert_snapshot!("item_suspended", desk.transcript(&["deployitem", "suspend", "item", "after"]));
    assert_eq!(desk.operator.terminate(), Some(0));
}

#[test]
fn the_example_of_soft_deletes_applies_as_it_stands() {
    let desk = Desk::open();
    let example = "../../../../examples/bundles/soft-delete.yaml";
    assert_snapshot!("of_smith", desk.transcript(&["bundle", "apply", "-f", example, "--create-namespace"]));
    let listed =
        |whole: &Value| whole["parts"][0]["object"] == "ServiceInstance.servicecatalog.slipway.dev my-ns/db";
    // No broker is there: it is applied, and not ready.
    let whole = desk.eventually(&["bundle", "describe", "my-bundle", "-n", "my-ns"], |whole| {
        whole["parts"][0]["state"] == "InProgress"
    });
    assert!(listed(&whole), "{whole}");
    assert_eq!(desk.operator.terminate(), Some(0));
}

#[test]
fn a_cluster_without_the_definitions_is_told_of_in_words() {
    let session = Session::new();
    let mut command = session.command(&["bundle", "list", "--embedded"]);
    assert_snapshot!("no_definitions", session.record(&mut command, &["bundle", "list", "--embedded"]));
}
