//! Order: `template --wait=ordered`, `dag` and `plan`, what they show, and what they refuse.

use insta::assert_snapshot;

use crate::transcript::{Session, transcript};

/// The example chart, from where the fixtures are.
const SHOP: &str = "../../../../examples/shop";
const NOW: &str = "2026-03-01T00:00:00Z";

#[test]
fn template_prints_in_the_order_of_deployment() {
    assert_snapshot!("template_layers", transcript(&["template", "order/layers", "--wait=ordered"]));
    assert_snapshot!("template_subcharts", transcript(&["template", "order/foo", "--wait=ordered"]));
    assert_snapshot!("template_groups", transcript(&["template", "order/printed", "--wait=ordered"]));
    assert_snapshot!("template_half", transcript(&["template", "order/half", "--wait=ordered"]));
}

#[test]
fn without_the_flag_nothing_changes() {
    let session = Session::new();
    let plain = session.run(&["template", "order/printed"]).stdout;
    assert_eq!(session.run(&["template", "order/printed", "--wait"]).stdout, plain);
    assert!(!String::from_utf8_lossy(&plain).contains("START"));
    // Ordered or not, the same documents are printed.
    let ordered = session.run(&["template", "order/printed", "--wait=ordered"]).stdout;
    let sorted = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let mut lines: Vec<String> = text
            .lines()
            .filter(|line| !line.starts_with("## ") && !line.is_empty())
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&ordered), sorted(&plain));
}

#[test]
fn dag_shows_waves_and_reasons() {
    assert_snapshot!("dag_layers", transcript(&["dag", "order/layers"]));
    assert_snapshot!("dag_subcharts", transcript(&["dag", "order/foo"]));
    assert_snapshot!("dag_disabled", transcript(&["dag", "order/foo", "--set", "bar.enabled=false"]));
    assert_snapshot!("dag_half", transcript(&["dag", "order/half"]));
    assert_snapshot!("dag_no_hoist", transcript(&["dag", "order/half", "--no-hoist"]));
    assert_snapshot!("dag_shop", transcript(&["dag", SHOP]));
    assert_snapshot!("dag_limit", transcript(&["dag", SHOP, "--limit", "2"]));
}

#[test]
fn dag_for_machines_and_documents() {
    for format in ["json", "yaml", "dot", "mermaid", "svg"] {
        assert_snapshot!(format!("dag_{format}"), transcript(&["dag", "order/half", "-o", format]));
    }
}

/// What the documentation shows is what is printed.
#[test]
fn the_documentation_is_true() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read = |file: &str| std::fs::read_to_string(docs.join(file)).unwrap();
    let session = Session::new();
    let printed = |line: &[&str]| String::from_utf8_lossy(&session.run(line).stdout).into_owned();
    let stale = "docs/shop.svg is made by 'slipway dag examples/shop -o svg --output-file docs/shop.svg'";
    assert_eq!(read("shop.svg"), printed(&["dag", SHOP, "-o", "svg"]), "{stale}");
    let guide = read("ordering.md");
    let (_, shown) = guide.split_once("$ slipway dag order/half\n").unwrap();
    let (shown, _) = shown.split_once('…').unwrap();
    assert!(printed(&["dag", "order/half"]).starts_with(shown), "{shown}");
    let (_, shown) = guide.split_once("$ slipway dag order/layer-cycle\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let error = session.run(&["dag", "order/layer-cycle"]).stderr;
    assert!(String::from_utf8_lossy(&error).starts_with(shown), "{shown}");
}

#[test]
fn colours() {
    let text = transcript(&["dag", "order/layers", "--color", "always"]);
    assert_snapshot!("dag_colours", text.replace('\u{1b}', "ESC"));
}

#[test]
fn plans_of_every_operation() {
    let plan = |arguments: &[&str]| transcript(&[&["plan"], arguments, &["--now", NOW]].concat());
    assert_snapshot!("plan_install", plan(&["install", "shop", "order/half", "--wait=ordered"]));
    assert_snapshot!("plan_install_unordered", plan(&["install", "shop", "order/half"]));
    assert_snapshot!(
        "plan_upgrade",
        plan(&["upgrade", "shop", "order/half-next", "--from", "order/half", "--wait=ordered"])
    );
    assert_snapshot!(
        "plan_upgrade_to_the_same",
        plan(&["upgrade", "shop", "order/half", "--from", "order/half", "--wait=ordered"])
    );
    assert_snapshot!(
        "plan_rollback",
        plan(&["rollback", "shop", "order/half", "--from", "order/half-next", "--wait=ordered"])
    );
    assert_snapshot!("plan_uninstall", plan(&["uninstall", "shop", "order/half", "--wait=ordered"]));
    assert_snapshot!("plan_uninstall_unordered", plan(&["uninstall", "shop", "order/half"]));
    assert_snapshot!(
        "plan_uninstall_rules",
        plan(&["uninstall", "shop", "order/half", "--deletion-rules", "order/rules.yaml"])
    );
    assert_snapshot!(
        "plan_uninstall_shop",
        plan(&["uninstall", "shop", SHOP, "--wait=ordered", "--crds=delete"])
    );
}

#[test]
fn a_saved_plan_is_an_inventory() {
    let session = Session::new();
    let saved = session.home.path().join("shop.json");
    let saved = saved.to_str().unwrap();
    let install = ["plan", "install", "shop", "order/half", "--wait=ordered", "--save", saved];
    assert!(session.run(&install).status.success());
    let from_chart = ["plan", "uninstall", "shop", "order/half", "--wait=ordered", "--now", NOW];
    let from_inventory = ["plan", "uninstall", "shop", "--inventory", saved, "--now", NOW];
    let chart = session.run(&from_chart);
    assert!(chart.status.success());
    assert_eq!(
        String::from_utf8_lossy(&session.run(&from_inventory).stdout),
        String::from_utf8_lossy(&chart.stdout)
    );
    assert_snapshot!(
        "inventory_wrong",
        session.transcript(&["plan", "uninstall", "--inventory", "order/rules.yaml"])
    );
}

#[test]
fn mistakes_in_charts() {
    for name in [
        "layer-cycle",
        "subchart-cycle",
        "ambiguous",
        "bad-duration",
        "bad-delay",
        "user-stamp",
        "bad-expression",
        "two-spellings",
        "contradiction",
    ] {
        assert_snapshot!(format!("mistake_{name}"), transcript(&["dag", &format!("order/{name}")]));
    }
    assert_snapshot!("mistake_strict", transcript(&["dag", "order/layers", "--strict"]));
    assert_snapshot!("mistake_template", transcript(&["template", "order/layer-cycle", "--wait=ordered"]));
}

#[test]
fn mistakes_in_rules() {
    for name in ["conflict", "bad", "rank"] {
        let file = format!("order/rules-{name}.yaml");
        let line = ["plan", "uninstall", "shop", "order/half", "--wait=ordered", "--deletion-rules", &file];
        assert_snapshot!(format!("rules_{name}"), transcript(&line));
    }
}

#[test]
fn mistakes_in_the_command_line() {
    for (name, line) in [
        ("no_from", "plan upgrade shop order/half"),
        ("two_ways", "plan upgrade shop order/half --from order/half --inventory x"),
        ("from_install", "plan install shop order/half --from order/half"),
        ("no_chart", "plan uninstall"),
        ("bad_format", "dag order/half -o png"),
        ("bad_crds", "plan install order/half --crds=no"),
    ] {
        let line: Vec<&str> = line.split(' ').collect();
        assert_snapshot!(format!("usage_{name}"), transcript(&line));
    }
}

#[test]
fn lint_finds_what_planning_refuses() {
    for name in ["layers", "layer-cycle", "subchart-cycle", "bad-delay", "bad-expression", "two-spellings"] {
        assert_snapshot!(format!("lint_{name}"), transcript(&["lint", &format!("order/{name}")]));
    }
}

#[test]
fn help() {
    assert_snapshot!("help_dag", transcript(&["dag", "-h"]));
    assert_snapshot!("help_plan", transcript(&["plan", "-h"]));
    assert_snapshot!("help_plan_upgrade", transcript(&["plan", "upgrade", "-h"]));
}
