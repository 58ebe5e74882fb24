//! Who manages what: the entries of `metadata.managedFields`.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::codec::FieldsError;
use crate::gotext::{Quoted, write_json_string};
use crate::set::FieldSet;

/// How fields came to be owned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// By server-side apply.
    Apply,
    /// By create, update or another patch.
    Update,
}

/// One manager and the fields it owns.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// The manager's name.
    pub manager: Cow<'a, str>,
    /// How it owns the fields.
    pub operation: Operation,
    /// The version of the API it used.
    pub api_version: Cow<'a, str>,
    /// The subresource it used; empty for the object itself.
    pub subresource: Cow<'a, str>,
    /// When the fields were last changed by it.
    pub time: Option<Timestamp>,
    /// The fields.
    pub fields: FieldSet<'a>,
    /// Where the entry stands in the stored list, while it is what is stored there.
    pub(crate) stored: Option<usize>,
}

/// An entry to be written.
pub(crate) enum Written {
    /// The one at this place of the stored list.
    Stored(usize),
    /// Another.
    New(Value),
}

/// All managers of an object.
#[derive(Debug, Clone, Default)]
pub struct Managers<'a> {
    entries: Vec<Entry<'a>>,
}

/// Why the managed fields of an object cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManagersError {
    /// Not a list of objects with text in their fields.
    #[error("managed fields must be a list of entries")]
    NotEntries,
    /// The operation is unknown.
    #[error("operation must be `Apply` or `Update`")]
    Operation,
    /// The version is missing.
    #[error("apiVersion must not be empty")]
    NoVersion,
    /// The type of the fields is missing.
    #[error("missing fieldsType in managed fields entry {0}")]
    NoFieldsType(usize),
    /// The type of the fields is unknown.
    #[error("invalid fieldsType {} in managed fields entry {at}", Quoted(found))]
    FieldsType {
        /// Which entry.
        at: usize,
        /// What it says.
        found: String,
    },
    /// The time is not one.
    #[error("invalid time in managed fields entry {0}")]
    Time(usize),
    /// The fields cannot be read.
    #[error("error decoding set: {0}")]
    Fields(#[from] FieldsError),
}

impl Operation {
    /// Its name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

impl<'a> Entry<'a> {
    fn read(at: usize, entry: &'a Value) -> Result<Self, ManagersError> {
        let entry = match entry {
            Value::Object(entry) => entry,
            Value::Null => return Err(ManagersError::Operation),
            _ => return Err(ManagersError::NotEntries),
        };
        let text = |name: &str| match entry.get(name) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::String(text)) => Ok(text.as_str()),
            Some(_) => Err(ManagersError::NotEntries),
        };
        let operation = match text("operation")? {
            "Apply" => Operation::Apply,
            "Update" => Operation::Update,
            _ => return Err(ManagersError::Operation),
        };
        let api_version = text("apiVersion")?;
        if api_version.is_empty() {
            return Err(ManagersError::NoVersion);
        }
        match text("fieldsType")? {
            "FieldsV1" => {}
            "" => return Err(ManagersError::NoFieldsType(at)),
            found => return Err(ManagersError::FieldsType { at, found: found.into() }),
        }
        let time = match text("time")? {
            "" => None,
            time => Some(time.parse().map_err(|_| ManagersError::Time(at))?),
        };
        let fields = entry.get("fieldsV1").map_or_else(|| Ok(FieldSet::default()), FieldSet::from_fields)?;
        Ok(Self {
            manager: text("manager")?.into(),
            operation,
            api_version: api_version.into(),
            subresource: text("subresource")?.into(),
            time,
            fields,
            stored: None,
        })
    }

    /// The entry as it stands in the object.
    fn to_value(&self) -> Value {
        let mut entry = Map::new();
        let mut put = |name: &str, text: &str| {
            if !text.is_empty() {
                entry.insert(name.into(), Value::from(text));
            }
        };
        put("manager", &self.manager);
        put("operation", self.operation.name());
        put("apiVersion", &self.api_version);
        put("subresource", &self.subresource);
        put("fieldsType", "FieldsV1");
        if let Some(time) = self.time {
            put("time", &time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        }
        entry.insert("fieldsV1".into(), self.fields.to_fields());
        Value::Object(entry)
    }

    /// Whether both stand for the same manager. Appliers keep their entry from version to version.
    fn is_of(&self, other: &Entry<'_>) -> bool {
        self.manager == other.manager
            && self.operation == other.operation
            && self.subresource == other.subresource
            && (self.operation == Operation::Apply || self.api_version == other.api_version)
    }

    /// The text by which the real server knows a manager; refusals are in its order.
    pub(crate) fn identifier(&self) -> String {
        let mut out = String::from("{");
        let mut put = |name: &str, text: &str| {
            if !text.is_empty() {
                let _ = write!(out, "{}\"{name}\":", if out.len() > 1 { "," } else { "" });
                write_json_string(&mut out, text, true);
            }
        };
        put("manager", &self.manager);
        put("operation", self.operation.name());
        if self.operation == Operation::Update {
            put("apiVersion", &self.api_version);
        }
        put("subresource", &self.subresource);
        out.push('}');
        out
    }

    fn seconds(&self) -> i64 {
        self.time.map_or(0, Timestamp::as_second)
    }

    /// The order of entries in the object.
    fn order(&self, other: &Self) -> Ordering {
        self.operation
            .cmp(&other.operation)
            .then_with(|| self.seconds().cmp(&other.seconds()))
            .then_with(|| self.manager.cmp(&other.manager))
            .then_with(|| self.api_version.cmp(&other.api_version))
            .then_with(|| self.subresource.cmp(&other.subresource))
    }
}

impl<'a> Managers<'a> {
    /// The managers of an object, as its metadata has them.
    pub fn from_object(object: &'a Value) -> Result<Self, ManagersError> {
        match object.get("metadata").and_then(|metadata| metadata.get("managedFields")) {
            Some(fields) => Self::from_value(fields),
            None => Ok(Self::default()),
        }
    }

    /// Reads the value of `metadata.managedFields`.
    pub fn from_value(fields: &'a Value) -> Result<Self, ManagersError> {
        let mut managers = Self::default();
        let entries = match fields {
            Value::Array(entries) => entries,
            Value::Null => return Ok(managers),
            _ => return Err(ManagersError::NotEntries),
        };
        for (at, entry) in entries.iter().enumerate() {
            managers.put(Entry::read(at, entry)?);
        }
        Ok(managers)
    }

    /// Reads the value of `metadata.managedFields` of a stored object, of which unchanged entries need not be written
    /// anew: the server itself wrote them.
    pub(crate) fn from_stored(fields: &'a Value) -> Result<Self, ManagersError> {
        let mut managers = Self::from_value(fields)?;
        if managers.entries.len() == fields.as_array().map_or(0, Vec::len) {
            for (at, entry) in managers.entries.iter_mut().enumerate() {
                entry.stored = Some(at);
            }
        }
        Ok(managers)
    }

    /// Whether nobody manages anything.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries, in no particular order.
    pub fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    pub(crate) fn entries_mut(&mut self) -> &mut Vec<Entry<'a>> {
        &mut self.entries
    }

    /// The entry of the same manager.
    pub(crate) fn find(&self, entry: &Entry<'_>) -> Option<usize> {
        self.entries.iter().position(|other| other.is_of(entry))
    }

    /// Adds an entry, in the place of the one of the same manager.
    pub(crate) fn put(&mut self, entry: Entry<'a>) {
        match self.find(&entry) {
            Some(at) => self.entries[at] = entry,
            None => self.entries.push(entry),
        }
    }

    /// The value of `metadata.managedFields`; nothing if nobody manages anything.
    pub fn to_value(&self) -> Option<Value> {
        if self.entries.is_empty() { None } else { Some(self.sorted().map(Entry::to_value).collect()) }
    }

    /// What is to be written, in order.
    pub(crate) fn to_written(&self) -> Vec<Written> {
        self.sorted()
            .map(|entry| entry.stored.map_or_else(|| Written::New(entry.to_value()), Written::Stored))
            .collect()
    }

    fn sorted(&self) -> impl Iterator<Item = &Entry<'a>> {
        let mut sorted: Vec<&Entry<'_>> = self.entries.iter().collect();
        sorted.sort_by(|left, right| left.order(right));
        sorted.into_iter()
    }

    /// Merges the oldest updaters of each version into one until at most `most` are left.
    pub(crate) fn cap_updaters(&mut self, most: usize) {
        let updaters = self.entries.iter().filter(|entry| entry.operation == Operation::Update);
        if updaters.clone().count() <= most {
            return;
        }
        let mut oldest: Vec<(i64, String, Entry<'static>)> =
            updaters.map(|entry| (entry.seconds(), entry.identifier(), entry.without_fields())).collect();
        oldest.sort_by(|left, right| (left.0, &left.1).cmp(&(right.0, &right.1)));
        let mut left = oldest.len();
        let mut firsts: Vec<Entry<'static>> = Vec::new();
        for (_, _, updater) in oldest {
            if left <= most {
                break;
            }
            let Some(first) = firsts.iter().find(|first| first.api_version == updater.api_version) else {
                firsts.push(updater);
                continue;
            };
            let bucket = Entry {
                manager: "ancient-changes".into(),
                subresource: "".into(),
                ..updater.without_fields()
            };
            if self.find(&bucket).is_none()
                && let Some(at) = self.find(first)
            {
                self.entries[at].stored = None;
                self.entries[at].manager.clone_from(&bucket.manager);
                self.entries[at].subresource.clone_from(&bucket.subresource);
            }
            let Some(at) = self.find(&updater) else { continue };
            let merged = self.entries.swap_remove(at);
            left -= 1;
            if let Some(at) = self.find(&bucket) {
                self.entries[at].stored = None;
                self.entries[at].fields.unite(merged.fields);
                // The younger of the two, as the oldest come first.
                self.entries[at].time = merged.time;
            }
        }
    }
}

impl Entry<'_> {
    fn without_fields(&self) -> Entry<'static> {
        Entry {
            manager: Cow::Owned(self.manager.to_string()),
            operation: self.operation,
            api_version: Cow::Owned(self.api_version.to_string()),
            subresource: Cow::Owned(self.subresource.to_string()),
            time: self.time,
            fields: FieldSet::default(),
            stored: None,
        }
    }
}

/// Puts together what is to be written, with what was stored.
pub(crate) fn assemble(written: Vec<Written>, mut stored: Value) -> Option<Value> {
    if written.is_empty() {
        return None;
    }
    let mut take = |at: usize| stored.get_mut(at).map(Value::take).unwrap_or_default();
    let entries = written.into_iter().map(|written| match written {
        Written::Stored(at) => take(at),
        Written::New(entry) => entry,
    });
    Some(entries.collect())
}

/// Whether a client asks to forget all managers: an empty list, or one empty entry.
pub(crate) fn is_reset(fields: &Value) -> bool {
    let empty = |entry: &Value| match entry {
        Value::Null => true,
        Value::Object(entry) => entry.values().all(|value| match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            _ => false,
        }),
        _ => false,
    };
    match fields {
        Value::Array(entries) => match &entries[..] {
            [] => true,
            [one] => empty(one),
            _ => false,
        },
        _ => false,
    }
}

/// Replaces the managed fields of an object; returns what was there.
pub(crate) fn set_managed_fields(object: &mut Value, fields: Option<Value>) -> Option<Value> {
    let object = object.as_object_mut()?;
    match fields {
        Some(fields) => object
            .entry("metadata")
            .or_insert_with(|| Value::Object(Map::new()))
            .as_object_mut()?
            .insert("managedFields".into(), fields),
        None => object.get_mut("metadata")?.as_object_mut()?.remove("managedFields"),
    }
}
