//! `slipway repo`: the chart repositories that this user knows.

use std::time::Duration;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::flags::OutputFormatFlag;
use crate::go_flags::duration;
use crate::report::{Failure, accepts_none, needs_at_least, needs_exactly};

/// Add, list, update, remove and index chart repositories
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Add a repository
    #[command(override_usage = ADD_USAGE, after_help = "\
Examples:
  slipway repo add example https://charts.example.com

  # With a password that does not show in the list of processes
  slipway repo add private https://charts.example.com --username me --password-stdin < password")]
    Add(Add),
    /// List the repositories
    #[command(alias = "ls", override_usage = LIST_USAGE, after_help = "\
Examples:
  slipway repo list
  slipway repo list -o json")]
    List(List),
    /// Fetch the newest index of all repositories, or of those named
    #[command(alias = "up", override_usage = UPDATE_USAGE, after_help = "\
Examples:
  slipway repo update
  slipway repo update example")]
    Update(Update),
    /// Remove repositories
    #[command(alias = "rm", override_usage = REMOVE_USAGE, after_help = "\
Examples:
  slipway repo remove example")]
    Remove(Remove),
    /// Write the index.yaml of a directory of packaged charts
    #[command(override_usage = INDEX_USAGE, after_help = "\
Examples:
  slipway repo index dist --url https://charts.example.com

  # Add the charts in dist to what is published already
  slipway repo index dist --url https://charts.example.com --merge published/index.yaml")]
    Index(Index),
}

const ADD_USAGE: &str = "slipway repo add [NAME] [URL] [flags]";
const LIST_USAGE: &str = "slipway repo list [flags]";
const UPDATE_USAGE: &str = "slipway repo update [REPO1 [REPO2 ...]] [flags]";
const REMOVE_USAGE: &str = "slipway repo remove [REPO1 [REPO2 ...]] [flags]";
const INDEX_USAGE: &str = "slipway repo index [DIR] [flags]";

#[derive(Args, Debug)]
struct Add {
    /// Name to give the repository, and its URL
    #[arg(value_name = "NAME URL")]
    arguments: Vec<String>,

    /// User name at the repository
    #[arg(long, value_name = "USER")]
    username: Option<String>,

    /// Password at the repository
    #[arg(long, value_name = "PASSWORD")]
    password: Option<String>,

    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,

    /// Replace a repository of that name
    #[arg(long)]
    force_update: bool,

    /// Certificate to identify with
    #[arg(long, value_name = "FILE")]
    cert_file: Option<String>,

    /// Key of that certificate
    #[arg(long, value_name = "FILE")]
    key_file: Option<String>,

    /// Certificate authorities to trust
    #[arg(long, value_name = "FILE")]
    ca_file: Option<String>,

    /// Do not check the server's certificate
    #[arg(long)]
    insecure_skip_tls_verify: bool,

    /// Send the credentials to every host that charts come from
    #[arg(long)]
    pass_credentials: bool,

    /// Allow the URLs of the old official repositories, which are gone
    #[arg(long)]
    allow_deprecated_repos: bool,

    /// How long the index may take
    #[arg(long, value_name = "DURATION", default_value = "2m0s", value_parser = duration)]
    timeout: Duration,
}

#[derive(Args, Debug)]
struct List {
    #[arg(hide = true)]
    unexpected: Vec<String>,

    /// Leave out the headings of the table
    #[arg(long)]
    no_headers: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct Update {
    /// Names of repositories; all if none is given
    #[arg(value_name = "REPO")]
    names: Vec<String>,

    /// How long an index may take
    #[arg(long, value_name = "DURATION", default_value = "2m0s", value_parser = duration)]
    timeout: Duration,
}

#[derive(Args, Debug)]
struct Remove {
    /// Names of repositories
    #[arg(value_name = "REPO")]
    names: Vec<String>,
}

#[derive(Args, Debug)]
struct Index {
    /// Directory with packaged charts
    #[arg(value_name = "DIR")]
    arguments: Vec<String>,

    /// URL that the charts will be served from
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Index to add to
    #[arg(long, value_name = "FILE")]
    merge: Option<String>,

    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments, _context: &mut Context) -> Result<(), Failure> {
    match arguments.action {
        Action::Add(add) => needs_exactly(2, &add.arguments, ADD_USAGE),
        Action::List(list) => accepts_none(&list.unexpected, LIST_USAGE),
        Action::Update(_) => Ok(()),
        Action::Remove(remove) => needs_at_least(1, &remove.names, REMOVE_USAGE),
        Action::Index(index) => needs_exactly(1, &index.arguments, INDEX_USAGE),
    }
}
