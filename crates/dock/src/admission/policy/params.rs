//! The objects that parameterise a policy.

use std::sync::Arc;

use serde_json::Value;

use super::binding::Binding;
use super::compile::Policy;
use crate::admission::attributes::Attributes;
use crate::selectors::LabelSelector;

/// Where policies find their parameters.
pub trait Parameters {
    /// Whether objects of a kind are in namespaces; nothing if there is no such kind.
    fn namespaced(&self, api_version: &str, kind: &str) -> Option<bool>;

    /// An object by its name. The namespace is empty for kinds that are in none.
    fn get(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Option<Arc<Value>>;

    /// All objects of a kind, in one namespace unless that is empty.
    fn list(&self, api_version: &str, kind: &str, namespace: &str) -> Vec<Arc<Value>>;
}

/// What is wrong if nobody knows the kind of the parameters.
pub(super) fn unknown_kind(policy: &Policy, parameters: &dyn Parameters) -> Option<String> {
    let (api_version, kind) = policy.param_kind.as_ref()?;
    if parameters.namespaced(api_version, kind).is_some() {
        return None;
    }
    // As Go prints a kind: the core has no group.
    let slash = if api_version.contains('/') { "" } else { "/" };
    Some(format!("failed to find resource referenced by paramKind: '{slash}{api_version}, Kind={kind}'"))
}

/// The parameters to evaluate a policy with, each for itself. A policy without parameters is evaluated once without.
pub(super) fn collect(
    policy: &Policy,
    binding: &Binding,
    attributes: &Attributes<'_>,
    parameters: &dyn Parameters,
) -> Result<Vec<Option<Arc<Value>>>, String> {
    let (Some((api_version, kind)), Some(reference)) = (&policy.param_kind, &binding.param_ref) else {
        return Ok(vec![None]);
    };
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let namespaced = parameters.namespaced(api_version, kind).unwrap_or(true);
    let namespace = match (namespaced, text("namespace")) {
        (true, "") if attributes.namespace.is_empty() => {
            let problem =
                "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
            return Err(problem.to_owned());
        }
        (true, "") => attributes.namespace,
        (false, namespace) if !namespace.is_empty() => {
            return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned());
        }
        (_, namespace) => namespace,
    };
    let selector = reference.get("selector").filter(|some| some.is_object());
    let found: Vec<Arc<Value>> = match (text("name"), selector) {
        ("", None) => return Err("one of name or selector must be provided".to_owned()),
        ("", Some(selector)) => {
            let selector = LabelSelector::of(Some(selector)).map_err(|error| error.to_string())?;
            let all = parameters.list(api_version, kind, namespace);
            all.into_iter().filter(|object| selector.matches_object(object)).collect()
        }
        (_, Some(_)) => return Err("paramRef.name and paramRef.selector are mutually exclusive".to_owned()),
        (name, None) => parameters.get(api_version, kind, namespace, name).into_iter().collect(),
    };
    if found.is_empty() && text("parameterNotFoundAction") == "Deny" {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    Ok(found.into_iter().map(Some).collect())
}
