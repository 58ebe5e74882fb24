//! What there is only one of in the cluster: the addresses and node ports of Services.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use serde_json::{Value, json};

use super::call::Call;
use super::managed::unexplained;
use super::metadata;
use crate::controllers::exposure::{CLUSTER_ADDRESSES, allocate};
use crate::field::{FieldError, Path};
use crate::kinds::service_addresses::{Needs, begin_create, begin_update};
use crate::meta::random_uid;
use crate::server::Server;
use crate::status::Status;

/// The ports that nodes give to Services.
const NODE_PORTS: std::ops::Range<u32> = 30_000..32_768;

impl Server {
    /// Gives a Service the addresses and ports that it needs and does not name.
    pub(super) fn allocate(
        &self,
        call: &Call,
        object: &mut Value,
        live: Option<&Value>,
    ) -> Result<(), Status> {
        if &*call.resource.kind != "Service" || !call.resource.key.group.is_empty() {
            return Ok(());
        }
        let needs = match live {
            Some(live) => begin_update(object, live),
            None => begin_create(object),
        };
        let name = metadata::text(object, "name").to_owned();
        let needs = needs.map_err(|errors| Status::invalid("", "Service", &name, &errors))?;
        self.check_asked(call, object, live)?;
        if needs != Needs::default() {
            self.give(call, object, needs, live.is_none())?;
        }
        Ok(())
    }

    /// Whether the addresses and ports that a Service names can be had.
    fn check_asked(&self, call: &Call, object: &Value, live: Option<&Value>) -> Result<(), Status> {
        let spec = &object["spec"];
        // One that has addresses keeps them, as is found later.
        let addressed = live.is_some_and(|live| live["spec"]["type"] != "ExternalName");
        let asked: Vec<&str> = spec["clusterIPs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|address| !addressed && spec["type"] != "ExternalName" && *address != "None")
            .filter_map(Value::as_str)
            .collect();
        let mut held_ports = live.map(node_ports).unwrap_or_default();
        let ports = spec["ports"].as_array().map(Vec::as_slice).unwrap_or_default();
        let asks_ports = matches!(spec["type"].as_str(), Some("NodePort" | "LoadBalancer"))
            && ports.iter().any(|port| port["nodePort"].as_u64().is_some_and(|port| port != 0));
        if asked.is_empty() && !asks_ports {
            return Ok(());
        }
        let uid = &object["metadata"]["uid"];
        let services = self.store.list(&call.resource.range("")).objects;
        let others = || services.iter().filter(|other| other.object["metadata"]["uid"] != *uid);
        let mut errors = Vec::new();
        for address in asked {
            let Ok(wanted) = address.parse::<Ipv4Addr>() else { continue };
            let why = if !in_range(wanted) && call.options.is_dry_run() {
                let (base, bits) = CLUSTER_ADDRESSES;
                format!(
                    "the provided IP ({address}) is not in the valid range. The range of valid IPs is {base}/{bits}"
                )
            } else if !in_range(wanted) {
                "the provided network does not match the current range".to_owned()
            } else if others().any(|other| other.object["spec"]["clusterIP"] == address) {
                "provided IP is already allocated".to_owned()
            } else {
                continue;
            };
            let path = Path::new("spec").child("clusterIPs");
            let words = format!("failed to allocate IP {address}: {why}");
            errors.push(FieldError::invalid(&path, spec["clusterIPs"].clone(), words));
        }
        let taken: BTreeSet<u32> = others().flat_map(|other| node_ports(&other.object)).collect();
        let mut seen = BTreeSet::new();
        for (index, port) in ports.iter().enumerate().filter(|_| asks_ports && errors.is_empty()) {
            let Some(wanted) = port["nodePort"].as_u64().and_then(|port| u32::try_from(port).ok()) else {
                continue;
            };
            if wanted == 0 {
                continue;
            }
            // Ports without names are one to the server, which gives all of them what the one had.
            let protocol = port["protocol"].as_str().unwrap_or_default();
            if held_ports.contains(&wanted) {
                if live.is_some() && !seen.insert((protocol, wanted)) {
                    return Err(unexplained(format!("duplicate nodePort: {{{protocol} {wanted}}}")));
                }
                continue;
            }
            let why = if !NODE_PORTS.contains(&wanted) {
                let last = NODE_PORTS.end - 1;
                format!(
                    "provided port is not in the valid range. The range of valid ports is {}-{last}",
                    NODE_PORTS.start
                )
            } else if taken.contains(&wanted) {
                "provided port is already allocated".to_owned()
            } else {
                held_ports.push(wanted);
                seen.insert((protocol, wanted));
                continue;
            };
            let path = Path::new("spec").child("ports").index(index).child("nodePort");
            errors.push(FieldError::invalid(&path, wanted, why));
            break;
        }
        if errors.is_empty() {
            return Ok(());
        }
        Err(Status::invalid("", "Service", metadata::text(object, "name"), &errors))
    }

    fn give(&self, call: &Call, object: &mut Value, needs: Needs, fresh: bool) -> Result<(), Status> {
        let name = metadata::text(object, "name").to_owned();
        let services = self.store.list(&call.resource.range("")).objects;
        // Nobody may count on an address, not even after a rehearsal.
        let seed = random_uid();
        if needs.cluster_ip {
            let taken: BTreeSet<Ipv4Addr> = services
                .iter()
                .filter_map(|service| service.object["spec"]["clusterIP"].as_str()?.parse().ok())
                .collect();
            // A rehearsal shows where addresses begin, whether or not that is taken.
            let rehearsed = call.options.is_dry_run().then_some(CLUSTER_ADDRESSES.0);
            let address = rehearsed
                .or_else(|| allocate(CLUSTER_ADDRESSES, &taken, &seed))
                .ok_or_else(|| Status::internal("failed to allocate a serviceIP: range is full"))?;
            if name.is_empty() {
                return Err(Status::invalid("", "Service", &name, &[nameless(address)]));
            }
            object["spec"]["clusterIP"] = address.to_string().into();
            object["spec"]["clusterIPs"] = json!([address.to_string()]);
        }
        let mut taken: BTreeSet<u32> =
            services.iter().flat_map(|service| node_ports(&service.object)).collect();
        taken.extend(node_ports(object));
        let start = seed.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
        let count = NODE_PORTS.end - NODE_PORTS.start;
        let mut free = (0..count)
            .map(|step| NODE_PORTS.start + (start % count + step) % count)
            .filter(|port| !taken.contains(port));
        let full = || Status::internal("failed to allocate a nodePort: range is full");
        // A rehearsal counts on from behind the last port, or from the greatest that a new Service asks for.
        let asked = if fresh { node_ports(object) } else { Vec::new() };
        let mut last = asked.into_iter().max().unwrap_or(NODE_PORTS.end);
        let dry_run = call.options.is_dry_run();
        let mut next = || {
            if dry_run {
                last += 1;
                return Ok(last);
            }
            free.next().ok_or_else(full)
        };
        if needs.node_ports {
            // A new Service has one for all protocols of a port.
            let mut shared: BTreeMap<i64, u32> = BTreeMap::new();
            let ports = object["spec"]["ports"].as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
            for port in ports.iter().filter(|_| fresh).rev() {
                let asked = port["nodePort"].as_u64().and_then(|asked| u32::try_from(asked).ok());
                if let Some(asked) = asked.filter(|asked| *asked != 0) {
                    shared.insert(port["port"].as_i64().unwrap_or_default(), asked);
                }
            }
            for port in ports {
                if port["nodePort"].as_i64().unwrap_or_default() != 0 {
                    continue;
                }
                let number = port["port"].as_i64().unwrap_or_default();
                let given = match shared.get(&number) {
                    Some(given) => *given,
                    None => next()?,
                };
                if fresh {
                    shared.insert(number, given);
                }
                port["nodePort"] = given.into();
            }
        }
        if needs.health_check_port {
            object["spec"]["healthCheckNodePort"] = next()?.into();
        }
        Ok(())
    }
}

/// The server notes whose an address is before it looks at the Service itself.
fn nameless(address: Ipv4Addr) -> FieldError {
    let words = format!(
        "failed to allocate IP: IPAddress.networking.k8s.io \"{address}\" is invalid: spec.parentRef.name: Required \
         value"
    );
    FieldError::invalid(&Path::new("spec").child("clusterIPs"), json!([""]), words)
}

/// Whether an address is one of those that Services get.
fn in_range(address: Ipv4Addr) -> bool {
    let (base, bits) = CLUSTER_ADDRESSES;
    (u32::from(address) ^ u32::from(base)) >> (32 - bits) == 0
}

/// The ports on nodes that a Service has.
fn node_ports(service: &Value) -> Vec<u32> {
    let ports = service["spec"]["ports"].as_array().into_iter().flatten().map(|port| &port["nodePort"]);
    let ports = ports.chain([&service["spec"]["healthCheckNodePort"]]);
    ports.filter_map(|port| u32::try_from(port.as_u64()?).ok()).filter(|port| *port != 0).collect()
}
