//! How versions are converted: not at all, or by a webhook.

use serde_json::Value;

use crate::field::{FieldError, Path};
use crate::meta::{dns_subdomain, dns1035_label};

/// What is wrong with the conversion of a definition.
pub(super) fn conversion(conversion: Option<&Value>, recognized: bool, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let Some(conversion) = conversion else { return errors };
    let strategy = conversion.get("strategy").and_then(Value::as_str).unwrap_or_default();
    match strategy {
        "" => errors.push(FieldError::required(&path.child("strategy"), "")),
        "None" | "Webhook" => {}
        other => errors.push(FieldError::not_supported(&path.child("strategy"), other, &["None", "Webhook"])),
    }
    let webhook = conversion.get("webhook");
    let client = webhook.and_then(|webhook| webhook.get("clientConfig")).filter(|client| !client.is_null());
    let versions: Vec<&str> = webhook
        .and_then(|webhook| webhook.get("conversionReviewVersions"))
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|version| version.as_str().unwrap_or_default())
        .collect();
    if strategy == "Webhook" {
        errors.extend(client_config(client, &path.child("webhookClientConfig")));
        errors.extend(review_versions(&versions, recognized, &path.child("conversionReviewVersions")));
        return errors;
    }
    let words = "should not be set when strategy is not set to Webhook";
    if client.is_some() {
        errors.push(FieldError::forbidden(&path.child("webhookClientConfig"), words));
    }
    if !versions.is_empty() {
        errors.push(FieldError::forbidden(&path.child("conversionReviewVersions"), words));
    }
    errors
}

/// Whether one of the versions is one that the server speaks, or none is given.
pub(super) fn is_recognized(conversion: Option<&Value>) -> bool {
    let versions = conversion
        .and_then(|conversion| conversion.pointer("/webhook/conversionReviewVersions"))
        .and_then(Value::as_array);
    versions.is_none_or(|versions| {
        versions.is_empty() || versions.iter().any(|version| version == "v1" || version == "v1beta1")
    })
}

fn client_config(client: Option<&Value>, path: &Path) -> Vec<FieldError> {
    let Some(client) = client else {
        return vec![FieldError::required(path, "required when strategy is set to Webhook")];
    };
    let url = client.get("url").and_then(Value::as_str);
    let service = client.get("service").filter(|service| !service.is_null());
    match (url, service) {
        (Some(url), None) => webhook_url(url, &path.child("url")),
        (None, Some(service)) => webhook_service(service, &path.child("service")),
        _ => vec![FieldError::required(path, "exactly one of url or service is required")],
    }
}

fn webhook_url(url: &str, path: &Path) -> Vec<FieldError> {
    const FORM: &str = "; desired format: https://host[/path]";
    let mut errors = Vec::new();
    let (scheme, rest) = url.split_once(':').unwrap_or(("", url));
    if scheme != "https" {
        let words = format!("'https' is the only allowed URL scheme{FORM}");
        errors.push(FieldError::invalid(path, scheme, words));
    }
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = rest.strip_prefix("//").map_or("", |rest| rest.split('/').next().unwrap_or_default());
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    if host.is_empty() {
        errors.push(FieldError::invalid(path, "", format!("host must be specified{FORM}")));
    }
    if let Some(user) = user {
        errors.push(FieldError::invalid(path, user, "user information is not permitted in the URL"));
    }
    if !fragment.is_empty() {
        errors.push(FieldError::invalid(path, fragment, "fragments are not permitted in the URL"));
    }
    if !query.is_empty() {
        errors.push(FieldError::invalid(path, query, "query parameters are not permitted in the URL"));
    }
    errors
}

/// The server takes the name for the namespace here, and the other way round; so do its words.
fn webhook_service(service: &Value, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let text = |field: &str| service.get(field).and_then(Value::as_str);
    if text("namespace").unwrap_or_default().is_empty() {
        errors.push(FieldError::required(&path.child("name"), ""));
    }
    if text("name").unwrap_or_default().is_empty() {
        errors.push(FieldError::required(&path.child("namespace"), ""));
    }
    let port = service.get("port").and_then(Value::as_i64).unwrap_or_default();
    if !(1..=65535).contains(&port) {
        let words = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(&path.child("port"), port, words));
    }
    let Some(text) = text("path").filter(|text| !text.is_empty() && *text != "/") else { return errors };
    let place = path.child("path");
    if text == "//" {
        errors.push(FieldError::invalid(&place, text, "segment[0] may not be empty"));
        return errors;
    }
    if !text.starts_with('/') {
        errors.push(FieldError::invalid(&place, text, "must start with a '/'"));
    }
    let mut signs = text.chars();
    signs.next();
    let rest = signs.as_str();
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    for (index, segment) in rest.split('/').enumerate() {
        if segment.is_empty() {
            errors.push(FieldError::invalid(&place, text, format!("segment[{index}] may not be empty")));
            continue;
        }
        for words in dns_subdomain(segment) {
            errors.push(FieldError::invalid(&place, text, format!("segment[{index}]: {words}")));
        }
    }
    errors
}

fn review_versions(versions: &[&str], recognized: bool, path: &Path) -> Vec<FieldError> {
    if versions.is_empty() {
        return vec![FieldError::required(path, "")];
    }
    let mut errors = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let place = path.index(index);
        if versions[..index].contains(version) {
            errors.push(FieldError::invalid(&place, *version, "duplicate version"));
            continue;
        }
        for words in dns1035_label(version) {
            errors.push(FieldError::invalid(&place, *version, words));
        }
    }
    if recognized && !versions.iter().any(|version| *version == "v1" || *version == "v1beta1") {
        let value: Vec<Value> = versions.iter().map(|version| Value::from(*version)).collect();
        errors.push(FieldError::invalid(path, value, "must include at least one of v1, v1beta1"));
    }
    errors
}
