//! The commands, one file each. All have a type `Arguments` with their flags and a function `run`.

pub(crate) mod bundle;
pub(crate) mod catalog;
pub(crate) mod completion;
pub(crate) mod create;
pub(crate) mod dag;
pub(crate) mod dependency;
pub(crate) mod deploy;
pub(crate) mod deploy_item;
pub(crate) mod diff;
pub(crate) mod dock;
pub(crate) mod env;
pub(crate) mod force_delete;
pub(crate) mod get;
pub(crate) mod history;
pub(crate) mod lint;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod operator;
pub(crate) mod package;
pub(crate) mod plan;
pub(crate) mod pull;
pub(crate) mod push;
pub(crate) mod ready;
pub(crate) mod registry;
pub(crate) mod repo;
pub(crate) mod rollback;
pub(crate) mod search;
mod sets;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod template;
pub(crate) mod test;
pub(crate) mod trash;
pub(crate) mod undelete;
pub(crate) mod uninstall;
pub(crate) mod unlock;
pub(crate) mod verify;
pub(crate) mod version;
pub(crate) mod why;

use std::io::Write as _;

use crate::arguments::{Arguments, Command};
use crate::context::Context;
use crate::output::Output;
use crate::report::Failure;
use crate::settings::Settings;

/// Runs the command that the arguments name. What it wrote is seen even if it failed.
pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let settings = Settings::new(arguments.global)?;
    let mut context = Context { settings, out: Output::new() };
    let outcome = dispatch(arguments.command, &mut context);
    context.out.flush()?;
    outcome
}

fn dispatch(command: Command, context: &mut Context) -> Result<(), Failure> {
    match command {
        Command::Install(arguments) => deploy::install(&arguments, context),
        Command::Upgrade(arguments) => deploy::upgrade(&arguments, context),
        Command::Rollback(arguments) => rollback::run(&arguments, context),
        Command::Uninstall(arguments) => uninstall::run(&arguments, context),
        Command::Undelete(arguments) => undelete::run(&arguments, context),
        Command::List(arguments) => list::run(&arguments, context),
        Command::Status(arguments) => status::run(&arguments, context),
        Command::History(arguments) => history::run(&arguments, context),
        Command::Get(arguments) => get::run(&arguments, context),
        Command::Test(arguments) => test::run(&arguments, context),
        Command::Why(arguments) => why::run(&arguments, context),
        Command::Diff(arguments) => diff::run(&arguments, context),
        Command::Trash(arguments) => trash::run(&arguments, context),
        Command::Unlock(arguments) => unlock::run(&arguments, context),
        Command::Template(arguments) => template::run(&arguments, context),
        Command::Lint(arguments) => lint::run(&arguments, context),
        Command::Show(arguments) => show::run(arguments, context),
        Command::Dag(arguments) => dag::run(&arguments, context),
        Command::Plan(arguments) => plan::run(&arguments, context),
        Command::Ready(arguments) => ready::run(&arguments, context),
        Command::Dock(arguments) => dock::run(arguments, context),
        Command::Operator(arguments) => operator::run(&arguments, context),
        Command::Bundle(arguments) => bundle::run(&arguments, context),
        Command::DeployItem(arguments) => deploy_item::run(&arguments, context),
        Command::Catalog(arguments) => catalog::run(&arguments, context),
        Command::ForceDelete(arguments) => force_delete::run(&arguments, context),
        Command::Dependency(arguments) => dependency::run(arguments, context),
        Command::Package(arguments) => package::run(&arguments, context),
        Command::Pull(arguments) => pull::run(&arguments, context),
        Command::Push(arguments) => push::run(&arguments, context),
        Command::Verify(arguments) => verify::run(&arguments, context),
        Command::Create(arguments) => create::run(&arguments, context),
        Command::Repo(arguments) => repo::run(arguments, context),
        Command::Search(arguments) => search::run(arguments, context),
        Command::Registry(arguments) => registry::run(arguments, context),
        Command::Env(arguments) => env::run(&arguments, context),
        Command::Version(arguments) => version::run(&arguments, context),
        Command::Completion(arguments) => completion::run(&arguments, context),
        Command::Man(arguments) => man::run(&arguments, context),
    }
}
