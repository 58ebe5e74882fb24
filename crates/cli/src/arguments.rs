//! The command line as a tree of types; help, completions and man pages are drawn from it.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    bundle, catalog, completion, create, dag, dependency, deploy, deploy_item, diff, dock, env, force_delete,
    get, history, lint, list, man, operator, package, plan, pull, push, ready, registry, repo, rollback,
    search, show, status, template, test, trash, undelete, uninstall, unlock, verify, version, why,
};
use crate::flags::GlobalFlags;
use crate::go_flags::like_go;
use crate::report::{self, Failure};

/// Launches sets of Kubernetes objects in order, and takes them out safely.
#[derive(Parser, Debug)]
#[command(
    name = "slipway",
    version,
    max_term_width = 110,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = ENVIRONMENT
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalFlags,

    #[command(subcommand)]
    pub(crate) command: Command,
}

const ENVIRONMENT: &str = "\
Environment:
  HELM_NAMESPACE, HELM_DEBUG, HELM_KUBECONTEXT, HELM_REPOSITORY_CONFIG and the other variables of
  Helm stand for the global options; 'slipway env' prints what is in force.
  HELM_CACHE_HOME, HELM_CONFIG_HOME and HELM_DATA_HOME move the directories that are shared with Helm.
  SLIPWAY_DATA is the directory of the embedded cluster.
  SOURCE_DATE_EPOCH stamps the files of packaged charts, for reproducible archives.
  NO_COLOR turns colours off.

Exit codes:
  0  it worked          1  the operation failed          2  the command line is wrong";

/// One variant per command.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Install(Box<deploy::InstallArguments>),
    Upgrade(Box<deploy::UpgradeArguments>),
    Rollback(Box<rollback::Arguments>),
    Uninstall(Box<uninstall::Arguments>),
    Undelete(Box<undelete::Arguments>),
    List(list::Arguments),
    Status(status::Arguments),
    History(history::Arguments),
    Get(get::Arguments),
    Test(Box<test::Arguments>),
    Why(why::Arguments),
    Diff(Box<diff::Arguments>),
    Trash(Box<trash::Arguments>),
    Unlock(unlock::Arguments),
    Template(Box<template::Arguments>),
    Lint(lint::Arguments),
    Show(show::Arguments),
    Dag(Box<dag::Arguments>),
    Plan(Box<plan::Arguments>),
    Ready(ready::Arguments),
    Dock(dock::Arguments),
    Operator(Box<operator::Arguments>),
    Bundle(Box<bundle::Arguments>),
    #[command(name = "deployitem")]
    DeployItem(Box<deploy_item::Arguments>),
    Catalog(Box<catalog::Arguments>),
    ForceDelete(force_delete::Arguments),
    #[command(visible_alias = "dep", alias = "dependencies")]
    Dependency(dependency::Arguments),
    Package(package::Arguments),
    #[command(alias = "fetch")]
    Pull(pull::Arguments),
    Push(push::Arguments),
    Verify(verify::Arguments),
    Create(create::Arguments),
    Repo(repo::Arguments),
    Search(search::Arguments),
    Registry(registry::Arguments),
    Env(env::Arguments),
    Version(version::Arguments),
    Completion(completion::Arguments),
    Man(man::Arguments),
}

/// Why the run ends before a command starts.
pub(crate) enum Stop {
    /// Help or the version was asked for.
    Printed(clap::Error),
    /// The command line is wrong.
    Refused(Failure),
}

impl Stop {
    /// Prints what there is to print; the exit code tells help from mistakes.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Refused(failure) => failure.report(),
            Self::Printed(text) => {
                // Asked for or shown because there was no command: either way it is output.
                let _ = write!(anstream::stdout().lock(), "{}", text.render().ansi());
                ExitCode::SUCCESS
            }
        }
    }
}

/// Reads a command line.
pub(crate) fn read(line: impl IntoIterator<Item = OsString>) -> Result<Arguments, Stop> {
    let line: Vec<OsString> = line.into_iter().collect();
    if let Some((global, command)) = template::quick::read(&line) {
        return Ok(Arguments { global, command: Command::Template(Box::new(command)) });
    }
    let parsed = like_go(Arguments::command())
        .try_get_matches_from(&line)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.map_err(|error| match error.kind() {
        ErrorKind::DisplayVersion => Stop::Printed(error),
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        | ErrorKind::MissingSubcommand => Stop::Printed(help(&line).unwrap_or(error)),
        _ => Stop::Refused(report::refused(&error, &command_path(&line), &line)),
    })
}

/// Help drawn from the plain tree, in which a boolean flag has no value.
fn help(line: &[OsString]) -> Option<clap::Error> {
    let error = Arguments::command().try_get_matches_from(line).err()?;
    let is_help =
        matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
    is_help.then_some(error)
}

/// The commands that a line names, for messages: `slipway repo add`.
fn command_path(line: &[OsString]) -> String {
    let tree = Arguments::command();
    let mut command = &tree;
    let mut path = vec![tree.get_name()];
    for word in line.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(found) = command.find_subcommand(word) {
            path.push(found.get_name());
            command = found;
        }
    }
    path.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_consistent() {
        Arguments::command().debug_assert();
        like_go(Arguments::command()).debug_assert();
    }

    #[test]
    fn every_flag_and_command_is_explained() {
        fn check(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{} has no description", command.get_name());
            for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
                assert!(
                    argument.get_help().is_some(),
                    "{} {} has no help",
                    command.get_name(),
                    argument.get_id()
                );
            }
            command.get_subcommands().for_each(check);
        }
        check(&Arguments::command());
    }

    #[test]
    fn every_command_has_an_example() {
        fn check(command: &clap::Command) {
            if command.has_subcommands() {
                return command.get_subcommands().for_each(check);
            }
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(examples.starts_with("Examples:\n"), "{} has no examples", command.get_name());
        }
        Arguments::command().get_subcommands().for_each(check);
    }
}
