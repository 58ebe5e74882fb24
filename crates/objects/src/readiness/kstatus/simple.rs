//! The rules for kinds that look at one field or one condition: claims, Services, definitions of custom resources.

use goyaml::Value;

use super::conditions::conditions;
use super::fields::{self, Malformed};
use crate::readiness::Verdict;

pub(super) fn claim(object: &Value) -> Verdict {
    match fields::text_or(object, &["status", "phase"], "unknown") {
        "Bound" => Verdict::current("PVC is Bound"),
        phase => Verdict::in_progress("NotBound", format!("PVC is not Bound. phase: {phase}")),
    }
}

/// Whether a load balancer has an address is not asked, only whether the Service itself has one.
pub(super) fn service(object: &Value) -> Verdict {
    let has_address = !fields::text_or(object, &["spec", "clusterIP"], "").is_empty();
    if fields::text_or(object, &["spec", "type"], "ClusterIP") == "LoadBalancer" && !has_address {
        return Verdict::in_progress("NoIPAssigned", "ClusterIP not set. Service type: LoadBalancer");
    }
    Verdict::current("Service is ready")
}

pub(super) fn definition(object: &Value) -> Result<Verdict, Malformed> {
    for condition in conditions(object)? {
        match (condition.kind, condition.status) {
            ("NamesAccepted", "False") => return Ok(Verdict::failed(condition.reason, condition.message)),
            ("Established", "False") if condition.reason != "Installing" => {
                return Ok(Verdict::failed(condition.reason, condition.message));
            }
            ("Established", "True") => return Ok(Verdict::current("CRD is established")),
            _ => {}
        }
    }
    Ok(Verdict::in_progress("Installing", "Install in progress"))
}
