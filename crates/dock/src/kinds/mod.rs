//! What is special about each built-in kind: its defaults, what may be written where, and what is valid.

use jiff::Timestamp;
use serde_json::Value;

use crate::field::FieldError;

/// The rules of one kind. Every method has the behaviour of a kind without rules of its own.
///
/// The order on a create is: [`default`](Rules::default), [`prepare_create`](Rules::prepare_create), admission,
/// [`validate`](Rules::validate). On an update: `default`, [`prepare_update`](Rules::prepare_update), admission,
/// [`validate_update`](Rules::validate_update). Metadata is checked elsewhere, alike for all kinds.
pub trait Rules: Send + Sync {
    /// Fills in what was left out, as decoding an object does. Runs on every object that comes in.
    fn default(&self, _object: &mut Value) {}

    /// Removes what a creator may not write (status), and fills in what only a creation sets.
    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        if let Some(fields) = object.as_object_mut()
            && self.has_status()
        {
            fields.remove("status");
        }
    }

    /// Puts back what this update may not write: the status in an update of the object.
    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        if self.has_status() {
            copy_field(object, old, "status");
        }
    }

    /// Puts back what an update of the status may not write: everything but the status.
    fn prepare_status_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "spec");
    }

    /// Whether the kind has a `status` with a subresource of its own.
    fn has_status(&self) -> bool {
        false
    }

    /// Whether `metadata.generation` is kept and counts the changes of everything but metadata and status.
    fn has_generation(&self) -> bool {
        false
    }

    /// Whether an update grows the generation: if anything but metadata and status is another.
    fn changes_generation(&self, object: &Value, old: &Value) -> bool {
        let rest = |value: &Value| {
            let mut fields = value.as_object().cloned().unwrap_or_default();
            for field in ["apiVersion", "kind", "metadata", "status"] {
                fields.remove(field);
            }
            fields
        };
        rest(object) != rest(old)
    }

    /// The fields that an update of the status does not write.
    fn status_resets(&self) -> &'static [&'static str] {
        &["spec"]
    }

    /// Whether the kind is defined by an object of the cluster.
    fn is_custom(&self) -> bool {
        false
    }

    /// What is wrong with a new object.
    fn validate(&self, _object: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// What is wrong with an object that replaces another. Includes what [`validate`](Rules::validate) finds.
    fn validate_update(&self, object: &Value, _old: &Value) -> Vec<FieldError> {
        self.validate(object)
    }

    /// What is wrong with a new status.
    fn validate_status_update(&self, _object: &Value, _old: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// What the answer's `Warning` headers say of an object that comes in.
    fn warnings(&self, _object: &Value, _old: Option<&Value>) -> Vec<String> {
        Vec::new()
    }

    /// The fields besides `metadata.name` and `metadata.namespace` that a field selector may name.
    fn selectable(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What the rules may know besides the object.
#[derive(Debug, Clone)]
pub struct Context {
    /// The time of the request.
    pub now: Timestamp,
    /// Whether nothing is to be stored.
    pub dry_run: bool,
}

/// Makes a field of `object` what it is in `old`, absent if it is absent there.
pub(crate) fn copy_field(object: &mut Value, old: &Value, field: &str) {
    let Some(fields) = object.as_object_mut() else { return };
    match old.get(field) {
        Some(value) => {
            fields.insert(field.to_owned(), value.clone());
        }
        None => {
            fields.remove(field);
        }
    }
}

struct NoRules;
impl Rules for NoRules {}

/// The rules of a kind.
pub fn rules(_group: &str, _kind: &str) -> &'static dyn Rules {
    &NoRules
}
