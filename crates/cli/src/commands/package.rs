//! `slipway package`: makes an archive of a chart.

use std::io::{BufRead, Write as _};
use std::path::{Path, PathBuf};

use chart::package::{self, PackageError, PackageOptions};
use chart::remote::provenance;
use clap::Args;

use crate::commands::dependency;
use crate::context::Context;
use crate::flags::ConnectionFlags;
use crate::loading;
use crate::prompt;
use crate::report::Failure;
use crate::settings::source_date;

const USAGE: &str = "slipway package [CHART_PATH] [...] [flags]";

/// Make a versioned archive of a chart
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # Writes shop-1.4.0.tgz
  slipway package ./charts/shop

  # With the version of this build, into another directory
  slipway package ./charts/shop --version 1.4.0-rc.1 --app-version 2024.7 -d dist

  # Signed: writes shop-1.4.0.tgz.prov too
  slipway package ./charts/shop --sign --key 'Release Team' --keyring ~/.gnupg/secring.gpg

  # The same bytes every time
  SOURCE_DATE_EPOCH=0 slipway package ./charts/shop")]
pub(crate) struct Arguments {
    /// Directories of charts
    #[arg(value_name = "CHART_PATH")]
    positional: Vec<String>,

    /// Version to give the chart
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,

    /// Application version to give the chart
    #[arg(long, value_name = "VERSION")]
    app_version: Option<String>,

    /// Directory to write to
    #[arg(short, long, value_name = "DIRECTORY", default_value = ".")]
    destination: String,

    /// Fetch the dependencies into charts/ first
    #[arg(short = 'u', long)]
    dependency_update: bool,

    /// Sign the archive
    #[arg(long)]
    sign: bool,

    /// Name of the key to sign with
    #[arg(long, value_name = "NAME")]
    key: Option<String>,

    /// File with the secret keys
    #[arg(long, value_name = "FILE")]
    keyring: Option<String>,

    /// File with the key's passphrase, `-` for standard input
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<String>,

    #[command(flatten)]
    connection: ConnectionFlags,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    if arguments.positional.is_empty() {
        return Err(Failure::usage("need at least one argument, the path to the chart"));
    }
    let options = PackageOptions {
        version: arguments.version.clone().filter(|version| !version.is_empty()),
        app_version: arguments.app_version.clone().filter(|version| !version.is_empty()),
        source_date: source_date()?,
    };
    if arguments.sign && arguments.key.as_deref().unwrap_or_default().is_empty() {
        return Err(Failure::usage("--key is required for signing a package"));
    }
    let mut passphrase = Passphrase::new(arguments.passphrase_file.as_deref());
    for path in &arguments.positional {
        std::fs::metadata(path).map_err(|_| {
            Failure::new(format!("stat {path}: no such file or directory"))
                .hint("name the directory of a chart")
        })?;
        let directory = std::path::absolute(path)?;
        if arguments.dependency_update {
            let keyring = arguments.keyring.as_deref();
            dependency::update_quietly(&directory, &arguments.connection, keyring, context)?;
        }
        let archive = package(&directory, &options, arguments)?;
        if arguments.sign {
            sign(&archive, &mut passphrase, arguments, context)?;
        }
        writeln!(context.out, "Successfully packaged chart and saved it to: {}", archive.display())?;
    }
    Ok(())
}

fn package(directory: &Path, options: &PackageOptions, arguments: &Arguments) -> Result<PathBuf, Failure> {
    let mut chart = loading::load_directory(directory)?;
    let refused = |error: PackageError| {
        let failure = Failure::new(error.to_string());
        match error {
            PackageError::Dependencies(_) => {
                failure.hint("fetch them with 'slipway dependency build', or with -u")
            }
            _ => failure,
        }
    };
    package::prepare(&mut chart, options).map_err(refused)?;
    let destination = match arguments.destination.as_str() {
        "." => std::env::current_dir()?,
        other => PathBuf::from(other),
    };
    package::save(&chart, &destination).map_err(refused)
}

fn sign(
    archive: &Path,
    passphrase: &mut Passphrase<'_>,
    arguments: &Arguments,
    context: &Context,
) -> Result<(), Failure> {
    let keyring = context.settings.keyring(arguments.keyring.as_deref());
    let key = arguments.key.as_deref().unwrap_or_default();
    let mut fetch = |name: &str| passphrase.get(name).map_err(|failure| failure.message().to_owned());
    provenance::sign_file(archive, &keyring, key, &mut fetch)
        .map_err(|error| Failure::new(error.to_string()))?;
    Ok(())
}

/// The key's passphrase: from a file, from standard input, or asked for. Read once, used for every chart.
struct Passphrase<'a> {
    file: Option<&'a str>,
    known: Option<Vec<u8>>,
}

impl<'a> Passphrase<'a> {
    fn new(file: Option<&'a str>) -> Self {
        Self { file: file.filter(|file| !file.is_empty()), known: None }
    }

    fn get(&mut self, key: &str) -> Result<Vec<u8>, Failure> {
        if let Some(known) = &self.known {
            return Ok(known.clone());
        }
        let phrase = match self.file {
            None => return Ok(prompt::secret(&format!("Password for key {key:?} >  "))?.into_bytes()),
            Some("-") => first_line(&mut std::io::stdin().lock())?,
            Some(file) => first_line(&mut std::io::BufReader::new(std::fs::File::open(file)?))?,
        };
        self.known = Some(phrase.clone());
        Ok(phrase)
    }
}

fn first_line(reader: &mut impl BufRead) -> Result<Vec<u8>, Failure> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        line.pop();
    }
    Ok(line)
}
