//! Which of a catalog's classes and plans show up: requirements in the language of selectors.

use std::collections::BTreeMap;

/// One requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    field: String,
    values: Vec<String>,
    is_in: bool,
}

/// Requirements, all of which must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Restrictions(Vec<Requirement>);

impl Restrictions {
    /// Reads requirements: `name`, `=`, `==`, `!=`, `in (a, b)` and `notin (a, b)`.
    pub(crate) fn parse(written: &[String]) -> Result<Self, String> {
        written
            .iter()
            .map(|text| requirement(text).ok_or_else(|| format!("{text:?} is no requirement")))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether something with these fields shows up.
    pub(crate) fn allow(&self, fields: &BTreeMap<&str, String>) -> bool {
        self.0.iter().all(|it| {
            let found = fields.get(it.field.as_str()).is_some_and(|value| it.values.contains(value));
            found == it.is_in
        })
    }
}

fn requirement(text: &str) -> Option<Requirement> {
    let made = |field: &str, values: Vec<String>, is_in| {
        let field = field.trim();
        (!field.is_empty() && !field.contains(' ')).then(|| Requirement {
            field: field.to_owned(),
            values,
            is_in,
        })
    };
    if let Some((field, list)) = text.split_once(" notin ") {
        return made(field, several(list)?, false);
    }
    if let Some((field, list)) = text.split_once(" in ") {
        return made(field, several(list)?, true);
    }
    let (field, value, is_in) = if let Some((field, value)) = text.split_once("!=") {
        (field, value, false)
    } else if let Some((field, value)) = text.split_once("==") {
        (field, value, true)
    } else {
        let (field, value) = text.split_once('=')?;
        (field, value, true)
    };
    made(field, vec![value.trim().to_owned()], is_in)
}

fn several(list: &str) -> Option<Vec<String>> {
    let inner = list.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some(inner.split(',').map(|value| value.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_choose() {
        let fields: BTreeMap<&str, String> =
            [("spec.externalName", "small".to_owned()), ("spec.free", "true".to_owned())].into();
        for (text, allowed) in [
            ("spec.externalName=small", true),
            ("spec.externalName == large", false),
            ("spec.externalName!=large", true),
            ("spec.externalName in (tiny, small)", true),
            ("spec.externalName notin (tiny, small)", false),
            ("spec.free=true", true),
            ("spec.none notin (x)", true),
        ] {
            let restrictions = Restrictions::parse(&[text.to_owned()]).unwrap();
            assert_eq!(restrictions.allow(&fields), allowed, "{text}");
        }
        assert!(Restrictions::default().allow(&fields));
        for wrong in ["", "name", "name in a", " =x"] {
            assert!(Restrictions::parse(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
