//! Paths in volumes: which may climb, and which may not begin at the root.

use crate::field::Path;
use crate::kinds::report::Errors;

/// The path may not go up.
pub(crate) fn no_backsteps(target: &str, path: &Path, errors: &mut Errors) {
    if target.split('/').any(|part| part == "..") {
        errors.invalid(path, target, "must not contain '..'");
    }
}

/// The path must lead down from where it begins.
pub(crate) fn descending(target: &str, path: &Path, errors: &mut Errors) {
    if target.starts_with('/') {
        errors.invalid(path, target, "must be a relative path");
    }
    no_backsteps(target, path, errors);
}

/// The path must lead down, and not begin as the kubelet's own files do.
pub(crate) fn not_reserved(target: &str, path: &Path, errors: &mut Errors) {
    descending(target, path, errors);
    if target.starts_with("..") && !target.starts_with("../") {
        errors.invalid(path, target, "must not start with '..'");
    }
}
