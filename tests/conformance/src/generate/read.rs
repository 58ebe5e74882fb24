//! Reading: `get`, `list` and `watch`.

use super::world::World;
use crate::sequence::{Action, Call, Group, Step, Verb};

const TABLE: &str = "application/json;as=Table;g=meta.k8s.io;v=v1";
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

impl World {
    pub(super) fn get(&mut self) {
        let Some(object) = self.pick() else { return self.list() };
        let accept = self.dice.weighted(&[
            (70, ""),
            (12, TABLE),
            (12, METADATA),
            (3, METADATA_LIST),
            (3, "application/yaml"),
        ]);
        let mut query = Vec::new();
        if accept == TABLE && self.dice.chance(40) {
            query.push(("includeObject", self.dice.pick(&["None", "Object", "Metadata"]).to_owned()));
        }
        let request = World::request(Verb::Get, self.objects[object].kind.group, "GET", self.path(object));
        self.call(Call { object: Some(object), accept, query, ..request });
    }

    /// A collection that something is in, the label that keeps others out of it, and its group.
    fn somewhere(&mut self) -> (String, String, Group, Option<usize>) {
        let Some(object) = self.pick() else {
            let kind = self.kind();
            let namespace = self.namespace();
            let selector = if kind.namespaced { String::new() } else { "seq=⟨tag⟩".to_owned() };
            return (kind.collection(&namespace), selector, kind.group, None);
        };
        let kind = self.objects[object].kind;
        if !kind.namespaced {
            return (self.collection(object), "seq=⟨tag⟩".to_owned(), kind.group, Some(object));
        }
        if self.dice.chance(12) {
            return (
                format!("{}/{}", kind.prefix, kind.plural),
                "seq=⟨tag⟩".to_owned(),
                kind.group,
                Some(object),
            );
        }
        (self.collection(object), String::new(), kind.group, Some(object))
    }

    fn selectors(&mut self, own: String, object: Option<usize>) -> Vec<(&'static str, String)> {
        let mut query = Vec::new();
        let mut labels = own;
        if self.dice.chance(35) {
            labels.push_str(if labels.is_empty() { "" } else { "," });
            labels.push_str(self.dice.pick(&[
                "app=web",
                "app!=web",
                "app in (web,cache)",
                "app notin (web)",
                "extra",
                "!extra",
                "app==db",
                "app=db,extra=1",
            ]));
        }
        if !labels.is_empty() {
            query.push(("labelSelector", labels));
        }
        if self.dice.chance(15)
            && let Some(object) = object
        {
            let made = &self.objects[object];
            let field = self.dice.pick(made.kind.selectable);
            let value = match field {
                "metadata.name" => self.objects[object].name.clone(),
                "metadata.namespace" => self.objects[object].namespace.clone(),
                "status.phase" => self.dice.pick(&["Pending", "Running", "Active", "Terminating"]).to_owned(),
                "type" => "Opaque".to_owned(),
                "spec.type" => self.dice.pick(&["ClusterIP", "NodePort"]).to_owned(),
                "spec.color" => self.dice.pick(&["green", "red"]).to_owned(),
                "spec.restartPolicy" => "Always".to_owned(),
                "status.successful" => "0".to_owned(),
                _ => String::new(),
            };
            let operator = self.dice.pick(&["=", "=", "==", "!="]);
            query.push(("fieldSelector", format!("{field}{operator}{value}")));
        }
        query
    }

    pub(super) fn list(&mut self) {
        let (path, own, group, object) = self.somewhere();
        let mut query = self.selectors(own, object);
        let accept = self.dice.weighted(&[
            (70, ""),
            (12, TABLE),
            (14, METADATA_LIST),
            (2, METADATA),
            (2, "application/yaml"),
        ]);
        // Whether a page is the last depends on everything in a collection, and others share those without a namespace.
        let pages = path.contains("/namespaces/") && self.dice.chance(20);
        if pages {
            query.push(("limit", self.dice.between(1, 3).to_string()));
        }
        let earlier: Vec<usize> = self.lists(&path);
        if !pages && self.dice.chance(15) && !earlier.is_empty() {
            let list = earlier[self.dice.below(earlier.len())];
            query.push(("resourceVersion", format!("⟨list-rv {list}⟩")));
            // "Not older" may be answered with any state since then, so nothing may have been written since.
            let written = |step: &Step| !matches!(&step.action, Action::Call(call) if call.method == "GET");
            let settled = !self.steps[list + 1..].iter().any(written);
            let matching = if settled { self.dice.pick(&["Exact", "NotOlderThan"]) } else { "Exact" };
            query.push(("resourceVersionMatch", matching.to_owned()));
        }
        let first = self.next();
        let base = query.clone();
        self.call(Call { query, accept, ..World::request(Verb::List, group, "GET", path.clone()) });
        if pages {
            let mut query = base;
            query.push(("continue", format!("⟨continue {first}⟩")));
            self.call(Call { query, accept, ..World::request(Verb::List, group, "GET", path) });
        }
    }

    /// Lists of the collection so far, whose versions can be gone back to.
    fn lists(&self, path: &str) -> Vec<usize> {
        self.steps
            .iter()
            .filter(|step| matches!(&step.action, Action::Call(call) if call.verb == Verb::List && call.path == path))
            .map(|step| step.id)
            .collect()
    }

    pub(super) fn watch(&mut self) {
        let (path, own, group, object) = self.somewhere();
        // How often the server itself changes a definition is its own affair.
        if path.contains("customresourcedefinitions") {
            return self.get();
        }
        let mut query = self.selectors(own, object);
        query.push(("watch", "true".to_owned()));
        query.push(("timeoutSeconds", "60".to_owned()));
        let earlier = self.lists(&path);
        let beginning = earlier.is_empty() || self.dice.chance(30);
        if beginning {
            query.push(("sendInitialEvents", "true".to_owned()));
            query.push(("resourceVersionMatch", "NotOlderThan".to_owned()));
            query.push(("allowWatchBookmarks", "true".to_owned()));
        } else {
            let list = earlier[self.dice.below(earlier.len())];
            query.push(("resourceVersion", format!("⟨list-rv {list}⟩")));
        }
        // A table does not say where the beginning ends.
        let accept = self.dice.weighted(&[(76, ""), (if beginning { 0 } else { 12 }, TABLE), (12, METADATA)]);
        self.call(Call { query, accept, ..World::request(Verb::Watch, group, "GET", path) });
    }
}
