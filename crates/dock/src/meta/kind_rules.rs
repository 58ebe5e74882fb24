//! Which kind of name and which checks of metadata each kind has.

use super::format;

/// What a name of a kind must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameRule {
    /// A DNS name.
    Subdomain,
    /// A label of a DNS name.
    Label,
    /// One segment of a path: most signs are allowed.
    PathSegment,
    /// A key of a `ConfigMap`.
    ConfigMapKey,
    /// Anything that the checks for all kinds let pass.
    Anything,
}

/// How a kind checks metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetaRules {
    /// The form of the name.
    pub name: NameRule,
    /// Whether finalizers without a domain must be among the well-known ones.
    pub known_finalizers: bool,
    /// Whether the kind checks metadata of its own accord on a create.
    pub on_create: bool,
    /// What the kind checks of its own accord on an update.
    pub on_update: OnUpdate,
}

/// What a kind checks of its own accord on an update, besides what is checked for all kinds. It decides how often the
/// same cause is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUpdate {
    /// What may not change.
    Changes,
    /// What may not change, then everything that a create checks.
    ChangesThenAll,
    /// Everything that a create checks, then what may not change.
    AllThenChanges,
    /// Everything that a create checks.
    All,
    /// Nothing.
    Nothing,
}

impl NameRule {
    /// What is wrong with a name, or with the beginning of a generated one.
    pub fn check(self, name: &str, prefix: bool) -> Vec<String> {
        let masked = || if prefix { format::mask_trailing_dash(name) } else { name.to_owned() };
        match self {
            NameRule::Subdomain => format::dns_subdomain(&masked()),
            NameRule::Label => format::dns_label(&masked()),
            NameRule::PathSegment => format::path_segment(name),
            NameRule::ConfigMapKey => format::config_key(name),
            NameRule::Anything => Vec::new(),
        }
    }
}

/// The rules of a built-in kind.
pub fn rules_of(group: &str, kind: &str) -> MetaRules {
    let mut rules = MetaRules {
        name: NameRule::Subdomain,
        known_finalizers: true,
        on_create: true,
        on_update: OnUpdate::Changes,
    };
    match (group, kind) {
        ("", "Service" | "Namespace") | ("apps", "StatefulSet") => rules.name = NameRule::Label,
        ("", "ConfigMap" | "Secret" | "ServiceAccount") => rules.on_update = OnUpdate::ChangesThenAll,
        ("", "LimitRange" | "PersistentVolume")
        | ("discovery.k8s.io", "EndpointSlice")
        | ("storage.k8s.io", "VolumeAttachment" | "CSINode")
        | ("flowcontrol.apiserver.k8s.io", _) => rules.on_update = OnUpdate::All,
        ("rbac.authorization.k8s.io", _) => {
            rules.name = NameRule::PathSegment;
            rules.on_update = OnUpdate::AllThenChanges;
        }
        ("admissionregistration.k8s.io", _) => {
            rules.known_finalizers = false;
            rules.on_update = OnUpdate::All;
        }
        ("certificates.k8s.io", "CertificateSigningRequest") => {
            rules.name = NameRule::Anything;
            rules.on_update = OnUpdate::AllThenChanges;
        }
        ("coordination.k8s.io", "LeaseCandidate") => {
            rules.name = NameRule::ConfigMapKey;
            rules.known_finalizers = false;
        }
        ("coordination.k8s.io", "Lease")
        | ("node.k8s.io" | "apiregistration.k8s.io" | "apiextensions.k8s.io", _) => {
            rules.known_finalizers = false;
        }
        ("policy", "PodDisruptionBudget") => {
            rules.on_create = false;
            rules.on_update = OnUpdate::Nothing;
        }
        _ => {}
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_may_end_a_prefix() {
        assert!(NameRule::Subdomain.check("web-", true).is_empty());
        assert!(NameRule::Subdomain.check("web--", true).is_empty());
        assert_eq!(NameRule::Subdomain.check("web-", false).len(), 1);
        assert_eq!(NameRule::Subdomain.check("-", true).len(), 1);
        assert!(NameRule::Subdomain.check("a.-", true).is_empty(), "the server overwrites the dot");
    }

    #[test]
    fn kinds_have_their_names() {
        assert!(rules_of("rbac.authorization.k8s.io", "Role").name.check("system:a", false).is_empty());
        assert_eq!(rules_of("", "Service").name.check("a.b", false), ["must not contain dots"]);
        assert!(rules_of("", "ConfigMap").name.check("a.b", false).is_empty());
        assert_eq!(format::config_key("..a"), ["must not start with '..'"]);
    }
}
