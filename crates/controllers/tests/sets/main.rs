//! Bundles and DeployItems on a cluster: the dock, or a real control plane with `SLIPWAY_CLUSTER=control-plane`. One file for each part
//! of what is promised, one test for each sentence.

mod countdowns;
mod deletion;
mod deploy_items;
mod offers;
mod order;
mod ownership;
mod removal;
mod smith;
mod soft_deletes;
mod yard;
