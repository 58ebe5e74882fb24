//! The commands that look at a chart: `show`, `lint`, `dependency list`.

use insta::assert_snapshot;

use crate::transcript::transcript;

#[test]
fn show() {
    for part in ["all", "chart", "values", "readme", "crds"] {
        assert_snapshot!(format!("show_{part}"), transcript(&["show", part, "hello"]));
    }
    assert_snapshot!("show_chart_json", transcript(&["show", "chart", "hello", "-o", "json"]));
    assert_snapshot!("show_not_a_chart", transcript(&["show", "chart", "."]));
}

#[test]
fn show_values_by_path() {
    let found = |path: &str| transcript(&["show", "values", "hello", "--jsonpath", path]);
    assert_snapshot!("jsonpath", found("{.greeting} {.list[*]}"));
    assert_snapshot!("jsonpath_nothing", found("{.nothing}"));
    assert_snapshot!("jsonpath_wrong", found("{.greeting"));
}

#[test]
fn lint() {
    assert_snapshot!("lint_good", transcript(&["lint", "hello"]));
    assert_snapshot!("lint_bad", transcript(&["lint", "hello", "bad-yaml", "broken-values", "nowhere"]));
    assert_snapshot!("lint_required", transcript(&["lint", "missing-value"]));
    assert_snapshot!("lint_quiet", transcript(&["lint", "hello", "--quiet"]));
    assert_snapshot!("lint_json", transcript(&["lint", "bad-yaml", "-o", "json"]));
}

#[test]
fn dependency_list() {
    assert_snapshot!("dependencies_missing", transcript(&["dependency", "list", "missing-dependency"]));
    assert_snapshot!("dependencies_none", transcript(&["dep", "ls", "hello"]));
    assert_snapshot!(
        "dependencies_json",
        transcript(&["dependency", "list", "missing-dependency", "-o", "json"])
    );
}
