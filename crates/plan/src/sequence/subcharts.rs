//! References to subcharts: by alias, then by name, then by tag.

use std::collections::BTreeSet;

use crate::ChartIndex;
use crate::error::{Link, PlanError};
use crate::graph::{Arc, shortest_cycle};
use crate::input::{
    ChartFacts, ChartTree, Declared, Dependency, NEEDS_SUBCHARTS, Place, StoredChart, display_path, list,
};
use crate::output::Note;

const DEPENDS_ON: &str = "depends-on";

/// The charts without what they declare about each other.
pub(super) fn plain(tree: &ChartTree) -> Vec<StoredChart> {
    let stored = |chart: &ChartFacts| StoredChart {
        path: chart.path.clone(),
        parent: chart.parent,
        ..StoredChart::default()
    };
    tree.charts().iter().map(stored).collect()
}

/// The charts with what they declare about each other.
pub(super) fn resolve(
    tree: &ChartTree,
    errors: &mut Vec<PlanError>,
    notes: &mut Vec<Note>,
) -> Vec<StoredChart> {
    let mut stored = plain(tree);
    for (number, chart) in tree.charts().iter().enumerate() {
        let mut resolver = Resolver { chart, errors, notes };
        if let Some(declared) = &chart.needs {
            stored[number].needs = resolver.resolve(declared, NEEDS_SUBCHARTS);
        }
        for dependency in &chart.dependencies {
            let (Some(subchart), Some(declared)) = (dependency.chart, &dependency.depends_on) else {
                continue;
            };
            let after = resolver.resolve(declared, DEPENDS_ON);
            stored[subchart.at()].after.extend(after);
        }
    }
    stored
}

struct Resolver<'a> {
    chart: &'a ChartFacts,
    errors: &'a mut Vec<PlanError>,
    notes: &'a mut Vec<Note>,
}

impl Resolver<'_> {
    /// The enabled subcharts a list names, in the order of the tree.
    fn resolve(&mut self, declared: &Declared, field: &'static str) -> Vec<(ChartIndex, u32)> {
        let place = Place { template: format!("{}/Chart.yaml", self.chart.path), line: declared.line };
        let mut references = BTreeSet::new();
        let read = list::names(&declared.value, &mut |name: &str| {
            references.insert(name.to_owned());
        });
        if let Err(cause) = read {
            let chart = display_path(&self.chart.path);
            self.errors.push(PlanError::BadSubchartList { chart, field, cause, place });
            return Vec::new();
        }
        let mut found = BTreeSet::new();
        for reference in references {
            let matches = match self.matches(&reference) {
                Ok(matches) => matches,
                Err(problem) => {
                    let chart = display_path(&self.chart.path);
                    let place = place.clone();
                    self.errors.push(match problem {
                        Problem::Ambiguous(aliases) => {
                            PlanError::AmbiguousSubchart { chart, reference, aliases, place }
                        }
                        Problem::Unknown(known) => {
                            PlanError::UnknownSubchart { chart, reference, known, place }
                        }
                    });
                    continue;
                }
            };
            let enabled: Vec<ChartIndex> = matches.iter().filter_map(|dependency| dependency.chart).collect();
            if enabled.is_empty() {
                let chart = display_path(&self.chart.path);
                self.notes.push(Note::DisabledSubchart { chart, reference, place: place.clone() });
            }
            found.extend(enabled);
        }
        found.into_iter().map(|chart| (chart, declared.line)).collect()
    }

    fn matches(&self, reference: &str) -> Result<Vec<&Dependency>, Problem> {
        let all = |test: &dyn Fn(&Dependency) -> bool| -> Vec<&Dependency> {
            self.chart.dependencies.iter().filter(|dependency| test(dependency)).collect()
        };
        let aliased = all(&|dependency| dependency.alias.as_deref() == Some(reference));
        if !aliased.is_empty() {
            return Ok(aliased);
        }
        let matching = all(&|dependency| dependency.name == reference);
        let names: BTreeSet<&str> = matching.iter().map(|dependency| dependency.effective_name()).collect();
        match names.len() {
            0 => {}
            1 => return Ok(matching),
            _ => return Err(Problem::Ambiguous(names.into_iter().map(str::to_owned).collect())),
        }
        let tagged = all(&|dependency| dependency.tags.iter().any(|tag| tag == reference));
        if tagged.is_empty() {
            let known = self.chart.dependencies.iter().map(|known| known.effective_name().to_owned());
            return Err(Problem::Unknown(known.collect()));
        }
        Ok(tagged)
    }
}

enum Problem {
    Ambiguous(Vec<String>),
    Unknown(Vec<String>),
}

/// Finds subcharts that come after each other, one cycle for each parent.
pub(super) fn check_cycles(charts: &[StoredChart], errors: &mut Vec<PlanError>) {
    let mut arcs: Vec<Vec<Arc>> = vec![Vec::new(); charts.len()];
    for (number, chart) in charts.iter().enumerate() {
        let Some(parent) = chart.parent else { continue };
        // An arrow leads from who needs to who is needed, as people write it.
        let needs = chart.after.iter();
        arcs[parent.at()].extend(needs.map(|(needed, line)| Arc {
            from: number as u32,
            to: needed.0,
            origin: *line,
        }));
    }
    for (parent, arcs) in arcs.iter().enumerate() {
        if arcs.is_empty() {
            continue;
        }
        let Some(cycle) = shortest_cycle(charts.len(), arcs) else { continue };
        let name = |chart: u32| {
            let path = &charts[chart as usize].path;
            path.rsplit('/').next().unwrap_or(path).to_owned()
        };
        let link = |edge: &u32| {
            let arc = arcs[*edge as usize];
            Link {
                from: name(arc.from),
                to: name(arc.to),
                why: format!("{DEPENDS_ON} of {}", name(arc.from)),
                object: None,
                place: Some(Place {
                    template: format!("{}/Chart.yaml", charts[parent].path),
                    line: arc.origin,
                }),
            }
        };
        errors.push(PlanError::SubchartCycle {
            chart: display_path(&charts[parent].path),
            path: cycle.iter().map(link).collect(),
        });
    }
}
