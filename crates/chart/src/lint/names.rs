//! What Kubernetes demands of an object's name, by kind.

use goyaml::strconv;

use super::document::Head;
use crate::checks::is_dns_name;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// Whether the object may be called that.
pub(super) fn check(head: &Head) -> Result<(), String> {
    let name = head.name.as_str();
    let reasons = match head.kind.to_lowercase().as_str() {
        "service" => label_1035(name),
        "namespace" => label(name),
        "certificatesigningrequest" => Vec::new(),
        "role" | "clusterrole" | "rolebinding" | "clusterrolebinding" => path_segment(name),
        _ => subdomain(name),
    };
    if reasons.is_empty() {
        return Ok(());
    }
    let quoted = strconv::quote(name);
    let each: Vec<String> =
        reasons.iter().map(|reason| format!("metadata.name: Invalid value: {quoted}: {reason}")).collect();
    let all = if each.len() == 1 { each[0].clone() } else { format!("[{}]", each.join(", ")) };
    Err(format!("object name does not conform to Kubernetes naming requirements: {quoted}: {all}"))
}

fn too_long(name: &str, limit: usize) -> Option<String> {
    (name.len() > limit).then(|| format!("must be no more than {limit} bytes"))
}

fn subdomain(name: &str) -> Vec<String> {
    let shape = (!is_dns_name(name)).then(|| SUBDOMAIN.to_owned());
    too_long(name, 253).into_iter().chain(shape).collect()
}

fn label(name: &str) -> Vec<String> {
    let shape = (name.contains('.') || !is_dns_name(name)).then(|| LABEL.to_owned());
    too_long(name, 63).into_iter().chain(shape).collect()
}

fn label_1035(name: &str) -> Vec<String> {
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    let shape = (name.contains('.') || !is_dns_name(name) || !starts_well).then(|| LABEL_1035.to_owned());
    too_long(name, 63).into_iter().chain(shape).collect()
}

fn path_segment(name: &str) -> Vec<String> {
    if matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    ["/", "%"].iter().filter(|c| name.contains(**c)).map(|c| format!("may not contain '{c}'")).collect()
}
