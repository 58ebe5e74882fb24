//! How a webhook is reached: by an address, or as a Service.

use serde_json::Value;

use crate::field::Path;
use crate::kinds::names;
use crate::kinds::read::Read;
use crate::kinds::report::Errors;

const FORM: &str = "; desired format: https://host[/path]";

/// What is wrong with the way to a webhook.
pub(crate) fn validate(config: &Value, path: &Path, errors: &mut Errors) {
    match (config.at("url").as_str(), config.has("service")) {
        (Some(url), false) => address(url, &path.child("url"), errors),
        (None, true) => service(config.at("service"), &path.child("service"), errors),
        _ => errors.required(path, "exactly one of url or service is required"),
    }
}

fn address(url: &str, path: &Path, errors: &mut Errors) {
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if !scheme.contains('/') => (scheme.to_ascii_lowercase(), rest),
        _ => (String::new(), rest),
    };
    if url.starts_with(':') {
        let words = format!("url must be a valid URL: parse \"{url}\": missing protocol scheme{FORM}");
        errors.required(path, words);
        return;
    }
    let authority = rest.strip_prefix("//").map_or("", |rest| rest.split('/').next().unwrap_or(rest));
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    if scheme != "https" {
        errors.invalid(path, scheme, format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if host.is_empty() {
        errors.invalid(path, "", format!("host must be specified{FORM}"));
    }
    if let Some(user) = user {
        errors.invalid(path, user, "user information is not permitted in the URL");
    }
    if !fragment.is_empty() {
        errors.invalid(path, fragment, "fragments are not permitted in the URL");
    }
    if !query.is_empty() {
        errors.invalid(path, query, "query parameters are not permitted in the URL");
    }
}

fn service(service: &Value, path: &Path, errors: &mut Errors) {
    // The server hands over name and namespace in the wrong order, so they are asked for in that order.
    for (told, field) in [("name", "namespace"), ("namespace", "name")] {
        if service.text(field).is_empty() {
            errors.required(&path.child(told), "");
        }
    }
    port(service, path, errors);
    let Some(way) = service.at("path").as_str().filter(|way| !["", "/"].contains(way)) else { return };
    let path = path.child("path");
    if way == "//" {
        errors.invalid(&path, way, "segment[0] may not be empty");
        return;
    }
    if !way.starts_with('/') {
        errors.invalid(&path, way, "must start with a '/'");
    }
    let mut signs = way.chars();
    signs.next();
    let rest = signs.as_str();
    for (index, step) in rest.strip_suffix('/').unwrap_or(rest).split('/').enumerate() {
        if step.is_empty() {
            errors.invalid(&path, way, format!("segment[{index}] may not be empty"));
            continue;
        }
        for words in names::dns_subdomain(step) {
            errors.invalid(&path, way, format!("segment[{index}]: {words}"));
        }
    }
}

/// What is wrong with the port of a Service that somebody refers to.
pub(super) fn port(service: &Value, path: &Path, errors: &mut Errors) {
    let port = service.int("port");
    let wrong = names::port_number(port);
    if !wrong.is_empty() {
        errors.invalid(&path.child("port"), port, format!("port is not valid: {}", wrong.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ways_to_webhooks() {
        let wrong = |config: Value| {
            let mut errors = Errors::new();
            validate(&config, &Path::new("clientConfig"), &mut errors);
            errors.found().iter().map(|error| error.detail.clone()).collect::<Vec<_>>()
        };
        assert!(wrong(json!({"url": "https://host:8443/path"})).is_empty());
        assert!(
            wrong(json!({"service": {"name": "a", "namespace": "b", "port": 443, "path": "/x/y/"}}))
                .is_empty()
        );
        assert_eq!(wrong(json!({})), ["exactly one of url or service is required"]);
        assert_eq!(
            wrong(json!({"url": "http://me@host?a=b#c"})),
            [
                "'https' is the only allowed URL scheme; desired format: https://host[/path]",
                "user information is not permitted in the URL",
                "fragments are not permitted in the URL",
                "query parameters are not permitted in the URL",
            ]
        );
        assert_eq!(
            wrong(json!({"service": {"name": "a", "namespace": "b", "port": 0, "path": "x//"}})),
            [
                "port is not valid: must be between 1 and 65535, inclusive",
                "must start with a '/'",
                "segment[0] may not be empty",
                "segment[1] may not be empty",
            ]
        );
    }
}
