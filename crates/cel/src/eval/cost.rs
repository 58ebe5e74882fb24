//! What the steps of an evaluation cost, as cel-go and Kubernetes count.

use crate::value::Value;

/// A list that is put together.
pub(super) const LIST: u64 = 10;
/// A map that is put together.
pub(super) const MAP: u64 = 30;

fn ceil(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

/// Walking a text costs a tenth of its length.
const WALK: f64 = 0.1;
/// An expression within a pattern is guessed to have four characters.
const PATTERN: f64 = 0.25;

/// How large a value is for the count.
fn size(value: Option<&Value<'_>>) -> u64 {
    match value {
        Some(Value::Optional(Some(inner))) => size(Some(inner)),
        Some(value) => value.size().unwrap_or(1) as u64,
        None => 1,
    }
}

/// What it costs to look at all of a value.
fn traversal(value: &Value<'_>) -> u64 {
    match value {
        Value::String(text) => (text.len() as f64 * WALK) as u64,
        Value::Bytes(bytes) => (bytes.len() as f64 * WALK) as u64,
        Value::List(list) => list.iter().map(|item| item.map_or(1, |item| traversal(&item))).sum(),
        Value::Map(map) => map
            .keys()
            .iter()
            .map(|key| traversal(key) + map.get(key).ok().flatten().map_or(1, |value| traversal(&value)))
            .sum(),
        _ => 1,
    }
}

/// Comparing all items of a list with each other.
fn self_compare(list: Option<&Value<'_>>) -> u64 {
    let Some(Value::List(list)) = list else { return 1 };
    let texts = matches!(list.get(0), Some(Ok(Value::String(_) | Value::Bytes(_))));
    let factor = if texts { 2.0 + WALK } else { 2.0 };
    let size = list.len() as f64;
    (size * size * factor) as u64 + 1 + LIST
}

/// A match of a pattern of that size.
fn matching(subject: u64, pattern: u64) -> u64 {
    ((1.0 + subject as f64) * WALK).ceil() as u64 * ceil(pattern, PATTERN)
}

/// What a call costs, as far as its arguments tell; [`after`] adds what depends on the result.
pub(super) fn before(function: &str, overload: Option<&str>, args: &[Value<'_>]) -> u64 {
    let arg = |index: usize| size(args.get(index));
    match overload {
        Some("list_flatten" | "list_flatten_int") => {
            let depth = if let Some(Value::Int(depth)) = args.get(1) { *depth as f64 } else { 1.0 };
            return (arg(0) as f64 * depth) as u64 + 1 + LIST;
        }
        Some("list_distinct") => return self_compare(args.first()),
        Some("list_slice" | "lists_range" | "list_reverse") => return 0,
        Some("list_sets_contains_list" | "list_sets_intersects_list") => return 1 + arg(0) * arg(1),
        Some("list_sets_equivalent_list") => return 1 + 2 * arg(0) * arg(1),
        Some(id) if id.ends_with("_sort") => return self_compare(args.first()),
        Some(id) if id.ends_with("_sortByAssociatedKeys") => return self_compare(args.get(1)),
        _ => {}
    }
    match function {
        "check" => 350_000,
        "fieldSelector" | "labelSelector" => {
            let length = arg(1);
            LIST + ceil(length, WALK) + ceil(ceil(length, 0.5), (LIST + 40) as f64)
        }
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => args.first().map_or(0, traversal),
        "ip" if overload == Some("cidr_ip") => 1,
        "ip" | "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR"
        | "quantity" | "isQuantity" | "semver" | "isSemver" => ceil(arg(0), WALK),
        "replace" | "split" | "ip.isCanonical" => ceil(arg(0), 2.0 * WALK),
        "join" => 0,
        "find" | "findAll" => matching(arg(0), arg(1)),
        "containsIP" => {
            let text = if overload == Some("cidr_contains_ip_string") { ceil(arg(1), WALK) } else { 0 };
            ceil(2 * arg(0), WALK) + text
        }
        "containsCIDR" => {
            let text = if overload == Some("cidr_contains_cidr_string") { ceil(arg(1), WALK) } else { 0 };
            ceil(2 * arg(0), WALK) + ceil(arg(0), WALK) + 1 + text
        }
        "validate" => match args.first() {
            Some(Value::Format(format)) => matching(arg(1), format.pattern_size),
            _ => 1,
        },
        _ => match overload {
            Some(
                "starts_with_string" | "ends_with_string" | "string_to_bytes" | "bytes_to_string"
                | "strings_quote" | "string_format",
            ) => ceil(arg(0), WALK),
            Some("in_list") => arg(1),
            Some(
                "less_string"
                | "greater_string"
                | "less_equals_string"
                | "greater_equals_string"
                | "less_bytes"
                | "greater_bytes"
                | "less_equals_bytes"
                | "greater_equals_bytes",
            ) => ceil(arg(0).min(arg(1)), WALK),
            Some("add_string" | "add_bytes") => ceil(arg(0) + arg(1), WALK),
            Some("matches_string") => matching(arg(0), arg(1)),
            Some("contains_string") => ceil(arg(0), WALK) * ceil(arg(1), WALK),
            _ => 1,
        },
    }
}

/// What a call costs more, once its result is known.
pub(super) fn after(function: &str, overload: Option<&str>, result: Option<&Value<'_>>) -> u64 {
    match (function, overload) {
        ("join", _) => ceil(size(result), 2.0 * WALK),
        (_, Some("list_slice" | "lists_range" | "list_reverse")) => size(result) + 1 + LIST,
        _ => 0,
    }
}

/// What a comparison for equality costs.
pub(super) fn equality(first: &Value<'_>, second: &Value<'_>, negated: bool) -> u64 {
    let library_type = matches!(
        first,
        Value::Quantity(_)
            | Value::Ip(_)
            | Value::Cidr(_)
            | Value::Format(_)
            | Value::Url(_)
            | Value::Semver(_)
            | Value::Authorizer(_)
            | Value::Authorization(_)
            | Value::Decision(_)
    );
    if library_type && !negated {
        return 1;
    }
    ceil(size(Some(first)).min(size(Some(second))), WALK)
}
