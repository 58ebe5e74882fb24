//! Where charts come from and go to: repositories, registries, the dependency lock, provenance.
