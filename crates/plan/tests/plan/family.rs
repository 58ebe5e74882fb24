//! A chart with subcharts, for tests.

use plan::ChartIndex;
use plan::input::{ChartFacts, ChartTree, Declared, Dependency, Order, Wanted};

use crate::world::{World, add, object};

fn declared(yaml: &str) -> Option<Declared> {
    (!yaml.is_empty()).then(|| Declared { value: goyaml::from_str(yaml).unwrap(), line: 4 })
}

/// A parent with subcharts: name, alias, tags, depends-on, enabled.
pub(crate) struct Family {
    pub(crate) tree: ChartTree,
}

impl Family {
    pub(crate) fn new(needs: &str) -> Self {
        let needs = declared(needs);
        Self { tree: ChartTree::new(ChartFacts { path: "top".into(), needs, ..ChartFacts::default() }) }
    }

    pub(crate) fn child(
        mut self,
        name: &str,
        alias: Option<&str>,
        tags: &[&str],
        depends_on: &str,
        enabled: bool,
    ) -> Self {
        let path = format!("top/charts/{}", alias.unwrap_or(name));
        let chart =
            enabled.then(|| self.tree.add(ChartIndex(0), ChartFacts { path, ..ChartFacts::default() }));
        self.tree.chart_mut(ChartIndex(0)).unwrap().dependencies.push(Dependency {
            name: name.into(),
            alias: alias.map(Into::into),
            tags: tags.iter().map(|tag| (*tag).into()).collect(),
            depends_on: declared(depends_on),
            chart,
        });
        self
    }

    /// One object for each chart, named after its directory.
    pub(crate) fn wanted(&self) -> Wanted {
        let mut builder = Wanted::builder(self.tree.clone(), "ns");
        for (number, chart) in self.tree.charts().iter().enumerate() {
            let name = chart.path.rsplit('/').next().unwrap();
            let path = format!("{}/templates/a.yaml", chart.path);
            add(&mut builder, ChartIndex::from(number), &path, &object("ConfigMap", name, &[]));
        }
        builder.finish()
    }

    pub(crate) fn world(&self) -> World {
        World::of(self.wanted(), Order::Ordered)
    }
}
