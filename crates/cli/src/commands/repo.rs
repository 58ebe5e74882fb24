//! `slipway repo`: the chart repositories that this user knows.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use chart::remote::repo::{AddOptions, RepositoryEntry, RepositoryFile, generate};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::go_flags::duration;
use crate::network::{OnError, OnOutput, wait};
use crate::output::{Table, write_json, write_yaml};
use crate::prompt;
use crate::report::{Failure, accepts_none, needs_at_least, needs_exactly, plain};

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
    positional: Vec<String>,

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
    positional: Vec<String>,

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

pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<(), Failure> {
    match arguments.action {
        Action::Add(add) => run_add(add, context),
        Action::List(list) => run_list(&list, context),
        Action::Update(update) => {
            let remote = context.remote();
            let notify = &mut OnOutput(&mut context.out);
            wait(remote.update_repositories(&update.names, Some(update.timeout), notify))??;
            Ok(())
        }
        Action::Remove(unwanted) => {
            needs_at_least(1, &unwanted.names, REMOVE_USAGE)?;
            let remote = context.remote();
            wait(remote.remove_repositories(&unwanted.names, &mut OnOutput(&mut context.out)))??;
            Ok(())
        }
        Action::Index(index) => run_index(&index),
    }
}

fn run_add(add: Add, context: &mut Context) -> Result<(), Failure> {
    needs_exactly(2, &add.positional, ADD_USAGE)?;
    let username = add.username.unwrap_or_default();
    let mut password = add.password.unwrap_or_default();
    if !username.is_empty() && password.is_empty() {
        password =
            if add.password_stdin { prompt::password_from_stdin()? } else { prompt::secret("Password: ")? };
    }
    let entry = RepositoryEntry {
        name: add.positional[0].clone(),
        url: add.positional[1].clone(),
        username,
        password,
        cert_file: add.cert_file.unwrap_or_default(),
        key_file: add.key_file.unwrap_or_default(),
        ca_file: add.ca_file.unwrap_or_default(),
        insecure_skip_tls_verify: add.insecure_skip_tls_verify,
        pass_credentials_all: add.pass_credentials,
    };
    let options = AddOptions {
        force_update: add.force_update,
        allow_deprecated: add.allow_deprecated_repos,
        timeout: Some(add.timeout),
    };
    let remote = context.remote();
    wait(remote.add_repository(entry, options, &mut OnOutput(&mut context.out)))??;
    Ok(())
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    url: &'a str,
}

fn run_list(list: &List, context: &mut Context) -> Result<(), Failure> {
    accepts_none(&list.unexpected, LIST_USAGE)?;
    // A list that is missing or unreadable has nothing to show, and that is no error.
    let file = RepositoryFile::load(&context.settings.paths.repository_config).unwrap_or_default();
    let rows: Vec<Row> =
        file.repositories.iter().map(|entry| Row { name: &entry.name, url: &entry.url }).collect();
    let out = &mut context.out;
    match list.output.format {
        OutputFormat::Table if rows.is_empty() => plain("no repositories to show"),
        OutputFormat::Table => {
            let mut table = Table::new(0);
            if !list.no_headers {
                table.row(["NAME", "URL"]);
            }
            for row in &rows {
                table.row([row.name, row.url]);
            }
            writeln!(out, "{table}")?;
        }
        OutputFormat::Json => write_json(out, &rows)?,
        OutputFormat::Yaml => write_yaml(out, &rows)?,
    }
    Ok(())
}

fn run_index(index: &Index) -> Result<(), Failure> {
    needs_exactly(1, &index.positional, INDEX_USAGE)?;
    let directory = std::path::absolute(&index.positional[0])?;
    let url = index.url.as_deref().unwrap_or_default();
    let merge = index.merge.as_deref().filter(|file| !file.is_empty()).map(Path::new);
    generate::write_index(&directory, url, merge, index.json, &mut OnError)?;
    Ok(())
}
