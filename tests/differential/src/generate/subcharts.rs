//! Charts with subcharts: how values, globals, tags, conditions, aliases and imports come together.

use std::io;

use super::named;
use crate::choices::Choices;
use crate::oracle::{Oracle, Question};
use crate::suite::Generated;

/// Shows everything that a chart's templates see of the values.
const SHOW: &str = "name: {{ .Chart.Name }}\nvalues:\n{{ .Values | toYaml | indent 2 }}\nsubcharts: {{ keys .Subcharts | sortAlpha }}\n";

/// What a run over all charts must have asked for.
pub fn features(_: &mut Oracle) -> io::Result<Vec<String>> {
    Ok(named(&["condition", "tags", "alias", "import"]))
}

/// A parent with two subcharts, one of which has a subchart of its own.
pub fn subcharts(choices: &mut Choices<'_>) -> Generated {
    let mut features = Vec::new();
    let mut files = Vec::new();
    let mut file = |path: &str, text: String| files.push((path.to_owned(), text));
    let dependencies = dependencies(choices, &mut features);
    file("Chart.yaml", format!("apiVersion: v2\nname: parent\nversion: 1.0.0\n{dependencies}"));
    file("values.yaml", values(choices, &["one", "two", "aka", "global", "tags", "a"]));
    file("templates/show.yaml", SHOW.to_owned());
    for (path, name) in [("charts/one", "one"), ("charts/two", "two"), ("charts/one/charts/inner", "inner")] {
        let version = choices.pick(&["1.0.0", "1.2.3", "2.0.0-rc.1"]);
        let own = if name == "one" && choices.chance(1, 2) {
            "dependencies:\n- name: inner\n  version: '*'\n  condition: inner.enabled,global.inner\n  import-values: [data]\n"
        } else {
            ""
        };
        file(
            &format!("{path}/Chart.yaml"),
            format!("apiVersion: v2\nname: {name}\nversion: {version}\n{own}"),
        );
        file(
            &format!("{path}/values.yaml"),
            values(choices, &["a", "b", "global", "exports", "inner", "data"]),
        );
        file(&format!("{path}/templates/show.yaml"), SHOW.to_owned());
    }
    let values = values(choices, &["one", "two", "aka", "global", "tags", "a", "inner"]);
    Generated { question: Question::Chart { files, values }, features }
}

fn dependencies(choices: &mut Choices<'_>, features: &mut Vec<&'static str>) -> String {
    let mut text = "dependencies:\n".to_owned();
    let mut any = false;
    for name in ["one", "two", "one"] {
        if choices.chance(1, 4) {
            continue;
        }
        any = true;
        let version = choices.pick(&["'*'", "1.x", ">=1.0.0-0", "^2", "~1.2", "1.0.0"]);
        text.push_str(&format!("- name: {name}\n  version: {version}\n"));
        if choices.chance(1, 3) {
            features.push("condition");
            let condition = choices.pick(&[
                "one.enabled",
                "two.enabled,one.enabled",
                "global.on",
                "a",
                "a.b",
                "missing.path",
                "one.a",
            ]);
            text.push_str(&format!("  condition: {condition}\n"));
        }
        if choices.chance(1, 3) {
            features.push("tags");
            text.push_str(choices.pick(&["  tags: [front]\n", "  tags: [front, back]\n"]));
        }
        if choices.chance(1, 4) {
            features.push("alias");
            text.push_str(choices.pick(&["  alias: aka\n", "  alias: one\n", "  alias: b\n"]));
        }
        if choices.chance(1, 3) {
            features.push("import");
            text.push_str(choices.pick(&[
                "  import-values: [data]\n",
                "  import-values:\n  - child: a\n    parent: a\n",
                "  import-values:\n  - child: a.b\n    parent: one.imported\n  - data\n",
                "  import-values:\n  - child: exports.data\n    parent: .\n",
                "  import-values:\n  - child: .\n    parent: all\n",
            ]));
        }
    }
    if any { text } else { "dependencies: []\n".to_owned() }
}

/// A mapping with some of the keys.
fn values(choices: &mut Choices<'_>, keys: &[&str]) -> String {
    let mut text = String::new();
    for key in keys {
        if choices.chance(1, 2) {
            text.push_str(&format!("{key}: {}\n", value(choices, key, 0)));
        }
    }
    text
}

fn value(choices: &mut Choices<'_>, key: &str, depth: usize) -> String {
    let plain = match key {
        "tags" => {
            return choices
                .pick(&[
                    "{front: true}",
                    "{front: false, back: true}",
                    "{}",
                    "{front: maybe}",
                    "{front: null}",
                    "1",
                ])
                .to_owned();
        }
        "exports" => {
            return choices
                .pick(&["{data: {a: 7, x: {y: z}}}", "{}", "{data: 1}", "{data: {global: {g: 1}}}"])
                .to_owned();
        }
        "enabled" | "on" => return choices.pick(&["true", "false", "null", "maybe", "{}"]).to_owned(),
        _ => ["1", "text", "null", "true", "false", "[1, 2]", "{}", "2.5", "[]", "''"],
    };
    if depth > 2 || choices.chance(1, 3) {
        return choices.pick(&plain).to_owned();
    }
    let mut inner = Vec::new();
    for key in ["enabled", "a", "b", "inner", "on", "global", "x"] {
        if choices.chance(1, 3) {
            inner.push(format!("{key}: {}", value(choices, key, depth + 1)));
        }
    }
    format!("{{{}}}", inner.join(", "))
}
