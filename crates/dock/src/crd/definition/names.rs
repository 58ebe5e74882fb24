//! The names of a definition, its subresources and columns.

use super::{Column, Names, Subresources};
use crate::field::{FieldError, Path};
use crate::meta::dns1035_label;

const COLUMN_KINDS: &str = "boolean,date,integer,number,string";
const COLUMN_FORMATS: &str = "byte,date,date-time,double,float,int32,int64,password";

/// What is wrong with names.
pub(super) fn names(names: &Names, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut label = |name: &str, path: &Path, mixed: bool| {
        let wrong = dns1035_label(&if mixed { name.to_lowercase() } else { name.to_owned() });
        if !wrong.is_empty() {
            let prefix = if mixed { "may have mixed case, but should otherwise match: " } else { "" };
            errors.push(FieldError::invalid(path, name, format!("{prefix}{}", wrong.join(","))));
        }
    };
    let singles = [
        ("plural", &names.plural, false),
        ("singular", &names.singular, false),
        ("kind", &names.kind, true),
        ("listKind", &names.list_kind, true),
    ];
    for (field, name, mixed) in singles {
        if !name.is_empty() {
            label(name, &path.child(field), mixed);
        }
    }
    for (index, name) in names.short_names.iter().enumerate() {
        label(name, &path.child("shortNames").index(index), false);
    }
    if !names.kind.is_empty() && names.kind == names.list_kind {
        errors.push(FieldError::invalid(
            &path.child("listKind"),
            names.list_kind.as_str(),
            "kind and listKind may not be the same",
        ));
    }
    for (index, category) in names.categories.iter().enumerate() {
        let wrong = dns1035_label(category);
        if !wrong.is_empty() {
            let place = path.child("categories").index(index);
            errors.push(FieldError::invalid(&place, category.as_str(), wrong.join(",")));
        }
    }
    errors
}

/// What is wrong with a column.
pub(super) fn column(column: &Column, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if column.name.is_empty() {
        errors.push(FieldError::required(&path.child("name"), ""));
    }
    let kinds = format!("must be one of {COLUMN_KINDS}");
    if column.kind.is_empty() {
        errors.push(FieldError::required(&path.child("type"), kinds));
    } else if !COLUMN_KINDS.split(',').any(|kind| kind == column.kind) {
        errors.push(FieldError::invalid(&path.child("type"), column.kind.as_str(), kinds));
    }
    if !column.format.is_empty() && !COLUMN_FORMATS.split(',').any(|format| format == column.format) {
        let words = format!("must be one of {COLUMN_FORMATS}");
        errors.push(FieldError::invalid(&path.child("format"), column.format.as_str(), words));
    }
    let place = path.child("JSONPath");
    if column.json_path.is_empty() {
        errors.push(FieldError::required(&place, ""));
    } else {
        errors.extend(simple_path(&column.json_path, &place));
    }
    errors
}

fn simple_path(text: &str, path: &Path) -> Option<FieldError> {
    let words = match text {
        "" => "must not be empty",
        text if !text.starts_with('.') => "must be a simple json path starting with .",
        _ => return None,
    };
    Some(FieldError::invalid(path, text, words))
}

/// What is wrong with subresources.
pub(super) fn subresources(subresources: Option<&Subresources>, path: &Path) -> Vec<FieldError> {
    let Some(scale) = subresources.and_then(|subresources| subresources.scale.as_ref()) else {
        return Vec::new();
    };
    let spec = scale_path(
        &scale.spec_replicas_path,
        &path.child("scale.specReplicasPath"),
        &[".spec."],
        "should be a json path under .spec",
    );
    let status = scale_path(
        &scale.status_replicas_path,
        &path.child("scale.statusReplicasPath"),
        &[".status."],
        "should be a json path under .status",
    );
    let selector = scale.label_selector_path.as_deref().filter(|text| !text.is_empty()).and_then(|text| {
        let words = "should be a json path under either .spec or .status";
        scale_path(text, &path.child("scale.labelSelectorPath"), &[".spec.", ".status."], words)
    });
    spec.into_iter().chain(status).chain(selector).collect()
}

fn scale_path(text: &str, path: &Path, prefixes: &[&str], words: &str) -> Option<FieldError> {
    if text.is_empty() {
        return Some(FieldError::required(path, ""));
    }
    simple_path(text, path).or_else(|| {
        let fits = prefixes.iter().any(|prefix| text.starts_with(prefix));
        (!fits).then(|| FieldError::invalid(path, text, words))
    })
}
