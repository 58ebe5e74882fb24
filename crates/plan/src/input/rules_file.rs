//! `deletionOrderRules` as people write them.

use std::time::Duration;

use goyaml::{Document, Value};

use super::list;
use super::member::Place;
use super::rank::Rank;
use super::rules::{BadType, Force, Rule, RuleConflict, Rules, TypePattern};
use crate::span;

/// Why a text is no list of rules.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RulesError {
    /// It is no YAML.
    #[error("{file}: {cause}")]
    Yaml {
        /// The file.
        file: String,
        /// What is wrong.
        cause: goyaml::Error,
    },
    /// A field has a value that it cannot have.
    #[error("{place}: {field}expected {expected}, found {found}")]
    Field {
        /// Where it is.
        place: Place,
        /// The rule and the field, each followed by a colon; nothing for the whole file.
        field: String,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A type is none.
    #[error("{place}: {cause}")]
    Type {
        /// Where it is.
        place: Place,
        /// What is wrong.
        cause: BadType,
    },
    /// Rules contradict each other.
    #[error("{place}: {cause}")]
    Conflict {
        /// Where the second of them is.
        place: Place,
        /// How.
        cause: RuleConflict,
    },
}

/// The two names of the force block.
const FORCE: [&str; 2] = ["forceDeleteAfterWaitTimeout", "forceRemoveAfterWaitPeriod"];

impl Rules {
    /// Reads a file: a list of rules, or a mapping that holds one as `deletionOrderRules`.
    pub fn parse(file: &str, text: &str) -> Result<Self, RulesError> {
        let document =
            Document::parse(text).map_err(|cause| RulesError::Yaml { file: file.to_owned(), cause })?;
        let (value, base): (&Value, &[&str]) = match document.value().get("deletionOrderRules") {
            Some(value) => (value, &["deletionOrderRules"]),
            None => (document.value(), &[]),
        };
        let reader = Reader { file, document: &document };
        let items = match value {
            Value::Null => &[],
            value => value.as_sequence().ok_or_else(|| reader.bad(base, "a list of rules", value))?,
        };
        let mut rules = Vec::with_capacity(items.len());
        for (number, item) in items.iter().enumerate() {
            let number = number.to_string();
            let path: Vec<&str> = base.iter().copied().chain([number.as_str()]).collect();
            rules.push(reader.rule(item, &path)?);
        }
        Self::new(rules).map_err(|cause| {
            let number = (cause.second() - 1).to_string();
            let path: Vec<&str> = base.iter().copied().chain([number.as_str()]).collect();
            RulesError::Conflict { place: reader.place(&path), cause }
        })
    }
}

struct Reader<'a> {
    file: &'a str,
    document: &'a Document,
}

impl Reader<'_> {
    fn rule(&self, value: &Value, path: &[&str]) -> Result<Rule, RulesError> {
        let known = ["deletionRank", "types", "waitTimeout", FORCE[0], FORCE[1]];
        self.fields(value, path, &known)?;
        let rank = field(value, "deletionRank");
        let rank = rank.as_i64().and_then(|rank| i32::try_from(rank).ok());
        let rank = rank.ok_or_else(|| self.bad_in(path, "deletionRank", "an integer", value))?;
        let types = match field(value, "types") {
            Value::Null => None,
            Value::Sequence(items) => Some(self.types(items, path)?),
            _ => return Err(self.bad_in(path, "types", "a list of types", value)),
        };
        let mut force = None;
        for name in FORCE {
            if let Some(block) = value.get(name) {
                force = self.force(block, path, name)?.or(force);
            }
        }
        Ok(Rule { rank: Rank(rank), types, wait: self.span(value, path, "waitTimeout")?, force })
    }

    fn types(&self, items: &[Value], path: &[&str]) -> Result<Vec<TypePattern>, RulesError> {
        let mut types = Vec::with_capacity(items.len());
        for (number, item) in items.iter().enumerate() {
            let number = number.to_string();
            let path: Vec<&str> = path.iter().copied().chain(["types", number.as_str()]).collect();
            let text = item.as_str().ok_or_else(|| self.bad(&path, "a type", item))?;
            types.push(text.parse().map_err(|cause| RulesError::Type { place: self.place(&path), cause })?);
        }
        Ok(types)
    }

    fn force(&self, block: &Value, path: &[&str], name: &str) -> Result<Option<Force>, RulesError> {
        let path: Vec<&str> = path.iter().copied().chain([name]).collect();
        if block.is_null() {
            return Ok(None);
        }
        self.fields(block, &path, &["enabled", "forceTimeout"])?;
        let enabled = match field(block, "enabled") {
            Value::Null => true,
            Value::Bool(enabled) => *enabled,
            _ => return Err(self.bad_in(&path, "enabled", "true or false", block)),
        };
        let timeout = self.span(block, &path, "forceTimeout")?.unwrap_or(Rule::DEFAULT_FORCE_TIMEOUT);
        Ok(enabled.then_some(Force { timeout }))
    }

    fn span(&self, value: &Value, path: &[&str], name: &str) -> Result<Option<Duration>, RulesError> {
        match field(value, name) {
            Value::Null => Ok(None),
            found => match found.as_str().and_then(span::parse) {
                Some(span) => Ok(Some(span)),
                None => Err(self.bad_in(path, name, "a duration such as 1m, not negative", value)),
            },
        }
    }

    /// A misspelt field would silently change what is deleted, so none is skipped.
    fn fields(&self, value: &Value, path: &[&str], known: &[&str]) -> Result<(), RulesError> {
        let entries = value.as_mapping().ok_or_else(|| self.bad(path, "a mapping", value))?;
        match entries.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(unknown) => {
                let path: Vec<&str> = path.iter().copied().chain([unknown.as_str()]).collect();
                Err(RulesError::Field {
                    place: self.place(&path),
                    field: name(&path),
                    expected: "a known field",
                    found: format!("{unknown:?}"),
                })
            }
        }
    }

    fn bad_in(&self, path: &[&str], name: &str, expected: &'static str, value: &Value) -> RulesError {
        let path: Vec<&str> = path.iter().copied().chain([name]).collect();
        self.bad(&path, expected, field(value, name))
    }

    fn bad(&self, path: &[&str], expected: &'static str, found: &Value) -> RulesError {
        let found = match found {
            Value::Null => "nothing".to_owned(),
            found => list::scalar(found).map_or_else(
                |_| goyaml::json::to_string(found).unwrap_or_default(),
                |text| format!("{text:?}"),
            ),
        };
        RulesError::Field { place: self.place(path), field: name(path), expected, found }
    }

    fn place(&self, path: &[&str]) -> Place {
        let line = self.document.nearest_position(path).line as u32;
        Place { template: self.file.to_owned(), line }
    }
}

/// `deletion rule 1: waitTimeout: `.
fn name(path: &[&str]) -> String {
    let path = path.strip_prefix(&["deletionOrderRules"]).unwrap_or(path);
    let [number, fields @ ..] = path else { return String::new() };
    let rule = number.parse().map_or(1, |number: usize| number + 1);
    if fields.is_empty() {
        return format!("deletion rule {rule}: ");
    }
    format!("deletion rule {rule}: {}: ", fields.join("."))
}

fn field<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Rules::parse("rules.yaml", text).unwrap_err().to_string()
    }

    #[test]
    fn every_field_is_read() {
        let rules = Rules::parse(
            "rules.yaml",
            "- deletionRank: 250\n  types: [example.com/v1/Widget, v1/ConfigMap, apps/*/Deployment]\n  waitTimeout: 1m\n  forceDeleteAfterWaitTimeout: {enabled: true, forceTimeout: 10s}\n- deletionRank: -5\n",
        );
        let rules: Vec<Rule> = rules.unwrap().iter().cloned().collect();
        let types = ["example.com/v1/Widget", "v1/ConfigMap", "apps/*/Deployment"];
        assert_eq!(
            rules,
            [
                Rule {
                    rank: Rank(250),
                    types: Some(types.iter().map(|text| text.parse().unwrap()).collect()),
                    wait: Some(Duration::from_mins(1)),
                    force: Some(Force { timeout: Duration::from_secs(10) }),
                },
                Rule { rank: Rank(-5), types: None, wait: None, force: None },
            ]
        );
    }

    #[test]
    fn a_force_block_is_on_unless_it_says_otherwise() {
        for (block, on) in
            [("{}", true), ("{enabled: true}", true), ("{enabled: false}", false), ("~", false)]
        {
            let text = format!("- deletionRank: 1\n  forceRemoveAfterWaitPeriod: {block}\n");
            let rules = Rules::parse("r", &text).unwrap();
            let rule = rules.iter().next().unwrap();
            assert_eq!(rule.force, on.then_some(Force { timeout: Rule::DEFAULT_FORCE_TIMEOUT }), "{block}");
            assert_eq!(rule.waits_at_most(), on.then_some(Rule::DEFAULT_WAIT), "{block}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, message) in [
            (
                "- types: [v1/A]\n",
                "rules.yaml:1: deletion rule 1: deletionRank: expected an integer, found nothing",
            ),
            (
                "- deletionRank: 1\n  waitTimeout: soon\n",
                "rules.yaml:2: deletion rule 1: waitTimeout: expected a duration such as 1m, not negative, found \"soon\"",
            ),
            (
                "deletionOrderRules:\n- deletionRank: 1\n  types: [A]\n",
                "rules.yaml:3: expected group/version/kind, or version/kind of the core group, found \"A\"",
            ),
            (
                "- deletionRank: 1\n  waitTimout: 1m\n",
                "rules.yaml:2: deletion rule 1: waitTimout: expected a known field, found \"waitTimout\"",
            ),
            (
                "- deletionRank: 1\n  types: [v1/A]\n- deletionRank: 2\n  types: [v1/A]\n",
                "rules.yaml:3: the type v1/A is in deletion rules 1 and 2",
            ),
            ("a: b\n", "rules.yaml:1: expected a list of rules, found {\"a\":\"b\"}"),
        ] {
            assert_eq!(refused(text), message);
        }
    }
}
