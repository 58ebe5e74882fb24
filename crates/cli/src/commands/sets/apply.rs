//! `apply`: what is written becomes what is wanted.

use std::io::Write as _;
use std::time::{Duration, Instant};

use clap::Args;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Patch, PatchParams, PostParams, ValidationDirective};
use kube::{Api, ResourceExt as _};
use objects::GoDuration;
use serde::Serialize;

use super::written::{self, Written};
use super::{Kind, failed, known};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::Desk;
use crate::output::{write_json, write_yaml};
use crate::report::Failure;

/// Under which name fields are owned that somebody applied.
const MANAGER: &str = "slipway";
/// So often it is looked whether a set is ready.
const PAUSE: Duration = Duration::from_millis(250);

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// File with sets in YAML or JSON, or - for standard input (can be given several times)
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<String>,

    /// Check everything, on the server too, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Take fields that others have set
    #[arg(long)]
    force_conflicts: bool,

    /// Create the namespaces that are missing
    #[arg(long)]
    create_namespace: bool,

    /// Wait until all is ready
    #[arg(long)]
    wait: bool,

    /// How long to wait for each at most
    #[arg(long, value_name = "DURATION", default_value = "5m")]
    timeout: GoDuration,

    #[command(flatten)]
    output: OutputFormatFlag,
}

/// What became of one set.
#[derive(Serialize)]
struct Applied {
    namespace: String,
    name: String,
    /// `created`, `configured` or `unchanged`.
    result: &'static str,
}

pub(crate) fn run<K: Kind>(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let files = written::files::<K>(&arguments.files)?;
    let sets = written::read::<K>(&files, &context.settings.namespace())?;
    let desk = Desk::open(context)?;
    known::<K>(&desk)?;
    sets.iter().try_for_each(|set| set.check(&desk))?;
    let missing = arguments.missing_namespaces(&sets, &desk)?;
    // All are tried before the first is written, so that one that is refused leaves the others as they are.
    for set in sets.iter().filter(|set| !missing.contains(&set.set.namespace().unwrap_or_default())) {
        arguments.send(set, true, &desk)?;
    }
    if !arguments.dry_run {
        let namespaces: Api<Namespace> = Api::all(desk.engine.client().clone());
        for name in &missing {
            let mut made = Namespace::default();
            made.metadata.name = Some(name.clone());
            desk.cluster
                .wait(namespaces.create(&PostParams::default(), &made))
                .map_err(|error| Failure::new(format!("namespace {name}: {}", engine::words(&error))))?;
        }
    }
    let mut told = Vec::new();
    for set in &sets {
        let result = arguments.apply(set, &missing, &desk)?;
        let (namespace, name) = (set.set.namespace().unwrap_or_default(), set.set.name_any());
        if arguments.output.format == OutputFormat::Table {
            let dry = if arguments.dry_run { " (dry run)" } else { "" };
            writeln!(context.out, "{} {result} in namespace {namespace}{dry}", set.title())?;
            context.out.flush()?;
        }
        told.push(Applied { namespace, name, result });
    }
    if arguments.wait && !arguments.dry_run {
        for set in &sets {
            arguments.wait_for(set, &desk)?;
            if arguments.output.format == OutputFormat::Table {
                writeln!(context.out, "{} is ready", set.title())?;
                context.out.flush()?;
            }
        }
    }
    match arguments.output.format {
        OutputFormat::Table => {}
        OutputFormat::Json => write_json(&mut context.out, &told)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &told)?,
    }
    Ok(())
}

impl Arguments {
    /// The namespaces that are to be created first. One that is missing and is not is an error.
    fn missing_namespaces<K: Kind>(
        &self,
        sets: &[Written<'_, K>],
        desk: &Desk,
    ) -> Result<Vec<String>, Failure> {
        let namespaces: Api<Namespace> = Api::all(desk.engine.client().clone());
        let mut missing = Vec::new();
        for set in sets {
            let name = set.set.namespace().unwrap_or_default();
            if missing.contains(&name) {
                continue;
            }
            match desk.cluster.wait(namespaces.get_opt(&name)) {
                Ok(None) if self.create_namespace => missing.push(name),
                Ok(None) => {
                    return Err(set
                        .refused(&format!("there is no namespace {name}"))
                        .hint("--create-namespace creates it"));
                }
                // Whoever may not look at namespaces is told by the server if it is missing.
                Ok(Some(_)) | Err(_) => {}
            }
        }
        Ok(missing)
    }

    fn send<K: Kind>(&self, set: &Written<'_, K>, dry_run: bool, desk: &Desk) -> Result<K, Failure> {
        let api: Api<K> =
            Api::namespaced(desk.engine.client().clone(), &set.set.namespace().unwrap_or_default());
        let parameters = PatchParams {
            dry_run,
            force: self.force_conflicts,
            field_manager: Some(MANAGER.to_owned()),
            field_validation: Some(ValidationDirective::Strict),
        };
        let (name, patch) = (set.set.name_any(), Patch::Apply(&set.document));
        desk.cluster.wait(api.patch(&name, &parameters, &patch)).map_err(|error| {
            let failure = set.refused(&engine::words(&error));
            match &error {
                kube::Error::Api(status) if status.code == 409 => {
                    failure.hint("--force-conflicts takes the fields; 'kubectl get -o yaml --show-managed-fields' shows whose they are")
                }
                _ => failure,
            }
        })
    }

    fn apply<K: Kind>(
        &self,
        set: &Written<'_, K>,
        missing: &[String],
        desk: &Desk,
    ) -> Result<&'static str, Failure> {
        let (namespace, name) = (set.set.namespace().unwrap_or_default(), set.set.name_any());
        let api: Api<K> = Api::namespaced(desk.engine.client().clone(), &namespace);
        let before = desk.cluster.wait(api.get_opt(&name)).map_err(|error| failed::<K>(&name, &error))?;
        if self.dry_run && missing.contains(&namespace) {
            return Ok("created");
        }
        let after = self.send(set, self.dry_run, desk)?;
        Ok(match before {
            None => "created",
            Some(before) if before.resource_version() == after.resource_version() => "unchanged",
            Some(before) if before.meta().generation == after.meta().generation && self.dry_run => {
                "unchanged"
            }
            Some(_) => "configured",
        })
    }

    /// Waits until the operator says that what is wanted now is there.
    fn wait_for<K: Kind>(&self, set: &Written<'_, K>, desk: &Desk) -> Result<(), Failure> {
        let (namespace, name) = (set.set.namespace().unwrap_or_default(), set.set.name_any());
        let api: Api<K> = Api::namespaced(desk.engine.client().clone(), &namespace);
        let (begun, timeout) = (Instant::now(), self.timeout.to_std().unwrap_or_default());
        loop {
            let live = desk.cluster.wait(api.get(&name)).map_err(|error| failed::<K>(&name, &error))?;
            let status = Kind::standing(&live);
            if status.is_ready {
                return Ok(());
            }
            let why = || format!("'slipway {} why {name} -n {namespace}' tells more", K::COMMAND);
            if let Some(words) = status.has_failed {
                return Err(Failure::new(format!("{}: {words}", set.title())).hint(why()));
            }
            if begun.elapsed() >= timeout {
                let words = status.words.unwrap_or_else(|| "nobody has looked at it yet".to_owned());
                return Err(Failure::new(format!(
                    "{} is not ready after {}: {words}",
                    set.title(),
                    self.timeout
                ))
                .hint(why()));
            }
            desk.cluster.wait(async { tokio::time::sleep(PAUSE).await });
        }
    }
}
