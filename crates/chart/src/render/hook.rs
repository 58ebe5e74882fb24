//! Hooks: manifests that run at a moment of a release's life, and are no part of it.

use std::fmt;

use objects::{Head, Manifest};

const HOOK: &str = "helm.sh/hook";
const WEIGHT: &str = "helm.sh/hook-weight";
const DELETE_POLICY: &str = "helm.sh/hook-delete-policy";
const LOG_POLICY: &str = "helm.sh/hook-output-log-policy";

/// The moment a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookEvent {
    /// Before anything is installed.
    PreInstall,
    /// After everything is installed.
    PostInstall,
    /// Before anything is deleted.
    PreDelete,
    /// After everything is deleted.
    PostDelete,
    /// Before anything is upgraded.
    PreUpgrade,
    /// After everything is upgraded.
    PostUpgrade,
    /// Before anything is rolled back.
    PreRollback,
    /// After everything is rolled back.
    PostRollback,
    /// When the user asks for tests.
    Test,
}

impl HookEvent {
    const ALL: [Self; 9] = [
        Self::PreInstall,
        Self::PostInstall,
        Self::PreDelete,
        Self::PostDelete,
        Self::PreUpgrade,
        Self::PostUpgrade,
        Self::PreRollback,
        Self::PostRollback,
        Self::Test,
    ];

    /// The name in the annotation.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreInstall => "pre-install",
            Self::PostInstall => "post-install",
            Self::PreDelete => "pre-delete",
            Self::PostDelete => "post-delete",
            Self::PreUpgrade => "pre-upgrade",
            Self::PostUpgrade => "post-upgrade",
            Self::PreRollback => "pre-rollback",
            Self::PostRollback => "post-rollback",
            Self::Test => "test",
        }
    }

    /// The event of that name; Helm 2's `test-success` is a test too.
    fn named(name: &str) -> Option<Self> {
        if name == "test-success" {
            return Some(Self::Test);
        }
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A manifest with the moments at which it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The object.
    pub manifest: Manifest,
    /// When it runs.
    pub events: Vec<HookEvent>,
    /// Its place among the hooks of one moment; lower runs earlier.
    pub weight: i64,
    /// When it is deleted, as written: `before-hook-creation`, `hook-succeeded`, `hook-failed`.
    pub delete_policies: Vec<String>,
    /// When its logs are shown, as written: `hook-succeeded`, `hook-failed`.
    pub log_policies: Vec<String>,
}

impl Hook {
    /// Whether it is a test.
    pub fn is_test(&self) -> bool {
        self.events.contains(&HookEvent::Test)
    }
}

/// What a manifest turns out to be.
pub(super) enum Sorted {
    Plain(Manifest),
    Hook(Hook),
    /// It names an event that nobody knows, and is dropped.
    Unknown(String),
}

/// Sorts a manifest by its annotations.
pub(super) fn sort(manifest: Manifest) -> Sorted {
    let Some(events) = manifest.head.annotations.get(HOOK) else { return Sorted::Plain(manifest) };
    let known: Option<Vec<_>> =
        events.split(',').map(|event| HookEvent::named(&event.trim().to_lowercase())).collect();
    let Some(known) = known else { return Sorted::Unknown(events.clone()) };
    let head = &manifest.head;
    let weight = head.annotations.get(WEIGHT).and_then(|weight| goyaml::strconv::atoi(weight).ok());
    Sorted::Hook(Hook {
        events: known,
        weight: weight.unwrap_or(0),
        delete_policies: policies(head, DELETE_POLICY),
        log_policies: policies(head, LOG_POLICY),
        manifest,
    })
}

fn policies(head: &Head, annotation: &str) -> Vec<String> {
    let value = head.annotations.get(annotation);
    value
        .map(|value| value.split(',').map(|policy| policy.trim().to_lowercase()).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use objects::Source;

    use bytestring::ByteString;

    use super::*;

    fn sorted(annotations: &[(&str, &str)]) -> Sorted {
        let annotations =
            annotations.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        sort(Manifest {
            head: Head { annotations, ..Head::default() },
            source: Source::new("a/templates/b.yaml"),
            line: 1,
            text: ByteString::new(),
        })
    }

    #[test]
    fn events_weights_and_policies_are_read() {
        let Sorted::Hook(hook) = sorted(&[
            (HOOK, "Pre-Install, test-success"),
            (WEIGHT, "-5"),
            (DELETE_POLICY, "hook-succeeded, Before-Hook-Creation"),
            (LOG_POLICY, "hook-failed"),
        ]) else {
            panic!("not a hook")
        };
        assert_eq!(hook.events, [HookEvent::PreInstall, HookEvent::Test]);
        assert_eq!(hook.weight, -5);
        assert_eq!(hook.delete_policies, ["hook-succeeded", "before-hook-creation"]);
        assert_eq!(hook.log_policies, ["hook-failed"]);
        assert!(hook.is_test());
    }

    #[test]
    fn unknown_events_drop_the_manifest() {
        assert!(matches!(sorted(&[(HOOK, "pre-install,crd-install")]), Sorted::Unknown(_)));
        assert!(matches!(sorted(&[(HOOK, "")]), Sorted::Unknown(_)));
        assert!(matches!(sorted(&[(WEIGHT, "1")]), Sorted::Plain(_)));
        assert!(matches!(sorted(&[(HOOK, "test"), (WEIGHT, "x")]), Sorted::Hook(Hook { weight: 0, .. })));
    }
}
