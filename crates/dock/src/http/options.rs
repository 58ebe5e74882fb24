//! What the query of a request says.

use std::collections::BTreeMap;

use crate::field::{FieldError, Path};
use crate::status::Status;

/// The parameters of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Nothing is to be stored.
    pub dry_run: Vec<String>,
    /// Who writes.
    pub field_manager: String,
    /// What is to be done about unknown fields.
    pub field_validation: String,
    /// Conflicts of an apply are won.
    pub force: Option<bool>,
    /// Which labels.
    pub label_selector: String,
    /// Which fields.
    pub field_selector: String,
    /// At most so many.
    pub limit: i64,
    /// From where a list goes on.
    pub continue_token: String,
    /// Which revision.
    pub resource_version: String,
    /// How the revision is meant.
    pub resource_version_match: String,
    /// How long a watch lasts.
    pub timeout_seconds: Option<i64>,
    /// Changes are to be told.
    pub watch: bool,
    /// Bookmarks are understood.
    pub allow_watch_bookmarks: bool,
    /// A watch begins with the present state.
    pub send_initial_events: Option<bool>,
    /// How much time a deletion leaves.
    pub grace_period_seconds: Option<i64>,
    /// What becomes of dependents.
    pub propagation_policy: Option<String>,
    /// The older word for it.
    pub orphan_dependents: Option<bool>,
    /// Everything else, for subresources.
    pub other: BTreeMap<String, String>,
}

/// What is to be done about unknown and repeated fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldValidation {
    /// They are dropped.
    Ignore,
    /// They are dropped, with a warning.
    Warn,
    /// They are refused.
    Strict,
}

impl Options {
    /// Reads a query string.
    pub fn parse(query: &str) -> Result<Self, Status> {
        let mut options = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (key, value) = (decode(key), decode(value));
            match key.as_str() {
                "dryRun" => options.dry_run.push(value),
                "fieldManager" => options.field_manager = value,
                "fieldValidation" => options.field_validation = value,
                "force" => options.force = Some(boolean(&value)),
                "labelSelector" => options.label_selector = value,
                "fieldSelector" => options.field_selector = value,
                "limit" => options.limit = integer(&value)?,
                "continue" => options.continue_token = value,
                "resourceVersion" => options.resource_version = value,
                "resourceVersionMatch" => options.resource_version_match = value,
                "timeoutSeconds" => options.timeout_seconds = Some(integer(&value)?),
                "watch" => options.watch = boolean(&value),
                "allowWatchBookmarks" => options.allow_watch_bookmarks = boolean(&value),
                "sendInitialEvents" => options.send_initial_events = Some(boolean(&value)),
                "gracePeriodSeconds" => options.grace_period_seconds = Some(integer(&value)?),
                "propagationPolicy" => options.propagation_policy = Some(value),
                "orphanDependents" => options.orphan_dependents = Some(boolean(&value)),
                _ => {
                    options.other.insert(key, value);
                }
            }
        }
        Ok(options)
    }

    /// Whether nothing is to be stored.
    pub fn is_dry_run(&self) -> bool {
        !self.dry_run.is_empty()
    }

    /// What is to be done about unknown fields.
    pub fn validation(&self) -> FieldValidation {
        match self.field_validation.as_str() {
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            _ => FieldValidation::Warn,
        }
    }

    /// What is wrong with the options of a write, whose kind is `CreateOptions`, `UpdateOptions` or `PatchOptions`.
    pub fn check_write(&self, kind: &str) -> Result<(), Status> {
        let mut errors = Vec::new();
        errors.extend(self.manager_errors());
        errors.extend(dry_run_errors(&self.dry_run));
        if !matches!(self.field_validation.as_str(), "" | "Ignore" | "Warn" | "Strict") {
            let known = ["", "Ignore", "Strict", "Warn"];
            errors.push(FieldError::not_supported(
                &Path::new("fieldValidation"),
                self.field_validation.as_str(),
                &known,
            ));
        }
        if errors.is_empty() { Ok(()) } else { Err(Status::invalid("meta.k8s.io", kind, "", &errors)) }
    }

    /// What is wrong with the options of a patch, besides what is wrong with any write.
    pub fn patch_errors(&self, apply: bool) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if apply {
            if self.field_manager.is_empty() {
                errors.push(FieldError::required(&Path::new("fieldManager"), "is required for apply patch"));
            }
        } else if self.force.is_some() {
            errors
                .push(FieldError::forbidden(&Path::new("force"), "may not be specified for non-apply patch"));
        }
        errors
    }

    fn manager_errors(&self) -> Vec<FieldError> {
        let path = Path::new("fieldManager");
        let mut errors = Vec::new();
        if self.field_manager.len() > 128 {
            errors.push(FieldError::too_long(&path, 128));
        }
        if self.field_manager.chars().any(char::is_control) {
            let words = "should only contain printable characters";
            errors.push(FieldError::invalid(&path, self.field_manager.as_str(), words));
        }
        errors
    }
}

/// What is wrong with a `dryRun`.
pub fn dry_run_errors(dry_run: &[String]) -> Option<FieldError> {
    let wrong = dry_run.iter().any(|word| word != "All");
    wrong.then(|| {
        let value = serde_json::Value::from(dry_run.to_vec());
        FieldError::not_supported(&Path::new("dryRun"), value, &["All"])
    })
}

/// `%41+b` is `A b`.
pub fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'+' => bytes.push(b' '),
            b'%' if rest.len() >= 2 => match u8::from_str_radix(&String::from_utf8_lossy(&rest[..2]), 16) {
                Ok(decoded) => {
                    bytes.push(decoded);
                    rest = &rest[2..];
                }
                Err(_) => bytes.push(b'%'),
            },
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn integer(text: &str) -> Result<i64, Status> {
    text.parse()
        .map_err(|_| Status::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax")))
}

/// Everything but a few words means yes, an empty value too.
fn boolean(text: &str) -> bool {
    !(text.eq_ignore_ascii_case("false") || text == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read() -> Result<(), Status> {
        let options = Options::parse("labelSelector=a%3Db%2Cc&limit=5&watch=1&dryRun=All&container=x")?;
        assert_eq!(options.label_selector, "a=b,c");
        assert_eq!(options.limit, 5);
        assert!(options.watch && options.is_dry_run());
        assert_eq!(options.other["container"], "x");
        assert!(Options::parse("limit=x").is_err());
        Ok(())
    }
}
