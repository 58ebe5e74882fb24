//! What is let pass because an older object has it already.

use serde_json::Value;

use super::{scheduling, security};
use crate::field::Path;
use crate::kinds::quantity::Quantity;
use crate::kinds::read::{Read, text_of};
use crate::kinds::report::Errors;
use crate::kinds::resources;
use crate::kinds::selector::{self, Values};

/// What a pod spec may hold although a new one may not.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent allowance of the server")]
pub(crate) struct Options {
    /// The spec is of a pod, not of a template.
    pub(crate) is_pod: bool,
    /// The cost of deletion may be anything.
    pub(crate) any_deletion_cost: bool,
    /// Huge pages need not be divisible.
    pub(crate) any_huge_pages: bool,
    /// Selectors of affinities may hold values that no label can have.
    pub(crate) any_affinity_values: bool,
    /// So may required node affinities.
    pub(crate) any_node_values: bool,
    /// Selectors of topology spread constraints may be anything.
    pub(crate) any_spread_selector: bool,
    /// Keys of labels to match are checked as older servers did.
    pub(crate) older_label_keys: bool,
    /// Tokens may be projected anywhere.
    pub(crate) any_token_path: bool,
    /// Sysctls of the host's namespaces may be set.
    pub(crate) any_sysctls: bool,
    /// Users' namespaces may go with block devices.
    pub(crate) any_user_devices: bool,
    /// Init containers may be restarted on resizing.
    pub(crate) any_init_resize: bool,
    /// Tolerations may compare numbers.
    pub(crate) comparing_tolerations: bool,
    /// Users' namespaces may go with the host's network.
    pub(crate) any_user_network: bool,
}

impl Options {
    /// What is let pass in a new object.
    pub(crate) fn new(is_pod: bool) -> Self {
        Self { is_pod, ..Self::default() }
    }

    /// What is let pass because the old spec, with its metadata, has it.
    pub(crate) fn after(is_pod: bool, spec: &Value, meta: &Value) -> Self {
        let own_users = spec.has("hostUsers") && !spec.flag("hostUsers");
        Self {
            is_pod,
            any_deletion_cost: !super::annotations::has_deletion_cost(meta),
            any_huge_pages: any_container(spec, has_odd_huge_pages),
            any_affinity_values: scheduling::terms(spec).any(|(term, _)| {
                selector::has_bad_values(term.at("labelSelector"))
                    || selector::has_bad_values(term.at("namespaceSelector"))
            }),
            any_node_values: scheduling::has_bad_node_values(spec),
            any_spread_selector: spec.list("topologySpreadConstraints").iter().any(|constraint| {
                let mut errors = Errors::new();
                selector::validate(
                    constraint.at("labelSelector"),
                    Values::Checked,
                    &Path::default(),
                    &mut errors,
                );
                !errors.is_empty()
            }),
            older_label_keys: spec.list("topologySpreadConstraints").iter().any(|constraint| {
                let mut errors = Errors::new();
                scheduling::label_keys(constraint, &Path::default(), &mut errors);
                !errors.is_empty()
            }),
            any_token_path: spec
                .list("volumes")
                .iter()
                .flat_map(|volume| volume.at("projected").list("sources"))
                .any(|source| {
                    let mut errors = Errors::new();
                    super::paths::not_reserved(
                        source.at("serviceAccountToken").text("path"),
                        &Path::default(),
                        &mut errors,
                    );
                    !errors.is_empty()
                }),
            any_sysctls: spec
                .at("securityContext")
                .list("sysctls")
                .iter()
                .any(|sysctl| security::host_sysctl(spec, sysctl.text("name")).is_some()),
            any_user_devices: own_users
                && any_container(spec, |container| !container.list("volumeDevices").is_empty()),
            any_init_resize: spec.list("initContainers").iter().any(|container| {
                container.text("restartPolicy") != "Always"
                    && container
                        .list("resizePolicy")
                        .iter()
                        .any(|policy| policy.text("restartPolicy") == "RestartContainer")
            }),
            comparing_tolerations: spec
                .list("tolerations")
                .iter()
                .any(|toleration| ["Lt", "Gt"].contains(&toleration.text("operator"))),
            any_user_network: own_users && spec.flag("hostNetwork"),
        }
    }
}

fn any_container(spec: &Value, test: impl Fn(&Value) -> bool) -> bool {
    super::defaults::CONTAINERS.iter().flat_map(|field| spec.list(field)).any(test)
}

fn has_odd_huge_pages(container: &Value) -> bool {
    ["limits", "requests"].iter().flat_map(|field| container.at("resources").entries(field)).any(
        |(name, value)| {
            let size = name.strip_prefix("hugepages-").and_then(Quantity::parse).map(Quantity::value);
            let amount = Quantity::parse(text_of(value)).map(Quantity::value);
            resources::is_huge_pages(name)
                && !size.zip(amount).is_some_and(|(size, amount)| size > 0 && amount % size == 0)
        },
    )
}
