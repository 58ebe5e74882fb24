//! What a generator believes to be there, and the steps it has made so far.

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::kinds::{self, Kind};
use crate::sequence::{Action, Body, Call, Group, Settle, Step, Verb};

/// Where definitions are.
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Where gadgets are, whatever their version.
const GADGETS: &str = "/apis/⟨tag⟩.example.com/";

/// The query of a request.
pub(super) type Query = Vec<(&'static str, String)>;

/// An object that some step has made.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) kind: &'static Kind,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) state: State,
    pub(super) finalizers: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    There,
    Leaving,
    Gone,
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) dice: Dice,
    pub(super) theme: Group,
    pub(super) namespaces: Vec<String>,
    pub(super) objects: Vec<Made>,
    pub(super) steps: Vec<Step>,
    pub(super) defined: bool,
    /// Whether the definition of gadgets was told to go, which it does after the last of them.
    leaving: bool,
}

impl World {
    pub(super) fn new(dice: Dice, theme: Group) -> Self {
        Self {
            dice,
            theme,
            namespaces: Vec::new(),
            objects: Vec::new(),
            steps: Vec::new(),
            defined: false,
            leaving: false,
        }
    }

    /// A request with everything at its simplest.
    pub(super) fn request(verb: Verb, group: Group, method: &'static str, path: String) -> Call {
        Call {
            verb,
            group,
            subresource: "",
            check: false,
            history: false,
            left: false,
            object: None,
            method,
            path,
            query: Vec::new(),
            accept: "",
            content_type: "application/json",
            body: Body::None,
        }
    }

    pub(super) fn calls(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.action, Action::Call(_))).count()
    }

    /// The number that the next step will have.
    pub(super) fn next(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn step(&mut self, action: Action) {
        self.steps.push(Step { id: self.steps.len(), action });
    }

    pub(super) fn call(&mut self, call: Call) {
        let one = call.method != "GET" && call.path.contains("/customresourcedefinitions/");
        let all = call.verb == Verb::DeleteCollection && call.path == DEFINITIONS;
        self.leaving |= call.method == "DELETE" && (one || all);
        let last = self.leaving && !matches!(call.method, "GET" | "POST") && call.path.starts_with(GADGETS);
        let definition = if all || last {
            Some(format!("{DEFINITIONS}/gadgets.⟨tag⟩.example.com"))
        } else {
            one.then(|| call.path.trim_end_matches("/status").to_owned())
        };
        self.step(Action::Call(call));
        // The server looks at a definition after it has answered.
        if let Some(path) = definition {
            self.step(Action::Settle(Settle::Defined(path, Vec::new())));
        }
    }

    pub(super) fn namespace(&mut self) -> String {
        if self.dice.chance(75) {
            return self.namespaces[0].clone();
        }
        let at = self.dice.below(self.namespaces.len());
        self.namespaces[at].clone()
    }

    /// A kind of the theme, or now and then one of configuration, which anything may own.
    pub(super) fn kind(&mut self) -> &'static Kind {
        let group = if self.dice.chance(12) { Group::Config } else { self.theme };
        let kinds = match group {
            Group::Definition => vec![&kinds::GADGET],
            group => kinds::of(group),
        };
        kinds[self.dice.below(kinds.len())]
    }

    /// An object that is there, if any is; sometimes one that is leaving or has gone.
    pub(super) fn pick(&mut self) -> Option<usize> {
        let wanted = self.dice.weighted(&[(86, State::There), (10, State::Leaving), (4, State::Gone)]);
        let those: Vec<_> = (0..self.objects.len()).filter(|&at| self.objects[at].state == wanted).collect();
        let there: Vec<_> =
            (0..self.objects.len()).filter(|&at| self.objects[at].state == State::There).collect();
        let from = if those.is_empty() { there } else { those };
        // The newest are asked about most: they have had the least time to become something else.
        let recent = if self.dice.chance(50) { from.len().saturating_sub(3) } else { 0 };
        let from = &from[recent..];
        (!from.is_empty()).then(|| from[self.dice.below(from.len())])
    }

    pub(super) fn path(&self, object: usize) -> String {
        let made = &self.objects[object];
        format!("{}/{}", made.kind.collection(&made.namespace), made.name)
    }

    /// The collection that an object is in.
    pub(super) fn collection(&self, object: usize) -> String {
        let made = &self.objects[object];
        made.kind.collection(&made.namespace)
    }

    /// The least body that names an object.
    pub(super) fn naming(&self, object: usize) -> Value {
        let made = &self.objects[object];
        let mut body = json!({
            "apiVersion": made.kind.api_version,
            "kind": made.kind.kind,
            "metadata": {"name": made.name},
        });
        if made.kind.namespaced {
            body["metadata"]["namespace"] = json!(made.namespace);
        }
        body
    }

    /// What writing requests ask for beside their body. The second value is whether nothing is kept.
    pub(super) fn options(&mut self, manager: bool) -> (Query, bool) {
        let mut query = Vec::new();
        let mut dry = false;
        if self.dice.chance(5) {
            query.push(("dryRun", "All".to_owned()));
            dry = true;
        }
        if self.dice.chance(15) {
            query.push(("fieldValidation", self.dice.pick(&["Strict", "Warn", "Ignore"]).to_owned()));
        }
        if manager && self.dice.chance(40) {
            query.push(("fieldManager", self.dice.pick(&["alpha", "beta", "gamma"]).to_owned()));
        }
        (query, dry)
    }

    /// Defines gadgets and waits until they are served.
    pub(super) fn define(&mut self) {
        let group = "⟨tag⟩.example.com";
        let body = kinds::definition(&mut self.dice, group);
        let beta = body["spec"]["versions"][1]["served"] == true;
        self.defined = true;
        self.objects.push(Made {
            kind: &kinds::DEFINITION,
            namespace: String::new(),
            name: format!("gadgets.{group}"),
            state: State::There,
            finalizers: true,
        });
        let object = self.objects.len() - 1;
        self.call(Call {
            object: Some(object),
            body: Body::Json(body),
            ..World::request(Verb::Create, Group::Definition, "POST", kinds::DEFINITION.collection(""))
        });
        let mut collections = vec![format!("/apis/{group}/v1/gadgets")];
        if beta {
            collections.push(format!("/apis/{group}/v1beta1/gadgets"));
        }
        let path = self.path(object);
        self.step(Action::Settle(Settle::Defined(path, collections)));
    }

    /// Asks for everything that the sequence has touched, as it is stored in the end.
    pub(super) fn compare_stored(&mut self) {
        let mut paths = Vec::<(Group, String, Query)>::new();
        for at in 0..self.objects.len() {
            let group = self.objects[at].kind.group;
            let entry = if self.objects[at].kind.namespaced {
                (group, self.collection(at), Vec::new())
            } else {
                (group, self.collection(at), vec![("labelSelector", "seq=⟨tag⟩".to_owned())])
            };
            if !paths.iter().any(|(_, path, _)| *path == entry.1) {
                paths.push(entry);
            }
        }
        for (group, path, query) in paths {
            self.call(Call { check: true, query, ..World::request(Verb::List, group, "GET", path) });
        }
    }
}
