//! Reads flags as Go programs do, so that scripts written for Helm work unchanged.
//!
//! A boolean flag takes an optional `=true` or `=false`; a flag that wants a value takes
//! the next word whatever it looks like; of a flag given twice the last one counts.

use std::time::Duration;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};

/// The same tree of commands, reading flags as Go does. Help is drawn from the original,
/// where a boolean flag has no value to show.
pub(crate) fn like_go(command: Command) -> Command {
    command.args_override_self(true).mut_args(flag_like_go).mut_subcommands(like_go)
}

fn flag_like_go(flag: Arg) -> Arg {
    if flag.is_positional() {
        return flag;
    }
    match flag.get_action() {
        ArgAction::SetTrue => flag
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .default_value("false")
            .value_parser(ValueParser::from(boolean)),
        ArgAction::Set | ArgAction::Append if !flag.is_require_equals_set() => flag.allow_hyphen_values(true),
        _ => flag,
    }
}

/// The spellings of true and false that `strconv.ParseBool` knows.
pub(crate) fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        _ => Err(format!("strconv.ParseBool: parsing {text:?}: invalid syntax")),
    }
}

/// A duration such as `1h30m` or `300ms`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let invalid = || format!("time: invalid duration {text:?}");
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return Ok(Duration::ZERO);
    }
    let mut rest = unsigned;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(number_end);
        let number: f64 = number.parse().map_err(|_| invalid())?;
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let scale = match unit {
            "" => return Err(format!("time: missing unit in duration {text:?}")),
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            other => return Err(format!("time: unknown unit {other:?} in duration {text:?}")),
        };
        seconds += number * scale;
        rest = after;
    }
    if unsigned.is_empty() {
        return Err(invalid());
    }
    // Waiting for less than no time is not waiting.
    let seconds = if text.starts_with('-') { 0.0 } else { seconds };
    Duration::try_from_secs_f64(seconds).map_err(|_| invalid())
}

/// The words of a list flag: separated by commas, with CSV's double quotes around a word
/// that has one.
pub(crate) fn comma_separated(values: &[String]) -> Vec<String> {
    values.iter().flat_map(|value| split_csv(value)).collect()
}

fn split_csv(line: &str) -> Vec<String> {
    if line.is_empty() {
        return Vec::new();
    }
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                word.push('"');
            }
            '"' if quoted || word.is_empty() => quoted = !quoted,
            ',' if !quoted => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, millis) in
            [("0", 0), ("300ms", 300), ("1h30m", 5_400_000), ("1.5s", 1500), ("5m0s", 300_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for (text, message) in [
            ("x", "time: invalid duration \"x\""),
            ("", "time: invalid duration \"\""),
            ("10", "time: missing unit in duration \"10\""),
            ("10d", "time: unknown unit \"d\" in duration \"10d\""),
        ] {
            assert_eq!(duration(text), Err(message.to_owned()));
        }
    }

    #[test]
    fn lists() {
        let split = |text: &str| comma_separated(&[text.to_owned()]);
        assert_eq!(split("a,b"), ["a", "b"]);
        assert_eq!(split("\"a,b\",c"), ["a,b", "c"]);
        assert_eq!(split("\"say \"\"x\"\"\""), ["say \"x\""]);
        assert_eq!(split(""), Vec::<String>::new());
        assert_eq!(split("a,"), ["a", ""]);
    }
}
