//! What a `CustomResourceDefinition` defines: a kind, its group and its scope.

use goyaml::Value;
use thiserror::Error;

use super::Scope;

/// The kind that one `CustomResourceDefinition` brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// `metadata.name`, which is `<plural>.<group>`.
    pub name: String,
    /// `spec.group`.
    pub group: String,
    /// `spec.names.kind`.
    pub kind: String,
    /// `spec.scope`.
    pub scope: Scope,
}

/// Why a manifest that calls itself a `CustomResourceDefinition` does not define a kind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// A field without which nothing is defined.
    #[error("CustomResourceDefinition {name} has no {field}")]
    Missing {
        /// `metadata.name`, as far as there is one.
        name: String,
        /// The path of the field.
        field: &'static str,
    },
    /// A scope that does not exist.
    #[error(
        "CustomResourceDefinition {name} has spec.scope {scope:?}, which is neither Namespaced nor Cluster"
    )]
    Scope {
        /// `metadata.name`.
        name: String,
        /// What stands there.
        scope: String,
    },
}

impl Definition {
    /// Whether an object of this group and kind is a `CustomResourceDefinition`.
    pub fn is_definition(group: &str, kind: &str) -> bool {
        (group, kind) == ("apiextensions.k8s.io", "CustomResourceDefinition")
    }

    /// Reads a `CustomResourceDefinition` of any version.
    ///
    /// # Errors
    ///
    /// When the group, the kind or a valid scope is not there. Only v1beta1 may leave out the scope; it then means
    /// `Namespaced`.
    pub fn read(manifest: &Value) -> Result<Self, DefinitionError> {
        let text = |path: &[&str]| {
            let found = manifest.get_path(path.iter().copied()).and_then(Value::as_str);
            found.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let name = text(&["metadata", "name"]).unwrap_or_default();
        let missing = |field| DefinitionError::Missing { name: name.clone(), field };
        let is_v1beta1 = text(&["apiVersion"]).is_some_and(|version| version.ends_with("/v1beta1"));
        let scope = match text(&["spec", "scope"]).as_deref() {
            Some("Namespaced") => Scope::Namespaced,
            Some("Cluster") => Scope::Cluster,
            Some(other) => return Err(DefinitionError::Scope { name, scope: other.to_owned() }),
            None if is_v1beta1 => Scope::Namespaced,
            None => return Err(missing("spec.scope")),
        };
        Ok(Self {
            group: text(&["spec", "group"]).ok_or_else(|| missing("spec.group"))?,
            kind: text(&["spec", "names", "kind"]).ok_or_else(|| missing("spec.names.kind"))?,
            scope,
            name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(version: &str, spec: &str) -> Result<Definition, DefinitionError> {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/{version}\nkind: CustomResourceDefinition\n\
             metadata: {{name: widgets.example.com}}\nspec: {spec}\n"
        );
        Definition::read(&goyaml::from_str(&text).expect("valid YAML"))
    }

    #[test]
    fn both_versions_say_group_kind_and_scope_in_the_same_fields() {
        let spec = "{group: example.com, names: {kind: Widget, plural: widgets}, scope: Cluster}";
        for version in ["v1", "v1beta1"] {
            let definition = read(version, spec).expect(version);
            assert_eq!(definition.name, "widgets.example.com");
            assert_eq!((definition.group.as_str(), definition.kind.as_str()), ("example.com", "Widget"));
            assert_eq!(definition.scope, Scope::Cluster);
        }
    }

    #[test]
    fn only_the_old_version_has_a_default_scope() {
        let spec = "{group: example.com, names: {kind: Widget}}";
        assert_eq!(read("v1beta1", spec).map(|definition| definition.scope), Ok(Scope::Namespaced));
        assert_eq!(
            read("v1", spec).expect_err("no scope").to_string(),
            "CustomResourceDefinition widgets.example.com has no spec.scope"
        );
    }

    #[test]
    fn what_defines_nothing_says_what_is_missing() {
        for (spec, message) in [
            ("{names: {kind: W}, scope: Cluster}", "has no spec.group"),
            ("{group: g, names: {}, scope: Cluster}", "has no spec.names.kind"),
            ("{group: g, names: {kind: 7}, scope: Cluster}", "has no spec.names.kind"),
            ("{group: g, names: {kind: W}, scope: Galaxy}", "has spec.scope \"Galaxy\""),
        ] {
            let error = read("v1", spec).expect_err(spec).to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
