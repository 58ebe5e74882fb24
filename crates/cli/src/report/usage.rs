//! Command lines that cannot be understood, told in the words of Helm's flag parser.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Failure;

/// The words of a usage line that name the command: `slipway show all` of
/// `slipway show all [CHART] [flags]`.
fn command_path(usage: &str) -> String {
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
    usage.split(' ').take_while(is_name).collect::<Vec<_>>().join(" ")
}

fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

fn wrong_count(usage: &str, rule: &str) -> Failure {
    Failure::usage(format!("\"{}\" {rule}\n\nUsage:  {usage}", command_path(usage)))
}

/// Refuses fewer than `count` positional arguments.
pub(crate) fn needs_at_least(count: usize, given: &[String], usage: &str) -> Result<(), Failure> {
    if given.len() >= count {
        return Ok(());
    }
    Err(wrong_count(usage, &format!("requires at least {}", arguments(count))))
}

/// Refuses anything but `count` positional arguments.
pub(crate) fn needs_exactly(count: usize, given: &[String], usage: &str) -> Result<(), Failure> {
    if given.len() == count {
        return Ok(());
    }
    Err(wrong_count(usage, &format!("requires {}", arguments(count))))
}

/// Refuses more than `count` positional arguments.
pub(crate) fn accepts_at_most(count: usize, given: &[String], usage: &str) -> Result<(), Failure> {
    if given.len() <= count {
        return Ok(());
    }
    Err(wrong_count(usage, &format!("accepts at most {}", arguments(count))))
}

/// Refuses any positional argument.
pub(crate) fn accepts_none(given: &[String], usage: &str) -> Result<(), Failure> {
    if given.is_empty() {
        return Ok(());
    }
    Err(wrong_count(usage, "accepts no arguments"))
}

/// What the command line parser refused, in Helm's words.
pub(crate) fn refused(error: &clap::Error, command_path: &str, line: &[OsString]) -> Failure {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let argument = context(ContextKind::InvalidArg);
    let flag = flag_name(&argument);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let failure = Failure::usage(unknown_flag(&argument, line));
            match suggestion(error, ContextKind::SuggestedArg) {
                Some(suggested) => failure.hint(format!("there is a flag {suggested}")),
                None => failure.hint(format!("'{command_path} --help' lists the flags")),
            }
        }
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand);
            let mut message = format!("unknown command {name:?} for {command_path:?}");
            if let Some(suggested) = suggestion(error, ContextKind::SuggestedSubcommand) {
                let _ = write!(message, "\n\nDid you mean this?\n\t{suggested}\n");
            }
            Failure::usage(format!("{message}\nRun '{command_path} --help' for usage."))
        }
        ErrorKind::InvalidValue | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues
            if context(ContextKind::InvalidValue).is_empty() =>
        {
            Failure::usage(match flag.as_bytes() {
                [b'-', short] => format!("flag needs an argument: '{}' in {flag}", *short as char),
                _ => format!("flag needs an argument: {flag}"),
            })
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let value = context(ContextKind::InvalidValue);
            let cause =
                std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
            Failure::usage(format!("invalid argument {value:?} for {flag:?} flag{cause}"))
        }
        _ => Failure::usage(error.to_string().trim_start_matches("error: ").trim_end().to_owned()),
    }
}

/// `--set <KEY=VALUE>` without its placeholder.
fn flag_name(argument: &str) -> String {
    argument.split([' ', '=', '[']).next().unwrap_or_default().to_owned()
}

/// The likeliest of what was meant, which the parser names last.
fn suggestion(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    }
}

fn unknown_flag(argument: &str, line: &[OsString]) -> String {
    let name = flag_name(argument);
    if name.starts_with("--") {
        return format!("unknown flag: {name}");
    }
    let letter = name.trim_start_matches('-').chars().next().unwrap_or('-');
    let whole = line
        .iter()
        .filter_map(|word| word.to_str())
        .find(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
        .unwrap_or(&name);
    format!("unknown shorthand flag: '{letter}' in {whole}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usage_line_names_its_command() {
        for (usage, path) in [
            ("slipway template [NAME] [CHART] [flags]", "slipway template"),
            ("slipway show all [CHART] [flags]", "slipway show all"),
            ("slipway lint PATH [flags]", "slipway lint"),
        ] {
            assert_eq!(command_path(usage), path);
        }
    }
}
