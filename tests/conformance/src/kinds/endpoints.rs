//! Where traffic goes, and what is told about objects: `Endpoints`, `EndpointSlice`, `Event` in both of its groups.

use serde_json::{Value, json};

use super::{Kind, no_status};
use crate::dice::Dice;
use crate::sequence::Group;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: Group::Networking,
        prefix: "/api/v1",
        api_version: "v1",
        kind: "Endpoints",
        plural: "endpoints",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name"],
        make: endpoints,
        change: endpoints,
        strategic: endpoints,
        status: no_status,
        wrong: endpoints_wrong,
    },
    Kind {
        group: Group::Networking,
        prefix: "/apis/discovery.k8s.io/v1",
        api_version: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        plural: "endpointslices",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name"],
        make: slice,
        change: slice_change,
        strategic: slice_change,
        status: no_status,
        wrong: slice_wrong,
    },
    Kind {
        group: Group::Policy,
        prefix: "/api/v1",
        api_version: "v1",
        kind: "Event",
        plural: "events",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name", "reason", "type", "involvedObject.kind"],
        make: event,
        change: event_change,
        strategic: event_change,
        status: no_status,
        wrong: event_wrong,
    },
    Kind {
        group: Group::Policy,
        prefix: "/apis/events.k8s.io/v1",
        api_version: "events.k8s.io/v1",
        kind: "Event",
        plural: "events",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name", "reason", "regarding.kind"],
        make: new_event,
        change: new_event_change,
        strategic: new_event_change,
        status: no_status,
        wrong: event_wrong,
    },
];

fn endpoints(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"subsets": [{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80}]}]}),
        1 => json!({"subsets": [{
            "addresses": [{"ip": "192.0.2.1", "hostname": "a", "nodeName": "n"}, {"ip": "192.0.2.2"}],
            "notReadyAddresses": [{"ip": "192.0.2.3", "targetRef": {"kind": "Pod", "name": "p"}}],
            "ports": [{"name": "http", "port": 80}, {"name": "dns", "port": 53, "protocol": "UDP"}],
        }]}),
        _ => json!({"subsets": [{"notReadyAddresses": [{"ip": dice.pick(&["192.0.2.4", "2001:db8::1"])}]}]}),
    }
}

fn endpoints_wrong(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"subsets": [{"addresses": [{"ip": "not an address"}]}]}),
        1 => json!({"subsets": [{"ports": [{"port": 80}]}]}),
        2 => json!({"subsets": [{"addresses": [{"ip": "127.0.0.1"}], "ports": [{"port": 0}]}]}),
        _ => json!({"subsets": "none"}),
    }
}

fn slice(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"addressType": "IPv4", "endpoints": [{"addresses": ["192.0.2.1"]}]}),
        1 => {
            json!({"addressType": "IPv4", "ports": [{"name": "http", "port": 80}, {"name": "dns", "protocol": "UDP", "port": 53}],
            "endpoints": [{"addresses": ["192.0.2.1"], "conditions": {"ready": dice.chance(50)}, "zone": "z",
                "nodeName": "n", "hints": {"forZones": [{"name": "z"}]}}]})
        }
        _ => json!({"addressType": "FQDN", "endpoints": [{"addresses": ["a.example.com"]}], "ports": []}),
    }
}

fn slice_change(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"ports": [{"name": "tls", "port": dice.pick(&[443, 8443]), "appProtocol": "https"}]}),
        1 => json!({"metadata": {"labels": {"kubernetes.io/service-name": dice.pick(&["web", "db"])}}}),
        _ => json!({"ports": null}),
    }
}

fn slice_wrong(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"addressType": "IPv6"}),
        1 => json!({"endpoints": [{"addresses": []}]}),
        2 => json!({"ports": [{"port": 80}, {"port": 81}]}),
        _ => json!({"endpoints": [{"addresses": ["169.254.0.1"], "hostname": "Not A Host"}]}),
    }
}

fn event(dice: &mut Dice) -> Value {
    let about = json!({"kind": "Pod", "name": "p", "namespace": "⟨tag⟩-a"});
    match dice.below(2) {
        0 => {
            json!({"involvedObject": about, "reason": "Said", "message": "so it is", "type": "Normal", "count": 1,
            "firstTimestamp": "2026-01-02T03:04:05Z", "lastTimestamp": "2026-01-02T03:04:05Z", "source": {"component": "conformance"}})
        }
        _ => json!({"involvedObject": about, "reason": dice.pick(&["Said", "Done"]), "type": "Warning",
            "eventTime": "2026-01-02T03:04:05.000000Z", "action": "Act", "reportingComponent": "slipway.dev/conformance", "reportingInstance": "one"}),
    }
}

fn event_change(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"count": dice.between(2, 9)}),
        _ => json!({"message": dice.pick(&["again", "and again"])}),
    }
}

fn new_event(dice: &mut Dice) -> Value {
    json!({"regarding": {"kind": "Pod", "name": "p", "namespace": "⟨tag⟩-a"}, "reason": "Said", "note": dice.pick(&["so it is", ""]),
        "type": dice.pick(&["Normal", "Warning"]), "eventTime": "2026-01-02T03:04:05.000000Z", "action": "Act",
        "reportingController": "slipway.dev/conformance", "reportingInstance": "one"})
}

fn new_event_change(dice: &mut Dice) -> Value {
    json!({"series": {"count": dice.between(2, 9), "lastObservedTime": "2026-01-02T03:04:06.000000Z"}})
}

fn event_wrong(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"reason": 7}),
        1 => json!({"eventTime": "yesterday"}),
        _ => json!({"type": "Odd", "reason": "Other"}),
    }
}
