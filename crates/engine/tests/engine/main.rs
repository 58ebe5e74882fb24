//! The engine on a cluster: the dock, or a real control plane with `SLIPWAY_CLUSTER=control-plane`.

mod nothing_of_others_is_deleted;
mod plans_are_run;
mod release;
mod what_will_not_become_ready;
