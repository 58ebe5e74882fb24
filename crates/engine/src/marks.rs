//! Whose an object is: the label and the annotations that Helm puts on what it manages, and those of sets that are no
//! releases.

use kube::core::ObjectMeta;
use plan::input::Owner;
use serde_json::{Map, Value};

/// The label that says by whom an object is managed.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// The annotation with the release's name.
pub const RELEASE_NAME: &str = "meta.helm.sh/release-name";
/// The annotation with the release's namespace.
pub const RELEASE_NAMESPACE: &str = "meta.helm.sh/release-namespace";
/// The annotation of an object that was brought back, and that belongs to nobody until the release that had it has it
/// again: `namespace/name` of that release.
pub const RESTORED: &str = "slipway.dev/restored-from";
/// The annotation of a hook's object: `namespace/name` of the release whose hook it is.
pub const HOOK_OF: &str = "slipway.dev/hook-of";
/// The value of [`MANAGED_BY`]: both tools manage the same releases.
pub const HELM: &str = "Helm";

/// The annotation that names the set that is no release and that has the object: `Bundle namespace/name`.
pub const OWNER: &str = "slipway.dev/owner";

/// What a set of objects is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Belongs {
    /// A release, marked as Helm marks it.
    #[default]
    Release,
    /// A Bundle.
    Bundle,
    /// A `DeployItem` that is no release.
    DeployItem,
}

impl Belongs {
    /// How the kind of set is called; nothing if Helm's marks say it.
    pub fn kind(self) -> Option<&'static str> {
        match self {
            Self::Release => None,
            Self::Bundle => Some("Bundle"),
            Self::DeployItem => Some("DeployItem"),
        }
    }

    /// The label of the objects of such a set, by which they are watched. Its value is the name of the set.
    pub fn label(self) -> Option<&'static str> {
        match self {
            Self::Release => None,
            Self::Bundle => Some("slipway.dev/bundle"),
            Self::DeployItem => Some("slipway.dev/deployitem"),
        }
    }
}

/// A release or another set, as it marks what is its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// What it is.
    pub belongs: Belongs,
}

impl Marks {
    /// The marks of a release.
    pub fn release(name: impl Into<String>, namespace: impl Into<String>) -> Self {
        Self { name: name.into(), namespace: namespace.into(), belongs: Belongs::Release }
    }

    /// What [`OWNER`] says on what is ours.
    fn owner_text(&self) -> Option<String> {
        Some(format!("{} {}", self.belongs.kind()?, self.path()))
    }

    /// The selector by which its objects are found, if there is one: releases have none of their own.
    pub(crate) fn selector(&self) -> Option<String> {
        Some(format!("{}={}", self.belongs.label()?, label_value(&self.name)))
    }

    /// Puts the marks on a manifest that is about to be sent.
    pub fn put_on(&self, object: &mut Value) {
        let Some(object) = object.as_object_mut() else { return };
        let metadata = child(object, "metadata");
        if let (Some(owner), Some(label)) = (self.owner_text(), self.belongs.label()) {
            child(metadata, "labels").insert(label.to_owned(), label_value(&self.name).into());
            child(metadata, "annotations").insert(OWNER.to_owned(), owner.into());
            return;
        }
        child(metadata, "labels").insert(MANAGED_BY.to_owned(), HELM.into());
        let annotations = child(metadata, "annotations");
        annotations.insert(RELEASE_NAME.to_owned(), self.name.as_str().into());
        annotations.insert(RELEASE_NAMESPACE.to_owned(), self.namespace.as_str().into());
    }

    /// Puts the marks on a manifest, or on each item of a list.
    pub fn put_on_all(&self, document: &mut Value) {
        each(document, |object| self.put_on(object));
    }

    /// Says of a manifest, or of each item of a list, that it is brought back, and nobody's.
    pub fn put_restored_on_all(&self, document: &mut Value) {
        each(document, |object| {
            let Some(object) = object.as_object_mut() else { return };
            let annotations = child(child(object, "metadata"), "annotations");
            annotations.insert(RESTORED.to_owned(), self.restored_text().into());
        });
    }

    /// Says of a hook's manifest whose it is. Helm puts no marks on hooks, and neither do we: they are nobody's members.
    pub(crate) fn put_on_hook(&self, object: &mut Value) {
        let Some(object) = object.as_object_mut() else { return };
        child(child(object, "metadata"), "annotations").insert(HOOK_OF.to_owned(), self.path().into());
    }

    /// Whose the object is that has a hook's name, if it is not one that may be replaced: another's, or no hook at all.
    pub(crate) fn stranger(&self, metadata: &ObjectMeta) -> Option<String> {
        let annotation = |key: &str| metadata.annotations.as_ref().and_then(|all| all.get(key));
        match (self.owner(metadata), annotation(HOOK_OF)) {
            (Owner::Other(owner), _) => Some(format!("belongs to {owner}")),
            (_, Some(release)) => (*release != self.path()).then(|| format!("belongs to release {release}")),
            (_, None) => annotation("helm.sh/hook").is_none().then(|| "is no hook".to_owned()),
        }
    }

    /// Completes a merge patch, so that the object is nobody's.
    pub fn take_off(&self, change: &mut Value) {
        let Some(change) = change.as_object_mut() else { return };
        let metadata = child(change, "metadata");
        let label = self.belongs.label().unwrap_or(MANAGED_BY);
        child(metadata, "labels").insert(label.to_owned(), Value::Null);
        let annotations = child(metadata, "annotations");
        if self.belongs != Belongs::Release {
            annotations.insert(OWNER.to_owned(), Value::Null);
            annotations.insert(RESTORED.to_owned(), self.restored_text().into());
            return;
        }
        annotations.insert(RELEASE_NAME.to_owned(), Value::Null);
        annotations.insert(RELEASE_NAMESPACE.to_owned(), Value::Null);
        annotations.insert(RESTORED.to_owned(), self.path().into());
    }

    fn restored_text(&self) -> String {
        self.owner_text().unwrap_or_else(|| self.path())
    }

    fn path(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Whose an object is.
    pub fn owner(&self, metadata: &ObjectMeta) -> Owner {
        let label = metadata.labels.as_ref().and_then(|labels| labels.get(MANAGED_BY));
        let annotation = |key: &str| metadata.annotations.as_ref().and_then(|all| all.get(key));
        let (name, namespace) = (annotation(RELEASE_NAME), annotation(RELEASE_NAMESPACE));
        match annotation(OWNER) {
            Some(owner) if Some(owner) == self.owner_text().as_ref() => return Owner::Ours,
            Some(owner) => return Owner::Other(owner.clone()),
            None => {}
        }
        match (label.map(String::as_str), name, namespace) {
            (Some(HELM), Some(name), Some(namespace))
                if self.belongs == Belongs::Release && *name == self.name && *namespace == self.namespace =>
            {
                Owner::Ours
            }
            (_, Some(name), namespace) => {
                let namespace = namespace.map_or("", String::as_str);
                Owner::Other(format!("release {namespace}/{name}"))
            }
            (_, None, Some(namespace)) => Owner::Other(format!("a release in {namespace}")),
            // What was brought back may be had again by the release that had it.
            _ if annotation(RESTORED) == Some(&self.restored_text()) => Owner::Ours,
            (Some(manager), None, None) if manager != HELM && self.belongs == Belongs::Release => {
                Owner::Other(manager.to_owned())
            }
            _ => Owner::Nobody,
        }
    }
}

/// A name as the value of a label can hold it: what is too long is cut, and told apart by the sum of its letters.
fn label_value(name: &str) -> String {
    if name.len() <= 63 {
        return name.to_owned();
    }
    let sum = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{}-{sum:016x}", name[..46].trim_end_matches(['-', '.']))
}

/// Does something to a manifest, or to each item of a list.
fn each(document: &mut Value, mut act: impl FnMut(&mut Value)) {
    match document.get_mut("items").and_then(Value::as_array_mut) {
        Some(items) => items.iter_mut().for_each(act),
        None => act(document),
    }
}

/// The mapping under a key, which is made if there is none.
fn child<'a>(parent: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    let value = parent.entry(key).or_insert_with(|| Value::Object(Map::new()));
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("it was just made one"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn marks() -> Marks {
        Marks::release("shop", "prod")
    }

    #[test]
    fn what_was_marked_is_ours() {
        let mut object = json!({"kind": "ConfigMap", "metadata": {"name": "a", "labels": null}});
        marks().put_on(&mut object);
        let metadata: ObjectMeta = serde_json::from_value(object["metadata"].clone()).unwrap_or_default();
        assert_eq!(marks().owner(&metadata), Owner::Ours);
    }

    #[test]
    fn what_was_brought_back_is_its_releases_only() {
        let mut object = json!({"kind": "ConfigMap", "metadata": {"name": "a"}});
        marks().put_restored_on_all(&mut object);
        let metadata: ObjectMeta = serde_json::from_value(object["metadata"].clone()).unwrap_or_default();
        assert_eq!(marks().owner(&metadata), Owner::Ours);
        let other = Marks::release("other", "prod");
        assert_eq!(other.owner(&metadata), Owner::Nobody);
    }

    #[test]
    fn only_a_hook_of_ours_or_of_helms_makes_room_for_a_hook() {
        let stranger = |annotations: Value| {
            let metadata = serde_json::from_value(json!({"annotations": annotations}));
            marks().stranger(&metadata.unwrap_or_default())
        };
        let mut ours = json!({"metadata": {"annotations": {"helm.sh/hook": "pre-install"}}});
        marks().put_on_hook(&mut ours);
        assert_eq!(stranger(ours["metadata"]["annotations"].clone()), None);
        assert_eq!(stranger(json!({"helm.sh/hook": "pre-install"})), None);
        for theirs in [
            json!({}),
            json!({"helm.sh/hook": "pre-install", HOOK_OF: "prod/other"}),
            json!({"helm.sh/hook": "pre-install", RELEASE_NAME: "other"}),
        ] {
            assert!(stranger(theirs.clone()).is_some(), "{theirs}");
        }
    }

    #[test]
    fn what_others_marked_is_theirs() {
        let owner = |metadata: Value| marks().owner(&serde_json::from_value(metadata).unwrap_or_default());
        let other = json!({"labels": {MANAGED_BY: HELM}, "annotations": {RELEASE_NAME: "x", RELEASE_NAMESPACE: "prod"}});
        assert_eq!(owner(other), Owner::Other("release prod/x".to_owned()));
        assert_eq!(owner(json!({"labels": {MANAGED_BY: "kustomize"}})), Owner::Other("kustomize".to_owned()));
        assert_eq!(owner(json!({"labels": {"a": "b"}})), Owner::Nobody);
        assert_eq!(owner(json!({"labels": {MANAGED_BY: HELM}})), Owner::Nobody);
    }

    #[test]
    fn a_bundle_and_a_release_of_one_name_have_nothing_in_common() {
        let bundle = Marks { belongs: Belongs::Bundle, ..marks() };
        for (by, other) in [(bundle.clone(), marks()), (marks(), bundle)] {
            let mut object = json!({"kind": "ConfigMap", "metadata": {"name": "a"}});
            by.put_on(&mut object);
            let metadata: ObjectMeta = serde_json::from_value(object["metadata"].clone()).unwrap_or_default();
            assert_eq!(by.owner(&metadata), Owner::Ours);
            assert!(matches!(other.owner(&metadata), Owner::Other(_)));
            let mut change = json!({});
            by.take_off(&mut change);
            let annotations = change["metadata"]["annotations"].as_object().cloned().unwrap_or_default();
            let kept: Map<String, Value> =
                annotations.into_iter().filter(|(_, value)| !value.is_null()).collect();
            let metadata: ObjectMeta =
                serde_json::from_value(json!({"annotations": kept})).unwrap_or_default();
            assert_eq!(by.owner(&metadata), Owner::Ours, "it may be had again");
            assert_eq!(other.owner(&metadata), Owner::Nobody);
        }
    }

    #[test]
    fn a_long_name_fits_into_a_label() {
        let (one, two) = ("a".repeat(100), "a".repeat(101));
        assert_eq!(label_value("short"), "short");
        assert!(label_value(&one).len() <= 63);
        assert_ne!(label_value(&one), label_value(&two));
    }
}
