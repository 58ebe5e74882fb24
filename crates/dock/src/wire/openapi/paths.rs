//! The operations on a resource.

use serde_json::{Map, Value, json};

use super::schemas::{Components, DELETE_OPTIONS, PATCH, STATUS};
use super::{Names, reference};
use crate::registry::Resource;

/// The forms in which a patch can be sent.
const PATCHES: [&str; 4] = [
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
];

/// One operation that is being described.
struct Operation<'a> {
    resource: &'a Resource,
    version: &'a str,
    /// Group, version and kind of what is sent and answered.
    kind: (String, String, String),
    /// The schema of what is answered.
    answer: &'a str,
}

/// Adds the paths of a resource and its subresources.
pub(super) fn add(
    paths: &mut Map<String, Value>,
    components: &mut Components,
    resource: &Resource,
    version: &str,
    names: &Names,
) {
    for name in [DELETE_OPTIONS, PATCH, STATUS] {
        components.want(name);
    }
    let root = format!("/{}", super::path(&resource.key.group, version));
    let plural = &resource.key.resource;
    let namespace = if resource.namespaced { "/namespaces/{namespace}" } else { "" };
    let many = format!("{root}{namespace}/{plural}");
    let one = format!("{many}/{{name}}");
    let kind = (resource.key.group.to_string(), version.to_owned(), resource.kind.to_string());
    let has = |verb: &str| resource.verbs.contains(&verb);

    let list = names.list.as_deref().unwrap_or(&names.object);
    let object = Operation { resource, version, kind: kind.clone(), answer: &names.object };
    let listed = Operation { resource, version, kind, answer: list };
    let mut item = Map::new();
    if has("list") {
        item.insert("get".to_owned(), listed.read("list", "list or watch objects of kind"));
    }
    if has("create") {
        item.insert("post".to_owned(), object.write("create", "post", "create a"));
    }
    if has("deletecollection") {
        item.insert(
            "delete".to_owned(),
            listed.delete("deleteCollection", "deletecollection", "delete collection of"),
        );
    }
    put(paths, many, item, resource.namespaced, None);
    if resource.namespaced && has("list") {
        let all = listed.read("listAll", "list or watch objects of kind");
        put(paths, format!("{root}/{plural}"), Map::from_iter([("get".to_owned(), all)]), false, None);
    }

    let mut item = Map::new();
    if has("get") {
        item.insert("get".to_owned(), object.read("read", "read the specified"));
    }
    if has("update") {
        item.insert("put".to_owned(), object.write("replace", "put", "replace the specified"));
    }
    if has("patch") {
        item.insert("patch".to_owned(), object.patch());
    }
    if has("delete") {
        item.insert("delete".to_owned(), object.delete("delete", "delete", "delete a"));
    }
    put(paths, one.clone(), item, resource.namespaced, Some(&resource.kind));

    for part in &resource.subresources {
        let (answer, kind) = match part.kind {
            Some((group, version, kind)) => {
                let names = components.builtin(group, version, kind);
                (names.object, (group.to_owned(), version.to_owned(), kind.to_owned()))
            }
            None => (names.object.clone(), object.kind.clone()),
        };
        let operation = Operation { resource, version, kind, answer: &answer };
        let mut item = Map::new();
        for verb in part.verbs {
            match *verb {
                "get" => item.insert("get".to_owned(), operation.read("read", "read part of the specified")),
                "update" => item.insert(
                    "put".to_owned(),
                    operation.write("replace", "put", "replace part of the specified"),
                ),
                "patch" => item.insert("patch".to_owned(), operation.patch()),
                "create" => {
                    item.insert("post".to_owned(), operation.write("create", "post", "create part of a"))
                }
                _ => None,
            };
        }
        put(paths, format!("{one}/{}", part.name), item, resource.namespaced, Some(&resource.kind));
    }
}

/// Adds a path, unless nothing can be done there.
fn put(
    paths: &mut Map<String, Value>,
    path: String,
    mut item: Map<String, Value>,
    namespaced: bool,
    of: Option<&str>,
) {
    if item.is_empty() {
        return;
    }
    let part = |name: &str, description: String| json!({"name": name, "in": "path", "required": true, "description": description, "schema": {"type": "string", "uniqueItems": true}});
    let mut parameters = Vec::new();
    if let Some(kind) = of {
        parameters.push(part("name", format!("name of the {kind}")));
    }
    if namespaced {
        let scope = "object name and auth scope, such as for teams and projects";
        parameters.push(part("namespace", scope.to_owned()));
    }
    parameters.push(query("pretty", "string"));
    item.insert("parameters".to_owned(), parameters.into());
    paths.insert(path, Value::Object(item));
}

fn query(name: &str, kind: &str) -> Value {
    let description = match name {
        "allowWatchBookmarks" => "the watch may have events that only tell how far it has come",
        "continue" => "where a list in pages goes on",
        "dryRun" => "with All, nothing is stored",
        "fieldManager" => "who makes the change, as an owner of fields",
        "fieldSelector" => "which objects, by their fields",
        "fieldValidation" => {
            "what happens to unknown and duplicate fields: Ignore drops them, Warn also tells of them in Warning headers (the default), Strict refuses the request"
        }
        "force" => "fields that others own are taken from them",
        "gracePeriodSeconds" => "how long the object may take to end",
        "labelSelector" => "which objects, by their labels",
        "limit" => "the most objects in a page",
        "orphanDependents" => "deprecated: use propagationPolicy",
        "pretty" => "the answer is indented",
        "propagationPolicy" => "what happens to dependents: Orphan, Background or Foreground",
        "resourceVersion" => "since when, or as of when",
        "resourceVersionMatch" => "how resourceVersion is meant",
        "sendInitialEvents" => "the watch begins with all objects there are",
        "timeoutSeconds" => "how long a list or watch may take",
        "watch" => "changes are sent as they happen",
        _ => "",
    };
    json!({"name": name, "in": "query", "description": description, "schema": {"type": kind, "uniqueItems": true}})
}

fn queries(named: &[(&str, &str)]) -> Value {
    named.iter().map(|(name, kind)| query(name, kind)).collect()
}

const CHANGE: [(&str, &str); 3] =
    [("dryRun", "string"), ("fieldManager", "string"), ("fieldValidation", "string")];
const LIST: [(&str, &str); 10] = [
    ("allowWatchBookmarks", "boolean"),
    ("continue", "string"),
    ("fieldSelector", "string"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("timeoutSeconds", "integer"),
    ("watch", "boolean"),
];
const DELETE: [(&str, &str); 4] = [
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
];

impl Operation<'_> {
    fn describe(&self, verb: &str, action: &str, does: &str, more: Value, answer: &str) -> Value {
        let (group, version, kind) = &self.kind;
        let group_name =
            self.resource.key.group.split('.').next().filter(|name| !name.is_empty()).unwrap_or("core");
        let scope = if self.resource.namespaced && verb != "listAll" { "Namespaced" } else { "" };
        let id = format!("{verb}{}{}{scope}{kind}", capital(group_name), capital(self.version));
        let mut operation = json!({
            "description": format!("{does} {kind}"),
            "operationId": id,
            "tags": [format!("{group_name}_{}", self.version)],
            "responses": {
                "200": {"description": "OK", "content": {"application/json": {"schema": reference(answer)}}},
                "401": {"description": "Unauthorized"},
            },
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind},
        });
        if let (Some(fields), Value::Object(more)) = (operation.as_object_mut(), more) {
            fields.extend(more);
        }
        operation
    }

    fn read(&self, verb: &str, does: &str) -> Value {
        let lists = verb.starts_with("list");
        let more = if lists { json!({"parameters": queries(&LIST)}) } else { json!({}) };
        self.describe(verb, if lists { "list" } else { "get" }, does, more, self.answer)
    }

    fn write(&self, verb: &str, action: &str, does: &str) -> Value {
        let body = json!({"required": true, "content": {"*/*": {"schema": reference(self.answer)}}});
        let more = json!({"parameters": queries(&CHANGE), "requestBody": body});
        self.describe(verb, action, does, more, self.answer)
    }

    fn patch(&self) -> Value {
        let content: Map<String, Value> = PATCHES
            .iter()
            .filter(|form| !self.resource.is_custom() || !form.contains("strategic"))
            .map(|form| ((*form).to_owned(), json!({"schema": reference(PATCH)})))
            .collect();
        let mut parameters = CHANGE.to_vec();
        parameters.push(("force", "boolean"));
        let body = json!({"required": true, "content": content});
        let more = json!({"parameters": queries(&parameters), "requestBody": body});
        self.describe("patch", "patch", "partially update the specified", more, self.answer)
    }

    fn delete(&self, verb: &str, action: &str, does: &str) -> Value {
        let mut parameters = DELETE.to_vec();
        if action == "deletecollection" {
            parameters
                .extend(LIST.iter().filter(|(name, _)| !["allowWatchBookmarks", "watch"].contains(name)));
        }
        let body = json!({"content": {"*/*": {"schema": reference(DELETE_OPTIONS)}}});
        let more = json!({"parameters": queries(&parameters), "requestBody": body});
        self.describe(verb, action, does, more, STATUS)
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
