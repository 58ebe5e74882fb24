//! The order of a Bundle's resources, as the planner is told it: references become layers beside those that annotations
//! declare.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use api::bundle::Resource;
use plan::input::{Meaning, Spelling};
use serde_json::Value;

/// Why a Bundle's resources have no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Two have one name.
    #[error("bundle contains two resources with the same name {0:?}")]
    SameName(String),
    /// A reference leads nowhere.
    #[error("resource {resource:?} refers to {to:?}, which the bundle does not have")]
    Missing {
        /// Who refers.
        resource: String,
        /// To what.
        to: String,
    },
    /// References lead in a circle.
    #[error("references lead in a circle: {}", .0.join(" → "))]
    Cycle(Vec<String>),
}

/// The annotations by which the planner learns the order: the layer of each resource and those it needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ordering {
    /// The layer.
    pub layer: Option<String>,
    /// The layers it needs.
    pub needs: Vec<String>,
}

/// The order of resources, one entry for each.
pub fn order(resources: &[Resource]) -> Result<Vec<Ordering>, GraphError> {
    let mut places = HashMap::new();
    for (place, resource) in resources.iter().enumerate() {
        if places.insert(resource.name.as_str(), place).is_some() {
            return Err(GraphError::SameName(resource.name.clone()));
        }
    }
    let mut needs: Vec<Vec<usize>> = Vec::with_capacity(resources.len());
    for resource in resources {
        let mut found = BTreeSet::new();
        for reference in &resource.references {
            let place = places.get(reference.resource.as_str()).ok_or_else(|| GraphError::Missing {
                resource: resource.name.clone(),
                to: reference.resource.clone(),
            })?;
            found.insert(*place);
        }
        needs.push(found.into_iter().collect());
    }
    if let Some(cycle) = cycle(&needs) {
        return Err(GraphError::Cycle(
            cycle.into_iter().map(|place| resources[place].name.clone()).collect(),
        ));
    }
    let declared: Vec<Ordering> = resources.iter().map(declared).collect();
    let any_declared = declared.iter().any(|of| of.layer.is_some() || !of.needs.is_empty());
    let mut referred = vec![false; resources.len()];
    needs.iter().flatten().for_each(|place| referred[*place] = true);
    let own = |place: usize| format!("resource {}", resources[place].name);
    let layer: Vec<Option<String>> = declared
        .iter()
        .enumerate()
        .map(|(place, of)| {
            let takes_part = !any_declared || referred[place] || !needs[place].is_empty();
            of.layer.clone().or_else(|| takes_part.then(|| own(place)))
        })
        .collect();
    let ordering = |place: usize| {
        let referred = needs[place].iter().filter_map(|to| layer[*to].clone());
        // Within a layer the reference alone holds the resource back.
        let referred = referred.filter(|to| Some(to) != layer[place].as_ref());
        let all: BTreeSet<String> = declared[place].needs.iter().cloned().chain(referred).collect();
        Ordering { layer: layer[place].clone(), needs: all.into_iter().collect() }
    };
    Ok((0..resources.len()).map(ordering).collect())
}

/// What the annotations of a resource declare.
fn declared(resource: &Resource) -> Ordering {
    let annotations = resource.spec.object.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let mut ordering = Ordering::default();
    for (key, value) in annotations.and_then(Value::as_object).into_iter().flatten() {
        match Spelling::of(key).map(Spelling::meaning) {
            Some(Meaning::Layer) => ordering.layer = value.as_str().map(|layer| layer.trim().to_owned()),
            Some(Meaning::NeedsLayers) => {
                let value = goyaml::json::from_str(&value.to_string()).unwrap_or(goyaml::Value::Null);
                ordering.needs.extend(objects::annotation_list(&value).unwrap_or_default());
            }
            _ => {}
        }
    }
    ordering
}

/// A circle, if there is one: the way from a resource back to itself.
fn cycle(needs: &[Vec<usize>]) -> Option<Vec<usize>> {
    // What is settled leads into no circle; what is on the way is one if it is met again.
    let mut settled = vec![false; needs.len()];
    for start in 0..needs.len() {
        let mut way: Vec<(usize, usize)> = vec![(start, 0)];
        let mut on_way: BTreeMap<usize, usize> = BTreeMap::from([(start, 0)]);
        while let Some((place, next)) = way.last_mut() {
            let Some(to) = needs[*place].get(*next).copied() else {
                settled[*place] = true;
                on_way.remove(place);
                way.pop();
                continue;
            };
            *next += 1;
            if let Some(from) = on_way.get(&to) {
                let circle = way[*from..].iter().map(|(place, _)| *place).chain([to]);
                return Some(circle.collect());
            }
            if !settled[to] {
                on_way.insert(to, way.len());
                way.push((to, 0));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use api::bundle::{Reference, ResourceSpec};
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "cases are written where they are used")]
    fn resource(name: &str, to: &[&str], annotations: Value) -> Resource {
        let object = json!({"metadata": {"annotations": annotations}}).as_object().unwrap().clone();
        let references = to.iter().map(|to| Reference { resource: (*to).to_owned(), ..Reference::default() });
        Resource { name: name.into(), references: references.collect(), spec: ResourceSpec { object } }
    }

    fn plain(name: &str, to: &[&str]) -> Resource {
        resource(name, to, json!({}))
    }

    #[test]
    fn references_become_layers() {
        let order = order(&[plain("a", &["b"]), plain("b", &[]), plain("c", &[])]).unwrap();
        assert_eq!(order[0].layer.as_deref(), Some("resource a"));
        assert_eq!(order[0].needs, ["resource b"]);
        assert_eq!(order[2].needs, Vec::<String>::new());
    }

    #[test]
    fn declared_layers_stay_and_what_is_in_none_comes_last() {
        let layered = |name: &str, layer: &str| resource(name, &[], json!({"slipway.dev/layer": layer}));
        let order = order(&[layered("a", "one"), plain("b", &["a"]), plain("c", &[])]).unwrap();
        assert_eq!(order[0].layer.as_deref(), Some("one"));
        assert_eq!(order[1].needs, ["one"]);
        assert_eq!(order[2].layer, None);
    }

    #[test]
    fn two_resources_with_the_same_name() {
        let error = order(&[plain("a", &[]), plain("a", &[])]).unwrap_err();
        assert_eq!(error.to_string(), "bundle contains two resources with the same name \"a\"");
    }

    #[test]
    fn bundle_sort_missing_dependency() {
        let error = order(&[plain("a", &["x"])]).unwrap_err();
        assert_eq!(error.to_string(), "resource \"a\" refers to \"x\", which the bundle does not have");
    }

    #[test]
    fn bundle_sort_self_reference() {
        let error = order(&[plain("a", &["a"])]).unwrap_err();
        assert_eq!(error.to_string(), "references lead in a circle: a → a");
    }

    #[test]
    fn a_circle_is_told_as_the_way_around_it() {
        let resources = [plain("x", &["a"]), plain("a", &["b"]), plain("b", &["c"]), plain("c", &["a"])];
        let error = order(&resources).unwrap_err();
        assert_eq!(error.to_string(), "references lead in a circle: a → b → c → a");
    }

    #[test]
    fn many_diamonds_take_no_time() {
        // A search without memory would go 2^60 ways.
        let mut resources = vec![plain("0", &[])];
        for number in 1..120 {
            let (one, two) = ((number - 1_i32).to_string(), (number - 2).max(0).to_string());
            resources.push(plain(&number.to_string(), &[&one, &two]));
        }
        assert!(order(&resources).is_ok());
    }

    #[test]
    fn sort_is_deterministic() {
        let resources = [plain("a", &["b", "c"]), plain("b", &["c"]), plain("c", &[])];
        assert_eq!(order(&resources), order(&resources));
    }
}
