//! What templates see at the top: `.Values`, `.Release`, `.Chart`, `.Capabilities` and the rest, in Go's types.

use std::any::Any;
use std::rc::Rc;

use gotmpl::functions::Context;
use gotmpl::value::types::{BOOL, LIST_ANY, LIST_STRING, MAP_STRING, STRING};
use gotmpl::value::{GoType, Kind, List, Map, Method, Object, Type};
use gotmpl::{FunctionError, Value};

use crate::capabilities::{Capabilities, GO_VERSION, HELM_VERSION, KUBE_CLIENT_VERSION, KubeVersion};
use crate::{Dependency, Metadata};

/// The Go type `common.VersionSet`.
const VERSION_SET: Type = {
    static METHODS: &[Method] = &[Method::new("Has", &[STRING], BOOL, has)];
    static TYPE: GoType = GoType::named("common.VersionSet", LIST_STRING).with_methods(METHODS);
    &TYPE
};

/// Which release the chart is rendered for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// `.Release.Name`.
    pub name: String,
    /// `.Release.Namespace`.
    pub namespace: String,
    /// `.Release.Revision`.
    pub revision: i64,
    /// `.Release.IsUpgrade`; its opposite is `.Release.IsInstall`.
    pub is_upgrade: bool,
}

impl Default for Release {
    fn default() -> Self {
        Self {
            name: "release-name".to_owned(),
            namespace: "default".to_owned(),
            revision: 1,
            is_upgrade: false,
        }
    }
}

pub(super) fn map(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    Value::map(entries.into_iter().map(|(key, value)| (Rc::from(key), value)).collect())
}

/// `.Release`: one map that all charts share.
pub(super) fn release(release: &Release) -> Value {
    map([
        ("Name", release.name.as_str().into()),
        ("Namespace", release.namespace.as_str().into()),
        ("IsUpgrade", release.is_upgrade.into()),
        ("IsInstall", (!release.is_upgrade).into()),
        ("Revision", Value::int(release.revision)),
        ("Service", "Helm".into()),
    ])
}

/// `.Chart`: the metadata under Go's field names, the empty ones too.
pub(super) fn chart(metadata: &Metadata, is_root: bool) -> Value {
    let text = |text: &String| Value::from(text.as_str());
    let texts = |texts: &[String]| Value::list(texts.iter().map(text).collect());
    let maintainers = metadata.maintainers.iter().map(|maintainer| {
        map([
            ("Name", text(&maintainer.name)),
            ("Email", text(&maintainer.email)),
            ("URL", text(&maintainer.url)),
        ])
    });
    let annotations = if metadata.annotations.is_empty() {
        Map::nil(MAP_STRING)
    } else {
        Map::strings(
            metadata.annotations.iter().map(|(key, value)| (Rc::from(key.as_str()), text(value))).collect(),
        )
    };
    let dependencies = metadata.dependencies.as_deref().unwrap_or_default();
    map([
        ("Name", text(&metadata.name)),
        ("Home", text(&metadata.home)),
        ("Sources", texts(&metadata.sources)),
        ("Version", text(&metadata.version)),
        ("Description", text(&metadata.description)),
        ("Keywords", texts(&metadata.keywords)),
        ("Maintainers", Value::list(maintainers.collect())),
        ("Icon", text(&metadata.icon)),
        ("APIVersion", text(&metadata.api_version)),
        ("Condition", text(&metadata.condition)),
        ("Tags", text(&metadata.tags)),
        ("AppVersion", text(&metadata.app_version)),
        ("Deprecated", metadata.deprecated.into()),
        ("Annotations", Value::Map(Rc::new(annotations))),
        ("KubeVersion", text(&metadata.kube_version)),
        ("Dependencies", Value::list(dependencies.iter().map(dependency).collect())),
        ("Type", text(&metadata.chart_type)),
        ("IsRoot", is_root.into()),
    ])
}

fn dependency(dependency: &Dependency) -> Value {
    let text = |text: &String| Value::from(text.as_str());
    let imports = dependency.import_values.iter().map(|import| match import {
        goyaml::Value::Mapping(fields) => Value::map_of(
            MAP_STRING,
            fields.iter().map(|(key, value)| (Rc::from(key.as_str()), value.into())).collect(),
        ),
        other => other.into(),
    });
    map([
        ("Name", text(&dependency.name)),
        ("Version", text(&dependency.version)),
        ("Repository", text(&dependency.repository)),
        ("Condition", text(&dependency.condition)),
        ("Tags", Value::list(dependency.tags.iter().map(text).collect())),
        ("Enabled", dependency.enabled.into()),
        ("ImportValues", Value::List(Rc::new(List::new(LIST_ANY, imports.collect())))),
        ("Alias", text(&dependency.alias)),
    ])
}

/// `.Capabilities`: a pointer to a struct.
pub(super) fn capabilities(capabilities: &Capabilities) -> Value {
    let versions = capabilities.api_versions.iter().map(|version| version.as_str().into());
    Value::Object(Rc::new(CapabilitiesObject {
        kube_version: Value::Object(Rc::new(KubeVersionObject {
            version: capabilities.kube_version.clone(),
            addressed: true,
        })),
        api_versions: Value::List(Rc::new(List::new(VERSION_SET, versions.collect()))),
        helm_version: Value::Object(Rc::new(HelmVersion)),
    }))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a method")]
fn has(_: &Context, versions: &Value, args: &[Value]) -> Result<Value, FunctionError> {
    let Value::List(versions) = versions else { return Ok(false.into()) };
    let wanted = args.first().and_then(Value::as_text);
    Ok(versions.borrow().iter().any(|version| version.as_text() == wanted).into())
}

struct CapabilitiesObject {
    kube_version: Value,
    api_versions: Value,
    helm_version: Value,
}

impl Object for CapabilitiesObject {
    fn go_type(&self) -> Type {
        static TYPE: GoType = GoType::object("*common.Capabilities", Kind::Pointer);
        &TYPE
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("KubeVersion", self.kube_version.clone()),
            ("APIVersions", self.api_versions.clone()),
            ("HelmVersion", self.helm_version.clone()),
        ]
    }

    fn yaml_fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("kubeversion", self.kube_version.clone()),
            ("apiversions", self.api_versions.clone()),
            ("helmversion", self.helm_version.clone()),
        ]
    }

    fn copied(&self) -> Option<Value> {
        let Value::Object(version) = &self.kube_version else { return None };
        let kube_version = version.copied()?;
        let (api_versions, helm_version) = (self.api_versions.clone(), self.helm_version.clone());
        Some(Value::Object(Rc::new(Self { kube_version, api_versions, helm_version })))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// `.Capabilities.KubeVersion`. An action prints it as the version without vendors' additions; functions, which
/// are given the struct and not its address, print its fields, and so do actions with what a function returned.
struct KubeVersionObject {
    version: KubeVersion,
    addressed: bool,
}

impl Object for KubeVersionObject {
    fn go_type(&self) -> Type {
        static METHODS: &[Method] = &[
            Method::new("GitVersion", &[], STRING, |_, version, _| {
                Ok(version
                    .downcast::<KubeVersionObject>()
                    .map_or(Value::Nil, |object| object.version.version.as_str().into()))
            }),
            Method::new("String", &[], STRING, |_, version, _| Ok(normalized(version).into())),
        ];
        static ADDRESSED: GoType = GoType::object("common.KubeVersion", Kind::Struct).with_methods(METHODS);
        static PLAIN: GoType = GoType::object("common.KubeVersion", Kind::Struct);
        if self.addressed { &ADDRESSED } else { &PLAIN }
    }

    fn private_fields(&self) -> &'static [&'static str] {
        &["normalizedVersion"]
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("Version", self.version.version.as_str().into()),
            ("normalizedVersion", self.version.normalized.as_str().into()),
            ("Major", self.version.major.as_str().into()),
            ("Minor", self.version.minor.as_str().into()),
        ]
    }

    fn json_fields(&self) -> Vec<(&'static str, Value)> {
        self.fields().into_iter().filter(|(name, _)| *name != "normalizedVersion").collect()
    }

    fn yaml_fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("version", self.version.version.as_str().into()),
            ("major", self.version.major.as_str().into()),
            ("minor", self.version.minor.as_str().into()),
        ]
    }

    fn copied(&self) -> Option<Value> {
        let version = KubeVersion { normalized: String::new(), ..self.version.clone() };
        Some(Value::Object(Rc::new(Self { version, addressed: self.addressed })))
    }

    fn by_value(&self) -> Option<Value> {
        let copy = || Value::Object(Rc::new(Self { version: self.version.clone(), addressed: false }));
        self.addressed.then(copy)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn normalized(version: &Value) -> String {
    version
        .downcast::<KubeVersionObject>()
        .map(|object| object.version.normalized.clone())
        .unwrap_or_default()
}

/// `.Capabilities.HelmVersion`: the Helm whose behaviour this is.
struct HelmVersion;

impl Object for HelmVersion {
    fn go_type(&self) -> Type {
        static TYPE: GoType = GoType::object("version.BuildInfo", Kind::Struct);
        &TYPE
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("Version", HELM_VERSION.into()),
            ("GitCommit", "".into()),
            ("GitTreeState", "".into()),
            ("GoVersion", GO_VERSION.into()),
            ("KubeClientVersion", KUBE_CLIENT_VERSION.into()),
        ]
    }

    fn json_fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("version", HELM_VERSION.into()),
            ("go_version", GO_VERSION.into()),
            ("kube_client_version", KUBE_CLIENT_VERSION.into()),
        ]
    }

    fn yaml_fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("version", HELM_VERSION.into()),
            ("gitcommit", "".into()),
            ("gittreestate", "".into()),
            ("goversion", GO_VERSION.into()),
            ("kubeclientversion", KUBE_CLIENT_VERSION.into()),
        ]
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
