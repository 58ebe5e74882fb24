//! The annotations with which a user decides when an object is ready.

use std::collections::BTreeMap;

use goyaml::Value;
use thiserror::Error;

use super::{Expression, ExpressionError};
use crate::annotation_list::{ListError, annotation_list};
use crate::{GoDuration, GoDurationError};

/// When one of these holds, the object is ready.
pub const SUCCESS: &str = "helm.sh/readiness-success";
/// When one of these holds, the object has failed.
pub const FAILURE: &str = "helm.sh/readiness-failure";
/// How long the object may take.
pub const TIMEOUT: &str = "helm.sh/readiness-timeout";

/// What an object's own annotations say about its readiness.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// When one of these holds, the object is ready. If there are none, kstatus says when it is.
    pub success: Vec<Expression>,
    /// When one of these holds, the object has failed. If there are none, kstatus says when it has.
    pub failure: Vec<Expression>,
    /// How long the object may take.
    pub timeout: Option<GoDuration>,
}

/// An annotation that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("annotation {annotation}: {problem}")]
pub struct OverrideError {
    /// Its key.
    pub annotation: &'static str,
    /// What is wrong with its value.
    pub problem: OverrideProblem,
}

/// What is wrong with the value of such an annotation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OverrideProblem {
    /// It is not a list.
    #[error(transparent)]
    List(#[from] ListError),
    /// An element is not an expression.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// It is not a duration.
    #[error(transparent)]
    Duration(#[from] GoDurationError),
    /// It is a duration, but points backwards or nowhere.
    #[error("{0} is not a time one can wait")]
    NotPositive(GoDuration),
}

impl Overrides {
    /// Reads the annotations of a whole object.
    pub fn of(object: &Value) -> Result<Self, OverrideError> {
        let annotations = object.get_path(["metadata", "annotations"]);
        Self::look_up(|key| annotations.and_then(|annotations| annotations.get(key)).cloned())
    }

    /// Reads annotations that are texts already.
    pub fn from_annotations(annotations: &BTreeMap<String, String>) -> Result<Self, OverrideError> {
        Self::look_up(|key| annotations.get(key).cloned().map(Value::String))
    }

    fn look_up(get: impl Fn(&str) -> Option<Value>) -> Result<Self, OverrideError> {
        let expressions = |annotation: &'static str| {
            let read = |value: Value| -> Result<Vec<Expression>, OverrideProblem> {
                let elements = annotation_list(&value)?;
                Ok(elements.iter().map(|text| Expression::parse(text)).collect::<Result<_, _>>()?)
            };
            let found = get(annotation).map(read).transpose();
            found.map(Option::unwrap_or_default).map_err(|problem| OverrideError { annotation, problem })
        };
        let timeout = get(TIMEOUT).as_ref().map(duration).transpose();
        Ok(Self {
            success: expressions(SUCCESS)?,
            failure: expressions(FAILURE)?,
            timeout: timeout.map_err(|problem| OverrideError { annotation: TIMEOUT, problem })?,
        })
    }

    /// Whether the annotations leave everything to kstatus.
    pub fn are_none(&self) -> bool {
        self.success.is_empty() && self.failure.is_empty()
    }
}

fn duration(value: &Value) -> Result<GoDuration, OverrideProblem> {
    let text = match value {
        Value::Sequence(_) => return Err(ListError::NotText { kind: "list" }.into()),
        Value::Mapping(_) => return Err(ListError::NotText { kind: "mapping" }.into()),
        scalar => crate::go_text::text(scalar),
    };
    let duration: GoDuration = text.trim().parse()?;
    if duration <= GoDuration::ZERO { Err(OverrideProblem::NotPositive(duration)) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overrides(annotations: &str) -> Result<Overrides, String> {
        let object = goyaml::from_str(&format!("metadata: {{annotations: {annotations}}}")).unwrap();
        Overrides::of(&object).map_err(|error| error.to_string())
    }

    #[test]
    fn lists_of_every_spelling_give_the_same_expressions() {
        for spelling in [
            r#"["succeeded==1", "{.active} > 0"]"#,
            r#"'["succeeded==1", "{.active} > 0"]'"#,
            r#""succeeded==1, {.active} > 0""#,
            r#"["succeeded==1, {.active} > 0"]"#,
        ] {
            let found = overrides(&format!("{{helm.sh/readiness-success: {spelling}}}")).unwrap();
            let texts: Vec<&str> = found.success.iter().map(Expression::as_str).collect();
            assert_eq!(texts, ["succeeded==1", "{.active} > 0"], "{spelling}");
            assert!(found.failure.is_empty() && found.timeout.is_none());
        }
    }

    #[test]
    fn an_object_without_them_leaves_all_to_kstatus() {
        assert!(overrides("{a: b}").unwrap().are_none());
        assert!(overrides("null").unwrap().are_none());
        assert!(Overrides::of(&Value::Null).unwrap().are_none());
        assert!(overrides("{helm.sh/readiness-failure: ''}").unwrap().are_none());
    }

    #[test]
    fn the_timeout_is_a_duration_forwards() {
        assert_eq!(
            overrides("{helm.sh/readiness-timeout: 1h30m}").unwrap().timeout,
            Some(GoDuration::from_seconds(5400))
        );
        for (value, message) in [
            ("soon", "annotation helm.sh/readiness-timeout: time: invalid duration \"soon\""),
            ("20", "annotation helm.sh/readiness-timeout: time: missing unit in duration \"20\""),
            ("-1s", "annotation helm.sh/readiness-timeout: -1s is not a time one can wait"),
            ("[1s]", "annotation helm.sh/readiness-timeout: a list stands where a text should"),
        ] {
            assert_eq!(overrides(&format!("{{helm.sh/readiness-timeout: {value}}}")).unwrap_err(), message);
        }
    }

    #[test]
    fn an_error_names_the_annotation() {
        assert_eq!(
            overrides("{helm.sh/readiness-failure: 'failed=1'}").unwrap_err(),
            "annotation helm.sh/readiness-failure: \"failed=1\" is not a readiness expression: \
             an operator is expected: one of == != < <= > >= (character 7)"
        );
    }
}
