//! `--dry-run`: what would be sent, and nothing sent.

use std::io::Write as _;

use chart::Rendered;
use chart::render::output;
use goyaml::Mapping;
use plan::explain::View;
use release::{Prepared, Record};

use super::{Deploying, Source};
use crate::context::Context;
use crate::flags::{OutputFormat, ViewFlags};
use crate::operation::{self, Beside};
use crate::output::{write_json, write_yaml};
use crate::planning;
use crate::report::{Failure, warn};

/// Which side looks at what would be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DryRun {
    /// It is done.
    No,
    /// No cluster is asked.
    Client,
    /// The cluster is asked for its version, kinds and objects.
    Server,
}

impl DryRun {
    pub(super) fn read(flag: Option<&str>) -> Result<Self, Failure> {
        match flag {
            None | Some("none" | "false") => Ok(Self::No),
            Some("client") => Ok(Self::Client),
            Some("server") => Ok(Self::Server),
            Some("unset" | "true") => {
                warn("--dry-run is deprecated and should be replaced with '--dry-run=client'", &[]);
                Ok(Self::Client)
            }
            Some(other) => Err(Failure::usage(format!(
                "invalid dry-run value ({other:?}). Must be \"none\", \"server\", or \"client\""
            ))),
        }
    }
}

impl Deploying {
    /// What would be deployed, as far as it can be known without a cluster.
    pub(super) fn show_offline(
        &self,
        name: &str,
        source: &Source,
        values: &Mapping,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let rendered = source.render_offline(name, values, &self.rendering(), context)?;
        let policy = self.policy(source)?;
        // What cannot be planned is refused here already.
        planning::install(&rendered, &context.settings.namespace(), &policy)?;
        if self.hide_secret {
            return self.print(&without_secrets(rendered), context);
        }
        self.print(&rendered, context)
    }

    fn print(&self, rendered: &Rendered, context: &mut Context) -> Result<(), Failure> {
        output::write_template(rendered, output::Parts::default(), &mut context.out)?;
        if !rendered.notes.trim().is_empty() && !self.hide_notes {
            writeln!(context.out, "NOTES:\n{}", rendered.notes.trim())?;
        }
        Ok(())
    }

    /// What would be done on the cluster, step by step, and the record that would be made.
    pub(super) fn show_prepared(&self, prepared: Prepared, context: &mut Context) -> Result<(), Failure> {
        let Prepared { mut record, plan, .. } = prepared;
        "Dry run complete".clone_into(&mut record.info.description);
        if self.hide_secret {
            hide_secrets(&mut record);
        }
        match self.output.format {
            OutputFormat::Json => return Ok(write_json(&mut context.out, &record)?),
            OutputFormat::Yaml => return Ok(write_yaml(&mut context.out, &record)?),
            OutputFormat::Table => {}
        }
        operation::show_standing(&record, Beside::default(), context)?;
        writeln!(context.out, "HOOKS:")?;
        for hook in &record.hooks {
            writeln!(context.out, "---\n# Source: {}\n{}", hook.path, hook.manifest)?;
        }
        writeln!(context.out, "MANIFEST:\n{}", record.manifest)?;
        writeln!(context.out, "PLAN:")?;
        let view = View::new(&plan, record.name.clone());
        planning::show(&view, &ViewFlags::default(), context)?;
        if self.hide_notes { Ok(()) } else { operation::show_notes(&record, context) }
    }
}

fn without_secrets(mut rendered: Rendered) -> Rendered {
    rendered.manifests.retain(|manifest| manifest.head.kind != "Secret");
    rendered
}

/// Takes Secrets out of what is shown.
fn hide_secrets(record: &mut Record) {
    let documents = chart::render::split_documents(&record.manifest);
    let is_secret = |text: &str| {
        goyaml::from_str(text).ok().and_then(|value| Some(value.get("kind")?.as_str()? == "Secret"))
    };
    let shown = documents.into_iter().map(|text| match is_secret(text) {
        Some(true) => {
            let source = text.lines().find(|line| line.starts_with("# Source: ")).unwrap_or_default();
            format!("---\n{source}\n# HIDDEN: The Secret output has been suppressed\n")
        }
        _ => format!("---\n{}\n", text.trim_end()),
    });
    record.manifest = shown.collect();
}
