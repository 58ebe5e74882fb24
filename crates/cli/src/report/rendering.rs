//! Charts that cannot be rendered: where in the user's files, and what to do about it.

use std::path::Path;

use chart::Chart;
use chart::render::RenderError;
use chart::schema::{ChartViolations, SchemaError};
use gotmpl::Phase;
use goyaml::{Document, Mapping, Value};

use super::misspelt::nearest;
use super::{Failure, Snippet};

/// What was rendered, to find the places that an error is about.
pub(crate) struct Origin<'a> {
    /// Where the chart was loaded from.
    pub(crate) path: &'a Path,
    pub(crate) chart: &'a Chart,
    /// What the user set.
    pub(crate) values: &'a Mapping,
    /// The files of values that the user gave.
    pub(crate) files: Vec<String>,
}

/// The failure that a rendering error means for a user.
pub(crate) fn rendering(error: &RenderError, message: &str, origin: &Origin<'_>) -> Failure {
    let failure = Failure::new(shorten(message));
    match error {
        RenderError::Template(error) => with_hint(failure.at(template_snippet(error.error())), error),
        RenderError::Yaml { path, source, document, .. } => {
            let snippet = source.line().and_then(|line| {
                Snippet::new(path, document, line, None).map(|snippet| snippet.titled("as rendered"))
            });
            failure.at(snippet).hint(
                "the template wrote this; a value may need quotes ({{ … | quote }}) or another indentation (nindent)",
            )
        }
        RenderError::Schema(violations) => schema(failure, violations, origin),
        RenderError::KubeVersion { .. } => failure.hint("--kube-version says which Kubernetes to render for"),
        RenderError::ReleaseName(_) => failure
            .hint("a release's name has lowercase letters, digits, '-' and '.', and at most 53 of them"),
        _ => failure,
    }
}

fn template_snippet(error: &gotmpl::Error) -> Option<Snippet> {
    let place = error.innermost_place()?;
    let line = place.snippet();
    if error.phase() == Phase::Parse {
        // It knows its line only, but a function can be found there.
        let name = unknown_function(&error.to_string()).map(str::to_owned);
        let column = name.as_ref().and_then(|name| line.find(name.as_str())).map(|column| column + 1);
        let snippet = Snippet::line(place.name(), place.line(), column, line);
        return Some(snippet.underline(name.map_or(1, |name| name.len())));
    }
    let column = Some(place.column() + 1);
    let snippet = Snippet::line(place.name(), place.line(), column, line);
    Some(snippet.underline(place.span().len().min(length_of_command(line, place.column()))))
}

/// The function that a template calls and nobody knows.
fn unknown_function(message: &str) -> Option<&str> {
    let (before, _) = message.split_once("\" not defined")?;
    before.rsplit_once("function \"").map(|(_, name)| name)
}

/// How far the command goes that starts at a column: to the next pipe, or to the end of the action.
fn length_of_command(line: &str, column: usize) -> usize {
    let rest = line.get(column..).unwrap_or_default();
    [" |", " }}", " -}}", "}}"].iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len())
}

/// Advice by what Go's words say.
fn with_hint(failure: Failure, error: &gotmpl::helm::RenderError) -> Failure {
    let text = error.to_string();
    if error.error().phase() == Phase::Parse
        && let Some(name) = unknown_function(&text)
    {
        let meant = nearest(name, gotmpl::helm::functions().names());
        let question = meant.map_or("is it misspelt?".to_owned(), |meant| format!("did you mean {meant}?"));
        return failure.hint(format!("templates have Go's functions, sprig's and Helm's; {question}"));
    }
    let hint = if text.contains("nil pointer evaluating") {
        "something on the way is not set; guard it with 'with' or 'if', or write ((.Values.a).b).c"
    } else if text.contains("rendering template has a nested reference name") {
        "templates include each other without end"
    } else if text.contains("error calling required") || text.contains("execution error at") {
        "set the value in a file given with -f, or with --set"
    } else if text.contains("no template") && text.contains("associated with template") {
        "is the helper defined in this chart or in one of its dependencies?"
    } else {
        return failure;
    };
    failure.hint(hint)
}

/// A chain of includes without end fills a thousand lines; its beginning and its end say it all.
fn shorten(message: &str) -> String {
    const SHOWN: usize = 6;
    for separator in ["error calling include: ", "error calling include:\n"] {
        let links: Vec<&str> = message.split_inclusive(separator).collect();
        if links.len() > 4 * SHOWN {
            let left_out = links.len() - 2 * SHOWN;
            let (first, last) = (&links[..SHOWN], &links[links.len() - SHOWN..]);
            return format!("{}\n… {left_out} more …\n{}", first.concat().trim_end(), last.concat());
        }
    }
    message.to_owned()
}

/// Points at the first value that a schema refuses, in the file that sets it.
fn schema(failure: Failure, error: &SchemaError, origin: &Origin<'_>) -> Failure {
    let Some(chart) = error.charts.first() else { return failure };
    let Some(violation) = chart.problems.first() else { return failure };
    let path = value_path(chart, &violation.pointer);
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    let from_file =
        origin.files.iter().rev().find_map(|file| in_file(file, &std::fs::read_to_string(file).ok()?, &keys));
    if let Some(snippet) = from_file {
        return failure.at(Some(snippet));
    }
    if is_given(origin.values, &keys) {
        return failure.hint(format!("{} was set on the command line", keys.join(".")));
    }
    let defaults = origin.chart.raw_file("values.yaml");
    let snippet = defaults.and_then(|file| {
        let name = super::short(&origin.path.join("values.yaml"));
        in_file(&name, std::str::from_utf8(&file.data).ok()?, &keys)
    });
    failure.at(snippet).hint("--skip-schema-validation renders all the same")
}

/// From the root chart's values to the value: names of subcharts, then the pointer's parts.
fn value_path(chart: &ChartViolations, pointer: &str) -> Vec<String> {
    let subcharts = chart.path.iter().skip(1).cloned();
    let parts = pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"));
    subcharts.chain(parts).collect()
}

/// Whether the user's own values reach that far; a number names an element of a list.
fn is_given(values: &Mapping, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else { return false };
    let mut value = values.get(*first);
    for key in rest {
        value = match value {
            Some(Value::Mapping(mapping)) => mapping.get(*key),
            Some(Value::Sequence(items)) => key.parse().ok().and_then(|index: usize| items.get(index)),
            _ => None,
        };
    }
    value.is_some()
}

fn in_file(name: &str, text: &str, path: &[&str]) -> Option<Snippet> {
    if path.is_empty() {
        return None;
    }
    let position = Document::parse(text).ok()?.value_position(path)?;
    Snippet::new(name, text, position.line, Some(position.column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_chain_is_shortened() {
        let chain = "a: error calling include: ".repeat(1000) + "the end";
        let short = shorten(&chain);
        assert!(
            short.len() < 1000 && short.contains("… 989 more …") && short.ends_with("the end"),
            "{short}"
        );
        assert_eq!(shorten("a: error calling include: b"), "a: error calling include: b");
    }
}
