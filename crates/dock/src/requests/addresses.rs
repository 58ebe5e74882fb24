//! What there is only one of in the cluster: the addresses and node ports of Services.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use serde_json::{Value, json};

use super::call::Call;
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
        if needs != Needs::default() {
            self.give(call, object, needs, &name)?;
        }
        Ok(())
    }

    fn give(&self, call: &Call, object: &mut Value, needs: Needs, name: &str) -> Result<(), Status> {
        let services = self.store.list(&call.resource.range("")).objects;
        // Nobody may count on an address, not even after a rehearsal.
        let seed = random_uid();
        if needs.cluster_ip {
            let taken: BTreeSet<Ipv4Addr> = services
                .iter()
                .filter_map(|service| service.object["spec"]["clusterIP"].as_str()?.parse().ok())
                .collect();
            let address = allocate(CLUSTER_ADDRESSES, &taken, &seed)
                .ok_or_else(|| Status::internal("failed to allocate a serviceIP: range is full"))?;
            if name.is_empty() {
                return Err(Status::invalid("", "Service", name, &[nameless(address)]));
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
        let mut next =
            || free.next().ok_or_else(|| Status::internal("failed to allocate a nodePort: range is full"));
        if needs.node_ports {
            for port in object["spec"]["ports"].as_array_mut().into_iter().flatten() {
                if port["nodePort"].as_i64().unwrap_or_default() == 0 {
                    port["nodePort"] = next()?.into();
                }
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

/// The ports on nodes that a Service has.
fn node_ports(service: &Value) -> Vec<u32> {
    let ports = service["spec"]["ports"].as_array().into_iter().flatten().map(|port| &port["nodePort"]);
    let ports = ports.chain([&service["spec"]["healthCheckNodePort"]]);
    ports.filter_map(|port| u32::try_from(port.as_u64()?).ok()).filter(|port| *port != 0).collect()
}
