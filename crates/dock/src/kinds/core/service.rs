//! Services: their rules. Addresses and ports are given out elsewhere; [`super::service_addresses`] tells when.

use serde_json::{Value, json};

use super::balancer::{ingress_mode, ingress_point_warnings, ingress_points};
use crate::field::{FieldError, Path, quoted};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::pod::probes::port;
use crate::kinds::read::{Read, at_mut, child_mut, fill, fill_absent, list_mut, same, set, text_of, unset};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, copy_field, names, network};

const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";

/// The rules of `Service`.
pub(crate) struct Service;

pub(super) fn kind_of(service: &Value) -> &str {
    service.at("spec").text("type")
}

/// Whether clients outside of the cluster can reach a service.
fn is_external(service: &Value) -> bool {
    match kind_of(service) {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !service.at("spec").list("externalIPs").is_empty(),
        _ => false,
    }
}

pub(super) fn is_headless(service: &Value) -> bool {
    matches!(service.at("spec").list("clusterIPs"), [one] if one == "None")
}

/// Whether a service has a port of its own for checks of health.
pub(super) fn needs_health_port(service: &Value) -> bool {
    kind_of(service) == "LoadBalancer" && service.at("spec").text("externalTrafficPolicy") == "Local"
}

fn service(object: &Value, old: Option<&Value>, errors: &mut Errors) {
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    let annotations = object.at("metadata").at("annotations");
    if let (Some(hints), Some(mode)) = (annotations.get(TOPOLOGY_HINTS), annotations.get(TOPOLOGY_MODE))
        && hints != mode
    {
        errors.invalid(
            &Path::new("metadata").child("annotations").key(TOPOLOGY_MODE),
            text_of(mode),
            format!("must match annotations[{TOPOLOGY_HINTS}] when both are specified"),
        );
    }
    let headless = is_headless(object);
    let ports = spec.list("ports");
    if ports.is_empty() && !headless && kind_of(object) != "ExternalName" {
        errors.required(&path.child("ports"), "");
    }
    by_type(object, headless, &path, errors);
    let mut seen: Vec<&str> = Vec::new();
    for (index, port) in ports.iter().enumerate() {
        let path = path.child("ports").index(index);
        service_port(port, ports.len() > 1, &mut seen, &path, errors);
    }
    metadata::labels(spec, "selector", &path, errors);
    affinity(spec, &path, errors);
    super::service_addresses::validate(object, old, errors);
    let before: Vec<&str> = old.map_or_else(Vec::new, |old| texts(old.at("spec"), "externalIPs"));
    for (index, address) in texts(spec, "externalIPs").into_iter().enumerate() {
        let path = path.child("externalIPs").index(index);
        let found = errors.len();
        network::address(address, &before, &path, errors);
        if errors.len() == found {
            endpoint_address(address, &path, errors);
        }
    }
    let kind = kind_of(object);
    if kind.is_empty() {
        errors.required(&path.child("type"), "");
    } else {
        let known = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
        errors.one_of(kind, &known, &path.child("type"));
    }
    unique_ports(object, &path.child("ports"), errors);
    source_ranges(object, old, &path, errors);
    let allocates = spec.has("allocateLoadBalancerNodePorts");
    if allocates && kind != "LoadBalancer" {
        errors.forbidden(
            &path.child("allocateLoadBalancerNodePorts"),
            "may only be used when `type` is 'LoadBalancer'",
        );
    }
    if !allocates && kind == "LoadBalancer" {
        errors.required(&Path::new("allocateLoadBalancerNodePorts"), "");
    }
    load_balancer_class(object, None, errors);
    traffic(object, &path, errors);
}

pub(super) fn texts<'a>(object: &'a Value, field: &str) -> Vec<&'a str> {
    object.list(field).iter().map(text_of).collect()
}

fn by_type(object: &Value, headless: bool, path: &Path, errors: &mut Errors) {
    let (spec, kind) = (object.at("spec"), kind_of(object));
    match kind {
        "LoadBalancer" | "NodePort" if headless => {
            errors.invalid(
                &path.child("clusterIPs").index(0),
                "None",
                format!("may not be set to 'None' for {kind} services"),
            );
        }
        "ExternalName" => {
            for field in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
                if spec.has(field) {
                    errors.forbidden(&path.child(field), "may not be set for ExternalName services");
                }
            }
            let name = spec.text("externalName");
            let name = name.strip_suffix('.').unwrap_or(name);
            if name.is_empty() {
                errors.required(&path.child("externalName"), "");
            } else {
                errors.invalid_each(&path.child("externalName"), name, names::dns_subdomain(name));
            }
        }
        _ => {}
    }
}

fn service_port<'a>(own: &'a Value, named: bool, seen: &mut Vec<&'a str>, path: &Path, errors: &mut Errors) {
    let name = own.text("name");
    if named && name.is_empty() {
        errors.required(&path.child("name"), "");
    } else if !name.is_empty() {
        errors.invalid_each(&path.child("name"), name, names::dns_label(name));
        if seen.contains(&name) {
            errors.duplicate(&path.child("name"), name);
        } else {
            seen.push(name);
        }
    }
    for words in names::port_number(own.int("port")) {
        errors.invalid(&path.child("port"), own.int("port"), words);
    }
    protocol(own, path, errors);
    port(own.at("targetPort"), &path.child("targetPort"), errors);
    if let Some(protocol) = own.at("appProtocol").as_str() {
        errors.invalid_each(&path.child("appProtocol"), protocol, names::label_key(protocol));
    }
}

/// The protocol of a port.
pub(crate) fn protocol(port: &Value, path: &Path, errors: &mut Errors) {
    let protocol = port.text("protocol");
    if protocol.is_empty() {
        errors.required(&path.child("protocol"), "");
    } else {
        errors.one_of(protocol, &["SCTP", "TCP", "UDP"], &path.child("protocol"));
    }
}

fn affinity(spec: &Value, path: &Path, errors: &mut Errors) {
    let affinity = spec.text("sessionAffinity");
    if affinity.is_empty() {
        errors.required(&path.child("sessionAffinity"), "");
    } else {
        errors.one_of(affinity, &["ClientIP", "None"], &path.child("sessionAffinity"));
    }
    let config = spec.at("sessionAffinityConfig");
    let path = path.child("sessionAffinityConfig");
    if affinity == "None" && !config.is_null() {
        errors.forbidden(&path, "must not be set when session affinity is None");
    }
    if affinity != "ClientIP" {
        return;
    }
    let client = path.child("clientIP");
    let words = "when session affinity type is ClientIP";
    if config.is_null() {
        errors.required(&path, words);
    } else if !config.has("clientIP") {
        errors.required(&client, words);
    } else if let Some(seconds) = config.at("clientIP").number("timeoutSeconds") {
        if !(1..=86400).contains(&seconds) {
            errors.invalid(
                &client.child("timeoutSeconds"),
                seconds,
                "must be greater than 0 and less than 86400",
            );
        }
    } else {
        errors.required(&client.child("timeoutSeconds"), words);
    }
}

/// Addresses that endpoints may not have.
pub(crate) fn endpoint_address(text: &str, path: &Path, errors: &mut Errors) {
    let Some(address) = network::sloppy(text).map(|address| address.to_canonical()) else { return };
    let refuse = |errors: &mut Errors, words: &str| errors.invalid(path, text, words);
    if address.is_unspecified() {
        refuse(errors, &format!("may not be unspecified ({text})"));
    }
    if address.is_loopback() {
        refuse(errors, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
    }
    let local = match address {
        std::net::IpAddr::V4(address) => address.is_link_local(),
        std::net::IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    if local {
        refuse(errors, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    }
    let multicast = match address {
        std::net::IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        std::net::IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    };
    if multicast {
        refuse(errors, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
    }
}

fn unique_ports(object: &Value, path: &Path, errors: &mut Errors) {
    let ports = object.at("spec").list("ports");
    if kind_of(object) == "ClusterIP" {
        for (index, port) in ports.iter().enumerate() {
            if port.int("nodePort") != 0 {
                errors.forbidden(
                    &path.index(index).child("nodePort"),
                    "may not be used when `type` is 'ClusterIP'",
                );
            }
        }
    }
    for (index, port) in ports.iter().enumerate() {
        let number = port.int("nodePort");
        let taken = ports[..index]
            .iter()
            .any(|other| other.int("nodePort") == number && other.text("protocol") == port.text("protocol"));
        if number != 0 && taken {
            errors.duplicate(&path.index(index).child("nodePort"), number);
        }
    }
    for (index, port) in ports.iter().enumerate() {
        let taken = ports[..index].iter().any(|other| {
            other.int("port") == port.int("port") && other.text("protocol") == port.text("protocol")
        });
        if taken {
            let mut error = FieldError::duplicate(&path.index(index), Value::Null);
            error.shown = Some(format!(
                "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{},\"TargetPort\":0,\"NodePort\":0}}",
                quoted(port.text("protocol")),
                port.int("port")
            ));
            errors.push(error);
        }
    }
}

fn source_ranges(object: &Value, old: Option<&Value>, path: &Path, errors: &mut Errors) {
    let ranges = texts(object.at("spec"), "loadBalancerSourceRanges");
    let words = "may only be used when `type` is 'LoadBalancer'";
    let balanced = kind_of(object) == "LoadBalancer";
    let annotation = |object: &Value| object.at("metadata").at("annotations").get(SOURCE_RANGES).cloned();
    if !ranges.is_empty() {
        let path = path.child("LoadBalancerSourceRanges");
        if !balanced {
            errors.forbidden(&path, words);
        }
        let before = old.map_or_else(Vec::new, |old| texts(old.at("spec"), "loadBalancerSourceRanges"));
        let before: Vec<&str> = before.into_iter().map(str::trim).collect();
        for (index, range) in ranges.into_iter().enumerate() {
            network::range(range.trim(), &before, &path.index(index), errors);
        }
    } else if let Some(told) = annotation(object) {
        let path = Path::new("metadata").child("annotations").key(SOURCE_RANGES);
        if !balanced {
            errors.forbidden(&path, words);
        }
        let text = text_of(&told).trim();
        if old.and_then(annotation).as_ref() != Some(&told) && !text.is_empty() {
            for range in text.split(',') {
                network::range(range.trim(), &[], &path, errors);
            }
        }
    }
}

fn load_balancer_class(object: &Value, old: Option<&Value>, errors: &mut Errors) {
    let path = Path::new("spec").child("loadBalancerClass");
    let class = object.at("spec").at("loadBalancerClass");
    let balanced = kind_of(object) == "LoadBalancer";
    if let Some(old) = old
        && balanced
        && kind_of(old) == "LoadBalancer"
        && class != old.at("spec").at("loadBalancerClass")
    {
        errors.invalid(&path, class.clone(), "may not change once set");
    }
    if let Some(class) = class.as_str() {
        if balanced {
            errors.invalid_each(&path, class, names::label_key(class));
        } else {
            errors.forbidden(&path, "may only be used when `type` is 'LoadBalancer'");
        }
    }
}

fn traffic(object: &Value, path: &Path, errors: &mut Errors) {
    let spec = object.at("spec");
    let (policy, own) = (spec.text("externalTrafficPolicy"), path.child("externalTrafficPolicy"));
    if !is_external(object) {
        if !policy.is_empty() {
            errors.invalid(&own, policy, "may only be set for externally-accessible services");
        }
    } else if policy.is_empty() {
        errors.required(&own, "");
    } else {
        errors.one_of(policy, &["Cluster", "Local"], &own);
    }
    let (port, own) = (spec.int("healthCheckNodePort"), path.child("healthCheckNodePort"));
    if !needs_health_port(object) {
        if port != 0 {
            errors.invalid(
                &own,
                port,
                "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
            );
        }
    } else if port == 0 {
        errors.required(&own, "");
    } else {
        for words in names::port_number(port) {
            errors.invalid(&own, port, words);
        }
    }
    let own = path.child("internalTrafficPolicy");
    match spec.at("internalTrafficPolicy").as_str() {
        Some(policy) => errors.one_of(policy, &["Cluster", "Local"], &own),
        None if ["NodePort", "LoadBalancer", "ClusterIP"].contains(&kind_of(object)) => {
            errors.required(&own, "");
        }
        None => {}
    }
    if let Some(distribution) = spec.at("trafficDistribution").as_str() {
        let known = ["PreferClose", "PreferSameZone", "PreferSameNode"];
        errors.one_of(distribution, &known, &path.child("trafficDistribution"));
    }
}

/// Takes out what the server had given out and the new type does not have.
fn drop_by_type(object: &mut Value, old: &Value) {
    let had = |test: fn(&Value) -> bool| test(old) && !test(object);
    let lost_address = had(|service| kind_of(service) != "ExternalName");
    let lost_ports = had(|service| ["NodePort", "LoadBalancer"].contains(&kind_of(service)));
    let lost_health = had(needs_health_port);
    let lost_balancer = had(|service| kind_of(service) == "LoadBalancer");
    let lost_outside = had(is_external);
    let balanced = kind_of(object) == "LoadBalancer";
    let before = old.at("spec");
    let Some(spec) = at_mut(object, "spec") else { return };
    let alike = |spec: &Value, field: &str| same(spec.at(field), before.at(field));
    if lost_address {
        if alike(spec, "clusterIP") && alike(spec, "clusterIPs") {
            unset(spec, "clusterIP");
            unset(spec, "clusterIPs");
        }
        for field in ["ipFamilies", "ipFamilyPolicy"] {
            if alike(spec, field) {
                unset(spec, field);
            }
        }
    }
    let given =
        |port: &Value| before.list("ports").iter().any(|old| old.int("nodePort") == port.int("nodePort"));
    if lost_ports && spec.list("ports").iter().all(|port| port.int("nodePort") == 0 || given(port)) {
        for port in list_mut(spec, "ports") {
            unset(port, "nodePort");
        }
    }
    if lost_health && alike(spec, "healthCheckNodePort") {
        unset(spec, "healthCheckNodePort");
    }
    if lost_balancer {
        for field in ["allocateLoadBalancerNodePorts", "loadBalancerClass"] {
            if alike(spec, field) {
                unset(spec, field);
            }
        }
    }
    if lost_outside && alike(spec, "externalTrafficPolicy") {
        unset(spec, "externalTrafficPolicy");
    }
    if !balanced && let Some(status) = child_mut(object, "status") {
        set(status, "loadBalancer", json!({}));
    }
}

impl Rules for Service {
    fn default(&self, object: &mut Value) {
        let Some(spec) = child_mut(object, "spec") else { return };
        fill(spec, "sessionAffinity", "None");
        match spec.text("sessionAffinity") {
            "None" => unset(spec, "sessionAffinityConfig"),
            "ClientIP" if !spec.at("sessionAffinityConfig").at("clientIP").has("timeoutSeconds") => {
                set(spec, "sessionAffinityConfig", json!({"clientIP": {"timeoutSeconds": 10800}}));
            }
            _ => {}
        }
        fill(spec, "type", "ClusterIP");
        for port in list_mut(spec, "ports") {
            fill(port, "protocol", "TCP");
            let target = port.at("targetPort");
            if target.is_null() || target == 0 || target == "" {
                let number = port.int("port");
                set(port, "targetPort", number);
            }
        }
        let kind = kind_of(object).to_owned();
        let external = is_external(object);
        let Some(spec) = at_mut(object, "spec") else { return };
        if external {
            fill(spec, "externalTrafficPolicy", "Cluster");
        }
        if ["NodePort", "LoadBalancer", "ClusterIP"].contains(&kind.as_str()) {
            fill_absent(spec, "internalTrafficPolicy", "Cluster");
        }
        if kind == "LoadBalancer" {
            fill_absent(spec, "allocateLoadBalancerNodePorts", true);
            let balancer = at_mut(object, "status").and_then(|status| at_mut(status, "loadBalancer"));
            if let Some(balancer) = balancer {
                for ingress in list_mut(balancer, "ingress") {
                    if !ingress.text("ip").is_empty() {
                        fill_absent(ingress, "ipMode", "VIP");
                    }
                }
            }
        }
    }

    fn first_status(&self) -> Option<Value> {
        Some(json!({"loadBalancer": {}}))
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "status");
        drop_by_type(object, old);
    }

    fn is_shown_as_kept(&self, object: &Value) -> bool {
        kind_of(object) != "ExternalName"
    }

    fn hide(&self, object: &mut Value) {
        if kind_of(object) == "ExternalName"
            && let Some(spec) = at_mut(object, "spec")
        {
            unset(spec, "internalTrafficPolicy");
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_label, &mut errors);
        service(object, None, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        super::service_addresses::validate_change(object, old, &mut errors);
        load_balancer_class(object, Some(old), &mut errors);
        let port = |object: &Value| object.at("spec").int("healthCheckNodePort");
        if needs_health_port(old) && needs_health_port(object) && port(object) != port(old) {
            errors.forbidden(&Path::new("spec").child("healthCheckNodePort"), "field is immutable");
        }
        service(object, Some(old), &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        let path = Path::new("status").child("loadBalancer").child("ingress");
        let points = |object: &Value| object.at("status").at("loadBalancer").list("ingress").to_vec();
        let all = points(object);
        if kind_of(object) != "LoadBalancer" && !all.is_empty() {
            errors.forbidden(&path, "may only be used when `spec.type` is 'LoadBalancer'");
        } else {
            ingress_points(&all, &points(old), &path, &mut errors);
            for (index, point) in all.iter().enumerate() {
                ingress_mode(point, &path.index(index), &mut errors);
            }
        }
        errors.found()
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        warnings(object)
    }

    fn status_warnings(&self, object: &Value, _old: &Value) -> Vec<String> {
        ingress_point_warnings(object)
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["spec.clusterIP", "spec.type"]
    }
}

fn warnings(object: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let (spec, path, kind) = (object.at("spec"), Path::new("spec"), kind_of(object));
    if object.at("metadata").at("annotations").has(TOPOLOGY_HINTS) {
        out.push(format!("annotation {TOPOLOGY_HINTS} is deprecated, please use {TOPOLOGY_MODE} instead"));
    }
    let address = spec.text("clusterIP");
    if !address.is_empty() && address != "None" {
        for (index, address) in texts(spec, "clusterIPs").into_iter().enumerate() {
            out.extend(network::address_warnings(address, &path.child("clusterIPs").index(index)));
        }
    }
    let headless = kind == "ClusterIP" && address == "None";
    let outside = texts(spec, "externalIPs");
    if headless {
        for (ignored, named) in [
            (!spec.text("loadBalancerIP").is_empty(), "loadBalancerIP"),
            (!outside.is_empty(), "externalIPs"),
            (spec.text("sessionAffinity") != "None", "SessionAffinity"),
        ] {
            if ignored {
                out.push(format!("spec.{named} is ignored for headless services"));
            }
        }
    }
    for (index, address) in outside.iter().enumerate() {
        out.extend(network::address_warnings(address, &path.child("externalIPs").index(index)));
    }
    if !outside.is_empty() && !headless && kind != "ExternalName" {
        out.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters".into());
    }
    let balancer = spec.text("loadBalancerIP");
    if !balancer.is_empty() {
        out.extend(network::address_warnings(balancer, &path.child("loadBalancerIP")));
    }
    for (index, range) in texts(spec, "loadBalancerSourceRanges").into_iter().enumerate() {
        out.extend(network::range_warnings(range, &path.child("loadBalancerSourceRanges").index(index)));
    }
    if kind == "ExternalName" && !outside.is_empty() {
        out.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".into());
    }
    if kind != "ExternalName" && !spec.text("externalName").is_empty() {
        out.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".into());
    }
    if spec.text("trafficDistribution") == "PreferClose" {
        out.push("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"".into());
    }
    out
}
