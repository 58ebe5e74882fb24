//! Places inside a schema that references may point to.

use std::borrow::Cow;

use super::document::Json;

/// The schema that a reference such as `#/definitions/port` points to.
///
/// Only places where a schema stands are followed, so that what is found has been checked with all the rest.
pub(super) fn resolve<'s, 'a>(root: &'s Json<'a>, reference: &str) -> Option<&'s Json<'a>> {
    let pointer = reference.strip_prefix('#')?;
    // What is not written out plainly may have to be decoded, or be no reference at all.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._~$-".contains(&byte);
    if !pointer.bytes().all(is_plain) {
        return None;
    }
    let mut schema = root;
    let mut tokens = pointer.split('/');
    if !tokens.next()?.is_empty() {
        return None;
    }
    while let Some(keyword) = tokens.next() {
        let value = schema.get(keyword)?;
        schema = match (keyword, value) {
            ("properties" | "patternProperties" | "definitions" | "$defs", _) => {
                value.get(&unescaped(tokens.next()?)?)?
            }
            ("allOf" | "anyOf" | "oneOf" | "items", Json::Array(schemas)) => {
                let index = tokens.next()?;
                // No signs, and no zeros in front.
                let number: usize = index.parse().ok()?;
                schemas.get(number).filter(|_| number.to_string() == index)?
            }
            ("items" | "additionalProperties" | "not" | "if" | "then" | "else", _) => value,
            _ => return None,
        };
    }
    Some(schema)
}

fn unescaped(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(token.into());
    }
    let plain = token.replace("~1", "").replace("~0", "");
    (!plain.contains('~')).then(|| token.replace("~1", "/").replace("~0", "~").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_to_schemas_only() {
        let text = r#"{
            "definitions": {"a": {"type": "string"}, "b/c": true, "d~": false},
            "properties": {"x": {"items": [{"title": "0"}, {"title": "1"}]}},
            "unknown": {"a": {}}
        }"#;
        let root: Json<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(resolve(&root, "#"), Some(&root));
        assert_eq!(resolve(&root, "#/definitions/b~1c"), Some(&Json::Bool(true)));
        assert_eq!(resolve(&root, "#/definitions/d~0"), Some(&Json::Bool(false)));
        let title = resolve(&root, "#/properties/x/items/1").and_then(|schema| schema.get("title"));
        assert_eq!(title, Some(&Json::String("1".into())));
        for reference in [
            "",
            "#a",
            "#/",
            "#/definitions",
            "#/definitions/z",
            "#/definitions/b%2Fc",
            "#/definitions/d~",
            "#/definitions/a/type",
            "#/unknown/a",
            "#/properties/x/items/01",
            "#/properties/x/items/2",
            "other.json#/definitions/a",
        ] {
            assert_eq!(resolve(&root, reference), None, "{reference}");
        }
    }
}
