//! Plans that cannot be made: what contradicts what, and where that is written.

use chart::Rendered;
use plan::input::{Place, ReadError, RulesError};
use plan::output::Note;
use plan::{PlanError, PlanErrors};

use super::{Failure, Snippet};

/// The failure that an impossible plan means for a user.
pub(crate) fn planning(errors: &PlanErrors, rendered: &Rendered) -> Failure {
    let failure = Failure::new(errors.to_string());
    let Some(first) = errors.0.first() else { return failure };
    let failure = failure.at(first.place().and_then(|place| snippet(place, rendered)));
    match hint(first) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The failure that a document which is no object means for a user.
pub(crate) fn reading(error: &ReadError, rendered: &Rendered) -> Failure {
    let (ReadError::Yaml { place, .. } | ReadError::Incomplete { place, .. }) = error;
    Failure::new(error.to_string()).at(snippet(place, rendered)).hint(
        "every document of a chart that is deployed in order is an object, with apiVersion, kind and metadata.name",
    )
}

/// The failure that rules which cannot be read mean for a user.
pub(crate) fn rules(error: &RulesError, text: &str) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        RulesError::Yaml { file, cause } => {
            let line = cause.line().map(|line| line.min(text.lines().count()));
            failure.at(line.and_then(|line| Snippet::new(file, text, line, None)))
        }
        RulesError::Field { place, .. } | RulesError::Type { place, .. } => {
            failure.at(Snippet::new(&place.template, text, place.line as usize, None)).hint(
                "a rule has deletionRank, and may have types (group/version/kind), waitTimeout and forceDeleteAfterWaitTimeout",
            )
        }
        RulesError::Conflict { place, .. } => failure
            .at(Snippet::new(&place.template, text, place.line as usize, None))
            .hint("each type stands in one rule, and rules of one rank agree on their times"),
    }
}

/// The lines around a place: of what a template rendered, or of a `Chart.yaml`.
fn snippet(place: &Place, rendered: &Rendered) -> Option<Snippet> {
    let line = place.line as usize;
    if let Some(path) = place.template.strip_suffix("/Chart.yaml") {
        let chart = rendered.charts.iter().find(|chart| chart.path == path)?;
        return Snippet::new(&place.template, std::str::from_utf8(&chart.definition).ok()?, line, None);
    }
    let hooks = rendered.hooks.iter().map(|hook| &hook.manifest);
    let manifest = rendered
        .manifests
        .iter()
        .chain(hooks)
        .filter(|manifest| manifest.source.as_str() == place.template && manifest.line <= place.line)
        .max_by_key(|manifest| manifest.line)?;
    // The lines of a document are counted from the start of its file.
    let text = "\n".repeat(manifest.line as usize - 1) + &manifest.text;
    Some(Snippet::from(&place.template, &text, line, manifest.line as usize)?.titled("as rendered"))
}

/// What can be done about it.
fn hint(error: &PlanError) -> Option<String> {
    Some(match error {
        PlanError::TwoSpellings { first, second, .. } => format!("keep one of {first} and {second}"),
        PlanError::BadList { .. } | PlanError::BadSubchartList { .. } => {
            "write a list as [a, b], as '[\"a\", \"b\"]', or as a, b".to_owned()
        }
        PlanError::BadExpression { .. } => {
            "an expression compares a path of .status with a value: {.succeeded} == 1".to_owned()
        }
        PlanError::UserStamp { .. } => {
            "leave it out: it is written when a countdown begins, and taken off when it ends".to_owned()
        }
        PlanError::LayerCycle { .. } => {
            "one of these declarations must go: a layer cannot come after itself".to_owned()
        }
        PlanError::SubchartCycle { .. } => {
            "one of these declarations must go: a subchart cannot come after itself".to_owned()
        }
        PlanError::AmbiguousSubchart { aliases, .. } => {
            format!("say which one is meant: {}", aliases.join(" or "))
        }
        PlanError::UnknownSubchart { known, .. } if known.is_empty() => {
            "declare it under dependencies, or leave the reference out".to_owned()
        }
        PlanError::UnknownSubchart { .. } => "subcharts are named by alias, name or tag".to_owned(),
        PlanError::Contradiction { .. } => {
            "one of the declarations on this path must go; those of the cluster cannot".to_owned()
        }
        PlanError::RankContradiction { effective, .. } => {
            format!("give it a rank of at most {effective}, or change the declarations on this path")
        }
        PlanError::Strict(Note::UnknownLayer { .. }) => {
            "is the name misspelt? Without --strict the dependency is dropped with a warning".to_owned()
        }
        PlanError::Strict(Note::Deadlock { .. }) => {
            "let the owner of the finalizer go later; without --strict this is a warning".to_owned()
        }
        _ => return None,
    })
}
