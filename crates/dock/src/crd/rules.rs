//! Rules in the expression language: what holds at each place of an object, and between it and the one it replaces.

use std::collections::BTreeMap;

use cel::{Activation, Env, EvalError, PER_CALL_LIMIT, Program, Type};
use serde_json::{Map, Value, json};

use super::correlate::{Correlated, same_key};
use super::field_path;
use super::props::{Props, Rule};
use crate::field::{FieldError, Path, Problem};

/// What all rules of one object may cost together.
const BUDGET: i64 = 10_000_000;
const LONGEST_MESSAGE: usize = 5 * 1024;
const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The rules of a schema, compiled.
#[derive(Debug)]
pub(super) struct Rules {
    root: Node,
}

/// One place with rules at it or below.
#[derive(Debug, Default)]
struct Node {
    schema: Option<cel::Schema>,
    rules: Vec<Compiled>,
    /// Why no rule of this place can be compiled.
    untyped: bool,
    items: Option<Box<Node>>,
    properties: BTreeMap<String, Node>,
    additional: Option<Box<Node>>,
}

/// A rule that was read.
#[derive(Debug)]
pub(super) struct Compiled {
    rule: Rule,
    /// The expression, or what is wrong with it; nothing if it is empty.
    pub(super) program: Option<Result<Program, String>>,
    /// The expression for the message.
    pub(super) message: Option<Result<Program, String>>,
    /// The field that errors name.
    field: Option<String>,
}

impl Compiled {
    /// Whether it compares with the object that is replaced.
    pub(super) fn uses_old_self(&self) -> bool {
        matches!(&self.program, Some(Ok(program)) if program.uses("oldSelf"))
    }
}

/// Whether a schema has rules that are run.
fn has_rules(schema: &Props) -> bool {
    !schema.validations.is_empty()
        || schema.item().is_some_and(has_rules)
        || schema.additional().is_some_and(has_rules)
        || schema.properties.values().any(has_rules)
}

/// Reads the rules of one place; nothing if expressions cannot know its type.
pub(super) fn compile(schema: &Props, resource: bool) -> Option<(cel::Schema, Vec<Compiled>)> {
    let known = cel::Schema::from_open_api(&to_json(schema));
    let known = if resource { known.into_resource() } else { known };
    let mut env = Env::new();
    let of = known.declare(&mut env, "selfType0")?;
    let plain = env.clone().with_variable("self", of.clone()).with_variable("oldSelf", of.clone());
    let optional = env.with_variable("self", of.clone()).with_variable("oldSelf", Type::optional(of));
    let rules = schema.validations.iter().map(|rule| {
        let env = if rule.optional_old_self == Some(true) { &optional } else { &plain };
        compile_rule(rule, schema, env)
    });
    let rules = rules.collect();
    Some((known, rules))
}

fn compile_rule(rule: &Rule, schema: &Props, env: &Env) -> Compiled {
    let mut compiled = Compiled { rule: rule.clone(), program: None, message: None, field: None };
    if rule.rule.trim().is_empty() {
        return compiled;
    }
    let program = Program::compile(&rule.rule, env).map_err(|error| error.to_string()).and_then(|program| {
        if *program.result_type() == Type::Bool {
            Ok(program)
        } else {
            Err("cel expression must evaluate to a bool".to_owned())
        }
    });
    let sound = program.is_ok();
    compiled.program = Some(program);
    if !sound {
        return compiled;
    }
    if !rule.message_expression.is_empty() {
        let message = Program::compile(&rule.message_expression, env)
            .map_err(|error| format!("messageExpression {error}"))
            .and_then(|program| {
                if *program.result_type() == Type::String {
                    Ok(program)
                } else {
                    Err("messageExpression must evaluate to a string".to_owned())
                }
            });
        compiled.message = Some(message);
    }
    if !rule.field_path.is_empty() {
        compiled.field =
            field_path::follow(&rule.field_path, schema, true).ok().map(|found| found.path.to_string());
    }
    compiled
}

/// A schema as far as expressions look at it.
fn to_json(schema: &Props) -> Value {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    set("type", schema.kind.as_str().into());
    set("format", schema.format.as_str().into());
    set("nullable", schema.nullable.into());
    set("x-kubernetes-int-or-string", schema.int_or_string.into());
    set("x-kubernetes-embedded-resource", schema.embedded_resource.into());
    set("x-kubernetes-preserve-unknown-fields", schema.preserves().into());
    if let Some(kind) = &schema.list_type {
        set("x-kubernetes-list-type", kind.as_str().into());
        set("x-kubernetes-list-map-keys", schema.list_map_keys.clone().into());
    }
    if !schema.properties.is_empty() {
        let properties = schema.properties.iter().map(|(name, schema)| (name.clone(), to_json(schema)));
        set("properties", Value::Object(properties.collect()));
    }
    if let Some(additional) = schema.additional() {
        set("additionalProperties", to_json(additional));
    }
    if let Some(item) = schema.item() {
        set("items", to_json(item));
    }
    Value::Object(fields)
}

impl Rules {
    /// The rules of the schema of a resource, if it has any.
    pub(super) fn of(schema: &Props) -> Option<Self> {
        Some(Self { root: Node::of(schema, true)? })
    }

    /// What the rules find wrong with an object, after `errors` were found otherwise: some keep rules from being run.
    pub(super) fn check(
        &self,
        schema: &Props,
        object: &Value,
        old: Option<&Value>,
        errors: &[FieldError],
    ) -> Vec<FieldError> {
        if blocks(errors) {
            let words = "some validation rules were not checked because the object was invalid; correct the existing \
                         errors to complete validation";
            return vec![FieldError::invalid(&Path::default(), Value::Null, words)];
        }
        let correlated = old.map(|old| Correlated::new(object, old, schema));
        let tolerance = Tolerance { current: correlated.as_ref(), parent: None };
        let mut run = Run { budget: BUDGET, errors: Vec::new() };
        run.place(&self.root, schema, object, old, &Path::default(), tolerance);
        run.errors
    }
}

/// Rules are not run on an object with errors that they could stumble over.
fn blocks(errors: &[FieldError]) -> bool {
    errors.iter().any(|error| {
        matches!(
            error.problem,
            Problem::NotSupported
                | Problem::Required
                | Problem::TooLong
                | Problem::TooMany
                | Problem::TypeInvalid
        )
    })
}

impl Node {
    /// A place, if there are rules at it or below. Fields whose type expressions cannot know are passed over.
    fn of(schema: &Props, resource: bool) -> Option<Self> {
        if !has_rules(schema) {
            return None;
        }
        let below = |schema: &Props| Node::of(schema, schema.embedded_resource);
        let mut node = Node {
            items: schema.item().and_then(below).map(Box::new),
            additional: schema.additional().and_then(below).map(Box::new),
            properties: schema
                .properties
                .iter()
                .filter(|(_, schema)| has_type(schema))
                .filter_map(|(name, schema)| Some((name.clone(), below(schema)?)))
                .collect(),
            ..Node::default()
        };
        if !schema.validations.is_empty() {
            match compile(schema, resource) {
                Some((known, rules)) => {
                    node.schema = Some(known);
                    node.rules = rules;
                }
                None => node.untyped = true,
            }
        }
        let empty = node.rules.is_empty()
            && !node.untyped
            && node.items.is_none()
            && node.additional.is_none()
            && node.properties.is_empty();
        (!empty).then_some(node)
    }
}

/// Whether expressions can know the type of a place.
fn has_type(schema: &Props) -> bool {
    if schema.int_or_string {
        return true;
    }
    match schema.kind.as_str() {
        "object" => {
            !schema.properties.is_empty()
                || schema.embedded_resource
                || schema.additional().is_none_or(has_type)
        }
        "array" => schema.item().is_some_and(has_type),
        "string" | "number" | "integer" | "boolean" => true,
        _ => false,
    }
}

/// Where what did not change is tolerated.
#[derive(Clone, Copy)]
struct Tolerance<'t> {
    current: Option<&'t Correlated<'t>>,
    parent: Option<&'t Correlated<'t>>,
}

impl Tolerance<'_> {
    fn tolerates(self) -> bool {
        self.current.or(self.parent).is_some_and(Correlated::unchanged)
    }
}

/// One run of all rules over an object.
struct Run {
    /// What is left; below zero, nothing runs any more.
    budget: i64,
    errors: Vec<FieldError>,
}

impl Run {
    fn place(
        &mut self,
        node: &Node,
        schema: &Props,
        value: &Value,
        old: Option<&Value>,
        path: &Path,
        tolerance: Tolerance<'_>,
    ) {
        let old = old.filter(|old| !old.is_null());
        if value.is_null() {
            return;
        }
        self.rules(node, schema, value, old, path, tolerance);
        match value {
            Value::Array(items) => {
                let (Some(below), Some(item)) = (&node.items, schema.item()) else { return };
                let before = old.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                for (index, value) in items.iter().enumerate() {
                    if self.budget < 0 {
                        return;
                    }
                    let correlated = tolerance.current.and_then(|current| current.item(index));
                    let tolerance = descend(tolerance, correlated.as_ref());
                    let old = same_key(schema, before, value);
                    self.place(below, item, value, old, &path.index(index), tolerance);
                }
            }
            Value::Object(fields) => {
                let before = old.and_then(Value::as_object);
                if let (Some(below), Some(additional)) = (&node.additional, schema.additional()) {
                    for (name, value) in fields {
                        let old = before.and_then(|before| before.get(name));
                        self.field(below, additional, (name, value), old, &path.key(name), tolerance);
                    }
                }
                for (name, value) in fields {
                    if let (Some(below), Some(property)) =
                        (node.properties.get(name), schema.properties.get(name))
                    {
                        let old = before.and_then(|before| before.get(name));
                        self.field(below, property, (name, value), old, &path.child(name), tolerance);
                    }
                }
            }
            _ => {}
        }
    }

    fn field(
        &mut self,
        node: &Node,
        schema: &Props,
        (name, value): (&str, &Value),
        old: Option<&Value>,
        path: &Path,
        tolerance: Tolerance<'_>,
    ) {
        if self.budget < 0 {
            return;
        }
        if tolerance.current.is_some() && tolerance.parent.is_none() && matches!(name, "apiVersion" | "kind")
        {
            let strict = Tolerance { current: None, parent: None };
            return self.place(node, schema, value, old, path, strict);
        }
        let correlated = tolerance.current.and_then(|current| current.field(name));
        self.place(node, schema, value, old, path, descend(tolerance, correlated.as_ref()));
    }

    fn rules(
        &mut self,
        node: &Node,
        schema: &Props,
        value: &Value,
        old: Option<&Value>,
        path: &Path,
        tolerance: Tolerance<'_>,
    ) {
        let kind = schema.kind.as_str();
        let refuse = |words: String| FieldError::invalid(path, kind, words);
        if node.untyped {
            self.errors.push(refuse(
                "rule compiler initialization error: failed to convert to declType for CEL validation rules"
                    .into(),
            ));
            return;
        }
        if node.rules.is_empty() {
            return;
        }
        if self.budget <= 0 {
            self.errors.push(refuse(OUT_OF_BUDGET.into()));
            self.budget = -1;
            return;
        }
        for compiled in &node.rules {
            let rule = &compiled.rule;
            let program = match &compiled.program {
                None => continue,
                Some(Err(words)) => {
                    self.errors.push(refuse(format!("rule compile error: {words}")));
                    continue;
                }
                Some(Ok(program)) => program,
            };
            let optional = rule.optional_old_self == Some(true);
            if compiled.uses_old_self() && old.is_none() && !optional {
                continue;
            }
            let known = node.schema.as_ref();
            let activation = |optional: bool| {
                let mut activation = Activation::new();
                activation.bind_json("self", value, known);
                if optional {
                    activation.bind_optional("oldSelf", old, known);
                } else if let Some(old) = old {
                    activation.bind_json("oldSelf", old, known);
                }
                activation
            };
            let outcome = program.run(&activation(optional), PER_CALL_LIMIT);
            if !self.pay(outcome.cost) {
                self.errors.push(refuse(OUT_OF_BUDGET.into()));
                return;
            }
            let said = told(rule);
            match outcome.result {
                Ok(value) if value.as_bool() == Some(true) => continue,
                Ok(_) => {}
                Err(EvalError::CostExceeded) => {
                    self.errors.push(refuse(format!(
                        "'{}': no further validation rules will be run due to call cost exceeds limit for rule: {said}",
                        EvalError::CostExceeded
                    )));
                    self.budget = -1;
                    return;
                }
                Err(error @ EvalError::NoSuchOverload(_)) => {
                    self.errors.push(refuse(format!(
                        "'{error}': call arguments did not match a supported operator, function or macro signature \
                         for rule: {said}"
                    )));
                    continue;
                }
                Err(error) => {
                    self.errors.push(refuse(format!("{error} evaluating rule: {said}")));
                    continue;
                }
            }
            let place = compiled.field.as_deref().map_or_else(|| path.clone(), |field| path.child(field));
            let mut detail = None;
            if let Some(Ok(message)) = &compiled.message {
                match self.message(message, &activation(false)) {
                    Ok(text) => detail = text,
                    Err(words) => {
                        let error = FieldError::invalid(&place, kind, words);
                        self.budget = -1;
                        if compiled.uses_old_self() || !tolerance.tolerates() {
                            self.errors.push(error);
                        }
                        return;
                    }
                }
            }
            let detail = detail.unwrap_or_else(|| match rule.message.as_str() {
                "" => format!("failed rule: {said}"),
                message => message.trim().to_owned(),
            });
            if compiled.uses_old_self() || !tolerance.tolerates() {
                self.errors.push(error_for(rule, &place, value, kind, detail));
            }
        }
    }

    /// Takes a cost from the budget; false if there is not enough.
    fn pay(&mut self, cost: u64) -> bool {
        match i64::try_from(cost) {
            Ok(cost) if cost <= self.budget => {
                self.budget -= cost;
                true
            }
            _ => {
                self.budget = -1;
                false
            }
        }
    }

    /// What a message expression says; nothing if it says nothing useful, an error if the budget is spent.
    fn message(&mut self, program: &Program, activation: &Activation<'_>) -> Result<Option<String>, String> {
        let outcome = program.run(activation, PER_CALL_LIMIT);
        if !self.pay(outcome.cost) {
            let words = "messageExpression evaluation failed due to running out of cost budget, no further \
                         validation rules will be run";
            return Err(words.to_owned());
        }
        let Ok(value) = outcome.result else { return Ok(None) };
        let text = value.as_str().map(str::trim).unwrap_or_default();
        let useful = !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n');
        Ok(useful.then(|| text.to_owned()))
    }
}

fn descend<'t>(tolerance: Tolerance<'t>, below: Option<&'t Correlated<'t>>) -> Tolerance<'t> {
    match tolerance.current {
        None => tolerance,
        Some(_) => Tolerance { current: below, parent: tolerance.current },
    }
}

/// A rule in errors: its message, or else its expression.
fn told(rule: &Rule) -> &str {
    if rule.message.is_empty() { rule.rule.trim() } else { rule.message.trim() }
}

fn error_for(rule: &Rule, path: &Path, value: &Value, kind: &str, detail: String) -> FieldError {
    let structured = matches!(kind, "object" | "array");
    let hidden = |error: FieldError| if structured { error.showing("") } else { error };
    let value = if structured { json!(null) } else { value.clone() };
    match rule.reason.as_deref() {
        Some("FieldValueForbidden") => FieldError::forbidden(path, detail),
        Some("FieldValueRequired") => FieldError::required(path, detail),
        Some("FieldValueDuplicate") => hidden(FieldError::duplicate(path, value)),
        _ => hidden(FieldError::invalid(path, value, detail)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(schema: &Value, object: &Value, old: Option<&Value>) -> Vec<String> {
        let schema = Props::read(schema);
        let rules = Rules::of(&schema).unwrap();
        rules.check(&schema, object, old, &[]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rules_hold_at_every_level() {
        let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.metadata.name != 'bad'"}],
            "properties": {"spec": {"type": "object", "properties": {
                "min": {"type": "integer"}, "max": {"type": "integer", "x-kubernetes-validations": [
                    {"rule": "self < 10", "messageExpression": "'got ' + string(self)"}]},
                "list": {"type": "array", "items": {"type": "string", "x-kubernetes-validations": [
                    {"rule": "self.startsWith('a')", "reason": "FieldValueForbidden"}]}}},
                "x-kubernetes-validations": [
                    {"rule": "self.min <= self.max", "message": "min above max", "fieldPath": ".min"}]}}});
        let object = json!({"metadata": {"name": "bad"}, "spec": {"min": 20, "max": 12, "list": ["a", "b"]}});
        assert_eq!(
            said(&schema, &object, None),
            [
                "<nil>: Invalid value: failed rule: self.metadata.name != 'bad'",
                "spec.min: Invalid value: min above max",
                "spec.list[1]: Forbidden: failed rule: self.startsWith('a')",
                "spec.max: Invalid value: 12: got 12",
            ]
        );
    }

    #[test]
    fn transitions_compare_with_the_old() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]},
            "b": {"type": "integer", "x-kubernetes-validations": [
                {"rule": "!oldSelf.hasValue() || oldSelf.value() == self", "optionalOldSelf": true}]},
            "items": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer",
                    "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed"}]}}}},
        }});
        let old = json!({"a": 5, "b": 1, "items": [{"k": "x", "v": 1}, {"k": "y", "v": 2}]});
        let new =
            json!({"a": 4, "b": 2, "items": [{"k": "y", "v": 3}, {"k": "x", "v": 1}, {"k": "z", "v": 9}]});
        assert_eq!(said(&schema, &new, None), Vec::<String>::new());
        assert_eq!(
            said(&schema, &new, Some(&old)),
            [
                "a: Invalid value: 4: failed rule: self >= oldSelf",
                "b: Invalid value: 2: failed rule: !oldSelf.hasValue() || oldSelf.value() == self",
                "items[0].v: Invalid value: 3: fixed",
            ]
        );
    }

    #[test]
    fn what_did_not_change_is_tolerated() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "integer", "x-kubernetes-validations": [{"rule": "self < 5"}]}, "b": {"type": "integer"}}});
        let old = json!({"a": 9, "b": 1});
        assert_eq!(said(&schema, &json!({"a": 9, "b": 2}), Some(&old)), Vec::<String>::new());
        assert_eq!(said(&schema, &json!({"a": 8, "b": 2}), Some(&old)).len(), 1);
    }

    #[test]
    fn errors_of_structure_keep_rules_from_being_run() {
        let schema = Props::read(&json!({"type": "object", "x-kubernetes-validations": [{"rule": "false"}]}));
        let rules = Rules::of(&schema).unwrap();
        let errors = rules.check(&schema, &json!({}), None, &[FieldError::required(&Path::new("a"), "")]);
        assert_eq!(
            errors[0].to_string(),
            "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct \
             the existing errors to complete validation"
        );
    }
}
