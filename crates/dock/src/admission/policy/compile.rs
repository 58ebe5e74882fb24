//! Policies, with their expressions compiled.

use cel::{CompileError, Env, Program, Type};
use serde_json::Value;

use crate::admission::matching::Constraints;

/// A `ValidatingAdmissionPolicy`, read and compiled.
#[derive(Debug)]
pub struct Policy {
    pub(super) name: String,
    /// Whether a policy that cannot be evaluated refuses.
    pub(super) fails: bool,
    /// API version and kind of the parameters.
    pub(super) param_kind: Option<(String, String)>,
    pub(super) constraints: Constraints,
    pub(super) conditions: Vec<Expression>,
    pub(super) variables: Vec<(String, Expression)>,
    pub(super) validations: Vec<Validation>,
    pub(super) annotations: Vec<(String, Expression)>,
}

/// An expression, and its program if it can be compiled.
#[derive(Debug)]
pub(in crate::admission) struct Expression {
    pub(super) source: String,
    pub(super) program: Result<Program, String>,
}

#[derive(Debug)]
pub(super) struct Validation {
    pub(super) expression: Expression,
    pub(super) message: String,
    pub(super) message_expression: Option<Expression>,
    pub(super) reason: Option<String>,
}

/// What an expression must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::admission) enum Wanted {
    Bool,
    Text,
    TextOrNull,
    Anything,
}

/// Compiles the expressions of one policy, each with the variables it may use.
pub(in crate::admission) struct Compiler {
    plain: Env,
    authorized: Env,
}

const TEXT: Type = Type::String;

impl Compiler {
    pub(super) fn new(has_params: bool) -> Self {
        let texts = || Type::list(TEXT);
        let object = Type::object;
        let named = |name: &str, fields: &[(&'static str, Type)], env: Env| {
            env.with_object(name, fields.iter().cloned())
        };
        let mut env = Env::new()
            .with_variable("object", Type::Dyn)
            .with_variable("oldObject", Type::Dyn)
            .with_variable("namespaceObject", object("kubernetes.Namespace"))
            .with_variable("request", object("kubernetes.AdmissionRequest"))
            .with_variable("variables", object("kubernetes.variables"))
            .with_object::<&str>("kubernetes.variables", []);
        if has_params {
            env = env.with_variable("params", Type::Dyn);
        }
        let kind = [("group", TEXT), ("version", TEXT), ("kind", TEXT)];
        env = named("kubernetes.GroupVersionKind", &kind, env);
        let resource = [("group", TEXT), ("version", TEXT), ("resource", TEXT)];
        env = named("kubernetes.GroupVersionResource", &resource, env);
        let user =
            [("username", TEXT), ("uid", TEXT), ("groups", texts()), ("extra", Type::map(TEXT, texts()))];
        env = named("kubernetes.UserInfo", &user, env);
        let request = [
            ("kind", object("kubernetes.GroupVersionKind")),
            ("resource", object("kubernetes.GroupVersionResource")),
            ("subResource", TEXT),
            ("requestKind", object("kubernetes.GroupVersionKind")),
            ("requestResource", object("kubernetes.GroupVersionResource")),
            ("requestSubResource", TEXT),
            ("name", TEXT),
            ("namespace", TEXT),
            ("operation", TEXT),
            ("userInfo", object("kubernetes.UserInfo")),
            ("dryRun", Type::Bool),
            ("options", Type::Dyn),
        ];
        env = named("kubernetes.AdmissionRequest", &request, env);
        let condition = [
            ("status", TEXT),
            ("type", TEXT),
            ("lastTransitionTime", Type::Timestamp),
            ("message", TEXT),
            ("reason", TEXT),
        ];
        env = named("kubernetes.NamespaceCondition", &condition, env);
        let status = [("conditions", Type::list(object("kubernetes.NamespaceCondition"))), ("phase", TEXT)];
        env = named("kubernetes.NamespaceStatus", &status, env);
        env = named("kubernetes.NamespaceSpec", &[("finalizers", texts())], env);
        let metadata = [
            ("name", TEXT),
            ("generateName", TEXT),
            ("namespace", TEXT),
            ("labels", Type::map(TEXT, TEXT)),
            ("annotations", Type::map(TEXT, TEXT)),
            ("UID", TEXT),
            ("creationTimestamp", Type::Timestamp),
            ("deletionGracePeriodSeconds", Type::Int),
            ("deletionTimestamp", Type::Timestamp),
            ("generation", Type::Int),
            ("resourceVersion", TEXT),
            ("finalizers", texts()),
        ];
        env = named("kubernetes.NamespaceMetadata", &metadata, env);
        let namespace = [
            ("metadata", object("kubernetes.NamespaceMetadata")),
            ("spec", object("kubernetes.NamespaceSpec")),
            ("status", object("kubernetes.NamespaceStatus")),
        ];
        env = named("kubernetes.Namespace", &namespace, env);
        let authorized = env
            .clone()
            .with_variable("authorizer", object("kubernetes.authorization.Authorizer"))
            .with_variable("authorizer.requestResource", object("kubernetes.authorization.ResourceCheck"));
        Self { plain: env, authorized }
    }

    /// For conditions that are looked at before the variables: there are none.
    pub(in crate::admission) fn without_variables(has_params: bool) -> Self {
        let Self { plain, authorized } = Self::new(has_params);
        Self {
            plain: plain.without_variable("variables"),
            authorized: authorized.without_variable("variables"),
        }
    }

    /// Declares a variable of the policy for the expressions that follow.
    pub(super) fn declare(&mut self, name: &str, expression: &Expression) {
        let of = expression.program.as_ref().map_or(Type::Dyn, |program| declared(program.result_type()));
        self.plain.add_field("kubernetes.variables", name, of.clone());
        self.authorized.add_field("kubernetes.variables", name, of);
    }

    /// Compiles an expression; `authorized` ones may ask who may do what.
    pub(in crate::admission) fn compile(&self, source: &str, wanted: Wanted, authorized: bool) -> Expression {
        let env = if authorized { &self.authorized } else { &self.plain };
        let program = Program::compile(source, env).map_err(|error: CompileError| error.to_string());
        let program = program.and_then(|program| match refusal(program.result_type(), wanted) {
            Some(problem) => Err(problem),
            None => Ok(program),
        });
        Expression { source: source.to_owned(), program }
    }
}

/// What is wrong with the type of an expression's value.
fn refusal(of: &Type, wanted: Wanted) -> Option<String> {
    let shown = match of {
        Type::Null => "null_type".to_owned(),
        Type::Timestamp => "google.protobuf.Timestamp".to_owned(),
        Type::Duration => "google.protobuf.Duration".to_owned(),
        other => other.to_string(),
    };
    match wanted {
        Wanted::Bool if *of != Type::Bool => Some(format!("must evaluate to bool but got {shown}")),
        Wanted::Text if *of != Type::String => Some(format!("must evaluate to string but got {shown}")),
        Wanted::TextOrNull if !matches!(of, Type::String | Type::Null) => {
            Some(format!("must evaluate to one of [string null_type] but got {shown}"))
        }
        _ => None,
    }
}

/// The type that a variable is declared with: of lists and maps what they hold, of types of libraries nothing.
fn declared(of: &Type) -> Type {
    match of {
        Type::List(item) => Type::list(declared(item)),
        Type::Map(key, value) => Type::map(declared(key), declared(value)),
        Type::Object(_) | Type::Opaque(..) | Type::Type(_) | Type::Param(_) => Type::Dyn,
        other => other.clone(),
    }
}

impl Policy {
    /// Reads a `ValidatingAdmissionPolicy` and compiles its expressions. What cannot be compiled fails when a request
    /// matches.
    pub fn read(object: &Value) -> Self {
        let spec = &object["spec"];
        let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let list = |field: &str| spec[field].as_array().map(Vec::as_slice).unwrap_or_default();
        let param_kind = spec.get("paramKind").filter(|kind| kind.is_object());
        let mut compiler = Compiler::new(param_kind.is_some());
        let mut variables = Vec::new();
        for variable in list("variables") {
            let expression = compiler.compile(&text(variable, "expression"), Wanted::Anything, true);
            let name = text(variable, "name");
            compiler.declare(&name, &expression);
            variables.push((name, expression));
        }
        let conditions = list("matchConditions")
            .iter()
            .map(|condition| compiler.compile(&text(condition, "expression"), Wanted::Bool, true))
            .collect();
        let validations = list("validations")
            .iter()
            .map(|validation| Validation {
                expression: compiler.compile(&text(validation, "expression"), Wanted::Bool, true),
                message: text(validation, "message"),
                message_expression: validation["messageExpression"]
                    .as_str()
                    .filter(|source| !source.is_empty())
                    .map(|source| compiler.compile(source, Wanted::Text, false)),
                reason: validation["reason"].as_str().map(ToOwned::to_owned),
            })
            .collect();
        let annotations = list("auditAnnotations")
            .iter()
            .map(|annotation| {
                let expression =
                    compiler.compile(&text(annotation, "valueExpression"), Wanted::TextOrNull, true);
                (text(annotation, "key"), expression)
            })
            .collect();
        Self {
            name: text(&object["metadata"], "name"),
            fails: spec["failurePolicy"].as_str() != Some("Ignore"),
            param_kind: param_kind.map(|kind| (text(kind, "apiVersion"), text(kind, "kind"))),
            constraints: Constraints::read(&spec["matchConstraints"]),
            conditions,
            variables,
            validations,
            annotations,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}
