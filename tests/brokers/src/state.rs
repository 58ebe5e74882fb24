//! What the scripted broker has, and what it does when nobody told it otherwise.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{Answer, Route, Seen};

/// How the broker works.
#[derive(Debug, Clone)]
pub struct Behaviour {
    /// What it sells.
    pub catalog: Value,
    /// Through how many polls an operation goes on; `None`: everything is done at once.
    pub polls: Option<usize>,
    /// The only user who may delete, if there is one.
    pub may_delete: Option<String>,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self { catalog: catalog(), polls: None, may_delete: None }
    }
}

/// One service of two plans, which can be fetched.
pub fn catalog() -> Value {
    json!({"services": [{
        "name": "database", "id": "service-database", "description": "a database", "bindable": true,
        "plan_updateable": true, "instances_retrievable": true, "bindings_retrievable": true,
        "tags": ["sql"],
        "plans": [
            {"name": "small", "id": "plan-small", "description": "one gigabyte", "free": true},
            {"name": "large", "id": "plan-large", "description": "a hundred gigabytes", "free": false,
             "maximum_polling_duration": 3600},
        ],
    }]})
}

/// An instance that the broker has.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Its plan.
    pub plan: String,
    /// Its parameters.
    pub parameters: Value,
    /// Its bindings.
    pub bindings: BTreeMap<String, Bound>,
}

/// A binding that the broker has.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// Its parameters.
    pub parameters: Value,
    /// What it gave out.
    pub credentials: Value,
}

/// An operation that goes on.
#[derive(Debug, Clone)]
struct Going {
    polls: usize,
    work: Seen,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) instances: BTreeMap<String, Instance>,
    /// By instance, and binding or nothing.
    going: BTreeMap<(String, String), Going>,
    /// How often something was really made, by route: a second time for one identifier is a duplicate.
    pub(crate) made: BTreeMap<(Route, String), usize>,
}

impl State {
    /// The answer to a request that nobody scripted.
    pub(crate) fn answer(&mut self, behaviour: &Behaviour, seen: &Seen) -> Answer {
        let place = (seen.instance.clone(), seen.binding.clone());
        match seen.route {
            Route::Catalog => return Answer::json(200, behaviour.catalog.clone()),
            Route::PollInstance | Route::PollBinding => return self.poll(&place),
            Route::FetchInstance => return self.fetch_instance(&place),
            Route::FetchBinding => return self.fetch_binding(&place),
            _ => {}
        }
        if matches!(seen.route, Route::Deprovision | Route::Unbind)
            && behaviour.may_delete.as_ref().is_some_and(|only| seen.username().as_ref() != Some(only))
        {
            let who = seen.username().unwrap_or_else(|| "nobody".to_owned());
            let description = format!("{who} may not delete {}", seen.instance);
            return Answer::json(403, json!({"error": "Forbidden", "description": description}));
        }
        if let Some(going) = self.going.get(&place) {
            return if going.work.route == seen.route {
                Answer::json(202, json!({"operation": operation(seen.route)}))
            } else if matches!(seen.route, Route::Deprovision | Route::Unbind) {
                self.going.remove(&place);
                self.start(behaviour, seen)
            } else {
                Answer::json(
                    422,
                    json!({"error": "ConcurrencyError", "description": "another operation is in progress"}),
                )
            };
        }
        if let Some(settled) = self.settled(seen) {
            return settled;
        }
        self.start(behaviour, seen)
    }

    /// What is already as was asked, or cannot be.
    fn settled(&self, seen: &Seen) -> Option<Answer> {
        let there = self.instances.get(&seen.instance);
        let bound = there.and_then(|instance| instance.bindings.get(&seen.binding));
        match seen.route {
            Route::Provision => there.map(|instance| {
                let same =
                    seen.body["plan_id"] == *instance.plan && seen.body["parameters"] == instance.parameters;
                if same { Answer::json(200, dashboard(&seen.instance)) } else { conflict() }
            }),
            Route::Bind => match (there, bound) {
                (None, _) => Some(Answer::json(400, json!({"description": "there is no such instance"}))),
                (_, Some(bound)) if seen.body["parameters"] == bound.parameters => {
                    Some(Answer::json(200, json!({"credentials": bound.credentials})))
                }
                (_, Some(_)) => Some(conflict()),
                _ => None,
            },
            Route::Deprovision if there.is_none() => Some(Answer::json(410, json!({}))),
            Route::Unbind if bound.is_none() => Some(Answer::json(410, json!({}))),
            Route::Update if there.is_none() => {
                Some(Answer::json(400, json!({"description": "there is no such instance"})))
            }
            _ => None,
        }
    }

    fn start(&mut self, behaviour: &Behaviour, seen: &Seen) -> Answer {
        let Some(polls) = behaviour.polls else { return self.work(seen) };
        let going = Going { polls, work: seen.clone() };
        self.going.insert((seen.instance.clone(), seen.binding.clone()), going);
        Answer::json(202, json!({"operation": operation(seen.route)}))
    }

    /// Does what was asked.
    pub(crate) fn work(&mut self, seen: &Seen) -> Answer {
        let text = |field: &str| seen.body[field].as_str().unwrap_or_default().to_owned();
        match seen.route {
            Route::Provision => {
                *self.made.entry((Route::Provision, seen.instance.clone())).or_default() += 1;
                let parameters = seen.body["parameters"].clone();
                let instance = Instance { plan: text("plan_id"), parameters, bindings: BTreeMap::new() };
                self.instances.insert(seen.instance.clone(), instance);
                Answer::json(201, dashboard(&seen.instance))
            }
            Route::Update => {
                if let Some(instance) = self.instances.get_mut(&seen.instance) {
                    if seen.body["plan_id"].is_string() {
                        instance.plan = text("plan_id");
                    }
                    if seen.body["parameters"].is_object() {
                        instance.parameters = seen.body["parameters"].clone();
                    }
                }
                Answer::json(200, json!({}))
            }
            Route::Deprovision => {
                self.instances.remove(&seen.instance);
                Answer::json(200, json!({}))
            }
            Route::Bind => {
                *self.made.entry((Route::Bind, seen.binding.clone())).or_default() += 1;
                let credentials = json!({"username": "user", "password": format!("password-{}", seen.binding), "port": 5432});
                if let Some(instance) = self.instances.get_mut(&seen.instance) {
                    let bound = Bound {
                        parameters: seen.body["parameters"].clone(),
                        credentials: credentials.clone(),
                    };
                    instance.bindings.insert(seen.binding.clone(), bound);
                }
                Answer::json(201, json!({"credentials": credentials}))
            }
            Route::Unbind => {
                if let Some(instance) = self.instances.get_mut(&seen.instance) {
                    instance.bindings.remove(&seen.binding);
                }
                Answer::json(200, json!({}))
            }
            _ => Answer::json(200, json!({})),
        }
    }

    fn poll(&mut self, place: &(String, String)) -> Answer {
        let there = self.instances.get(&place.0);
        let is_there = there.is_some_and(|it| place.1.is_empty() || it.bindings.contains_key(&place.1));
        match self.going.get_mut(place) {
            None if is_there => Answer::json(200, json!({"state": "succeeded"})),
            None => Answer::json(410, json!({})),
            Some(going) if going.polls > 0 => {
                going.polls -= 1;
                let left = going.polls;
                Answer::json(
                    200,
                    json!({"state": "in progress", "description": format!("{left} steps to go")}),
                )
            }
            Some(_) => {
                if let Some(going) = self.going.remove(place) {
                    self.work(&going.work);
                }
                Answer::json(200, json!({"state": "succeeded", "description": "done"}))
            }
        }
    }

    fn fetch_instance(&self, place: &(String, String)) -> Answer {
        match (self.instances.get(&place.0), self.going.contains_key(place)) {
            (Some(_), true) => Answer::json(422, json!({"error": "ConcurrencyError"})),
            (Some(instance), false) => {
                Answer::json(200, json!({"plan_id": instance.plan, "parameters": instance.parameters}))
            }
            (None, _) => Answer::json(404, json!({})),
        }
    }

    fn fetch_binding(&self, place: &(String, String)) -> Answer {
        let bound = self.instances.get(&place.0).and_then(|instance| instance.bindings.get(&place.1));
        match bound {
            Some(bound) => Answer::json(200, json!({"credentials": bound.credentials})),
            None => Answer::json(404, json!({})),
        }
    }
}

/// What is answered about an instance, whenever it is asked for.
fn dashboard(instance: &str) -> Value {
    json!({"dashboard_url": format!("http://dashboard/{instance}")})
}

fn conflict() -> Answer {
    Answer::json(409, json!({"description": "there is another with the same identifier"}))
}

fn operation(route: Route) -> String {
    format!("{route:?} & more").to_lowercase()
}
