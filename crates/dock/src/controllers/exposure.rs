//! Services and Ingresses get addresses at which nobody listens.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::action::{Note, Outcome};
use super::object::Object;
use super::script::Script;
use super::world::{INGRESSES, Resource, SERVICES, World};

/// Addresses of Services, as the server gives them out: `10.96.0.0/12` but for its ends.
pub const CLUSTER_ADDRESSES: (Ipv4Addr, u32) = (Ipv4Addr::new(10, 96, 0, 0), 12);

/// An address of a range that is not taken, nearest after a starting point that depends on `seed` alone.
///
/// The first of the range is its own, the second the server's; the last is the broadcast address.
pub fn allocate(range: (Ipv4Addr, u32), taken: &BTreeSet<Ipv4Addr>, seed: &str) -> Option<Ipv4Addr> {
    let size = 1_u32.checked_shl(32 - range.1)?;
    let usable = size.checked_sub(3)?;
    if usable == 0 {
        return None;
    }
    let digest = Sha256::digest(seed.as_bytes());
    let start = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]) % usable;
    let base = u32::from(range.0);
    (0..usable)
        .map(|step| Ipv4Addr::from(base + 2 + (start + step) % usable))
        .find(|address| !taken.contains(address))
}

/// Gives a Service of type `LoadBalancer` its address, and takes it when the type changes.
pub fn reconcile_service(service: &Value, world: &dyn World) -> Outcome {
    let wanted = service.text("spec.type") == "LoadBalancer" && !service.is_deleting();
    let given = !service.items("status.loadBalancer.ingress").is_empty();
    let mut outcome = Outcome::nothing();
    if given && !wanted && !service.is_deleting() {
        outcome.update_status(&SERVICES, service, json!({ "loadBalancer": {} }));
        outcome.push(Note::normal(service, "DeletedLoadBalancer", "Deleted load balancer"));
    } else if wanted && !given {
        outcome = give(&SERVICES, service, &json!([{ "ip": address(service), "ipMode": "VIP" }]), world);
        if !outcome.actions.is_empty() {
            outcome.push(Note::normal(service, "EnsuredLoadBalancer", "Ensured load balancer"));
        }
    }
    outcome
}

/// Gives an Ingress its address.
pub fn reconcile_ingress(ingress: &Value, world: &dyn World) -> Outcome {
    if ingress.is_deleting() || !ingress.items("status.loadBalancer.ingress").is_empty() {
        return Outcome::nothing();
    }
    give(&INGRESSES, ingress, &json!([{ "ip": address(ingress) }]), world)
}

/// Gives an address when the script says so.
fn give(resource: &Resource, object: &Value, addresses: &Value, world: &dyn World) -> Outcome {
    let script = Script::of(object);
    if let Some(reason) = script.fail {
        let message = format!("Error syncing load balancer: failed to ensure load balancer: {reason}");
        return Outcome::of(vec![Note::warning(object, "SyncLoadBalancerFailed", message)]);
    }
    let due = script.ready_at(world.born(object));
    if due > world.now() {
        return Outcome { again: Some(due), ..Outcome::nothing() };
    }
    let mut status = object.at("status").clone();
    if !status.is_object() {
        status = json!({});
    }
    status["loadBalancer"] = json!({ "ingress": addresses });
    let mut outcome = Outcome::nothing();
    outcome.update_status(resource, object, status);
    outcome
}

/// An address for an object, the same whenever it is asked for.
fn address(object: &Value) -> String {
    let wanted = object.text("spec.loadBalancerIP");
    if !wanted.is_empty() {
        return wanted.to_owned();
    }
    let digest = Sha256::digest(object.uid().as_bytes());
    format!("172.19.{}.{}", digest[0], 1 + digest[1] % 254)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_of_a_range_is_given_once() {
        let range = (Ipv4Addr::new(10, 0, 0, 0), 28);
        let mut taken = BTreeSet::new();
        for number in 0..13 {
            let address = allocate(range, &taken, &number.to_string()).unwrap();
            assert!(taken.insert(address), "{address}");
        }
        let ends = [0, 1, 15].map(|last| Ipv4Addr::new(10, 0, 0, last));
        assert!(ends.iter().all(|end| !taken.contains(end)), "{taken:?}");
        assert_eq!(allocate(range, &taken, "one more"), None);
    }
}
