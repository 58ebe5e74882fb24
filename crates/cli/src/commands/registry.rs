//! `slipway registry`: credentials of OCI registries.

use chart::remote::RemoteError;
use chart::remote::http::{BasicAuth, TlsOptions};
use clap::{Args, Subcommand};

use crate::context::Context;
use crate::network::{OnOutput, wait};
use crate::prompt;
use crate::report::{Failure, needs_at_least, warn};

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
    positional: Vec<String>,

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
    positional: Vec<String>,
}

pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<(), Failure> {
    match arguments.action {
        Action::Login(login) => run_login(&login, context),
        Action::Logout(logout) => {
            needs_at_least(1, &logout.positional, LOGOUT_USAGE)?;
            let registry = context.remote().registry(BasicAuth::default(), TlsOptions::default(), false);
            let notify = &mut OnOutput(&mut context.out);
            Ok(wait(registry.logout(&logout.positional[0], notify))?.map_err(RemoteError::from)?)
        }
    }
}

fn run_login(login: &Login, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &login.positional, LOGIN_USAGE)?;
    let auth = credentials(login)?;
    let or_empty = |text: &Option<String>| text.clone().unwrap_or_default();
    let tls = TlsOptions {
        cert_file: or_empty(&login.cert_file),
        key_file: or_empty(&login.key_file),
        ca_file: or_empty(&login.ca_file),
        insecure: login.insecure,
    };
    let registry = context.remote().registry(auth, tls, login.plain_http);
    let notify = &mut OnOutput(&mut context.out);
    Ok(wait(registry.login(&login.positional[0], notify))?.map_err(RemoteError::from)?)
}

/// From the flags, from standard input, or asked for.
fn credentials(login: &Login) -> Result<BasicAuth, Failure> {
    let mut username = login.username.clone().unwrap_or_default();
    let given = login.password.clone().unwrap_or_default();
    let password = if login.password_stdin {
        prompt::password_from_stdin()?
    } else if !given.is_empty() {
        warn("using --password via the CLI is insecure. Use --password-stdin", &[]);
        given
    } else {
        if username.is_empty() {
            prompt::line("Username: ")?.trim().clone_into(&mut username);
        }
        let (question, missing) = if username.is_empty() {
            ("Token: ", "token required")
        } else {
            ("Password: ", "password required")
        };
        let secret = prompt::secret(question)?;
        if secret.is_empty() {
            return Err(Failure::new(missing));
        }
        secret
    };
    Ok(BasicAuth { username, password })
}
