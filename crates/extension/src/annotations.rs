//! The annotations by which people steer an object, in our own spelling and in Gardener's.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Which operation is asked for: `reconcile`, `migrate`, `restore` or `retry`.
pub const OPERATION: [&str; 2] = ["slipway.dev/operation", "gardener.cloud/operation"];
/// Confirms that the object may be let go by force.
pub const FORCE_DELETION: [&str; 2] =
    ["confirmation.slipway.dev/force-deletion", "confirmation.gardener.cloud/force-deletion"];
/// Confirms that the object may be deleted, where that is asked for.
pub const DELETION: [&str; 2] = ["confirmation.slipway.dev/deletion", "confirmation.gardener.cloud/deletion"];
/// Keeps controllers away from the object.
pub const IGNORE: [&str; 1] = ["slipway.dev/ignore"];

/// An operation that somebody asks for by annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asked {
    /// Run once more.
    Reconcile,
    /// Run once more what has failed.
    Retry,
    /// Hand over.
    Migrate,
    /// Take over.
    Restore,
}

/// What is wrong with the annotations of an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnnotationError {
    /// Nobody knows such an operation.
    #[error(
        "the annotation {annotation} says {value:?}; expected \"reconcile\", \"retry\", \"migrate\" or \"restore\""
    )]
    UnknownOperation {
        /// Which spelling it is.
        annotation: &'static str,
        /// What it says.
        value: String,
    },
    /// The spellings of one annotation contradict each other.
    #[error("the annotations {0} and {1} say different things")]
    Contradiction(&'static str, &'static str),
}

/// Which operation is asked for, if any.
pub fn operation(metadata: &ObjectMeta) -> Result<Option<Asked>, AnnotationError> {
    let mut asked = None;
    for annotation in OPERATION {
        let Some(value) = value(metadata, annotation) else { continue };
        let this = match value {
            "reconcile" => Asked::Reconcile,
            "retry" => Asked::Retry,
            "migrate" => Asked::Migrate,
            "restore" => Asked::Restore,
            other => return Err(AnnotationError::UnknownOperation { annotation, value: other.to_owned() }),
        };
        if asked.is_some_and(|asked| asked != this) {
            return Err(AnnotationError::Contradiction(OPERATION[0], OPERATION[1]));
        }
        asked = Some(this);
    }
    Ok(asked)
}

/// Whether force deletion is confirmed.
pub fn confirms_force(metadata: &ObjectMeta) -> bool {
    is_true(metadata, &FORCE_DELETION)
}

/// Whether deletion is confirmed.
pub fn confirms_deletion(metadata: &ObjectMeta) -> bool {
    is_true(metadata, &DELETION)
}

/// Whether controllers are to stay away.
pub fn ignored(metadata: &ObjectMeta) -> bool {
    is_true(metadata, &IGNORE)
}

fn is_true(metadata: &ObjectMeta, spellings: &[&str]) -> bool {
    spellings.iter().any(|spelling| value(metadata, spelling) == Some("true"))
}

fn value<'a>(metadata: &'a ObjectMeta, annotation: &str) -> Option<&'a str> {
    metadata.annotations.as_ref()?.get(annotation).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotated(annotations: &[(&str, &str)]) -> ObjectMeta {
        let annotations = annotations.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        ObjectMeta { annotations: Some(annotations.collect()), ..ObjectMeta::default() }
    }

    #[test]
    fn operations_are_read_in_both_spellings() {
        let [ours, theirs] = OPERATION;
        for (annotations, expected) in [
            (vec![], Ok(None)),
            (vec![(ours, "migrate")], Ok(Some(Asked::Migrate))),
            (vec![(theirs, "restore")], Ok(Some(Asked::Restore))),
            (vec![(ours, "retry"), (theirs, "retry")], Ok(Some(Asked::Retry))),
            (vec![(ours, "retry"), (theirs, "restore")], Err(AnnotationError::Contradiction(ours, theirs))),
            (
                vec![(theirs, "dance")],
                Err(AnnotationError::UnknownOperation { annotation: theirs, value: "dance".to_owned() }),
            ),
        ] {
            assert_eq!(operation(&annotated(&annotations)), expected, "{annotations:?}");
        }
    }

    #[test]
    fn only_true_confirms() {
        for (value, expected) in [("true", true), ("false", false), ("", false), ("yes", false)] {
            assert_eq!(confirms_force(&annotated(&[(FORCE_DELETION[1], value)])), expected, "{value}");
        }
    }
}
