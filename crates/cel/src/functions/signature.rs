//! Reads the signatures of functions: `string . int, int -> string`, where what stands before ` . ` is the target.

use std::sync::Arc;

use crate::types::Type;

/// Whether there is a target, the types of all arguments, and the type of the result.
pub(super) fn parse(signature: &str) -> (bool, Vec<Type>, Type) {
    let (args, result) = signature.split_once("->").unwrap_or((signature, "dyn"));
    let (target, args) = match args.split_once(" . ") {
        Some((target, args)) => (Some(target), args),
        None => (None, args),
    };
    let types = target.into_iter().chain(split(args)).map(of).collect();
    (target.is_some(), types, of(result))
}

/// Parts between the commas that are not within parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn of(text: &str) -> Type {
    let text = text.trim();
    if let Some((name, params)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let params: Vec<Type> = split(params).into_iter().map(of).collect();
        return match (name, params.as_slice()) {
            ("list", [item]) => Type::list(item.clone()),
            ("map", [key, value]) => Type::map(key.clone(), value.clone()),
            ("type", [of]) => Type::Type(Some(Arc::new(of.clone()))),
            _ => Type::Opaque(name.into(), params.into()),
        };
    }
    match text {
        "dyn" => Type::Dyn,
        "null" => Type::Null,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        "type" => Type::Type(None),
        "net.IP" | "net.CIDR" => Type::opaque(text),
        _ if text.len() == 1 => Type::Param(text.into()),
        _ => Type::object(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read() {
        let (member, args, result) = parse("map(K, V) . list(A), int -> optional_type(net.IP)");
        assert!(member);
        let shown: Vec<String> = args.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["map(K, V)", "list(A)", "int"]);
        assert_eq!(result.to_string(), "optional_type(net.IP)");
        assert_eq!(parse("-> bool").1, []);
    }
}
