//! Ingresses, their classes, and network policies.

pub(crate) mod ingress;
pub(crate) mod ingress_class;
pub(crate) mod policy;
