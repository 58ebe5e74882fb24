//! What planning has to say about a chart that is linted.

use std::path::Path;
use std::rc::Rc;

use chart::lint::Severity;
use chart::render::Release;
use chart::{Capabilities, RenderOptions, Rendered};
use goyaml::Mapping;
use jiff::Timestamp;
use plan::input::{Inventory, Live, Order, Place, Policy};
use plan::output::Note;
use plan::{Operation, PlanError, PlanErrors, Request};

use crate::outside::Outside;

/// Something that planning finds, and where.
pub(crate) struct Found {
    pub(crate) severity: Severity,
    /// The file, relative to the chart; empty if it is about no file.
    pub(crate) path: String,
    /// The line of what the template rendered, from one; zero if nobody knows.
    pub(crate) line: u32,
    pub(crate) text: String,
}

/// Plans the installation and the removal of a chart, and says what is wrong with their order. A chart that cannot be
/// loaded or rendered has other problems, which are told elsewhere.
pub(crate) fn lint(
    path: &Path,
    values: &Mapping,
    namespace: &str,
    capabilities: Capabilities,
    skip_schema_validation: bool,
) -> Vec<Found> {
    let Ok(loaded) = chart::load(path) else { return Vec::new() };
    if loaded.chart.is_library() {
        return Vec::new();
    }
    let release = Release {
        name: "test-release".to_owned(),
        namespace: namespace.to_owned(),
        revision: 0,
        is_upgrade: false,
    };
    let mut options = RenderOptions {
        release,
        capabilities,
        skip_schema_validation,
        lint: true,
        ..RenderOptions::new(Rc::new(Outside { quiet: true, ..Outside::default() }))
    };
    match chart::render(&loaded.chart, values, &mut options) {
        Ok(rendered) => judge(&rendered, namespace),
        Err(_) => Vec::new(),
    }
}

fn judge(rendered: &Rendered, namespace: &str) -> Vec<Found> {
    let Ok(wanted) = release::wanted(rendered, namespace, None) else { return Vec::new() };
    let policy = Policy { order: Order::Ordered, ..Policy::default() };
    let none = Inventory::default();
    let request = Request {
        operation: Operation::Install,
        wanted: &wanted,
        stored: &none,
        policy: &policy,
        live: &Live::unknown(),
        now: Timestamp::UNIX_EPOCH,
    };
    let install = match plan::plan(&request) {
        Ok(plan) => plan,
        Err(errors) => return refused(&errors).collect(),
    };
    let removal = Request { operation: Operation::Uninstall, stored: &install.intent, ..request };
    let mut found: Vec<Found> = install.notes.iter().filter_map(noted).collect();
    match plan::plan(&removal) {
        Ok(plan) => {
            let new = plan.notes.iter().filter(|note| !install.notes.contains(note));
            found.extend(new.filter_map(noted));
        }
        Err(errors) => found.extend(refused(&errors)),
    }
    found
}

/// That one object is there twice is nothing about order, and Helm's rules let it pass.
fn refused(errors: &PlanErrors) -> impl Iterator<Item = Found> {
    let about_order = errors.0.iter().filter(|error| !matches!(error, PlanError::Duplicate { .. }));
    about_order.map(|error| found(Severity::Error, error.place(), &error.to_string()))
}

fn noted(note: &Note) -> Option<Found> {
    let severity = match note {
        Note::NotLooked | Note::FromHelm | Note::HoistDropped { .. } => return None,
        note if note.is_strict_error() => Severity::Error,
        note if note.is_warning() => Severity::Warning,
        _ => Severity::Info,
    };
    Some(found(severity, note.place(), &note.to_string()))
}

fn found(severity: Severity, place: Option<&Place>, text: &str) -> Found {
    let Some(place) = place else {
        return Found { severity, path: String::new(), line: 0, text: text.to_owned() };
    };
    let path = place.template.split_once('/').map_or(place.template.as_str(), |(_, path)| path);
    let text = text.strip_prefix(&format!("{place}: ")).unwrap_or(text);
    Found { severity, path: path.to_owned(), line: place.line, text: text.to_owned() }
}
