//! What a policy and a binding must look like themselves.

use serde_json::{Value, json};

use super::compile::{Compiler, Expression, Wanted};
use crate::admission::matching::words;
use crate::field::{FieldError, Path};
use crate::kinds::Rules;
use crate::meta;
use crate::selectors::LabelSelector;

/// The rules of `ValidatingAdmissionPolicy`.
#[derive(Debug, Clone, Copy, Default)]
pub struct PolicyRules;

/// The rules of `ValidatingAdmissionPolicyBinding`.
#[derive(Debug, Clone, Copy, Default)]
pub struct BindingRules;

impl Rules for PolicyRules {
    fn has_generation(&self) -> bool {
        true
    }

    fn checks_metadata(&self) -> bool {
        false
    }

    fn default(&self, object: &mut Value) {
        let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return };
        spec.entry("failurePolicy").or_insert_with(|| "Fail".into());
        default_resources(spec.get_mut("matchConstraints"));
    }

    fn resets(&self, part: &str) -> &'static [&'static str] {
        if part == "status" { &["metadata", "spec"] } else { &["status"] }
    }

    fn first_status(&self) -> Option<Value> {
        Some(json!({}))
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let spec = &object["spec"];
        let path = Path::new("spec");
        let mut errors = Vec::new();
        require_one_of(
            &mut errors,
            &path.child("failurePolicy"),
            &spec["failurePolicy"],
            &["Fail", "Ignore"],
        );
        let param_kind = spec.get("paramKind").filter(|kind| kind.is_object());
        if let Some(kind) = param_kind {
            check_param_kind(&mut errors, &path.child("paramKind"), kind);
        }
        let constraints = path.child("matchConstraints");
        if spec["matchConstraints"].is_object() {
            check_resources(&mut errors, &constraints, &spec["matchConstraints"]);
            if list(&spec["matchConstraints"]["resourceRules"]).is_empty() {
                errors.push(FieldError::required(&constraints.child("resourceRules"), ""));
            }
        } else {
            errors.push(FieldError::required(&constraints, ""));
        }
        let has_params = param_kind.is_some();
        let conditions = list(&spec["matchConditions"]);
        errors.extend(check_conditions(conditions, &path.child("matchConditions"), has_params));
        let mut compiler = Compiler::new(has_params);
        let variables = list(&spec["variables"]);
        for (index, variable) in variables.iter().enumerate() {
            check_variable(&mut errors, &path.child("variables").index(index), variable, &mut compiler);
        }
        let (validations, annotations) = (list(&spec["validations"]), list(&spec["auditAnnotations"]));
        if validations.is_empty() && annotations.is_empty() {
            let words = "validations or auditAnnotations must contain at least one item";
            errors.push(FieldError::required(&path.child("validations"), words));
            errors.push(FieldError::required(&path.child("auditAnnotations"), words));
        }
        for (index, validation) in validations.iter().enumerate() {
            check_validation(&mut errors, &path.child("validations").index(index), validation, &compiler);
        }
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        check_annotations(&mut errors, &path.child("auditAnnotations"), annotations, name, &compiler);
        errors
    }
}

impl Rules for BindingRules {
    fn default(&self, object: &mut Value) {
        default_resources(object.get_mut("spec").and_then(|spec| spec.get_mut("matchResources")));
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn checks_metadata(&self) -> bool {
        false
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let spec = &object["spec"];
        let path = Path::new("spec");
        let mut errors = Vec::new();
        let policy = text(spec, "policyName");
        if policy.is_empty() {
            errors.push(FieldError::required(&path.child("policyName"), ""));
        } else {
            for words in meta::dns_subdomain(policy) {
                errors.push(FieldError::invalid(&path.child("policyName"), policy, words));
            }
        }
        if spec["paramRef"].is_object() {
            check_param_ref(&mut errors, &path.child("paramRef"), &spec["paramRef"]);
        }
        if spec["matchResources"].is_object() {
            check_resources(&mut errors, &path.child("matchResources"), &spec["matchResources"]);
        }
        check_actions(&mut errors, &path.child("validationActions"), &spec["validationActions"]);
        errors
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

fn default_resources(resources: Option<&mut Value>) {
    let Some(resources) = resources.and_then(Value::as_object_mut) else { return };
    resources.entry("matchPolicy").or_insert_with(|| "Equivalent".into());
    resources.entry("namespaceSelector").or_insert_with(|| json!({}));
    resources.entry("objectSelector").or_insert_with(|| json!({}));
    for rules in ["resourceRules", "excludeResourceRules"] {
        for rule in resources.get_mut(rules).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(rule) = rule.as_object_mut() {
                rule.entry("scope").or_insert_with(|| "*".into());
            }
        }
    }
}

fn require_one_of(errors: &mut Vec<FieldError>, path: &Path, value: &Value, known: &[&str]) {
    match value.as_str() {
        None => errors.push(FieldError::required(path, "")),
        Some(word) if !known.contains(&word) => errors.push(FieldError::not_supported(path, word, known)),
        Some(_) => {}
    }
}

fn check_param_kind(errors: &mut Vec<FieldError>, path: &Path, kind: &Value) {
    let api_version = text(kind, "apiVersion");
    let place = path.child("apiVersion");
    if api_version.is_empty() {
        errors.push(FieldError::required(&place, ""));
    } else if api_version.matches('/').count() > 1 {
        let words = format!("unexpected GroupVersion string: {api_version}");
        errors.push(FieldError::invalid(&place, api_version, words));
    } else {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let problems = meta::dns_subdomain(group);
        if !group.is_empty() && !problems.is_empty() {
            errors.push(FieldError::invalid(&place, group, problems.join(",")));
        }
        let problems = meta::dns1035_label(version);
        if version.is_empty() {
            errors.push(FieldError::invalid(&place, api_version, "version must be specified"));
        } else if !problems.is_empty() {
            errors.push(FieldError::invalid(&place, version, problems.join(",")));
        }
    }
    let name = text(kind, "kind");
    let problems = meta::dns1035_label(&name.to_lowercase());
    if name.is_empty() {
        errors.push(FieldError::required(&path.child("kind"), ""));
    } else if !problems.is_empty() {
        let words = format!("may have mixed case, but should otherwise match: {}", problems.join(","));
        errors.push(FieldError::invalid(&path.child("kind"), name, words));
    }
}

fn check_resources(errors: &mut Vec<FieldError>, path: &Path, resources: &Value) {
    require_one_of(errors, &path.child("matchPolicy"), &resources["matchPolicy"], &["Equivalent", "Exact"]);
    for selector in ["namespaceSelector", "objectSelector"] {
        match resources.get(selector).filter(|some| some.is_object()) {
            None => errors.push(FieldError::required(&path.child(selector), "")),
            Some(value) => check_selector(errors, &path.child(selector), value),
        }
    }
    for field in ["resourceRules", "excludeResourceRules"] {
        for (index, rule) in list(&resources[field]).iter().enumerate() {
            check_rule(errors, &path.child(field).index(index), rule);
        }
    }
}

fn check_selector(errors: &mut Vec<FieldError>, path: &Path, selector: &Value) {
    if let Err(problem) = LabelSelector::of(Some(selector)) {
        errors.push(FieldError::invalid(path, selector.clone(), problem.to_string()));
    }
}

fn check_rule(errors: &mut Vec<FieldError>, path: &Path, rule: &Value) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, name) in list(&rule["resourceNames"]).iter().filter_map(Value::as_str).enumerate() {
        let place = path.child("resourceNames").index(index);
        for words in meta::path_segment(name) {
            errors.push(FieldError::invalid(&place, name, words));
        }
        if seen.contains(&name) {
            errors.push(FieldError::duplicate(&place, name));
        }
        seen.push(name);
    }
    for (field, what) in
        [("operations", "operations"), ("apiGroups", "API groups"), ("apiVersions", "API versions")]
    {
        let place = path.child(field);
        let values = words(&rule[field]);
        if values.is_empty() {
            errors.push(FieldError::required(&place, ""));
        }
        if values.len() > 1 && values.iter().any(|value| value == "*") {
            let rule_words = format!("if '*' is present, must not specify other {what}");
            errors.push(FieldError::invalid(&place, json!(values), rule_words));
        }
        for (index, value) in values.iter().enumerate() {
            const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
            if field == "operations" && !OPERATIONS.contains(&value.as_str()) {
                errors.push(FieldError::not_supported(&place.index(index), value.as_str(), OPERATIONS));
            }
            if field == "apiVersions" && value.is_empty() {
                errors.push(FieldError::required(&place.index(index), ""));
            }
        }
    }
    check_rule_resources(errors, &path.child("resources"), &words(&rule["resources"]));
    if let Some(scope) = rule["scope"].as_str() {
        const SCOPES: &[&str] = &["*", "Cluster", "Namespaced"];
        if !SCOPES.contains(&scope) {
            errors.push(FieldError::not_supported(&path.child("scope"), scope, SCOPES));
        }
    }
}

fn check_rule_resources(errors: &mut Vec<FieldError>, path: &Path, resources: &[String]) {
    if resources.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
    let (mut whole, mut parts): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut plain = false;
    for (index, name) in resources.iter().enumerate() {
        let place = path.index(index);
        if name.is_empty() {
            errors.push(FieldError::required(&place, ""));
            continue;
        }
        let Some((resource, part)) = name.split_once('/') else {
            plain = name != "*";
            continue;
        };
        if whole.contains(&resource) {
            let words = format!("if '{resource}/*' is present, must not specify {name}");
            errors.push(FieldError::invalid(&place, name.as_str(), words));
        }
        if parts.contains(&part) {
            let words = format!("if '*/{part}' is present, must not specify {name}");
            errors.push(FieldError::invalid(&place, name.as_str(), words));
        }
        if part == "*" {
            whole.push(resource);
        }
        if resource == "*" {
            parts.push(part);
        }
    }
    if resources.len() > 1 && resources.iter().any(|name| name == "*/*") {
        let words = "if '*/*' is present, must not specify other resources";
        errors.push(FieldError::invalid(path, json!(resources), words));
    }
    if plain && resources.iter().any(|name| name == "*") {
        let words = "if '*' is present, must not specify other resources without subresources";
        errors.push(FieldError::invalid(path, json!(resources), words));
    }
}

/// Tells what is wrong with an expression that does not compile.
fn check_expression(errors: &mut Vec<FieldError>, path: &Path, expression: &Expression) {
    if let Err(problem) = &expression.program {
        errors.push(FieldError::invalid(path, expression.source.as_str(), problem.as_str()));
    }
}

/// What is wrong with the conditions under which a policy or a webhook is asked.
pub(crate) fn check_conditions(conditions: &[Value], path: &Path, has_params: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if conditions.len() > 64 {
        errors.push(FieldError::too_many(path, conditions.len(), 64));
    }
    let compiler = Compiler::without_variables(has_params);
    let mut seen: Vec<&str> = Vec::new();
    for (index, condition) in conditions.iter().enumerate() {
        let place = path.index(index);
        let source = text(condition, "expression").trim();
        if source.is_empty() {
            errors.push(FieldError::required(&place.child("expression"), ""));
        } else {
            let expression = compiler.compile(source, Wanted::Bool, true);
            check_expression(&mut errors, &place.child("expression"), &expression);
        }
        let name = text(condition, "name");
        if name.is_empty() {
            errors.push(FieldError::required(&place.child("name"), ""));
            continue;
        }
        for words in meta::label_key(name) {
            errors.push(FieldError::invalid(&place.child("name"), name, words));
        }
        if seen.contains(&name) {
            errors.push(FieldError::duplicate(&place.child("name"), name));
        }
        seen.push(name);
    }
    errors
}

fn check_variable(errors: &mut Vec<FieldError>, path: &Path, variable: &Value, compiler: &mut Compiler) {
    let name = text(variable, "name");
    let identifier = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !cel::is_reserved(name);
    if name.trim().is_empty() {
        errors.push(FieldError::required(&path.child("name"), "name is not specified"));
    } else if !identifier {
        errors.push(FieldError::invalid(&path.child("name"), name, "must be a valid CEL identifier"));
    }
    let source = text(variable, "expression");
    if source.trim().is_empty() {
        errors.push(FieldError::required(&path.child("expression"), "expression is not specified"));
        return;
    }
    let expression = compiler.compile(source, Wanted::Anything, true);
    check_expression(errors, &path.child("expression"), &expression);
    compiler.declare(name, &expression);
}

fn check_validation(errors: &mut Vec<FieldError>, path: &Path, validation: &Value, compiler: &Compiler) {
    let source = text(validation, "expression");
    if source.trim().is_empty() {
        errors.push(FieldError::required(&path.child("expression"), "expression is not specified"));
    } else {
        let expression = compiler.compile(source, Wanted::Bool, true);
        check_expression(errors, &path.child("expression"), &expression);
    }
    let place = path.child("messageExpression");
    let source = text(validation, "messageExpression");
    if !source.is_empty() && source.trim().is_empty() {
        errors.push(FieldError::invalid(&place, source, "must be non-empty if specified"));
    } else if !source.is_empty() {
        check_expression(errors, &place, &compiler.compile(source, Wanted::Text, false));
    }
    let message = text(validation, "message");
    if !message.is_empty() && message.trim().is_empty() {
        errors.push(FieldError::invalid(&path.child("message"), message, "must be non-empty if specified"));
    } else if message.trim().contains(['\n', '\r']) {
        errors.push(FieldError::invalid(&path.child("message"), message, "must not contain line breaks"));
    }
    if let Some(reason) = validation["reason"].as_str() {
        const REASONS: &[&str] = &["Forbidden", "Invalid", "RequestEntityTooLarge"];
        if !REASONS.contains(&reason) {
            errors.push(FieldError::not_supported(&path.child("reason"), reason, REASONS));
        }
    }
}

fn check_annotations(
    errors: &mut Vec<FieldError>,
    path: &Path,
    annotations: &[Value],
    policy: &str,
    compiler: &Compiler,
) {
    if annotations.len() > 20 {
        errors.push(FieldError::invalid(
            path,
            json!(annotations),
            "must not have more than 20 auditAnnotations",
        ));
    }
    let mut seen: Vec<&str> = Vec::new();
    for (index, annotation) in annotations.iter().enumerate() {
        let place = path.index(index);
        let key = text(annotation, "key");
        if policy.is_empty() {
            let words = "requires metadata.name be non-empty";
            errors.push(FieldError::invalid(&place.child("key"), key, words));
        } else {
            let name = format!("{policy}/{key}");
            for words in meta::label_key(&name) {
                errors.push(FieldError::invalid(&place.child("key"), name.as_str(), words));
            }
        }
        let source = text(annotation, "valueExpression");
        let field = place.child("valueExpression");
        if source.trim().is_empty() {
            errors.push(FieldError::required(&field, "valueExpression is not specified"));
        } else if source.trim().len() > 5 * 1024 {
            errors.push(FieldError::required(&field, "must not exceed 5120 bytes in length"));
        } else {
            let expression = compiler.compile(source.trim(), Wanted::TextOrNull, true);
            if let Err(problem) = &expression.program {
                errors.push(FieldError::invalid(&field, source, problem.as_str()));
            }
        }
        if seen.contains(&key) {
            errors.push(FieldError::duplicate(&place.child("key"), key));
        }
        seen.push(key);
    }
}

fn check_param_ref(errors: &mut Vec<FieldError>, path: &Path, reference: &Value) {
    let name = text(reference, "name");
    let selector = reference.get("selector").filter(|some| some.is_object());
    let exclusive = "name and selector are mutually exclusive";
    if !name.is_empty() {
        for words in meta::path_segment(name) {
            errors.push(FieldError::invalid(&path.child("name"), name, words));
        }
        if selector.is_some() {
            errors.push(FieldError::forbidden(&path.child("name"), exclusive));
        }
    }
    if let Some(selector) = selector {
        check_selector(errors, &path.child("selector"), selector);
        if !name.is_empty() {
            errors.push(FieldError::forbidden(&path.child("selector"), exclusive));
        }
    }
    if name.is_empty() && selector.is_none() {
        errors.push(FieldError::required(path, "one of name or selector must be specified"));
    }
    let place = path.child("parameterNotFoundAction");
    match text(reference, "parameterNotFoundAction") {
        "" => errors.push(FieldError::required(&place, "")),
        "Deny" | "Allow" => {}
        other => errors.push(FieldError::not_supported(&place, other, &["Deny", "Allow"])),
    }
}

fn check_actions(errors: &mut Vec<FieldError>, path: &Path, value: &Value) {
    const ACTIONS: &[&str] = &["Audit", "Deny", "Warn"];
    let actions = words(value);
    for (index, action) in actions.iter().enumerate() {
        if !ACTIONS.contains(&action.as_str()) {
            errors.push(FieldError::not_supported(&path.index(index), action.as_str(), ACTIONS));
        }
        if actions[..index].contains(action) {
            errors.push(FieldError::duplicate(&path.index(index), action.as_str()));
        }
    }
    let has = |wanted: &str| actions.iter().any(|action| action == wanted);
    if has("Deny") && has("Warn") {
        let words = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                     response and headers serves no purpose)";
        errors.push(FieldError::invalid(path, json!(actions), words));
    }
    if actions.is_empty() {
        errors.push(FieldError::required(path, "at least one validation action is required"));
    }
}
