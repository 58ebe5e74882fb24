//! `slipway template`: renders a chart without a cluster.

mod flags;
mod installation;
pub(crate) mod quick;
pub(crate) mod release;

pub(crate) use flags::Arguments;

use std::fmt::Write as _;
use std::io::Write as _;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use chart::render::RenderError;
use chart::render::output::{self, Parts};
use chart::render::post_render::CommandPostRender;
use chart::{Chart, RenderOptions, Rendered};
use goyaml::Mapping;
use plan::input::{Order, Policy};

use crate::cluster::{self, Cluster};
use crate::context::Context;
use crate::go_flags::comma_separated;
use crate::loading;
use crate::outside::Outside;
use crate::planning;
use crate::report::{Failure, Origin, needs_at_least, plain};

const USAGE: &str = "slipway template [NAME] [CHART] [flags]";

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    installation::check(arguments)?;
    needs_at_least(1, &arguments.positional, USAGE)?;
    let mut capabilities = arguments.cluster.known.capabilities()?;
    let cluster = if installation::asks_cluster(arguments)? {
        let cluster = Rc::new(Cluster::connect(&context.settings.cluster())?);
        let served = cluster.served()?;
        capabilities = cluster::capabilities(&served);
        Some(Rc::new((cluster, served)))
    } else {
        None
    };
    let (name, reference) = release::name_and_chart(arguments)?;
    let path = arguments.source.locate(&reference, context)?;
    let values = arguments.values.merge(context)?;
    let update = arguments.processing.preparation.dependency_update.then_some(&arguments.source);
    let chart = loading::installable(&path, update, context)?;
    release::check_labels(&arguments.release.labels)?;

    let release = chart::render::Release {
        name: name.clone(),
        namespace: context.settings.namespace(),
        revision: 1,
        is_upgrade: arguments.release.is_upgrade,
    };
    let mut post_renderer = post_renderer(arguments)?;
    let environment =
        Rc::new(Outside { enable_dns: arguments.cluster.enable_dns, quiet: false, cluster: cluster.clone() });
    let mut options = RenderOptions {
        release,
        capabilities,
        skip_schema_validation: arguments.processing.preparation.skip_schema_validation,
        fetch_schema: Some(loading::fetch_schema(context)),
        post_render: post_renderer.as_mut().map(|command| command as _),
        ends_with_process: true,
        ..RenderOptions::new(environment)
    };
    match chart::render(&chart, &values, &mut options) {
        Ok(rendered) => {
            if let Some(cluster) = &cluster {
                installation::check_kinds(&rendered, &cluster.1)?;
            }
            // Nothing comes after this: the operating system frees it all at once.
            let (rendered, _chart) = (ManuallyDrop::new(rendered), ManuallyDrop::new(chart));
            print(&rendered, &name, arguments, context)
        }
        Err(error) => Err(explain(&error, &path, &chart, &values, arguments, context)?),
    }
}

fn post_renderer(arguments: &Arguments) -> Result<Option<CommandPostRender>, Failure> {
    let mut named = arguments.processing.post_renderer.iter().filter(|name| !name.is_empty());
    let Some(program) = named.next() else { return Ok(None) };
    if let Some(second) = named.next() {
        return Err(Failure::usage(format!(
            "invalid argument {second:?} for \"--post-renderer\" flag: cannot specify --post-renderer flag more than once"
        )));
    }
    let arguments = arguments.processing.post_renderer_args.clone();
    Ok(Some(CommandPostRender { program: program.clone(), arguments }))
}

fn parts(arguments: &Arguments) -> Parts {
    let selection = &arguments.selection;
    Parts {
        crds: selection.include_crds,
        no_hooks: selection.no_hooks,
        skip_tests: selection.skip_tests,
        ..Parts::default()
    }
}

fn print(
    rendered: &Rendered,
    name: &str,
    arguments: &Arguments,
    context: &mut Context,
) -> Result<(), Failure> {
    for warning in &rendered.warnings {
        plain(warning);
    }
    let parts = parts(arguments);
    let text = match &arguments.selection.output_dir {
        Some(directory) if !directory.is_empty() => {
            let named = arguments.selection.release_name.then_some(name);
            write_files(rendered, parts, directory, named, context)?;
            // Everything is in files; what is left to print is the end of an empty line.
            "\n".to_owned()
        }
        _ if arguments.selection.is_ordered() => ordered(rendered, parts, context)?,
        _ if arguments.selection.show_only.is_empty() => {
            return Ok(output::write_template(rendered, parts, &mut context.out)?);
        }
        _ => output::template(rendered, parts),
    };
    show(&text, &arguments.selection.show_only, context)
}

/// The manifests in the order of deployment.
fn ordered(rendered: &Rendered, parts: Parts, context: &Context) -> Result<String, Failure> {
    let policy = Policy { order: Order::Ordered, ..Policy::default() };
    let plan = planning::install(rendered, &context.settings.namespace(), &policy)?;
    planning::tell(&plan);
    Ok(output::template_in_order(rendered, &planning::order(&plan), parts))
}

/// Prints the text, or those of its documents that are asked for.
fn show(text: &str, patterns: &[String], context: &mut Context) -> Result<(), Failure> {
    if patterns.is_empty() {
        context.out.write_all(text.as_bytes())?;
        return Ok(());
    }
    let shown = output::show_only(text, patterns).map_err(|missing| {
        Failure::new(missing.to_string())
            .hint("templates are named relative to the chart, such as templates/web.yaml or charts/db/templates/*.yaml")
    })?;
    context.out.write_all(shown.as_bytes())?;
    Ok(())
}

fn write_files(
    rendered: &Rendered,
    parts: Parts,
    directory: &str,
    release_name: Option<&str>,
    context: &mut Context,
) -> Result<(), Failure> {
    let written = output::write_files(rendered, parts, Path::new(directory), release_name)?;
    for file in written {
        // Helm puts a slash after the directory whether or not it ends with one.
        let shown = match (file.strip_prefix(directory), release_name) {
            (Ok(inside), None) => PathBuf::from(format!("{directory}/{}", inside.display())),
            _ => file,
        };
        writeln!(context.out, "wrote {}", shown.display())?;
    }
    Ok(())
}

/// With `--debug`, what could be rendered is printed before the error is told.
fn explain(
    error: &RenderError,
    path: &Path,
    chart: &Chart,
    values: &Mapping,
    arguments: &Arguments,
    context: &mut Context,
) -> Result<Failure, Failure> {
    if context.settings.debug && is_about_rendering(error) {
        let mut text = String::new();
        if let RenderError::Yaml { rendered, .. } = error {
            for (name, content) in rendered {
                let body = goyaml::text_of(content);
                if !body.trim().is_empty() {
                    let _ = write!(text, "---\n# Source: {name}\n{body}\n");
                }
            }
        }
        let text = format!("{}\n", text.trim());
        // A document that cannot be found here is probably the one that is broken.
        if show(&text, &arguments.selection.show_only, context).is_err() {
            context.out.flush()?;
        }
    }
    let mut message = error.to_string();
    if !context.settings.debug && is_about_rendering(error) {
        message.push_str("\n\nUse --debug flag to render out invalid YAML");
    }
    let origin = Origin { path, chart, values, files: comma_separated(&arguments.values.values) };
    Ok(crate::report::rendering(error, &message, &origin))
}

/// Whether Helm got as far as having a release, broken as it may be.
fn is_about_rendering(error: &RenderError) -> bool {
    matches!(
        error,
        RenderError::KubeVersion { .. }
            | RenderError::Template(_)
            | RenderError::Yaml { .. }
            | RenderError::PostRender { .. }
    )
}
