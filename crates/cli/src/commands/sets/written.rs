//! Sets as somebody wrote them: read, made into ours where they are of another system, and checked, with the file and
//! line of everything that is wrong.

use std::fmt::Write as _;

use api::MappingError;
use dock::crd::CustomVersion;
use dock::crd::definition::Definition;
use kube::ResourceExt as _;
use objects::{Located, StreamProblem, read_objects};
use serde_json::Value;

use super::Kind;
use crate::commands::ready;
use crate::operation::Desk;
use crate::report::{self, Failure, Snippet};

/// A file that sets are written in.
pub(super) struct File {
    name: String,
    text: String,
}

/// A set, and where it was written.
pub(super) struct Written<'a, K> {
    /// What is sent.
    pub(super) document: Value,
    /// The same, as what it is.
    pub(super) set: K,
    place: Place<'a>,
}

struct Place<'a> {
    file: &'a File,
    object: Located<'a>,
}

/// What is wrong with one field: its path in what was read, and words.
struct Wrong {
    field: String,
    message: String,
}

/// Reads the files that are named; `-` is standard input.
pub(super) fn files<K: Kind>(names: &[String]) -> Result<Vec<File>, Failure> {
    if names.is_empty() {
        return Err(Failure::usage(format!("\"slipway {} apply\" needs a file", K::COMMAND))
            .hint("-f FILE names one, and -f - reads standard input"));
    }
    let read = names.iter().map(|name| ready::read(name).map(|(name, text)| File { name, text }));
    read.collect()
}

/// Reads all sets of the files, and checks everything that can be without a cluster.
pub(super) fn read<'a, K: Kind>(files: &'a [File], namespace: &str) -> Result<Vec<Written<'a, K>>, Failure> {
    let schema = schema::<K>();
    let mut found = Vec::new();
    for file in files {
        let objects = read_objects(&file.text).map_err(|error| {
            // The reader of YAML knows the line and not the column.
            let column = |column| (!matches!(error.problem, StreamProblem::Syntax(_))).then_some(column);
            let place = error.position.and_then(|place| file.snippet(place.line, column(place.column)));
            Failure::new(format!("{}: {error}", file.name)).at(place)
        })?;
        for object in objects {
            found.push(one(Place { file, object }, namespace, &schema)?);
        }
    }
    if found.is_empty() {
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        return Err(Failure::new(format!("{}: there is no {} in it", names.join(", "), K::kind(&()))));
    }
    Ok(found)
}

fn one<'a, K: Kind>(
    place: Place<'a>,
    namespace: &str,
    schema: &CustomVersion,
) -> Result<Written<'a, K>, Failure> {
    let read: Value = goyaml::json::from_value(place.object.object.clone())
        .map_err(|error| Failure::new(format!("{}: {error}", place.file.name)))?;
    place.is_one::<K>(&read)?;
    let mut document = api::mapped(read.clone()).map_err(|error| match &error {
        MappingError::Unsupported { field, .. } | MappingError::Malformed { field, .. } => {
            place.failure(&read, &[Wrong { field: field.clone(), message: error.to_string() }])
        }
        error => place.failure(&read, &[Wrong { field: String::new(), message: error.to_string() }]),
    })?;
    if read["apiVersion"] == api::smith::API_VERSION {
        of_service_catalog(&read, &mut document);
    }
    if document["metadata"]["namespace"].as_str().is_none_or(str::is_empty)
        && document["metadata"].is_object()
    {
        document["metadata"]["namespace"] = namespace.into();
    }
    if let Some(whole) = document.as_object_mut() {
        // How it stands is the operator's to say.
        whole.remove("status");
    }
    let wrong = structure(&document, schema);
    if !wrong.is_empty() {
        return Err(place.failure(&read, &wrong));
    }
    let set: K = serde_json::from_value(document.clone()).map_err(|error| {
        place.failure(&read, &[Wrong { field: String::new(), message: error.to_string() }])
    })?;
    Ok(Written { document, set, place })
}

impl<K: Kind> Written<'_, K> {
    /// Checks what the planner has to say about it, by the kinds that the cluster has.
    pub(super) fn check(&self, desk: &Desk) -> Result<(), Failure> {
        let wrong: Vec<Wrong> = self
            .set
            .check(&desk.engine)
            .into_iter()
            .map(|problem| Wrong { message: problem.to_string(), field: problem.field })
            .collect();
        if wrong.is_empty() { Ok(()) } else { Err(self.place.failure(&self.document, &wrong)) }
    }

    /// How it is called in what is told.
    pub(super) fn title(&self) -> String {
        format!("{}/{}", K::COMMAND, self.set.name_any())
    }

    /// What the server has against it, at the place where it was written.
    pub(super) fn refused(&self, words: &str) -> Failure {
        self.place.failure(&self.document, &[Wrong { field: String::new(), message: words.to_owned() }])
    }
}

/// Objects of Service Catalog that a Bundle of Smith's lists are meant for what takes its place here.
fn of_service_catalog(read: &Value, bundle: &mut Value) {
    let resources = bundle.pointer_mut("/spec/resources").and_then(Value::as_array_mut);
    for (number, resource) in resources.into_iter().flatten().enumerate() {
        let Some(object) = resource.pointer_mut("/spec/object") else { continue };
        let before = read.pointer(&format!("/spec/resources/{number}/spec/object/apiVersion"));
        if before.is_some_and(|before| *before == api::service_catalog::API_VERSION) {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
            report::plain(&format!("{kind} {name} is applied as {}", text(&object["apiVersion"])));
        }
        // How documents say that something is left out; no broker has such parameters.
        if object.pointer("/spec/parameters").is_some_and(|parameters| parameters == "...")
            && let Some(spec) = object["spec"].as_object_mut()
        {
            spec.remove("parameters");
            report::plain("parameters that are \"...\" are left out");
        }
    }
}

/// The structure of a kind, as a server has it.
fn schema<K: Kind>() -> CustomVersion {
    let written = api::definitions()
        .into_iter()
        .find(|definition| definition.spec.names.kind == K::kind(&()))
        .and_then(|definition| serde_json::to_value(definition).ok())
        .unwrap_or_default();
    let definition = Definition::read(&written);
    let version = definition.versions.iter().find(|version| version.name == K::version(&()));
    let version = version.cloned().unwrap_or_default();
    CustomVersion::compile(&definition, &version)
}

/// What a server would have against the structure: fields that nobody knows, that are missing, or of another type.
fn structure(document: &Value, schema: &CustomVersion) -> Vec<Wrong> {
    let mut read = document.clone();
    let unknown = match schema.decode(&mut read) {
        Ok(unknown) => unknown,
        Err(words) => return vec![Wrong { field: "metadata".to_owned(), message: words }],
    };
    let unknown =
        unknown.into_iter().map(|field| Wrong { message: format!("{field}: there is no such field"), field });
    schema.default(&mut read);
    let invalid = schema
        .validate(&read)
        .into_iter()
        .map(|error| Wrong { field: error.path.to_string(), message: error.to_string() });
    unknown.chain(invalid).collect()
}

impl File {
    fn snippet(&self, line: usize, column: Option<usize>) -> Option<Snippet> {
        Snippet::new(&self.name, &self.text, line.min(self.text.lines().count()), column)
    }
}

impl Place<'_> {
    /// Refuses what is something else, and says which command takes it.
    fn is_one<K: Kind>(&self, read: &Value) -> Result<(), Failure> {
        let text = |field: &str| read[field].as_str().unwrap_or_default();
        let (version, kind) = (text("apiVersion"), text("kind"));
        let ours = format!("{}/{}", K::group(&()), K::version(&()));
        let theirs = [api::smith::API_VERSION, api::landscaper::API_VERSION];
        if kind == K::kind(&()) && (version == ours || theirs.contains(&version)) {
            return Ok(());
        }
        let words = format!("expected a {} of {ours}, but this is a {kind} of {version}", K::kind(&()));
        let failure = self.failure(read, &[Wrong { field: "kind".to_owned(), message: words }]);
        Err(match kind {
            "Bundle" => failure.hint("'slipway bundle apply' takes Bundles"),
            "DeployItem" => failure.hint("'slipway deployitem apply' takes DeployItems"),
            _ => failure.hint("list other objects in a Bundle, or in the manifests of a DeployItem"),
        })
    }

    /// All that is wrong: the first with the lines it is about, the others with their line.
    fn failure(&self, document: &Value, wrong: &[Wrong]) -> Failure {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (kind, name) = (text(&document["kind"]), text(&document["metadata"]["name"]));
        let file = &self.file.name;
        let mut message = format!("{file}: {kind} {name}: ");
        let mut snippet = None;
        for (number, Wrong { field, message: words }) in wrong.iter().enumerate() {
            let position = self.position(field);
            match (number, position) {
                (0, position) => {
                    message.push_str(words);
                    snippet = position.and_then(|(line, column)| self.file.snippet(line, Some(column)));
                }
                (_, Some((line, _))) => drop(write!(message, "\n  {file}:{line}: {words}")),
                (_, None) => drop(write!(message, "\n  {words}")),
            }
        }
        Failure::new(message).at(snippet)
    }

    /// Where a field is written, or what is above it. A configuration of the Landscaper's has in `spec.config` what we
    /// have in `spec`.
    fn position(&self, field: &str) -> Option<(usize, usize)> {
        let way = way(field);
        let mut ways = vec![way.clone()];
        if let Some((first, rest)) = way.split_first().filter(|(first, _)| *first == "spec") {
            let config = [first.clone(), "config".to_owned()];
            ways.push(config.into_iter().chain(rest.iter().cloned()).collect());
        }
        // Exactly, if it is written; else as near as can be.
        let exact = ways.iter().find_map(|way| {
            let way = steps(way);
            self.object.value_position(&way).and_then(|_| self.object.position(&way))
        });
        let position = exact.or_else(|| self.object.position(&steps(&way)))?;
        Some((position.line, position.column))
    }
}

fn steps(way: &[String]) -> Vec<&str> {
    way.iter().map(String::as_str).collect()
}

/// The steps of a path: `spec.resources[0].metadata.annotations[example.com/a]`.
fn way(field: &str) -> Vec<String> {
    let mut steps = Vec::new();
    let mut rest = field;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (step, after) = inside.split_once(']').unwrap_or((inside, ""));
            steps.push(step.to_owned());
            rest = after;
        } else {
            rest = rest.strip_prefix('.').unwrap_or(rest);
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            steps.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
    }
    steps.retain(|step| !step.is_empty() && step != "<nil>");
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_apart_at_dots_and_brackets() {
        for (field, expected) in [
            ("", &[][..]),
            ("<nil>", &[]),
            ("spec.resources[0].name", &["spec", "resources", "0", "name"]),
            ("metadata.annotations[a.b/c-d].x", &["metadata", "annotations", "a.b/c-d", "x"]),
            ("spec.list[0][1]", &["spec", "list", "0", "1"]),
        ] {
            assert_eq!(way(field), expected, "{field}");
        }
    }
}
