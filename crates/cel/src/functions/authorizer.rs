//! Who may do what: questions that an expression puts together, and the host answers.

use std::fmt;
use std::sync::Arc;

use super::{Library, failure, formats, text};
use crate::error::{EvalError, Outcome};
use crate::value::Value;

/// Answers who may do what. The host of the expressions implements it.
pub trait Authorizer: Sync {
    /// Decides about one question.
    fn authorize(&self, question: &Question<'_>) -> Decision;
}

/// A question to an [`Authorizer`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question<'q> {
    /// Who would do it: the name of a service account as `system:serviceaccount:<namespace>:<name>`, or nothing for
    /// the user whose request is looked at.
    pub user: Option<&'q str>,
    /// What would be done, as `get`.
    pub verb: &'q str,
    /// What it would be done to.
    pub subject: &'q Subject,
}

/// What something would be done to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A path that is no resource.
    Path(String),
    /// A resource.
    Resource(ResourceAttributes),
}

/// A resource, or some of its objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceAttributes {
    /// Its group; empty for the core.
    pub group: String,
    /// Its plural name.
    pub resource: String,
    /// A part of it, as `status`, or nothing.
    pub subresource: String,
    /// The namespace, or nothing for all.
    pub namespace: String,
    /// The name, or nothing for all.
    pub name: String,
    /// A field selector, or nothing.
    pub field_selector: String,
    /// A label selector, or nothing.
    pub label_selector: String,
}

/// The answer of an [`Authorizer`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether it may be done.
    pub allowed: bool,
    /// Why.
    pub reason: String,
    /// What went wrong while deciding.
    pub error: Option<String>,
}

/// An authorizer, and on whose behalf it is asked.
#[derive(Clone)]
pub struct Checker<'a> {
    authorizer: &'a dyn Authorizer,
    user: Option<Arc<str>>,
}

/// A question that is not yet whole.
#[derive(Debug)]
pub struct Authorization<'a> {
    checker: Checker<'a>,
    subject: Subject,
    /// Only the group is known.
    group_only: bool,
}

impl fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("user", &self.user).finish_non_exhaustive()
    }
}

impl Authorization<'_> {
    pub(crate) fn type_name(&self) -> &'static str {
        match &self.subject {
            Subject::Path(_) => "kubernetes.authorization.PathCheck",
            Subject::Resource(_) if self.group_only => "kubernetes.authorization.GroupCheck",
            Subject::Resource(_) => "kubernetes.authorization.ResourceCheck",
        }
    }
}

impl<'a> Value<'a> {
    /// The value of the variable `authorizer`.
    pub fn authorizer(authorizer: &'a dyn Authorizer) -> Self {
        Self::Authorizer(Checker { authorizer, user: None })
    }

    /// The value of the variable `authorizer.requestResource`.
    pub fn authorizer_of(authorizer: &'a dyn Authorizer, resource: ResourceAttributes) -> Self {
        Self::Authorization(Arc::new(Authorization {
            checker: Checker { authorizer, user: None },
            subject: Subject::Resource(resource),
            group_only: false,
        }))
    }
}

pub(super) fn add(library: &mut Library) {
    library.add(
        "path",
        &[(
            "authorizer_path",
            "kubernetes.authorization.Authorizer . string -> kubernetes.authorization.PathCheck",
            |args| {
                let path = text(args, 1)?;
                if path.trim().is_empty() {
                    return failure("path must not be empty");
                }
                begin(args, Subject::Path(path.to_owned()), false)
            },
        )],
    );
    library.add(
        "group",
        &[(
            "authorizer_group",
            "kubernetes.authorization.Authorizer . string -> kubernetes.authorization.GroupCheck",
            |args| {
                let group = text(args, 1)?.to_owned();
                begin(args, Subject::Resource(ResourceAttributes { group, ..Default::default() }), true)
            },
        )],
    );
    library.add(
        "serviceAccount",
        &[(
            "authorizer_serviceaccount",
            "kubernetes.authorization.Authorizer . string, string -> kubernetes.authorization.Authorizer",
            service_account,
        )],
    );
    library.add(
        "resource",
        &[(
            "groupcheck_resource",
            "kubernetes.authorization.GroupCheck . string -> kubernetes.authorization.ResourceCheck",
            |args| {
                if text(args, 1)?.trim().is_empty() {
                    return failure("resource must not be empty");
                }
                refine(args, |resource, name| resource.resource = name)
            },
        )],
    );
    let part = "kubernetes.authorization.ResourceCheck . string -> kubernetes.authorization.ResourceCheck";
    library.add(
        "subresource",
        &[("resourcecheck_subresource", part, |args| {
            refine(args, |resource, name| resource.subresource = name)
        })],
    );
    library.add(
        "namespace",
        &[("resourcecheck_namespace", part, |args| refine(args, |resource, name| resource.namespace = name))],
    );
    library.add(
        "name",
        &[("resourcecheck_name", part, |args| refine(args, |resource, name| resource.name = name))],
    );
    library.add(
        "fieldSelector",
        &[("authorizer_fieldselector", part, |args| {
            refine(args, |resource, selector| resource.field_selector = selector)
        })],
    );
    library.add(
        "labelSelector",
        &[("authorizer_labelselector", part, |args| {
            refine(args, |resource, selector| resource.label_selector = selector)
        })],
    );
    library.add(
        "check",
        &[
            (
                "pathcheck_check",
                "kubernetes.authorization.PathCheck . string -> kubernetes.authorization.Decision",
                check,
            ),
            (
                "resourcecheck_check",
                "kubernetes.authorization.ResourceCheck . string -> kubernetes.authorization.Decision",
                check,
            ),
        ],
    );
    library.add(
        "errored",
        &[("decision_errored", "kubernetes.authorization.Decision . -> bool", |args| {
            Ok(Value::Bool(decision(args)?.error.is_some()))
        })],
    );
    library.add(
        "error",
        &[("decision_error", "kubernetes.authorization.Decision . -> string", |args| {
            Ok(Value::string(decision(args)?.error.clone().unwrap_or_default()))
        })],
    );
    library.add(
        "allowed",
        &[("decision_allowed", "kubernetes.authorization.Decision . -> bool", |args| {
            Ok(Value::Bool(decision(args)?.allowed))
        })],
    );
    library.add(
        "reason",
        &[("decision_reason", "kubernetes.authorization.Decision . -> string", |args| {
            Ok(Value::string(decision(args)?.reason.as_str()))
        })],
    );
}

fn decision<'v>(args: &'v [Value<'_>]) -> Outcome<&'v Decision> {
    match args.first() {
        Some(Value::Decision(decision)) => Ok(decision),
        _ => Err(EvalError::no_overload()),
    }
}

fn begin<'a>(args: &[Value<'a>], subject: Subject, group_only: bool) -> Outcome<Value<'a>> {
    match args.first() {
        Some(Value::Authorizer(checker)) => {
            let checker = checker.clone();
            Ok(Value::Authorization(Arc::new(Authorization { checker, subject, group_only })))
        }
        _ => Err(EvalError::no_overload()),
    }
}

fn refine<'a>(args: &[Value<'a>], change: fn(&mut ResourceAttributes, String)) -> Outcome<Value<'a>> {
    match args.first() {
        Some(Value::Authorization(question)) => {
            let Subject::Resource(resource) = &question.subject else { return Err(EvalError::no_overload()) };
            let mut resource = resource.clone();
            change(&mut resource, text(args, 1)?.to_owned());
            let (checker, subject) = (question.checker.clone(), Subject::Resource(resource));
            Ok(Value::Authorization(Arc::new(Authorization { checker, subject, group_only: false })))
        }
        _ => Err(EvalError::no_overload()),
    }
}

fn service_account<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let Some(Value::Authorizer(checker)) = args.first() else { return Err(EvalError::no_overload()) };
    let (namespace, name) = (text(args, 1)?, text(args, 2)?);
    if !formats::dns1123_subdomain(name).is_empty() {
        return failure("Invalid service account name");
    }
    if !formats::dns1123_label(namespace).is_empty() {
        return failure("Invalid service account namespace");
    }
    let user = format!("system:serviceaccount:{namespace}:{name}").into();
    Ok(Value::Authorizer(Checker { authorizer: checker.authorizer, user: Some(user) }))
}

fn check<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let Some(Value::Authorization(question)) = args.first() else { return Err(EvalError::no_overload()) };
    let Authorization { checker, subject, .. } = &**question;
    let verb = text(args, 1)?;
    let decision = checker.authorizer.authorize(&Question { user: checker.user.as_deref(), verb, subject });
    Ok(Value::Decision(Arc::new(decision)))
}
