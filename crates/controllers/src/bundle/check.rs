//! What is wrong with a Bundle, found by its spec alone: by the same rules as when it is brought up.

use api::Bundle;
use api::bundle::Resource;
use engine::Engine;
use jiff::Timestamp;
use objects::GoDuration;
use plan::input::{Inventory, Live, Order, Policy};
use plan::{Operation, Request};
use serde_json::Value;

use super::graph::{GraphError, order};
use super::members::{Member, Resolved, members, wanted};
use super::references::{ReferenceError, Values, path_error, substituted};
use super::store::marks;
use crate::Problem;

/// Everything that is wrong with a Bundle, whatever the cluster has. Resources whose references have examples are
/// checked with these in place of the values.
pub fn check(bundle: &Bundle, engine: &Engine) -> Vec<Problem> {
    let resources = &bundle.spec.resources;
    let mut problems: Vec<Problem> = duration(bundle).into_iter().collect();
    for (number, resource) in resources.iter().enumerate() {
        problems.extend(references(number, resource));
    }
    let order = match order(resources) {
        Ok(order) => order,
        Err(error) => {
            problems.push(Problem::new(place(&error, resources), error.to_string()));
            return problems;
        }
    };
    let marks = marks(bundle);
    let resolved: Resolved = resources
        .iter()
        .filter_map(|resource| Some((resource.name.clone(), Ok(examples(resource)?))))
        .collect();
    let members = members(resources, &order, &resolved, &marks, engine);
    for (number, member) in members.iter().enumerate() {
        let problem = member.problem.iter().map(|problem| of_member(number, member, problem));
        problems.extend(problem);
    }
    if !problems.is_empty() {
        return problems;
    }
    let planned = wanted(&members, &marks, engine).and_then(|wanted| {
        let policy = Policy { order: Order::Ordered, ..Policy::default() };
        let (stored, live, now) = (Inventory::default(), Live::empty(), Timestamp::now());
        let operation = Operation::Install;
        plan::plan(&Request {
            operation,
            wanted: &wanted,
            stored: &stored,
            policy: &policy,
            live: &live,
            now,
        })
        .map_err(|errors| errors.to_string())
    });
    problems.extend(planned.err().map(|why| Problem::new("spec.resources", why)));
    problems
}

fn duration(bundle: &Bundle) -> Option<Problem> {
    let text = bundle.spec.readiness_timeout.as_deref()?;
    let read = text.trim().parse::<GoDuration>();
    let why = match read {
        Ok(read) if read.to_std().is_some() => return None,
        Ok(_) => format!("{text} is negative"),
        Err(error) => error.to_string(),
    };
    Some(Problem::new("spec.readinessTimeout", why))
}

/// What is wrong with the references of one resource, and with what it makes of them.
fn references(number: usize, resource: &Resource) -> Vec<Problem> {
    let at = format!("spec.resources[{number}]");
    let mut problems = Vec::new();
    for (place, reference) in resource.references.iter().enumerate() {
        let at = format!("{at}.references[{place}]");
        let Some(name) = reference.name.as_deref().filter(|name| !name.is_empty()) else { continue };
        match reference.path.as_deref().filter(|path| !path.is_empty()) {
            None => problems.push(Problem::new(&at, format!("reference {name:?} has no path"))),
            Some(path) => problems.extend(
                path_error(path)
                    .map(|error| Problem::new(format!("{at}.path"), format!("{path:?}: {error}"))),
            ),
        }
    }
    // Whatever the values are: names that are not declared are found with any.
    let any = |name: &String| (name.clone(), Value::String("x".to_owned()));
    let declared: Values =
        resource.references.iter().filter_map(|reference| reference.name.as_ref()).map(any).collect();
    if let Err(error @ ReferenceError::Undeclared { .. }) = substituted(&resource.spec.object, &declared) {
        let ReferenceError::Undeclared { field, .. } = &error else { return problems };
        problems.push(Problem::new(format!("{at}.spec.{field}"), error.to_string()));
    }
    problems
}

/// The examples of a resource's references, if all of them have one.
pub(super) fn examples(resource: &Resource) -> Option<Values> {
    let named = resource
        .references
        .iter()
        .filter(|reference| reference.name.as_ref().is_some_and(|name| !name.is_empty()));
    let values: Option<Values> =
        named.map(|reference| Some((reference.name.clone()?, reference.example.clone()?))).collect();
    values.filter(|values| !values.is_empty())
}

/// Where in a resource something is wrong: at the annotation that is named, else at the object.
fn of_member(number: usize, member: &Member, problem: &str) -> Problem {
    let at = format!("spec.resources[{number}].spec.object");
    // The planner knows the resource as a file of its own, of one line.
    let problem = problem.split_once(&format!("/{}:1: ", member.name)).map_or(problem, |(_, words)| words);
    let annotations = member.document["metadata"]["annotations"].as_object();
    let named = annotations.into_iter().flat_map(|annotations| annotations.keys());
    let named = named.filter(|key| problem.contains(key.as_str())).max_by_key(|key| key.len());
    match named {
        Some(key) => Problem::new(format!("{at}.metadata.annotations[{key}]"), problem),
        None => Problem::new(at, problem),
    }
}

/// The field that makes the order impossible.
fn place(error: &GraphError, resources: &[Resource]) -> String {
    let number = |name: &String| resources.iter().rposition(|resource| resource.name == *name);
    match error {
        GraphError::SameName(name) => {
            format!("spec.resources[{}].name", number(name).unwrap_or_default())
        }
        GraphError::Missing { resource, to } => {
            let number = number(resource).unwrap_or_default();
            let references = &resources[number].references;
            let place = references.iter().position(|reference| reference.resource == *to);
            format!("spec.resources[{number}].references[{}].resource", place.unwrap_or_default())
        }
        GraphError::Cycle(names) => {
            let number = names.first().and_then(number).unwrap_or_default();
            format!("spec.resources[{number}].references")
        }
    }
}
