//! The set of objects that is wanted, read once from its documents.

use goyaml::{Document, Value};
use objects::{Definition, Kinds, ObjectId, Scope, Source, read_in_halves};

use super::chart_tree::ChartTree;
use super::facts::{self, Nature};
use super::hook::{Hook, HookDeletion, HookEvent};
use super::member::{Annotation, Digest, Member, Place};
use super::vocabulary::Spelling;
use crate::ChartIndex;

/// A document that cannot be read as an object.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// It is no YAML.
    #[error("{place}: {cause}")]
    Yaml {
        /// Where it begins.
        place: Place,
        /// What is wrong.
        cause: goyaml::Error,
    },
    /// It lacks what every object has.
    #[error("{place}: expected an object with {field}, found none")]
    Incomplete {
        /// Where it begins.
        place: Place,
        /// What is missing.
        field: &'static str,
    },
}

/// Everything that is wanted: objects, definitions from `crds/`, hooks, and the charts they come from.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Wanted {
    /// The charts.
    pub tree: ChartTree,
    /// The namespace of objects that name none: the release's.
    pub namespace: String,
    /// The objects, in the order in which they were handed in.
    pub members: Vec<Member>,
    /// The definitions in the `crds/` of all charts.
    pub crds: Vec<Member>,
    /// The hooks.
    pub hooks: Vec<Hook>,
    /// Whether the merged proposal's words are used anywhere, so that groups are called by its name.
    pub resource_groups: bool,
}

impl Wanted {
    /// Nothing, for an uninstall without hooks. The namespace is the release's, which goes last if it goes.
    pub fn nothing(namespace: impl Into<String>) -> Self {
        Self {
            tree: ChartTree::default(),
            namespace: namespace.into(),
            members: Vec::new(),
            crds: Vec::new(),
            hooks: Vec::new(),
            resource_groups: false,
        }
    }

    /// Begins a set of objects that live in `namespace` unless they say otherwise.
    pub fn builder(tree: ChartTree, namespace: impl Into<String>) -> WantedBuilder {
        WantedBuilder {
            wanted: Self { tree, ..Self::nothing(namespace) },
            kinds: Kinds::built_in(),
            documents: 0,
        }
    }
}

/// Reads documents into a [`Wanted`]. Scopes are settled at the end, since a definition may come after its objects.
#[derive(Debug)]
pub struct WantedBuilder {
    wanted: Wanted,
    kinds: Kinds,
    documents: u32,
}

/// Where a document comes from.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// The chart.
    pub chart: ChartIndex,
    /// The template or file.
    pub source: &'a Source,
    /// The line in what the template rendered on which the document begins, from one.
    pub line: u32,
}

impl WantedBuilder {
    /// Says of a kind that is neither built in nor defined by the set whether its objects live in namespaces: what
    /// a cluster's discovery knows.
    pub fn kind(&mut self, group: &str, kind: &str, scope: Scope) -> &mut Self {
        self.kinds.discover(group, kind, scope);
        self
    }

    /// Adds one rendered document. Empty ones are no objects; a `List` is its items.
    pub fn manifest(&mut self, written: Written<'_>, text: &str) -> Result<&mut Self, ReadError> {
        let read = self.read(written, text)?;
        self.wanted.members.extend(read);
        Ok(self)
    }

    /// Adds many rendered documents, in order: the same as one after the other, on two processors if it is worth it.
    pub fn manifests(&mut self, documents: &[(Written<'_>, &str)]) -> Result<&mut Self, ReadError> {
        let namespace = &self.wanted.namespace;
        let read = read_in_halves(
            documents,
            WORTH_A_THREAD,
            |(_, text)| text.len(),
            |(written, text)| ReadDocument::new(namespace, *written, text),
        );
        for read in read {
            let members = self.take(read?);
            self.wanted.members.extend(members);
        }
        Ok(self)
    }

    /// Adds one document of a chart's `crds/`.
    pub fn crd(&mut self, written: Written<'_>, text: &str) -> Result<&mut Self, ReadError> {
        let read = self.read(written, text)?;
        self.wanted.crds.extend(read);
        Ok(self)
    }

    /// Adds one hook.
    pub fn hook(
        &mut self,
        written: Written<'_>,
        text: &str,
        events: &[HookEvent],
        weight: i64,
        deletions: &[HookDeletion],
    ) -> Result<&mut Self, ReadError> {
        for member in self.read(written, text)? {
            let (events, deletions) = (events.to_vec(), deletions.to_vec());
            self.wanted.hooks.push(Hook { member, events, weight, deletions });
        }
        Ok(self)
    }

    /// The set, with each object's namespace settled.
    pub fn finish(self) -> Wanted {
        let Self { mut wanted, kinds, .. } = self;
        let hooks = wanted.hooks.iter_mut().map(|hook| &mut hook.member);
        for member in wanted.members.iter_mut().chain(&mut wanted.crds).chain(hooks) {
            let id = &mut member.id;
            match kinds.scope(&id.group, &id.kind) {
                Some(Scope::Cluster) => id.namespace = None,
                // Nobody knows every kind; most live in namespaces.
                Some(Scope::Namespaced) | None => {
                    id.namespace.get_or_insert_with(|| wanted.namespace.clone());
                }
            }
        }
        wanted
    }

    fn read(&mut self, written: Written<'_>, text: &str) -> Result<Vec<Member>, ReadError> {
        let read = ReadDocument::new(&self.wanted.namespace, written, text)?;
        Ok(self.take(read))
    }

    /// Numbers a document, and learns what it says about others.
    fn take(&mut self, read: ReadDocument) -> Vec<Member> {
        let ReadDocument { mut members, definitions } = read;
        for definition in &definitions {
            self.kinds.define(definition);
        }
        for member in &mut members {
            member.document = self.documents;
            self.wanted.resource_groups |=
                member.annotations.iter().any(|found| found.spelling.is_resource_group());
        }
        self.documents += 1;
        members
    }
}

/// Below this many bytes a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 256 * 1024;

/// What one document says by itself.
struct ReadDocument {
    members: Vec<Member>,
    definitions: Vec<Definition>,
}

impl ReadDocument {
    fn new(namespace: &str, written: Written<'_>, text: &str) -> Result<Self, ReadError> {
        let place = || Place { template: written.source.as_str().to_owned(), line: written.line };
        let value = goyaml::from_str(text).map_err(|cause| ReadError::Yaml { place: place(), cause })?;
        let mut read = Self { members: Vec::new(), definitions: Vec::new() };
        if value.is_null() {
            return Ok(read);
        }
        let is_list = value.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
        if let Some(items) = value.get("items").and_then(Value::as_sequence).filter(|_| is_list) {
            for (number, item) in items.iter().enumerate() {
                let mut member = read.member(namespace, written, item, text, place())?;
                member.item = Some(number as u32);
                member.digest = Digest::of(goyaml::json::to_string(item).unwrap_or_default());
                read.members.push(member);
            }
        } else {
            let mut member = read.member(namespace, written, &value, text, place())?;
            // White space around it does not outlive being stored.
            member.digest = Digest::of(text.trim());
            read.members.push(member);
        }
        Ok(read)
    }

    fn member(
        &mut self,
        namespace: &str,
        written: Written<'_>,
        value: &Value,
        text: &str,
        place: Place,
    ) -> Result<Member, ReadError> {
        let field = |path: &[&str]| value.get_path(path.iter().copied()).and_then(Value::as_str);
        let required = |path: &[&str], field_name| {
            field(path)
                .filter(|found| !found.is_empty())
                .ok_or_else(|| ReadError::Incomplete { place: place.clone(), field: field_name })
        };
        let api_version = required(&["apiVersion"], "an apiVersion")?;
        let kind = required(&["kind"], "a kind")?;
        let name = field(&["metadata", "name"])
            .or(field(&["metadata", "generateName"]))
            .filter(|name| !name.is_empty())
            .ok_or_else(|| ReadError::Incomplete { place: place.clone(), field: "a name" })?;
        let group = ObjectId::group_of(api_version);
        let named = field(&["metadata", "namespace"]).filter(|named| !named.is_empty());
        let (nature, needs) = facts::read(group, kind, named.unwrap_or(namespace), value);
        if matches!(nature, Nature::Definition(_)) {
            self.definitions.extend(Definition::read(value));
        }
        Ok(Member {
            id: ObjectId {
                group: group.to_owned(),
                kind: kind.to_owned(),
                namespace: named.map(str::to_owned),
                name: name.to_owned(),
            },
            api_version: api_version.to_owned(),
            chart: written.chart,
            place,
            annotations: annotations(value, text, written.line),
            nature,
            needs,
            digest: Digest::default(),
            document: 0,
            item: None,
        })
    }
}

/// The annotations the planner knows, with their lines.
fn annotations(value: &Value, text: &str, first_line: u32) -> Vec<Annotation> {
    let Some(entries) = value.get_path(["metadata", "annotations"]).and_then(Value::as_mapping) else {
        return Vec::new();
    };
    let mut positions = None;
    let mut found = Vec::new();
    for (key, value) in entries {
        let Some(spelling) = Spelling::of(key) else { continue };
        let line = line_of(key, text).or_else(|| {
            let document = positions.get_or_insert_with(|| Document::parse(text).ok()).as_ref()?;
            Some(document.position(&["metadata", "annotations", key])?.line)
        });
        // The document's own first line is `first_line`.
        let line = line.map_or(first_line, |line| first_line.max(1) + line as u32 - 1);
        found.push(Annotation { spelling, value: value.clone(), line });
    }
    found
}

/// The line of a key that a text has once, which is nearly always so, and spares the reading for places.
fn line_of(key: &str, text: &str) -> Option<usize> {
    let mut found = None;
    for (start, _) in text.match_indices(key) {
        let after = text[start + key.len()..].trim_start_matches(['"', '\'']).trim_start_matches(' ');
        if !after.starts_with(':') {
            continue;
        }
        if found.replace(start).is_some() {
            return None;
        }
    }
    found.map(|start| 1 + text[..start].bytes().filter(|byte| *byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(number: usize) -> String {
        let data = "x".repeat(2000);
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: n{number}}}\ndata: {{a: {data}}}\n")
    }

    fn read_at_once(texts: &[String]) -> Result<Wanted, ReadError> {
        let source = Source::new("a/templates/b.yaml");
        let written = |line| Written { chart: ChartIndex(0), source: &source, line };
        let documents: Vec<_> = (1..).map(written).zip(texts.iter().map(String::as_str)).collect();
        let mut builder = Wanted::builder(ChartTree::single("a"), "ns");
        builder.manifests(&documents)?;
        Ok(builder.finish())
    }

    #[test]
    fn many_documents_are_read_as_one_after_the_other() {
        // Enough for two threads, with a list, an empty one and a definition that comes late.
        let mut texts: Vec<_> = (0..300).map(document).collect();
        texts[7] = "kind: List\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: s}}]\n".to_owned();
        texts[200] = "# nothing\n".to_owned();
        texts[290] = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: bs.a}\n\
                      spec: {group: a, scope: Cluster, names: {kind: B, plural: bs}, versions: [{name: v1, served: true, storage: true}]}\n"
            .to_owned();
        texts[3] = "apiVersion: a/v1\nkind: B\nmetadata: {name: b}\n".to_owned();
        assert!(texts.iter().map(String::len).sum::<usize>() > WORTH_A_THREAD);

        let source = Source::new("a/templates/b.yaml");
        let mut builder = Wanted::builder(ChartTree::single("a"), "ns");
        for (line, text) in (1..).zip(&texts) {
            builder.manifest(Written { chart: ChartIndex(0), source: &source, line }, text).unwrap();
        }
        let at_once = read_at_once(&texts).unwrap();
        assert_eq!(at_once, builder.finish());
        assert_eq!((at_once.members.len(), &at_once.members[3].id.namespace), (299, &None));
    }

    #[test]
    fn of_several_mistakes_the_first_is_told() {
        let mut texts: Vec<_> = (0..300).map(document).collect();
        for wrong in [290, 20] {
            texts[wrong] = "kind: ConfigMap\n".to_owned();
            let error = read_at_once(&texts).unwrap_err().to_string();
            assert_eq!(
                error,
                format!(
                    "a/templates/b.yaml:{}: expected an object with an apiVersion, found none",
                    wrong + 1
                )
            );
        }
    }
}
