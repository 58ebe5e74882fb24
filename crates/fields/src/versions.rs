//! The versions of a kind: fields are owned in the version in which they were written, and a change is seen in each.

use std::borrow::Cow;

use schema::View;
use serde_json::Value;

use crate::managers::Managers;
use crate::refusal::VersionError;
use crate::request::Request;
use crate::set::FieldSet;
use crate::typed::{Duplicates, ValidationErrors, compare, validate};

/// The versions of a kind besides that of the request. What was owned in another version is followed if it is known.
pub trait Versions {
    /// The structure of the kind in a version; nothing if it does not exist there.
    fn structure(&self, version: &str) -> Option<View<'_>>;

    /// The fields of a version that the door of the request does not write.
    fn resets(&self, version: &str) -> FieldSet<'static>;

    /// An object of one version as it is in another.
    fn convert<'v>(&self, object: &'v Value, from: &str, to: &str) -> Cow<'v, Value>;

    /// Whether an owner in an unknown version is an error, as it is for custom kinds. Of built-in ones such owners are
    /// forgotten.
    fn is_custom(&self) -> bool;
}

/// A kind that exists in no other version.
#[derive(Debug, Clone, Copy)]
pub struct OneVersion;

impl Versions for OneVersion {
    fn structure(&self, _version: &str) -> Option<View<'_>> {
        None
    }

    fn resets(&self, _version: &str) -> FieldSet<'static> {
        FieldSet::default()
    }

    fn convert<'v>(&self, object: &'v Value, _from: &str, _to: &str) -> Cow<'v, Value> {
        Cow::Borrowed(object)
    }

    fn is_custom(&self) -> bool {
        false
    }
}

/// How a write changes an object in the eyes of those who own fields in other versions than its own.
#[derive(Debug, Default)]
pub(crate) struct Changes(Vec<Change>);

/// A change, seen in one version.
#[derive(Debug)]
pub(crate) struct Change {
    version: String,
    /// What is new or has another value.
    pub(crate) written: FieldSet<'static>,
    /// That, and what is gone.
    pub(crate) lost: FieldSet<'static>,
}

impl Changes {
    /// The change from one object of the request's version to another, in all other versions that somebody owns fields in.
    /// An object that does not have the structure of such a version is an error: nobody's fields can be followed then.
    pub(crate) fn seen_by_others(
        request: &Request<'_>,
        managers: &Managers<'_>,
        live: &Value,
        new: &Value,
    ) -> Result<Self, ValidationErrors> {
        let mut changes = Self::default();
        for entry in managers.entries() {
            let version = &*entry.api_version;
            if version == request.api_version || changes.in_version(version).is_some() {
                continue;
            }
            let (old, new) = (request.in_version(live, version)?, request.in_version(new, version)?);
            let mut difference = compare(&old, &new, request.view_in(version));
            difference.exclude(&request.versions.resets(version));
            let mut written = difference.modified.into_owned();
            written.unite(difference.added.into_owned());
            let mut lost = written.clone();
            lost.unite(difference.removed.into_owned());
            changes.0.push(Change { version: version.to_owned(), written, lost });
        }
        Ok(changes)
    }

    /// What is seen in that version, if it is another than the request's.
    pub(crate) fn in_version(&self, version: &str) -> Option<&Change> {
        self.0.iter().find(|change| change.version == version)
    }
}

impl<'a> Request<'a> {
    /// The structure of the kind in a version that is known.
    pub(crate) fn view_in(&self, version: &str) -> View<'a> {
        if version == self.api_version {
            return self.view;
        }
        self.versions.structure(version).unwrap_or(self.view)
    }

    /// An object of the request's version in another one, whose structure it must have, without duplicates in lists.
    pub(crate) fn in_version<'v>(
        &self,
        object: &'v Value,
        version: &str,
    ) -> Result<Cow<'v, Value>, ValidationErrors> {
        self.converted(object, self.api_version, version)
    }

    /// An object of one version in another one.
    pub(crate) fn converted<'v>(
        &self,
        object: &'v Value,
        from: &str,
        to: &str,
    ) -> Result<Cow<'v, Value>, ValidationErrors> {
        if from == to {
            return Ok(Cow::Borrowed(object));
        }
        let object = self.versions.convert(object, from, to);
        validate(&object, self.view_in(to), Duplicates::Refused)?;
        Ok(object)
    }
}

/// Whether the kind exists in a version in which somebody owns fields.
pub(crate) fn knows(request: &Request<'_>, version: &str) -> Result<bool, VersionError> {
    if version == request.api_version {
        return Ok(true);
    }
    if version.matches('/').count() > 1 {
        return Err(VersionError::Malformed(version.into()));
    }
    let known = request.versions.structure(version).is_some();
    if known || !request.versions.is_custom() {
        return Ok(known);
    }
    let group = |version: &str| version.split_once('/').map_or(String::new(), |(group, _)| group.into());
    if group(version) == group(request.api_version) {
        Err(VersionError::Unknown(version.into()))
    } else {
        Err(VersionError::Group { object: request.object_type(), target: version.into() })
    }
}
