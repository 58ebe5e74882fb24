//! Running a chart's templates: every chart of the tree in its own scope, all of them in one set of templates.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use gotmpl::helm::{EngineOptions, Template};
use gotmpl::value::{Entries, Map};
use gotmpl::{Ahead, Value};

use super::values::VALUES;
use super::{Files, RenderError, RenderOptions, files, objects};
use crate::path::{base, join};
use crate::prepare::{ChartTree, Table, lookup};

/// Renders every template that is not a partial; the result is keyed by path.
pub(crate) fn render_templates(
    chart: &ChartTree,
    values: &Table,
    options: &RenderOptions<'_>,
) -> Result<Files, RenderError> {
    let mut files = Files::new();
    let each = |path: &str, text: Vec<u8>| {
        files.insert(path.to_owned(), text.into());
    };
    render_each(chart, values, options, None, each)?;
    Ok(files)
}

/// Renders every template that is not a partial, and hands over its path and what it printed.
pub(super) fn render_each(
    chart: &ChartTree,
    values: &Table,
    options: &RenderOptions<'_>,
    ahead: Option<Arc<Ahead>>,
    each: impl FnMut(&str, Vec<u8>),
) -> Result<(), RenderError> {
    let shared = Shared {
        release: objects::release(&options.release),
        capabilities: objects::capabilities(&options.capabilities),
    };
    let mut templates = BTreeMap::new();
    collect(chart, None, values, &chart.name(), &shared, &mut templates);
    let engine = EngineOptions {
        lint: options.lint,
        ends_with_process: options.ends_with_process,
        ahead,
        ..EngineOptions::new(Rc::clone(&options.environment))
    };
    Ok(gotmpl::helm::render(templates.into_values().collect(), VALUES, engine, each)?)
}

/// What all charts of a tree see in common.
struct Shared {
    release: Value,
    capabilities: Value,
}

/// Collects a chart's templates and those below it, and returns its scope.
fn collect(
    chart: &ChartTree,
    parent: Option<&Rc<Map>>,
    root_values: &Table,
    full_path: &str,
    shared: &Shared,
    templates: &mut BTreeMap<String, Template>,
) -> Rc<Map> {
    let name = chart.name();
    let values = match parent {
        None => Some(Rc::clone(root_values)),
        Some(parent) => lookup(parent, &format!("Values.{name}")),
    };
    let values = values.unwrap_or_else(|| Rc::new(Map::any(Entries::new())));
    let subcharts = Rc::new(Map::any(Entries::new()));
    let scope = [
        ("Chart", objects::chart(&chart.metadata.borrow(), parent.is_none())),
        ("Files", files::files(&chart.content.files)),
        ("Release", shared.release.clone()),
        ("Capabilities", shared.capabilities.clone()),
        ("Values", Value::Map(Rc::new(values.converted_to(VALUES)))),
        ("Subcharts", Value::Map(Rc::clone(&subcharts))),
    ];
    let scope: Entries = scope.into_iter().map(|(key, value)| (Rc::from(key), value)).collect();
    let scope = Rc::new(Map::any(scope));
    for subchart in &chart.dependencies {
        let name = subchart.name();
        let path = format!("{full_path}/charts/{name}");
        let inner = collect(subchart, Some(&scope), root_values, &path, shared, templates);
        subcharts.insert(name, Value::Map(inner));
    }
    let base_path = join(&[full_path, "templates"]);
    let is_library = chart.is_library();
    for file in &chart.content.templates {
        if is_library && !base(&file.name).starts_with('_') {
            continue;
        }
        let name = join(&[full_path, &file.name]);
        let template = Template {
            name: name.clone(),
            source: file.data.clone(),
            base_path: base_path.clone(),
            scope: Value::Map(Rc::new(scope.converted_to(VALUES))),
        };
        templates.insert(name, template);
    }
    scope
}
