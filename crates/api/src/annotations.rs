//! Annotations on the resources themselves, which ask for something once. Those on members are the planner's.

/// On a `DeployItem` that is being deleted: its objects stay, and only the record of them goes.
pub const DELETE_WITHOUT_UNINSTALL: [&str; 2] =
    ["slipway.dev/delete-without-uninstall", "landscaper.gardener.cloud/delete-without-uninstall"];

/// On a `DeployItem`: what is under way ends after the requests that are already sent.
pub const INTERRUPT: [&str; 1] = ["slipway.dev/interrupt"];
