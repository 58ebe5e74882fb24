//! The flags that belong to an installation. They have no effect here, but Helm has rules
//! about them, and a script that breaks one should hear so.

use chart::Rendered;
use engine::Served;

use super::flags::Arguments;
use crate::go_flags::boolean;
use crate::report::{Failure, deprecated_flag, warn};

/// Tells about flags that should not be used, and refuses those that contradict each other.
pub(super) fn check(arguments: &Arguments) -> Result<(), Failure> {
    let installation = &arguments.installation;
    let no_effect = "this flag has no effect for 'slipway template'";
    for (given, flag, advice) in [
        (arguments.cluster.validate, "validate", "use '--dry-run=server' instead"),
        (installation.force, "force", "use --force-replace instead"),
        (installation.atomic, "atomic", "use --rollback-on-failure instead"),
        (installation.hide_notes, "hide-notes", no_effect),
        (installation.render_subchart_notes, "render-subchart-notes", no_effect),
    ] {
        if given {
            deprecated_flag(flag, advice);
        }
    }
    if let Some(value @ ("true" | "false")) = arguments.selection.wait.as_deref() {
        let instead = if value == "true" { "watcher" } else { "hookOnly" };
        warn(
            &format!(
                "--wait={value} is deprecated (boolean value) and can be replaced with --wait={instead}"
            ),
            &[],
        );
    }
    let dry_run = arguments.cluster.dry_run.is_some();
    for [(first, first_given), (second, second_given)] in [
        [("validate", arguments.cluster.validate), ("dry-run", dry_run)],
        [("force-replace", installation.force_replace), ("force-conflicts", installation.force_conflicts)],
        [("force", installation.force), ("force-conflicts", installation.force_conflicts)],
    ] {
        if first_given && second_given {
            let mut set = [first, second];
            set.sort_unstable();
            return Err(Failure::usage(format!(
                "if any flags in the group [{first} {second}] are set none of the others can be; [{} {}] were all set",
                set[0], set[1]
            )));
        }
    }
    Ok(())
}

/// Whether a cluster is asked for its version, its kinds and its objects.
pub(super) fn asks_cluster(arguments: &Arguments) -> Result<bool, Failure> {
    let asks = match arguments.cluster.dry_run.as_deref() {
        None | Some("client") => false,
        Some("server") => true,
        Some("unset") => {
            warn("--dry-run is deprecated and should be replaced with '--dry-run=client'", &[]);
            false
        }
        Some(value) => {
            let sides = if value != "none" && boolean(value).is_err() {
                "\"none\", \"server\", or \"client\""
            } else {
                "\"server\" or \"client\""
            };
            if boolean(value) != Ok(true) {
                return Err(Failure::usage(format!("invalid dry-run value ({value:?}). Must be {sides}")));
            }
            warn(
                &format!(
                    "boolean '--dry-run={value}' flag is deprecated and must be replaced with '--dry-run=client'"
                ),
                &[],
            );
            false
        }
    };
    Ok(asks || arguments.cluster.validate)
}

/// Refuses what the cluster has no kind for, as it would.
pub(super) fn check_kinds(rendered: &Rendered, served: &Served) -> Result<(), Failure> {
    let unknown = rendered.manifests.iter().find(|manifest| {
        let head = &manifest.head;
        served.kind(&head.api_version, &head.kind).is_none()
    });
    let Some(manifest) = unknown else { return Ok(()) };
    let head = &manifest.head;
    Err(Failure::new(format!(
        "unable to build kubernetes objects from release manifest: resource mapping not found for name: {:?} namespace: {:?} from {:?}: no matches for kind {:?} in version {:?}",
        head.name, head.namespace, "", head.kind, head.api_version
    ))
    .hint("ensure CRDs are installed first"))
}
