//! What a write of an object does to its managers.

use std::borrow::Cow;
use std::sync::LazyLock;

use jiff::Timestamp;
use schema::View;
use serde_json::Value;

use crate::apply;
use crate::managers::{Entry, Managers, Operation, assemble, is_reset, set_managed_fields};
use crate::refusal::{ApplyError, ObjectName, ObjectType, VersionError};
use crate::set::FieldSet;
use crate::typed::{Duplicates, ValidationErrors, compare, reconcile, validate};
use crate::versions::{Changes, Versions, knows};

/// The most updaters an object may have before the oldest are merged.
const MOST_UPDATERS: usize = 10;

/// Fields that nobody owns: what the server itself sets, and what identifies the object.
static NOBODYS: LazyLock<FieldSet<'static>> = LazyLock::new(|| {
    FieldSet::of_fields([
        "apiVersion",
        "kind",
        "metadata",
        "metadata.clusterName",
        "metadata.creationTimestamp",
        "metadata.generation",
        "metadata.managedFields",
        "metadata.name",
        "metadata.namespace",
        "metadata.resourceVersion",
        "metadata.selfLink",
        "metadata.uid",
    ])
});

/// A write: who writes, through which door, and what is known of the kind.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The manager's name, given or taken from the client's user agent; empty if neither says anything.
    pub manager: &'a str,
    /// The version of the request: `v1`, `apps/v1`.
    pub api_version: &'a str,
    /// The kind of the object.
    pub kind: &'a str,
    /// The subresource, empty for the object itself.
    pub subresource: &'a str,
    /// The structure of the kind.
    pub view: View<'a>,
    /// Fields that this door does not write, with all that is below them: `status` at the front door of a kind with a
    /// status subresource, everything but `status` at that one.
    pub reset: &'a FieldSet<'a>,
    /// Fields that count as changed though they look as before.
    pub rewritten: &'a FieldSet<'a>,
    /// The object before it is created. Built-in kinds have the fields here that they always show, such as an empty
    /// `spec` or a null `containers`; custom ones only their version and kind.
    pub empty: &'a Value,
    /// In which other versions the kind exists.
    pub versions: &'a dyn Versions,
    /// The time of the write.
    pub now: Timestamp,
}

/// Why ownership could not be followed; the server then forgets all owners.
pub(crate) enum Untracked {
    New(ValidationErrors),
    Live(ValidationErrors),
    Version(VersionError),
}

impl<'a> Request<'a> {
    /// Notes in the metadata of a new object what its writer came to own, and what others lost. `live` is the stored
    /// object, or nothing for a create. The new object must be as it will be stored, defaults and all.
    ///
    /// Managed fields that the client gave are taken if they can be read, and forgotten if the list is empty or has
    /// one empty entry; otherwise those of the live object go on. An existing object without managers stays so.
    pub fn update(&self, live: Option<&Value>, new: &mut Value) {
        let live = live.unwrap_or(self.empty);
        let given = set_managed_fields(new, None);
        let stored = live.get("metadata").and_then(|metadata| metadata.get("managedFields"));
        // Most clients send back what they got; it is then the server's own, and taken as it is.
        let unchanged = given.is_some() && given.as_ref() == stored;
        let written = {
            let given = given.as_ref().filter(|_| !unchanged);
            let mut managers = self.managers_before(stored, given);
            if managers.is_empty() && has_uid(live) {
                return;
            }
            match self.track(live, new, &mut managers, self.manager) {
                Ok(()) => managers.to_written(),
                Err(_) => return,
            }
        };
        let stored = given.filter(|_| unchanged).or_else(|| stored.cloned()).unwrap_or_default();
        if let Some(written) = assemble(written, stored) {
            set_managed_fields(new, Some(written));
        }
    }

    /// What an applied object makes of the live one, and who owns what then. `live` is the stored object, or nothing
    /// if it does not exist yet. The result is to be defaulted, validated and stored like any update; its managed
    /// fields are in place.
    ///
    /// Without `force`, fields that others own and that would change are conflicts. Fields that this manager applied
    /// before and does not apply now are removed unless somebody else owns them.
    pub fn apply(&self, live: Option<&Value>, applied: &Value, force: bool) -> Result<Value, ApplyError> {
        apply::apply(self, live.unwrap_or(self.empty), applied, force)
    }

    fn managers_before<'m>(&self, stored: Option<&'m Value>, given: Option<&'m Value>) -> Managers<'m> {
        // A subresource has no managed fields of its own to give.
        if let Some(given) = given.filter(|_| self.subresource.is_empty()) {
            if is_reset(given) {
                return Managers::default();
            }
            if let Ok(managers) = Managers::from_value(given)
                && !managers.is_empty()
            {
                return managers;
            }
        }
        stored.and_then(|stored| Managers::from_stored(stored).ok()).unwrap_or_default()
    }

    /// Gives the differences between two objects to an updater.
    pub(crate) fn track<'m>(
        &self,
        live: &'m Value,
        new: &'m Value,
        managers: &mut Managers<'m>,
        manager: &str,
    ) -> Result<(), Untracked>
    where
        'a: 'm,
    {
        validate(new, self.view, Duplicates::Allowed).map_err(Untracked::New)?;
        validate(live, self.view, Duplicates::Allowed).map_err(Untracked::Live)?;
        self.follow(managers, live).map_err(Untracked::Version)?;
        let mut difference = compare(live, new, self.view);
        difference.modified.unite(self.rewritten.clone());
        difference.exclude(self.reset);
        let changes = Changes::seen_by_others(self, managers, live, new)
            .map_err(|errors| Untracked::Version(errors.into()))?;
        let mut own = difference.modified;
        own.unite(difference.added);
        let mut lost = own.clone();
        lost.unite(difference.removed);
        managers.entries_mut().retain_mut(|entry| {
            let lost = changes.in_version(&entry.api_version).map_or(&lost, |change| &change.lost);
            if entry.fields.subtract(lost) {
                entry.stored = None;
            }
            !entry.fields.is_empty()
        });
        own.subtract(&NOBODYS);
        if !own.is_empty() {
            let mut entry = self.entry(manager, Operation::Update, own);
            entry.time = Some(self.now);
            match managers.find(&entry) {
                Some(at) => {
                    let known = &mut managers.entries_mut()[at];
                    known.fields.unite(entry.fields);
                    known.time = entry.time;
                    known.stored = None;
                }
                None => managers.put(entry),
            }
        }
        managers.cap_updaters(MOST_UPDATERS);
        Ok(())
    }

    /// Brings what others own up to date with the schema of their versions, and forgets those whose version is gone.
    pub(crate) fn follow(&self, managers: &mut Managers<'_>, live: &Value) -> Result<(), VersionError> {
        let mut result = Ok(());
        managers.entries_mut().retain_mut(|entry| match self.follow_entry(entry, live) {
            Ok(known) => known,
            Err(error) => {
                if result.is_ok() {
                    result = Err(error);
                }
                true
            }
        });
        result
    }

    fn follow_entry(&self, entry: &mut Entry<'_>, live: &Value) -> Result<bool, VersionError> {
        let version = &*entry.api_version;
        if !knows(self, version)? {
            return Ok(false);
        }
        self.in_version(live, version)?;
        if reconcile(&mut entry.fields, self.view_in(version)) {
            entry.stored = None;
        }
        Ok(true)
    }

    /// An entry of this request.
    pub(crate) fn entry<'m>(&self, manager: &str, operation: Operation, fields: FieldSet<'m>) -> Entry<'m> {
        Entry {
            manager: Cow::Owned(if manager.is_empty() { "unknown" } else { manager }.into()),
            operation,
            api_version: Cow::Owned(self.api_version.into()),
            subresource: Cow::Owned(self.subresource.into()),
            time: None,
            fields,
            stored: None,
        }
    }

    pub(crate) fn object_type(&self) -> ObjectType {
        ObjectType { api_version: self.api_version.into(), kind: self.kind.into() }
    }

    /// How a refusal names an object of this kind.
    pub(crate) fn name_of(&self, object: &Value) -> ObjectName {
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
        ObjectName { namespace: text("namespace"), name: text("name"), of: self.object_type() }
    }
}

/// The fields that are left when nobody's are taken away.
pub(crate) fn without_nobodys(mut fields: FieldSet<'_>) -> FieldSet<'_> {
    fields.subtract(&NOBODYS);
    fields
}

fn has_uid(object: &Value) -> bool {
    object["metadata"]["uid"].as_str().is_some_and(|uid| !uid.is_empty())
}
