//! Paths that definitions use to name fields: `.spec.replicas`, `.map['a.b']`.

use super::props::Props;
use crate::field::Path;

/// A path below a schema, and the schema of what it names.
pub(crate) struct Found<'s> {
    pub(crate) path: Path,
    pub(crate) first: String,
    pub(crate) schema: Option<&'s Props>,
}

/// Follows a path. `brackets` says whether names may stand in brackets.
pub(crate) fn follow<'s>(text: &str, schema: &'s Props, brackets: bool) -> Result<Found<'s>, String> {
    const NO_FIELD: &str = "does not refer to a valid field";
    const END: &str = "unexpected end of JSON path";
    let mut words = words(text).into_iter();
    let mut found = Found { path: Path::default(), first: String::new(), schema: Some(schema) };
    while let Some(word) = words.next() {
        let name = match word {
            "." => words.next().ok_or(END)?.to_owned(),
            "[" if !brackets => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let quoted = words.next().ok_or(END)?;
                let inner = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let inner = inner.ok_or_else(|| format!("expected single quoted string but got {quoted}"))?;
                let name = unescape(inner)?;
                match words.next() {
                    Some("]") => {}
                    Some(other) => return Err(format!("expected ] but got {other}")),
                    None => return Err(END.to_owned()),
                }
                name
            }
            other => return Err(format!("expected [ or . but got: {other}")),
        };
        let place = found.schema.ok_or(NO_FIELD)?;
        if !place.properties.is_empty() {
            found.schema = Some(place.properties.get(&name).ok_or(NO_FIELD)?);
            found.path = found.path.child(&name);
        } else if place.additional_properties.is_some() {
            found.schema = place.additional();
            found.path = found.path.key(&name);
        } else {
            return Err(NO_FIELD.to_owned());
        }
        if found.first.is_empty() {
            found.first = name;
        }
    }
    Ok(found)
}

/// Cuts a path into dots, brackets, quoted strings and names.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let bytes = rest.as_bytes();
        let end = if bytes[0] == b'\'' {
            (1..bytes.len())
                .find(|&at| bytes[at] == b'\'' && bytes[at - 1] != b'\\')
                .map_or(bytes.len(), |at| at + 1)
        } else {
            match rest.find(['.', '[', ']']) {
                Some(0) => 1,
                Some(at) => at,
                None => rest.len(),
            }
        };
        words.push(&rest[..end]);
        rest = &rest[end..];
    }
    words
}

fn unescape(text: &str) -> Result<String, String> {
    let mut plain = String::new();
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            plain.push(sign);
            continue;
        }
        plain.push(match signs.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some('\'') => '\'',
            Some('\\') | None => '\\',
            Some(other) => return Err(format!("invalid string literal: invalid escape char \\{other}")),
        });
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_followed() {
        let schema = Props::read(&json!({"properties": {"spec": {"properties": {"a.b": {"type": "string"},
            "map": {"additionalProperties": {"type": "integer"}}}}}}));
        let cases = [
            (".spec['a.b']", Ok("spec.a.b")),
            (".spec.map['x y']", Ok("spec.map[x y]")),
            (".spec.map.x", Ok("spec.map[x]")),
            (".spec.none", Err("does not refer to a valid field")),
            ("spec", Err("expected [ or . but got: spec")),
            (".", Err("unexpected end of JSON path")),
            (".spec[a]", Err("expected single quoted string but got a")),
        ];
        for (text, expected) in cases {
            let found = follow(text, &schema, true).map(|found| found.path.to_string());
            assert_eq!(found, expected.map(Into::into).map_err(Into::into), "{text}");
        }
        assert_eq!(
            follow(".spec['a']", &schema, false).err().as_deref(),
            Some("array notation is not allowed")
        );
    }
}
