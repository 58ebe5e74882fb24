//! Identity and order of Kubernetes objects.
