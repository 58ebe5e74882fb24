//! Schedules of cron jobs, as far as they must be understood to be accepted.

use crate::field::quoted;

const FIELDS: [(u64, u64, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (1, 12, &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    (0, 6, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

/// Why a schedule is none, in the words of the server's parser.
pub(crate) fn refusal(schedule: &str) -> Option<String> {
    if schedule.is_empty() {
        return Some("empty spec string".into());
    }
    let mut rest = schedule;
    if rest.starts_with("TZ=") || rest.starts_with("CRON_TZ=") {
        let equals = rest.find('=').unwrap_or_default();
        let Some(space) = rest.find(' ') else {
            return Some(format!(
                "invalid schedule format: runtime error: slice bounds out of range [{}:-1]",
                equals + 1
            ));
        };
        let zone = &rest[equals + 1..space];
        if !is_zone(zone) {
            return Some(format!("provided bad location {zone}: unknown time zone {zone}"));
        }
        rest = rest[space..].trim();
    }
    if let Some(name) = rest.strip_prefix('@') {
        return descriptor(name);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != 5 {
        return Some(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    fields
        .iter()
        .zip(FIELDS)
        .flat_map(|(field, bounds)| {
            field.split(',').filter(|part| !part.is_empty()).map(move |part| (part, bounds))
        })
        .find_map(|(part, (low, high, names))| range(part, low, high, names).err())
}

fn descriptor(name: &str) -> Option<String> {
    if ["yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly"].contains(&name) {
        return None;
    }
    let Some(duration) = name.strip_prefix("every ") else {
        return Some(format!("unrecognized descriptor: @{name}"));
    };
    duration_refusal(duration).map(|words| format!("failed to parse duration @{name}: {words}"))
}

fn range(text: &str, low: u64, high: u64, names: &[&str]) -> Result<(), String> {
    let steps: Vec<&str> = text.split('/').collect();
    let ends: Vec<&str> = steps[0].split('-').collect();
    let (start, mut end) = if ends[0] == "*" || ends[0] == "?" {
        (low, high)
    } else {
        let start = number_or_name(ends[0], low, names)?;
        match ends.as_slice() {
            [_] => (start, start),
            [_, end] => (start, number_or_name(end, low, names)?),
            _ => return Err(format!("too many hyphens: {text}")),
        }
    };
    let step = match steps.as_slice() {
        [_] => 1,
        [_, step] => {
            if ends.len() == 1 {
                end = high;
            }
            number(step)?
        }
        _ => return Err(format!("too many slashes: {text}")),
    };
    if start < low {
        return Err(format!("beginning of range ({start}) below minimum ({low}): {text}"));
    }
    if end > high {
        return Err(format!("end of range ({end}) above maximum ({high}): {text}"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {text}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {text}"));
    }
    Ok(())
}

fn number_or_name(text: &str, low: u64, names: &[&str]) -> Result<u64, String> {
    let lower = text.to_lowercase();
    match names.iter().position(|name| *name == lower) {
        Some(index) => Ok(index as u64 + low),
        None => number(text),
    }
}

fn number(text: &str) -> Result<u64, String> {
    let refuse = |words: &str| {
        Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {}: {words}", quoted(text)))
    };
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return refuse("invalid syntax");
    }
    match text.parse::<i64>() {
        Ok(number) if number < 0 => Err(format!("negative number ({number}) not allowed: {text}")),
        Ok(number) => Ok(number.unsigned_abs()),
        Err(_) => refuse("value out of range"),
    }
}

/// Why a duration is none, in the words of Go.
fn duration_refusal(text: &str) -> Option<String> {
    let invalid = || Some(format!("time: invalid duration {}", quoted(text)));
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return None;
    }
    if rest.is_empty() {
        return invalid();
    }
    while !rest.is_empty() {
        let digits = rest.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(rest.len());
        let number = &rest[..digits];
        if !number.bytes().any(|byte| byte.is_ascii_digit()) || number.matches('.').count() > 1 {
            return invalid();
        }
        rest = &rest[digits..];
        let unit = rest.find(|char: char| char.is_ascii_digit() || char == '.').unwrap_or(rest.len());
        if unit == 0 {
            return Some(format!("time: missing unit in duration {}", quoted(text)));
        }
        let name = &rest[..unit];
        if !["ns", "us", "µs", "μs", "ms", "s", "m", "h"].contains(&name) {
            return Some(format!("time: unknown unit {} in duration {}", quoted(name), quoted(text)));
        }
        rest = &rest[unit..];
    }
    None
}

/// Whether a name is of a time zone that is known, written as it is known.
pub(crate) fn is_zone(name: &str) -> bool {
    let known = || jiff::tz::TimeZone::get(name).is_ok_and(|zone| zone.iana_name() == Some(name));
    name.is_empty() || name == "UTC" || name == "Local" || known()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_understood() {
        for schedule in ["* * * * *", "*/5 0-6 1,15 jan-mar MON", "@daily", "@every 1h30m", "? 1 * * *"] {
            assert_eq!(refusal(schedule), None, "{schedule}");
        }
        for (schedule, words) in [
            ("", "empty spec string"),
            ("* * *", "expected exactly 5 fields, found 3: [* * *]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            ("@often", "unrecognized descriptor: @often"),
            ("@every x", "failed to parse duration @every x: time: invalid duration \"x\""),
        ] {
            assert_eq!(refusal(schedule).as_deref(), Some(words), "{schedule}");
        }
    }
}
