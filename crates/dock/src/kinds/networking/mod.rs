//! Ingresses, their classes, endpoints, and network policies.

pub(crate) mod endpoints;
pub(crate) mod ingress;
pub(crate) mod ingress_class;
pub(crate) mod policy;
