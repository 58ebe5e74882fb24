//! What charts declare about each other: which take part, and which are to be ready before which.
//!
//! These are facts as somebody wrote them, with their lines. Whoever orders deployments reads them; rendering has no
//! use for them, so they are only read when asked for.

use bytes::Bytes;
use goyaml::{Document, Value};

use crate::prepare::ChartTree;

/// The annotation of a `Chart.yaml` that lists the subcharts its own objects come after.
pub(crate) const NEEDS_SUBCHARTS: &str = "helm.sh/depends-on/subcharts";

/// One chart that takes part in a rendering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartPart {
    /// The name it goes by, which may be an alias.
    pub name: String,
    /// Where its files are, as paths of templates begin: `shop/charts/db`.
    pub path: String,
    /// The chart that contains it, by its place in the list.
    pub parent: Option<usize>,
    /// Its `Chart.yaml`.
    pub definition: Bytes,
    /// Its `requirements.yaml`, where an old chart declares its dependencies.
    requirements: Option<Bytes>,
}

/// A value as it is written in a `Chart.yaml`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Written {
    /// The value.
    pub value: Value,
    /// Its line, from one; zero if it stands in another file.
    pub line: usize,
}

/// What one chart declares.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Declarations {
    /// The annotation `helm.sh/depends-on/subcharts`.
    pub needs_subcharts: Option<Written>,
    /// Its subcharts: those it declares, disabled ones too, then those that merely lie in `charts/`.
    pub subcharts: Vec<Subchart>,
}

/// A subchart as its parent declares it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subchart {
    /// The name of the chart.
    pub name: String,
    /// The name it goes by, if another.
    pub alias: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The field `depends-on`.
    pub depends_on: Option<Written>,
    /// Its place in the list of charts; `None` if it does not take part.
    pub part: Option<usize>,
}

impl ChartPart {
    /// A chart of which nothing but the name is known.
    pub(crate) fn alone(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            path: name.to_owned(),
            parent: None,
            definition: Bytes::new(),
            requirements: None,
        }
    }

    /// The charts of a tree, the root first, and parents before their subcharts.
    pub(crate) fn all(root: &ChartTree) -> Vec<Self> {
        let mut parts = Vec::new();
        collect(root, &root.name(), None, &mut parts);
        parts
    }

    /// What this chart, the one at `place` of `charts`, declares.
    pub fn declarations(place: usize, charts: &[Self]) -> Declarations {
        let Some(chart) = charts.get(place) else { return Declarations::default() };
        let mut subcharts = Vec::new();
        let definition = parse(&chart.definition);
        let requirements = chart.requirements.as_ref().and_then(parse);
        // Helm reads the old file over the new one.
        let lists = [(&requirements, false), (&definition, true)];
        let list = lists.into_iter().find_map(|(document, is_definition)| {
            let document = document.as_ref()?;
            Some((document, is_definition, document.value().get("dependencies")?.as_sequence()?))
        });
        if let Some((document, is_definition, items)) = list {
            for (number, item) in items.iter().enumerate() {
                let path = ["dependencies", &number.to_string(), "depends-on"];
                let line = document.position(&path).filter(|_| is_definition).map_or(0, |place| place.line);
                subcharts.push(subchart(item, line));
            }
        }
        for (number, part) in charts.iter().enumerate().filter(|(_, part)| part.parent == Some(place)) {
            let declared = subcharts.iter_mut().find(|subchart| {
                subchart.part.is_none() && subchart.alias.as_ref().unwrap_or(&subchart.name) == &part.name
            });
            match declared {
                Some(declared) => declared.part = Some(number),
                None => subcharts.push(Subchart {
                    name: part.name.clone(),
                    part: Some(number),
                    ..Subchart::default()
                }),
            }
        }
        let needs_subcharts = definition.and_then(|document| {
            let path = ["annotations", NEEDS_SUBCHARTS];
            let value = document.value().get_path(path)?.clone();
            Some(Written { value, line: document.position(&path).map_or(0, |place| place.line) })
        });
        Declarations { needs_subcharts, subcharts }
    }
}

fn collect(chart: &ChartTree, path: &str, parent: Option<usize>, parts: &mut Vec<ChartPart>) {
    let place = parts.len();
    parts.push(ChartPart {
        name: chart.name(),
        path: path.to_owned(),
        parent,
        definition: chart.content.definition.clone(),
        requirements: chart.content.requirements.clone(),
    });
    for subchart in &chart.dependencies {
        collect(subchart, &format!("{path}/charts/{}", subchart.name()), Some(place), parts);
    }
}

fn parse(data: &Bytes) -> Option<Document> {
    Document::parse(std::str::from_utf8(data).ok()?).ok()
}

fn subchart(item: &Value, line: usize) -> Subchart {
    let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
    let tags = item.get("tags").and_then(Value::as_sequence).unwrap_or_default();
    Subchart {
        name: text("name").unwrap_or_default(),
        alias: text("alias").filter(|alias| !alias.is_empty()),
        tags: tags.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        depends_on: item.get("depends-on").map(|value| Written { value: value.clone(), line }),
        part: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, parent: Option<usize>, definition: &'static str) -> ChartPart {
        ChartPart {
            name: name.to_owned(),
            path: name.to_owned(),
            parent,
            definition: Bytes::from_static(definition.as_bytes()),
            requirements: None,
        }
    }

    #[test]
    fn declarations_are_read_as_written_with_their_lines() {
        let charts = [
            part(
                "foo",
                None,
                "name: foo\nannotations:\n  helm.sh/depends-on/subcharts: [bar, one]\ndependencies:\n- name: queue\n  alias: one\n- name: bar\n  depends-on: queue\n  tags: [a]\n- name: absent\n",
            ),
            part("one", Some(0), ""),
            part("bar", Some(0), ""),
            part("lying", Some(0), ""),
            part("deeper", Some(1), ""),
        ];
        let declared = ChartPart::declarations(0, &charts);
        assert_eq!(declared.needs_subcharts.unwrap().line, 3);
        let found: Vec<_> = declared
            .subcharts
            .iter()
            .map(|subchart| (subchart.name.as_str(), subchart.alias.as_deref(), subchart.part))
            .collect();
        assert_eq!(
            found,
            [
                ("queue", Some("one"), Some(1)),
                ("bar", None, Some(2)),
                ("absent", None, None),
                ("lying", None, Some(3))
            ]
        );
        let depends_on = declared.subcharts[1].depends_on.as_ref().unwrap();
        assert_eq!((depends_on.value.as_str(), depends_on.line), (Some("queue"), 8));
        assert_eq!(declared.subcharts[1].tags, ["a"]);
    }

    #[test]
    fn old_charts_declare_in_a_file_of_their_own() {
        let old = ChartPart {
            requirements: Some(Bytes::from_static(b"dependencies:\n- name: db\n  depends-on: [x]\n")),
            ..part("old", None, "name: old\n")
        };
        let declared = ChartPart::declarations(0, &[old]);
        assert_eq!(declared.subcharts[0].depends_on.as_ref().unwrap().line, 0);
    }
}
