//! Checking values against a schema, with the order, words and odd corners of the server's validator.

mod combine;
mod number;
mod outcome;

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::correlate::Correlated;
use super::formats;
use super::props::Props;
use crate::field::{FieldError, Path};
use number::Number;
use outcome::{Outcome, Problem};

/// What is wrong with a value. `path` is where it stands: empty for a whole resource.
pub fn check(value: &Value, schema: &Props, path: &Path) -> Vec<FieldError> {
    let checker = Checker { dialect: Dialect::Definition };
    checker.value(value, schema, "", None).field_errors(path)
}

/// What is wrong with a value, as defaults are checked.
pub(crate) fn check_default(value: &Value, schema: &Props, path: &Path) -> Vec<FieldError> {
    let checker = Checker { dialect: Dialect::Structural };
    checker.value(value, schema, "", None).field_errors(path)
}

/// What is wrong with a value that replaces another: what did not change is tolerated.
pub(crate) fn check_update(correlated: &Correlated<'_>, schema: &Props, path: &Path) -> Vec<FieldError> {
    let checker = Checker { dialect: Dialect::Definition };
    checker.replaced(correlated, schema, "").field_errors(path)
}

/// The server reads a schema in two ways that differ in small things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// As resources are checked: numbers and texts where both are allowed; unknown formats mean nothing.
    Definition,
    /// As defaults are checked.
    Structural,
}

struct Checker {
    dialect: Dialect,
}

impl Checker {
    fn replaced(&self, correlated: &Correlated<'_>, schema: &Props, path: &str) -> Outcome {
        let outcome = self.value(correlated.new, schema, path, Some(correlated));
        if !outcome.is_valid() && correlated.unchanged() {
            return Outcome { matches: outcome.matches, problems: Vec::new() };
        }
        outcome
    }

    fn value(
        &self,
        value: &Value,
        schema: &Props,
        path: &str,
        correlated: Option<&Correlated<'_>>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if value.is_null() {
            outcome.merge(self.kind(value, schema, path));
            outcome.merge(choices(value, schema, path));
            return outcome;
        }
        if !self.kinds(schema).is_empty() || !self.format(schema).is_empty() {
            outcome.applied(self.kind(value, schema, path));
        }
        outcome.applied(self.combinations(value, schema, path));
        match value {
            Value::String(text) => {
                outcome.applied(length_and_pattern(text, schema, path));
                let format = self.format(schema);
                if let Some(fits) = formats::fits(format, text) {
                    let problem = (!fits).then(|| Problem::kind(path, format, Value::from(text.as_str())));
                    outcome.applied(Outcome::of(problem));
                }
            }
            Value::Number(number) => {
                outcome.applied(number::check(Number::of(number), schema, path, &self.kinds(schema)));
            }
            Value::Array(items) => outcome.applied(self.items(items, schema, path, correlated)),
            _ => {}
        }
        outcome.applied(choices(value, schema, path));
        if let Value::Object(fields) = value {
            outcome.applied(self.fields(fields, schema, path, correlated));
        }
        outcome.matches += 1;
        outcome
    }

    fn kinds<'s>(&self, schema: &'s Props) -> Vec<&'s str> {
        if schema.int_or_string && self.dialect == Dialect::Definition {
            return vec!["integer", "string"];
        }
        if schema.kind.is_empty() { Vec::new() } else { vec![&schema.kind] }
    }

    /// The format, if it means something for the type.
    fn format<'s>(&self, schema: &'s Props) -> &'s str {
        let format = schema.format.as_str();
        if self.dialect == Dialect::Structural {
            return format;
        }
        if formats::is_recognized(format, &schema.kind, schema.int_or_string) { format } else { "" }
    }

    fn kind(&self, value: &Value, schema: &Props, path: &str) -> Outcome {
        let kinds = self.kinds(schema);
        let wanted = kinds.join(",");
        if value.is_null() {
            if !kinds.is_empty() && !schema.nullable {
                return Outcome::of(Some(Problem::kind(path, &wanted, "null".into())));
            }
            return Outcome::matched();
        }
        let (found, found_format) = match value {
            Value::Null => ("null", ""),
            Value::Bool(_) => ("boolean", ""),
            Value::Number(number) if matches!(Number::of(number), Number::Integer(_)) => ("integer", "int64"),
            Value::Number(_) => ("number", "float64"),
            Value::String(_) => ("string", ""),
            Value::Array(_) => ("array", ""),
            Value::Object(_) => ("object", ""),
        };
        let whole = value.as_f64().is_some_and(number::is_whole);
        let fits = kinds.contains(&found)
            || (found == "number" && whole && kinds.contains(&"integer"))
            || (found == "integer" && kinds.contains(&"number"));
        let format = self.format(schema);
        let textual = value.is_string() || value.is_array();
        if !textual && !format.is_empty() && !fits && found_format != format {
            return Outcome::of(Some(Problem::kind(path, format, found_format.into())));
        }
        let numeric = kinds.contains(&"number") || kinds.contains(&"integer");
        if !numeric && !format.is_empty() && textual {
            return Outcome::matched();
        }
        if !fits {
            return Outcome::of(Some(Problem::kind(path, &wanted, found.into())));
        }
        Outcome::matched()
    }

    fn items(
        &self,
        items: &[Value],
        schema: &Props,
        path: &str,
        correlated: Option<&Correlated<'_>>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if let Some(item) = schema.item() {
            for (index, value) in items.iter().enumerate() {
                let path = format!("{path}[{index}]");
                outcome.merge(match correlated.and_then(|correlated| correlated.item(index)) {
                    Some(correlated) => self.replaced(&correlated, item, &path),
                    None => self.value(value, item, &path, None),
                });
            }
        }
        let size = items.len() as i64;
        if let Some(least) = schema.min_items
            && size < least
        {
            let words = format!("{path} in body should have at least {least} items");
            outcome.add(Problem::invalid(path, words, Some(size.into())));
        }
        if let Some(most) = schema.max_items
            && size > most
        {
            let words = format!("{path} in body should have at most {most} items");
            outcome.add(Problem::too_many(path, words, size, most));
        }
        if schema.unique_items && items.iter().enumerate().any(|(index, item)| items[..index].contains(item))
        {
            let words = format!("{path} in body shouldn't contain duplicates");
            outcome.add(Problem::invalid(path, words, None));
        }
        outcome.matches += 1;
        outcome
    }

    fn fields(
        &self,
        fields: &Map<String, Value>,
        schema: &Props,
        path: &str,
        correlated: Option<&Correlated<'_>>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let size = fields.len() as i64;
        if let Some(least) = schema.min_properties
            && size < least
        {
            let words = format!("{path} in body should have at least {least} properties");
            outcome.add(Problem::invalid(path, words, Some(size.into())));
        }
        if let Some(most) = schema.max_properties
            && size > most
        {
            let words = format!("{path} in body should have at most {most} properties");
            outcome.add(Problem::too_many(path, words, size, most));
        }
        let field = |name: &str, value: &Value, schema: &Props, place: &str| {
            let below = correlated.and_then(|correlated| correlated.field(name));
            match below.filter(|_| !(path.is_empty() && matches!(name, "kind" | "apiVersion"))) {
                Some(below) => self.replaced(&below, schema, place),
                None => self.value(value, schema, place, None),
            }
        };
        let unnamed = fields.iter().filter(|(name, _)| !schema.properties.contains_key(*name));
        match &schema.additional_properties {
            Some(additional) if !additional.allows => {
                for (name, _) in unnamed {
                    let words = format!("{path}.{name} in body is a forbidden property");
                    outcome.add(Problem::invalid(path, words, Some(name.as_str().into())));
                }
            }
            _ => {
                if let Some(additional) = schema.additional() {
                    for (name, value) in unnamed {
                        outcome.merge(field(name, value, additional, &format!("{path}.{name}")));
                    }
                }
            }
        }
        for (name, property) in &schema.properties {
            if let Some(value) = fields.get(name) {
                let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                outcome.merge(field(name, value, property, &place));
            }
        }
        for name in &schema.required {
            if !fields.contains_key(name) {
                outcome.add(Problem::required(&format!("{path}.{name}")));
            }
        }
        outcome
    }
}

fn length_and_pattern(text: &str, schema: &Props, path: &str) -> Outcome {
    let length = text.chars().count() as i64;
    if let Some(most) = schema.max_length
        && length > most
    {
        return Outcome::of(Some(Problem::too_long(path, most)));
    }
    if let Some(least) = schema.min_length
        && length < least
    {
        let words = format!("{path} in body should be at least {least} chars long");
        return Outcome::of(Some(Problem::invalid(path, words, Some(text.into()))));
    }
    if !schema.pattern.is_empty() {
        let pattern = &schema.pattern;
        let wanted = match goregexp::Regexp::compile(pattern) {
            Ok(regexp) if regexp.is_match(text) => return Outcome::default(),
            Ok(_) => pattern.clone(),
            Err(error) => format!("{pattern}, but pattern is invalid: {error}"),
        };
        let words = format!("{path} in body should match '{wanted}'");
        return Outcome::of(Some(Problem::invalid(path, words, Some(text.into()))));
    }
    Outcome::default()
}

fn choices(value: &Value, schema: &Props, path: &str) -> Outcome {
    if schema.choices.is_empty() || schema.choices.iter().any(|choice| chosen(value, choice)) {
        return Outcome::default();
    }
    Outcome::of(Some(Problem::choice(path, value.clone(), schema.choices.clone())))
}

/// Whether a value is a choice, once converted to the type of the choice by Go's rules.
fn chosen(value: &Value, choice: &Value) -> bool {
    match (value, choice) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(value), Value::Number(choice)) => match (Number::of(value), Number::of(choice)) {
            (Number::Integer(value), Number::Integer(choice)) => value == choice,
            (Number::Float(value), Number::Integer(choice)) => number::truncated(value) == choice,
            (value, Number::Float(choice)) => {
                value.as_float().partial_cmp(&choice).is_some_and(Ordering::is_eq)
            }
        },
        (Value::Number(value), Value::String(choice)) => match Number::of(value) {
            Number::Integer(code) => {
                let sign =
                    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
                choice.chars().eq([sign])
            }
            Number::Float(_) => false,
        },
        (value, choice) => value == choice,
    }
}

#[cfg(test)]
mod tests;
