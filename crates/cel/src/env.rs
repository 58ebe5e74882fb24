//! What an expression may name: variables and the objects they hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::types::Type;

/// The variables and object types that an expression may use, besides the libraries that are always there.
#[derive(Debug, Clone, Default)]
pub struct Env {
    variables: BTreeMap<Arc<str>, Type>,
    objects: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Type>>,
}

impl Env {
    /// Nothing but the libraries.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable, or replaces it. A name may have dots, as `authorizer.requestResource`.
    #[must_use]
    pub fn with_variable(mut self, name: &str, of: Type) -> Self {
        self.variables.insert(name.into(), of);
        self
    }

    /// Removes a variable.
    #[must_use]
    pub fn without_variable(mut self, name: &str) -> Self {
        self.variables.remove(name);
        self
    }

    /// Adds an object type, or replaces it.
    #[must_use]
    pub fn with_object<N: Into<Arc<str>>>(
        mut self,
        name: &str,
        fields: impl IntoIterator<Item = (N, Type)>,
    ) -> Self {
        let fields = fields.into_iter().map(|(name, of)| (name.into(), of)).collect();
        self.objects.insert(name.into(), fields);
        self
    }

    /// Adds a field to an object type, which is made if it is not there.
    pub fn add_field(&mut self, object: &str, field: &str, of: Type) {
        self.objects.entry(object.into()).or_default().insert(field.into(), of);
    }

    /// Makes an object type that may have no fields.
    pub(crate) fn add_object(&mut self, object: &str) {
        self.objects.entry(object.into()).or_default();
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&Type> {
        self.variables.get(name)
    }

    pub(crate) fn object(&self, name: &str) -> Option<&BTreeMap<Arc<str>, Type>> {
        self.objects.get(name)
    }
}
