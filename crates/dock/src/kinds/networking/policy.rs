//! Network policies.

use serde_json::{Value, json};

use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::network::{self, Range};
use crate::kinds::read::{Read, child_mut, fill_absent, list_mut, set, text_of};
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};
use crate::kinds::{Rules, names};

/// The rules of `NetworkPolicy`.
pub(crate) struct NetworkPolicy;

/// The two directions, with the field that names the peers.
const DIRECTIONS: [(&str, &str); 2] = [("ingress", "from"), ("egress", "to")];

/// What is let pass because the policy before has it.
struct Options<'a> {
    values: Values,
    ranges: Vec<&'a str>,
}

fn port(port: &Value, path: &Path, errors: &mut Errors) {
    if let Some(protocol) = port.at("protocol").as_str() {
        errors.one_of(protocol, &["TCP", "UDP", "SCTP"], &path.child("protocol"));
    }
    let (last, own) = (port.number("endPort"), path.child("endPort"));
    match port.at("port") {
        Value::Null => {
            if let Some(last) = last {
                errors.invalid(&own, last, "may not be specified when `port` is not specified");
            }
        }
        Value::String(name) => {
            if let Some(last) = last {
                errors.invalid(&own, last, "may not be specified when `port` is non-numeric");
            }
            errors.invalid_each(&path.child("port"), name, names::port_name(name));
        }
        number => {
            let number = number.as_i64().unwrap_or_default();
            for words in names::port_number(number) {
                errors.invalid(&path.child("port"), number, words);
            }
            if let Some(last) = last {
                if last < number {
                    errors.invalid(&own, number, "must be greater than or equal to `port`");
                }
                for words in names::port_number(last) {
                    errors.invalid(&own, last, words);
                }
            }
        }
    }
}

fn peer(peer: &Value, options: &Options<'_>, path: &Path, errors: &mut Errors) {
    let mut found = 0;
    for field in ["podSelector", "namespaceSelector"] {
        if peer.has(field) {
            found += 1;
            selector::validate(peer.at(field), options.values, &path.child(field), errors);
        }
    }
    let block = peer.at("ipBlock");
    if !block.is_null() {
        found += 1;
        ip_block(block, options, &path.child("ipBlock"), errors);
    }
    if found == 0 {
        errors.required(path, "must specify a peer");
    } else if found > 1 && !block.is_null() {
        errors.forbidden(path, "may not specify both ipBlock and another peer");
    }
}

fn ip_block(block: &Value, options: &Options<'_>, path: &Path, errors: &mut Errors) {
    let text = block.text("cidr");
    if text.is_empty() {
        errors.required(&path.child("cidr"), "");
        return;
    }
    network::range(text, &options.ranges, &path.child("cidr"), errors);
    let Some(whole) = Range::sloppy(text) else { return };
    for (index, except) in block.list("except").iter().enumerate() {
        let (text, path) = (text_of(except), path.child("except").index(index));
        network::range(text, &options.ranges, &path, errors);
        let Some(part) = Range::sloppy(text) else { continue };
        if !whole.contains(part.first()) || whole.bits >= part.bits {
            errors.invalid(&path, text, "must be a strict subset of `cidr`");
        }
    }
}

fn policy(object: &Value, options: &Options<'_>, errors: &mut Errors) {
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    selector::validate(spec.at("podSelector"), options.values, &path.child("podSelector"), errors);
    for (direction, peers) in DIRECTIONS {
        for (index, rule) in spec.list(direction).iter().enumerate() {
            let path = path.child(direction).index(index);
            for (index, one) in rule.list("ports").iter().enumerate() {
                port(one, &path.child("ports").index(index), errors);
            }
            for (index, one) in rule.list(peers).iter().enumerate() {
                peer(one, options, &path.child(peers).index(index), errors);
            }
        }
    }
    let kinds = spec.list("policyTypes");
    let own = path.child("policyTypes");
    if kinds.len() > 2 {
        errors.invalid(&own, spec.at("policyTypes").clone(), "may not specify more than two policyTypes");
        return;
    }
    for (index, kind) in kinds.iter().enumerate() {
        errors.one_of(text_of(kind), &["Ingress", "Egress"], &own.index(index));
    }
}

/// The blocks of addresses of a policy with their paths.
fn blocks(object: &Value) -> Vec<(&Value, Path)> {
    let mut out = Vec::new();
    for (direction, peers) in DIRECTIONS {
        for (index, rule) in object.at("spec").list(direction).iter().enumerate() {
            let path = Path::new("spec").child(direction).index(index).child(peers);
            for (index, peer) in rule.list(peers).iter().enumerate() {
                if peer.has("ipBlock") {
                    out.push((peer.at("ipBlock"), path.index(index).child("ipBlock")));
                }
            }
        }
    }
    out
}

impl Rules for NetworkPolicy {
    fn default(&self, object: &mut Value) {
        let Some(spec) = child_mut(object, "spec") else { return };
        for (direction, _) in DIRECTIONS {
            for port in list_mut(spec, direction).flat_map(|rule| list_mut(rule, "ports")) {
                fill_absent(port, "protocol", "TCP");
            }
        }
        if spec.list("policyTypes").is_empty() {
            let both = !spec.list("egress").is_empty();
            let kinds = if both { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
            set(spec, "policyTypes", kinds);
        }
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        policy(object, &Options { values: Values::Checked, ranges: Vec::new() }, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let understood = selector::is_understood(old.at("spec").at("podSelector"));
        let ranges = blocks(old)
            .into_iter()
            .flat_map(|(block, _)| {
                std::iter::once(block.text("cidr")).chain(block.list("except").iter().map(text_of))
            })
            .collect();
        let values = if understood { Values::Checked } else { Values::Any };
        metadata::validate_update(object, old, &mut errors);
        policy(object, &Options { values, ranges }, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        let mut out = Vec::new();
        for (block, path) in blocks(object) {
            out.extend(network::range_warnings(block.text("cidr"), &path.child("cidr")));
            for (index, except) in block.list("except").iter().enumerate() {
                let path = path.child("except").index(index);
                out.extend(network::range_warnings(text_of(except), &path));
            }
        }
        out
    }
}
