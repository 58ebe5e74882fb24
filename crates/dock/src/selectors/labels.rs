//! Label selectors: `a=b,c!=d,e in (x,y),!f,g`, and the `LabelSelector` objects that mean the same.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use super::SelectorError;
use super::lexer::{Sort, Word, words};
use super::requirement::{Operator, Requirement, key_error};
use crate::field::Path;

/// Requirements that labels must all meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelSelector {
    /// The requirements, by key.
    pub requirements: Vec<Requirement>,
    /// A selector that was left out altogether matches nothing.
    nothing: bool,
}

impl LabelSelector {
    /// A selector that matches everything.
    pub fn everything() -> Self {
        Self { requirements: Vec::new(), nothing: false }
    }

    /// Reads the selector of a query.
    pub fn parse(selector: &str) -> Result<Self, SelectorError> {
        let mut parser = Parser { words: words(selector), position: 0 };
        let mut requirements = parser.parse()?;
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Self { requirements, nothing: false })
    }

    /// Reads a `LabelSelector` object. One that is not there matches nothing, an empty one everything.
    pub fn of(selector: Option<&Value>) -> Result<Self, SelectorError> {
        let Some(selector) = selector.filter(|selector| !selector.is_null()) else {
            return Ok(Self { requirements: Vec::new(), nothing: true });
        };
        let mut requirements = Vec::new();
        for (key, value) in selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten() {
            let value = value.as_str().unwrap_or_default().to_owned();
            requirements.push(Requirement::new(key, Operator::Equals, vec![value])?);
        }
        for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
            let text = |field: &str| expression.get(field).and_then(Value::as_str).unwrap_or_default();
            let operator = match text("operator") {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => {
                    let shown = goyaml::strconv::quote(other);
                    return Err(SelectorError(format!("{shown} is not a valid label selector operator")));
                }
            };
            let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
            let values = values.map(|value| value.as_str().unwrap_or_default().to_owned()).collect();
            requirements.push(Requirement::new(text("key"), operator, values)?);
        }
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Self { requirements, nothing: false })
    }

    /// Whether it asks for nothing in particular.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty() && !self.nothing
    }

    /// Whether labels meet all requirements.
    pub fn matches(&self, labels: Option<&Map<String, Value>>) -> bool {
        !self.nothing && self.requirements.iter().all(|requirement| requirement.matches(labels))
    }

    /// Whether the labels of an object meet all requirements.
    pub fn matches_object(&self, object: &Value) -> bool {
        let labels =
            object.get("metadata").and_then(|metadata| metadata.get("labels")).and_then(Value::as_object);
        self.matches(labels)
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.requirements.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
}

struct Parser {
    words: Vec<Word>,
    position: usize,
}

impl Parser {
    /// The next word, which stays. Where a value may stand, `in` and `notin` are values.
    fn peek(&self) -> Word {
        let end = || Word { sort: Sort::End, text: String::new() };
        let mut word = self.words.get(self.position).cloned().unwrap_or_else(end);
        if matches!(word.sort, Sort::In | Sort::NotIn) {
            word.sort = Sort::Identifier;
        }
        word
    }

    fn next(&mut self) -> Word {
        let word = self.peek();
        self.position += 1;
        word
    }

    fn parse(&mut self) -> Result<Vec<Requirement>, SelectorError> {
        let mut requirements = Vec::new();
        loop {
            let word = self.peek();
            match word.sort {
                Sort::End => return Ok(requirements),
                Sort::Identifier | Sort::Not => {}
                _ => return Err(found(&word, ", expected: !, identifier, or 'end of string'")),
            }
            let requirement = self.requirement().map_err(|SelectorError(words)| {
                SelectorError(format!("unable to parse requirement: {words}"))
            })?;
            requirements.push(requirement);
            let word = self.next();
            match word.sort {
                Sort::End => return Ok(requirements),
                Sort::Comma => {
                    let after = self.peek();
                    if !matches!(after.sort, Sort::Identifier | Sort::Not) {
                        return Err(found(&after, ", expected: identifier after ','"));
                    }
                }
                _ => return Err(found(&word, ", expected: ',' or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        let mut word = self.next();
        let negated = word.sort == Sort::Not;
        if negated {
            word = self.next();
        }
        if word.sort != Sort::Identifier {
            return Err(found(&word, ", expected: identifier"));
        }
        let key = word.text;
        if let Some(error) = key_error(&key, &Path::default()) {
            return Err(SelectorError(error.to_string()));
        }
        if negated {
            return Requirement::new(&key, Operator::DoesNotExist, Vec::new());
        }
        if matches!(self.peek().sort, Sort::End | Sort::Comma) {
            return Requirement::new(&key, Operator::Exists, Vec::new());
        }
        let operator = self.operator()?;
        let values = match operator {
            Operator::In | Operator::NotIn => self.values()?,
            _ => self.exact_value()?,
        };
        Requirement::new(&key, operator, values.into_iter().collect())
    }

    fn operator(&mut self) -> Result<Operator, SelectorError> {
        let word = self.words.get(self.position).cloned().unwrap_or_else(|| self.peek());
        self.position += 1;
        Ok(match word.sort {
            Sort::In => Operator::In,
            Sort::Equals => Operator::Equals,
            Sort::DoubleEquals => Operator::DoubleEquals,
            Sort::Greater => Operator::GreaterThan,
            Sort::Less => Operator::LessThan,
            Sort::NotIn => Operator::NotIn,
            Sort::NotEquals => Operator::NotEquals,
            _ => return Err(found(&word, ", expected: in, notin, =, ==, !=, gt, lt")),
        })
    }

    fn values(&mut self) -> Result<BTreeSet<String>, SelectorError> {
        let word = self.next();
        if word.sort != Sort::Open {
            return Err(found(&word, " expected: '('"));
        }
        let word = self.peek();
        match word.sort {
            Sort::Identifier | Sort::Comma => {
                let values = self.list()?;
                if self.next().sort != Sort::Close {
                    return Err(found(&word, ", expected: ')'"));
                }
                Ok(values)
            }
            Sort::Close => {
                self.next();
                Ok(BTreeSet::from([String::new()]))
            }
            _ => Err(found(&word, ", expected: ',', ')' or identifier")),
        }
    }

    fn list(&mut self) -> Result<BTreeSet<String>, SelectorError> {
        let mut values = BTreeSet::new();
        loop {
            let word = self.next();
            match word.sort {
                Sort::Identifier => {
                    values.insert(word.text);
                    let after = self.peek();
                    match after.sort {
                        Sort::Comma => {}
                        Sort::Close => return Ok(values),
                        _ => return Err(found(&after, ", expected: ',' or ')'")),
                    }
                }
                Sort::Comma => {
                    let after = self.peek().sort;
                    if values.is_empty() || matches!(after, Sort::Close | Sort::Comma) {
                        values.insert(String::new());
                    }
                    if after == Sort::Close {
                        return Ok(values);
                    }
                }
                _ => return Err(found(&word, ", expected: ',', or identifier")),
            }
        }
    }

    fn exact_value(&mut self) -> Result<BTreeSet<String>, SelectorError> {
        if matches!(self.peek().sort, Sort::End | Sort::Comma) {
            return Ok(BTreeSet::from([String::new()]));
        }
        let word = self.next();
        if word.sort != Sort::Identifier {
            return Err(found(&word, ", expected: identifier"));
        }
        Ok(BTreeSet::from([word.text]))
    }
}

fn found(word: &Word, expected: &str) -> SelectorError {
    SelectorError(format!("found '{}'{expected}", word.text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_are_read() {
        let cases = [
            ("", ""),
            ("a=b", "a=b"),
            (" a == b , c!=d ", "a==b,c!=d"),
            ("e in (y,x),!f,g", "e in (x,y),!f,g"),
            ("a notin (,)", "a notin ()"),
            ("a in ()", "a in ()"),
            ("a in (b,,c)", "a in (,b,c)"),
            ("a=,b", "a=,b"),
            ("in in (in)", "in in (in)"),
            ("b,a", "a,b"),
            ("a>1,b<2", "a>1,b<2"),
        ];
        for (text, expected) in cases {
            assert_eq!(
                LabelSelector::parse(text).map(|selector| selector.to_string()),
                Ok(expected.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn refusals_have_the_servers_words() {
        let cases = [
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
            ("a=b,", "found '', expected: identifier after ','"),
            (",a", "found ',', expected: !, identifier, or 'end of string'"),
            ("a=(", "unable to parse requirement: found '(', expected: identifier"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
            ("!a=b", "found '=', expected: ',' or 'end of string'"),
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("a in (b,", "unable to parse requirement: found '', expected: ',', or identifier"),
            (
                "a>x",
                "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
            (
                "a=b/c",
                "unable to parse requirement: values[0][a]: Invalid value: \"b/c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
            ),
            (
                "/a",
                "unable to parse requirement: <nil>: Invalid value: \"/a\": prefix part must be non-empty",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(LabelSelector::parse(text), Err(SelectorError(expected.into())), "{text}");
        }
    }

    #[test]
    fn labels_are_matched() {
        let labels = json!({"a": "b", "n": "5", "empty": ""});
        let labels = labels.as_object();
        let cases = [
            ("a=b", true),
            ("a!=b", false),
            ("x!=b", true),
            ("a in (b,c)", true),
            ("a notin (b)", false),
            ("x notin (b)", true),
            ("a", true),
            ("!a", false),
            ("!x", true),
            ("n>4,n<6", true),
            ("n>5", false),
            ("a>5", false),
            ("empty=", true),
            ("x=", false),
        ];
        for (text, expected) in cases {
            assert_eq!(LabelSelector::parse(text).unwrap().matches(labels), expected, "{text}");
        }
    }

    #[test]
    fn selector_objects_mean_the_same() {
        let selector =
            json!({"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]});
        assert_eq!(LabelSelector::of(Some(&selector)).unwrap().to_string(), "a=b,c");
        assert!(!LabelSelector::of(None).unwrap().matches(None));
        assert!(LabelSelector::of(Some(&json!({}))).unwrap().matches(None));
        let unknown = json!({"matchExpressions": [{"key": "c", "operator": "Gt"}]});
        let refused = LabelSelector::of(Some(&unknown)).unwrap_err();
        assert_eq!(refused.to_string(), "\"Gt\" is not a valid label selector operator");
    }
}
