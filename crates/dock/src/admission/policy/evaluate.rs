//! Evaluates a policy for one request and one parameter.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use cel::{Activation, Authorizer, EvalError, Members, PER_CALL_LIMIT, ResourceAttributes, Value as Cel};
use serde_json::Value;

use super::compile::{Expression, Policy, Validation};
use crate::admission::attributes::{Attributes, Target};

/// What all validations of a policy may cost together.
const BUDGET: u64 = 10_000_000;
/// What all match conditions of a policy may cost together.
const CONDITIONS_BUDGET: u64 = 2_500_000;
/// A longer message is not told.
const LONGEST_MESSAGE: usize = 5 * 1024;
/// A longer audit annotation is cut.
const LONGEST_ANNOTATION: usize = 10 * 1024;
const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// What a policy says of a request.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// One for each validation, or one for what went wrong.
    pub(super) decisions: Vec<Decision>,
    /// Keys and values for the audit log.
    pub(super) annotations: Vec<(String, String)>,
    /// Annotations that could not be made, where failures refuse.
    pub(super) annotation_errors: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    Admit,
    Deny { message: String, reason: Option<String> },
}

/// The variables of a policy, computed when they are asked for, and once.
struct Variables<'a> {
    expressions: &'a [(String, Expression)],
    known: RefCell<BTreeMap<&'a str, Result<Cel<'a>, EvalError>>>,
    cost: Cell<u64>,
}

impl<'a> Variables<'a> {
    fn new(expressions: &'a [(String, Expression)]) -> Self {
        Self { expressions, known: RefCell::default(), cost: Cell::new(0) }
    }
}

impl<'a> Members<'a> for Variables<'a> {
    fn member(&self, name: &str, activation: &Activation<'a>) -> Option<Result<Cel<'a>, EvalError>> {
        let (name, expression) = self.expressions.iter().find(|(known, _)| known == name)?;
        if let Some(value) = self.known.borrow().get(name.as_str()) {
            return Some(value.clone());
        }
        let shown = goyaml::strconv::quote(name);
        let value = match &expression.program {
            Err(problem) => {
                Err(EvalError::Function(format!("composited variable {shown} fails to compile: {problem}")))
            }
            Ok(program) => {
                let evaluated = program.run(activation, PER_CALL_LIMIT);
                self.cost.set(self.cost.get().saturating_add(evaluated.cost));
                evaluated.result.map_err(|error| {
                    EvalError::Function(format!("composited variable {shown} fails to evaluate: {error}"))
                })
            }
        };
        self.known.borrow_mut().insert(name, value.clone());
        Some(value)
    }
}

/// What the expressions of one phase may use, and what they may still cost.
struct Phase<'a> {
    activation: Activation<'a>,
    variables: &'a Variables<'a>,
    budget: u64,
}

impl<'a> Phase<'a> {
    /// Evaluates one expression. The outer error ends the phase, the inner is about the expression.
    fn run(&mut self, expression: &Expression) -> Result<Result<Cel<'a>, String>, String> {
        let program = match &expression.program {
            Ok(program) => program,
            Err(problem) => return Ok(Err(format!("compilation error: {problem}"))),
        };
        let evaluated = program.run(&self.activation, PER_CALL_LIMIT);
        let cost = self.variables.cost.replace(0).saturating_add(evaluated.cost);
        self.budget = self.budget.checked_sub(cost).ok_or_else(|| OUT_OF_BUDGET.to_owned())?;
        Ok(evaluated
            .result
            .map_err(|error| format!("expression '{}' resulted in error: {error}", expression.source)))
    }
}

/// The values that all expressions of a policy may use.
struct Inputs<'a> {
    request: &'a Value,
    attributes: &'a Attributes<'a>,
    param: Option<&'a Value>,
    namespace: Option<&'a Value>,
    authorizer: Option<&'a dyn Authorizer>,
}

static NOTHING: Value = Value::Null;

impl<'a> Inputs<'a> {
    fn phase(&self, variables: &'a Variables<'a>, budget: u64) -> Phase<'a> {
        let mut activation = Activation::new();
        let attributes = self.attributes;
        activation.bind_json("object", attributes.object.unwrap_or(&NOTHING), None);
        activation.bind_json("oldObject", attributes.old_object.unwrap_or(&NOTHING), None);
        activation.bind_json("params", self.param.unwrap_or(&NOTHING), None);
        activation.bind_json("request", self.request, None);
        activation.bind_json("namespaceObject", self.namespace.unwrap_or(&NOTHING), None);
        if let Some(authorizer) = self.authorizer {
            activation.bind("authorizer", Cel::authorizer(authorizer));
            let resource = ResourceAttributes {
                group: attributes.target.group.name.to_owned(),
                resource: attributes.target.resource.to_owned(),
                subresource: attributes.subresource.to_owned(),
                namespace: attributes.namespace.to_owned(),
                name: attributes.name.to_owned(),
                ..ResourceAttributes::default()
            };
            activation.bind("authorizer.requestResource", Cel::authorizer_of(authorizer, resource));
        }
        activation.bind_members("variables", variables);
        Phase { activation, variables, budget }
    }
}

/// Evaluates a policy for one request and one parameter.
pub(super) fn evaluate(
    policy: &Policy,
    target: &Target<'_>,
    attributes: &Attributes<'_>,
    param: Option<&Value>,
    authorizer: &dyn Authorizer,
) -> Outcome {
    let failed = |message: String| {
        let decision = if policy.fails { Decision::Deny { message, reason: None } } else { Decision::Admit };
        Outcome { decisions: vec![decision], ..Outcome::default() }
    };
    let object = attributes.object.map(|object| attributes.in_version(object, target));
    let old_object = attributes.old_object.map(|object| attributes.in_version(object, target));
    let attributes =
        &Attributes { object: object.as_deref(), old_object: old_object.as_deref(), ..*attributes };
    match conditions_hold(&policy.conditions, policy.fails, target, attributes, param, authorizer) {
        Ok(true) => {}
        Ok(false) => return Outcome::default(),
        Err(message) => return failed(message),
    }

    let request = attributes.request(target);
    let namespace = attributes.namespace_object.map(shown_namespace);
    let inputs = Inputs {
        request: &request,
        attributes,
        param,
        namespace: namespace.as_ref(),
        authorizer: Some(authorizer),
    };
    let variables = Variables::new(&policy.variables);
    let mut phase = inputs.phase(&variables, BUDGET);
    let mut results = Vec::with_capacity(policy.validations.len());
    for validation in &policy.validations {
        match phase.run(&validation.expression) {
            Ok(result) => results.push(result.map(|value| value.as_bool() == Some(true))),
            Err(message) => return failed(message),
        }
    }
    let budget = phase.budget;
    drop(phase);

    // Messages are told to those who ask, so they cannot look at what only the server may know.
    let unauthorized = Inputs { authorizer: None, ..inputs };
    let message_variables = Variables::new(&policy.variables);
    let messages = messages(policy, unauthorized.phase(&message_variables, budget));
    let mut outcome = Outcome::default();
    for (index, (validation, result)) in policy.validations.iter().zip(results).enumerate() {
        outcome.decisions.push(match (result, &messages) {
            (Err(message), _) if policy.fails => Decision::Deny { message, reason: None },
            (Ok(_), Err(problem)) if policy.fails => {
                Decision::Deny { message: format!("failed messageExpression: {problem}"), reason: None }
            }
            (Ok(true) | Err(_), _) | (Ok(_), Err(_)) => Decision::Admit,
            (Ok(false), Ok(messages)) => {
                let message = message(validation, messages.get(index).and_then(Option::as_deref));
                let reason = validation.reason.clone().or_else(|| Some("Invalid".to_owned()));
                Decision::Deny { message, reason }
            }
        });
    }
    annotate(policy, &inputs, &mut outcome).map_or_else(failed, |()| outcome)
}

/// Whether a request is one that a policy or webhook is about; else what went wrong.
///
/// `fails` says whether a condition that cannot be evaluated is an error, or no match.
pub(in crate::admission) fn conditions_hold(
    conditions: &[Expression],
    fails: bool,
    target: &Target<'_>,
    attributes: &Attributes<'_>,
    param: Option<&Value>,
    authorizer: &dyn Authorizer,
) -> Result<bool, String> {
    if conditions.is_empty() {
        return Ok(true);
    }
    // The resource is the one that was asked for, the kind the one that is meant.
    let request =
        attributes.request(&Target { kind: target.kind, kind_group: target.kind_group, ..attributes.target });
    let variables = Variables::new(&[]);
    let inputs =
        Inputs { request: &request, attributes, param, namespace: None, authorizer: Some(authorizer) };
    let mut phase = inputs.phase(&variables, CONDITIONS_BUDGET);
    let mut problems: Vec<String> = Vec::new();
    for condition in conditions {
        match phase.run(condition) {
            Ok(Ok(Cel::Bool(false))) => return Ok(false),
            Ok(Ok(_)) => {}
            Ok(Err(problem)) => {
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
            Err(problem) if fails => return Err(problem),
            Err(_) => return Ok(false),
        }
    }
    match problems.as_slice() {
        [] => Ok(true),
        _ if !fails => Ok(false),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

/// What the message expressions give; an error if they cost too much.
fn messages(policy: &Policy, mut phase: Phase<'_>) -> Result<Vec<Option<String>>, String> {
    let mut messages = Vec::with_capacity(policy.validations.len());
    for validation in &policy.validations {
        let text = match &validation.message_expression {
            Some(expression) => {
                phase.run(expression)?.ok().and_then(|value| value.as_str().map(ToOwned::to_owned))
            }
            None => None,
        };
        messages.push(text);
    }
    Ok(messages)
}

/// The message of a validation that failed: what its expression gives, what is written, or the expression itself.
fn message(validation: &Validation, computed: Option<&str>) -> String {
    let computed = computed.map(str::trim).unwrap_or_default();
    if !computed.is_empty() && computed.len() <= LONGEST_MESSAGE && !computed.contains('\n') {
        return computed.to_owned();
    }
    match validation.message.trim() {
        "" => format!("failed expression: {}", validation.expression.source.trim()),
        written => written.to_owned(),
    }
}

fn annotate(policy: &Policy, inputs: &Inputs<'_>, outcome: &mut Outcome) -> Result<(), String> {
    if policy.annotations.is_empty() {
        return Ok(());
    }
    let variables = Variables::new(&policy.variables);
    let unauthorized = Inputs { authorizer: None, ..*inputs };
    let mut phase = unauthorized.phase(&variables, BUDGET);
    for (key, expression) in &policy.annotations {
        match phase.run(expression)? {
            Ok(value) => {
                let text = value.as_str().unwrap_or_default().trim();
                if !text.is_empty() {
                    let end = text.floor_char_boundary(LONGEST_ANNOTATION.min(text.len()));
                    outcome.annotations.push((key.clone(), text[..end].to_owned()));
                }
            }
            Err(problem) if policy.fails => outcome.annotation_errors.push(problem),
            Err(_) => {}
        }
    }
    Ok(())
}

/// A namespace as policies see it: without managed fields and owners.
fn shown_namespace(namespace: &Value) -> Value {
    let mut shown = serde_json::json!({"metadata": {}});
    for field in [
        "name",
        "generateName",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "finalizers",
    ] {
        if let Some(value) = namespace["metadata"].get(field) {
            shown["metadata"][field] = value.clone();
        }
    }
    for field in ["spec", "status"] {
        shown[field] = namespace.get(field).cloned().unwrap_or_else(|| serde_json::json!({}));
    }
    shown
}
