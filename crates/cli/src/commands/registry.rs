//! `slipway registry`: credentials of OCI registries.

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::report::{Failure, needs_at_least};

/// Log in to a registry, or out of it
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Log in to a registry
    #[command(override_usage = LOGIN_USAGE, after_help = "\
Examples:
  echo \"$TOKEN\" | slipway registry login registry.example.com --username me --password-stdin")]
    Login(Login),
    /// Log out of a registry
    #[command(override_usage = LOGOUT_USAGE, after_help = "\
Examples:
  slipway registry logout registry.example.com")]
    Logout(Logout),
}

const LOGIN_USAGE: &str = "slipway registry login [host] [flags]";
const LOGOUT_USAGE: &str = "slipway registry logout [host] [flags]";

#[derive(Args, Debug)]
struct Login {
    /// Host of the registry, with its port if it has one
    #[arg(value_name = "HOST")]
    arguments: Vec<String>,

    /// User name
    #[arg(short, long, value_name = "USER")]
    username: Option<String>,

    /// Password or identity token
    #[arg(short, long, value_name = "PASSWORD")]
    password: Option<String>,

    /// Read the password or token from standard input
    #[arg(long)]
    password_stdin: bool,

    /// Do not check the registry's certificate
    #[arg(long)]
    insecure: bool,

    /// Certificate to identify with
    #[arg(long, value_name = "FILE")]
    cert_file: Option<String>,

    /// Key of that certificate
    #[arg(long, value_name = "FILE")]
    key_file: Option<String>,

    /// Certificate authorities to trust
    #[arg(long, value_name = "FILE")]
    ca_file: Option<String>,

    /// Speak plain HTTP
    #[arg(long)]
    plain_http: bool,
}

#[derive(Args, Debug)]
struct Logout {
    /// Host of the registry
    #[arg(value_name = "HOST")]
    arguments: Vec<String>,
}

pub(crate) fn run(arguments: Arguments, _context: &mut Context) -> Result<(), Failure> {
    match arguments.action {
        Action::Login(login) => needs_at_least(1, &login.arguments, LOGIN_USAGE),
        Action::Logout(logout) => needs_at_least(1, &logout.arguments, LOGOUT_USAGE),
    }
}
