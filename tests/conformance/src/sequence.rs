//! A sequence of calls, as data: what is asked of a server, with blanks for what only its answers tell.
//!
//! A blank is written `⟨word number⟩` and stands in paths, queries and bodies: `⟨tag⟩` is the word by which the objects
//! of this replay differ from those of all others; `⟨uid 3⟩`, `⟨rv 3⟩`, `⟨old-rv 3⟩` and `⟨name 3⟩` speak of the third
//! object; `⟨continue 7⟩` and `⟨list-rv 7⟩` of the answer to the seventh step.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

/// Calls that are replayed one after the other.
#[derive(Debug, Clone)]
pub struct Sequence {
    /// What the sequence was made from: the seed of the run and its number in it.
    pub origin: (u64, u64),
    /// The steps, in order.
    pub steps: Vec<Step>,
}

impl Sequence {
    /// The steps that ask for all that has happened since this one.
    pub fn histories_since(&self, step: usize) -> impl Iterator<Item = &Step> {
        let since = format!("⟨list-rv {step}⟩");
        self.steps.iter().filter(move |other| {
            matches!(&other.action, Action::Call(call)
                if call.history && call.query.iter().any(|(_, value)| *value == since))
        })
    }

    /// The steps up to this one that are about the same object or collection, or that these speak of.
    #[must_use]
    pub fn about(&self, last: usize) -> Self {
        let mut kept: Vec<Step> = Vec::new();
        let mut objects = BTreeSet::new();
        let mut steps = BTreeSet::from([last]);
        let mut places: Vec<String> = Vec::new();
        for step in self.steps.iter().rev().filter(|step| step.id <= last) {
            let Action::Call(call) = &step.action else {
                kept.push(step.clone());
                continue;
            };
            let opens = call.path == "/api/v1/namespaces" && call.method == "POST" && call.object.is_none();
            let near = places.iter().any(|place| call.path.starts_with(place.as_str()));
            let known = call.object.is_some_and(|object| objects.contains(&object));
            if !(opens || near || known || steps.contains(&step.id)) {
                continue;
            }
            if step.id == last {
                let subresource = format!("/{}", call.subresource);
                places.push(call.path.strip_suffix(&subresource).unwrap_or(&call.path).to_owned());
                objects.extend(call.object);
            }
            let text = step.to_string();
            for blank in text.split('⟨').skip(1) {
                let Some((word, number)) = blank.split('⟩').next().and_then(|blank| blank.split_once(' '))
                else {
                    continue;
                };
                let Ok(number) = number.parse() else { continue };
                if word == "list-rv" || word == "continue" {
                    steps.insert(number)
                } else {
                    objects.insert(number)
                };
            }
            kept.push(step.clone());
        }
        kept.reverse();
        Self { origin: self.origin, steps: kept }
    }
}

/// One step, with a number that it keeps when others are left out.
#[derive(Debug, Clone)]
pub struct Step {
    /// The number.
    pub id: usize,
    /// What is done.
    pub action: Action,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum Action {
    /// Asks, and compares the answers.
    Call(Call),
    /// Waits until what happens by itself has happened.
    Settle(Settle),
}

/// What is waited for before the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settle {
    /// A definition is as it will stay, and the collections are served; or its resources are gone, and it is, too.
    Defined(String, Vec<String>),
    /// All of this goes: the first are deleted, and the finalizers of the second are taken away, whatever is answered.
    /// When they are gone, and in what order, is the server's affair.
    Cleared(Vec<String>, Vec<String>),
    /// Controllers have done all they will do to the objects of the sequence in these collections.
    Quiet(Vec<String>),
}

/// One request.
#[derive(Debug, Clone)]
pub struct Call {
    /// What it asks for, as the table of coverage counts it.
    pub verb: Verb,
    /// The group of kinds it asks about.
    pub group: Group,
    /// The subresource, or nothing.
    pub subresource: &'static str,
    /// Whether it belongs to the comparison of what is stored at the end, which the table does not count.
    pub check: bool,
    /// Whether the answer is a list of events of which the states of each object are compared.
    pub history: bool,
    /// Whether the answer is a list of what controllers have left, of which they may have been at work on the rest.
    pub left: bool,
    /// The object of which the answer tells the newest state.
    pub object: Option<usize>,
    /// The method.
    pub method: &'static str,
    /// The path, with blanks.
    pub path: String,
    /// The query, with blanks.
    pub query: Vec<(&'static str, String)>,
    /// What form of answer is asked for.
    pub accept: &'static str,
    /// The form of the body.
    pub content_type: &'static str,
    /// The body, with blanks.
    pub body: Body,
}

/// The body of a request.
#[derive(Debug, Clone)]
pub enum Body {
    /// No body.
    None,
    /// A value.
    Json(Value),
    /// Text as it is.
    Text(String),
    /// The object as it was last seen, with changes laid over it.
    Changed {
        /// Which object.
        object: usize,
        /// What is laid over it, as a merge patch does.
        change: Value,
        /// Which version of it is claimed to be known.
        version: Version,
        /// What is sent where the object was never seen.
        otherwise: Value,
    },
}

/// The resourceVersion in an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// As last seen.
    Newest,
    /// As first seen.
    Oldest,
    /// None.
    None,
}

/// A verb, patches by their type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the words of Kubernetes")]
pub enum Verb {
    Create,
    Get,
    List,
    Watch,
    Update,
    PatchJson,
    PatchMerge,
    PatchStrategic,
    Apply,
    Delete,
    DeleteCollection,
}

impl Verb {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 11] = [
        Self::Create,
        Self::Get,
        Self::List,
        Self::Watch,
        Self::Update,
        Self::PatchJson,
        Self::PatchMerge,
        Self::PatchStrategic,
        Self::Apply,
        Self::Delete,
        Self::DeleteCollection,
    ];

    /// How it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Update => "update",
            Self::PatchJson => "patch (JSON)",
            Self::PatchMerge => "patch (merge)",
            Self::PatchStrategic => "patch (strategic)",
            Self::Apply => "apply",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }
}

/// Kinds that have much in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// `ConfigMap`, `Secret`, `ServiceAccount`.
    Config,
    /// `Service`.
    Service,
    /// `Namespace`.
    Namespace,
    /// `Pod` and what makes pods.
    Workload,
    /// `PersistentVolumeClaim`.
    Claim,
    /// Roles and bindings.
    Rbac,
    /// `Ingress`, `IngressClass`, `NetworkPolicy`, `Endpoints`, `EndpointSlice`.
    Networking,
    /// `PodDisruptionBudget`, `HorizontalPodAutoscaler`, `Lease`, `Event`, classes, limits and quotas.
    Policy,
    /// `CustomResourceDefinition`.
    Definition,
    /// Custom resources.
    Custom,
}

impl Group {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 10] = [
        Self::Config,
        Self::Service,
        Self::Namespace,
        Self::Workload,
        Self::Claim,
        Self::Rbac,
        Self::Networking,
        Self::Policy,
        Self::Definition,
        Self::Custom,
    ];

    /// How it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Service => "service",
            Self::Namespace => "namespace",
            Self::Workload => "workload",
            Self::Claim => "pvc",
            Self::Rbac => "rbac",
            Self::Networking => "network",
            Self::Policy => "policy",
            Self::Definition => "crd",
            Self::Custom => "custom",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            Action::Settle(settle) => write!(f, "{:>3}. (wait) {settle:?}", self.id),
            Action::Call(call) => {
                write!(f, "{:>3}. {} {}", self.id, call.method, call.path)?;
                for (at, (key, value)) in call.query.iter().enumerate() {
                    write!(f, "{}{key}={value}", if at == 0 { "?" } else { "&" })?;
                }
                if !call.accept.is_empty() {
                    write!(f, "\n       Accept: {}", call.accept)?;
                }
                if !matches!(call.body, Body::None) {
                    write!(f, "\n       {}: ", call.content_type)?;
                }
                match &call.body {
                    Body::None => Ok(()),
                    Body::Json(value) => write!(f, "{value}"),
                    Body::Text(text) => write!(f, "{text}"),
                    Body::Changed { object, change, version, .. } => {
                        write!(
                            f,
                            "object {object} as last seen, resourceVersion {version:?}, changed by {change}"
                        )
                    }
                }
            }
        }
    }
}
