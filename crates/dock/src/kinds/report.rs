//! Collecting what is wrong with an object.

use serde_json::Value;

use super::read::Read;
use crate::field::{FieldError, Path};

/// What is wrong with an object, in the order in which the server finds it.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<FieldError>);

impl Errors {
    /// Nothing wrong yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// What was found.
    pub(crate) fn found(self) -> Vec<FieldError> {
        self.0
    }

    /// How much was found so far.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds one thing.
    pub(crate) fn push(&mut self, error: FieldError) {
        self.0.push(error);
    }

    /// Adds what was found elsewhere.
    pub(crate) fn append(&mut self, mut other: Errors) {
        self.0.append(&mut other.0);
    }

    pub(crate) fn required(&mut self, path: &Path, detail: impl Into<String>) {
        self.0.push(FieldError::required(path, detail));
    }

    pub(crate) fn invalid(&mut self, path: &Path, value: impl Into<Value>, detail: impl Into<String>) {
        self.0.push(FieldError::invalid(path, value, detail));
    }

    /// The value is invalid, and not worth showing.
    pub(crate) fn invalid_omitted(&mut self, path: &Path, detail: impl Into<String>) {
        self.invalid_shown(path, String::new(), detail);
    }

    /// The value is invalid, and shown as Go shows its own struct for it.
    pub(crate) fn invalid_shown(&mut self, path: &Path, shown: String, detail: impl Into<String>) {
        let mut error = FieldError::invalid(path, Value::Null, detail);
        error.shown = Some(shown);
        self.0.push(error);
    }

    pub(crate) fn forbidden(&mut self, path: &Path, detail: impl Into<String>) {
        self.0.push(FieldError::forbidden(path, detail));
    }

    pub(crate) fn unsupported(&mut self, path: &Path, value: impl Into<Value>, known: &[&str]) {
        self.0.push(FieldError::not_supported(path, value, known));
    }

    pub(crate) fn duplicate(&mut self, path: &Path, value: impl Into<Value>) {
        self.0.push(FieldError::duplicate(path, value));
    }

    pub(crate) fn not_found(&mut self, path: &Path, value: impl Into<Value>) {
        self.0.push(FieldError::not_found(path, value));
    }

    pub(crate) fn too_long(&mut self, path: &Path, max_bytes: usize) {
        self.0.push(FieldError::too_long(path, max_bytes));
    }

    pub(crate) fn too_many(&mut self, path: &Path, actual: usize, max: usize) {
        self.0.push(FieldError::too_many(path, actual, max));
    }

    /// The field of `object` must be a text that is not empty.
    pub(crate) fn needs(&mut self, object: &Value, field: &str, path: &Path) {
        if object.text(field).is_empty() {
            self.required(&path.child(field), "");
        }
    }

    /// The value is invalid for each of the reasons.
    pub(crate) fn invalid_each(&mut self, path: &Path, value: &str, reasons: Vec<String>) {
        for reason in reasons {
            self.invalid(path, value, reason);
        }
    }

    /// The number must not be negative.
    pub(crate) fn not_negative(&mut self, value: i64, path: &Path) {
        if value < 0 {
            self.invalid(path, value, "must be greater than or equal to 0");
        }
    }

    /// The number must be greater than zero.
    pub(crate) fn positive(&mut self, value: i64, path: &Path) {
        if value <= 0 {
            self.invalid(path, value, "must be greater than zero");
        }
    }

    /// The text must be one of the known words. An empty text may be required instead of unsupported.
    pub(crate) fn one_of(&mut self, value: &str, known: &[&str], path: &Path) {
        if !known.contains(&value) {
            self.unsupported(path, value, known);
        }
    }

    /// The value may not change, and is shown as the server's own struct of it.
    pub(crate) fn immutable_struct(&mut self, kind: &'static str, new: &Value, old: &Value, path: &Path) {
        if !super::read::same(new, old) {
            self.invalid_shown(path, super::internal::shown(kind, new), "field is immutable");
        }
    }

    /// The value may not change.
    pub(crate) fn immutable(&mut self, new: &Value, old: &Value, path: &Path) {
        if !super::read::same(new, old) {
            self.invalid(path, new.clone(), "field is immutable");
        }
    }
}
