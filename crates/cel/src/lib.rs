//! The Common Expression Language, as Kubernetes evaluates it.
