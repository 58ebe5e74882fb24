//! Literals, lists, maps and messages.

use super::{Parsed, Parser};
use crate::ast::{Element, Entry, Expr, ExprKind, Field, Literal};
use crate::parse::lex::{Kind, Token};
use crate::parse::literal;
use crate::source::Location;

impl<'s> Parser<'s> {
    pub(super) fn message(&mut self, dot: bool, tokens: usize) -> Parsed {
        let mut name = if dot { ".".to_owned() } else { String::new() };
        for _ in 0..tokens {
            name.push_str(self.next().text);
        }
        let open = self.expect("{")?;
        let mut fields = Vec::new();
        while !self.at("}") {
            self.take("?");
            let token = self.next();
            if token.kind != Kind::Identifier {
                let expected = "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}";
                return self.syntax(
                    token.location,
                    &format!("mismatched input '{}' expecting {expected}", token.text),
                );
            }
            self.expect_one_of(":", "':'")?;
            fields.push(Field { value: self.expression()? });
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect_one_of("}", "{'}', ','}")?;
        Some(self.node(open.location, ExprKind::Message { name: name.into(), fields }))
    }

    pub(super) fn list(&mut self) -> Parsed {
        let open = self.next();
        let mut elements = Vec::new();
        self.expect_beginning(&["]", ",", "?"])?;
        let mut comma = self.take(",").is_some();
        while !comma || Self::begins(self.peek()) || self.at("?") {
            if self.at("]") || (comma && elements.is_empty()) {
                break;
            }
            let optional = self.take("?").is_some();
            elements.push(Element { optional, value: self.expression()? });
            comma = self.take(",").is_some();
            if !comma {
                break;
            }
        }
        if comma {
            self.expect("]")?
        } else {
            self.expect_one_of("]", "{']', ','}")?
        };
        Some(self.node(open.location, ExprKind::List(elements)))
    }

    pub(super) fn map(&mut self) -> Parsed {
        let open = self.next();
        let mut entries = Vec::new();
        self.expect_beginning(&["}", ",", "?"])?;
        let mut comma = self.take(",").is_some();
        while !comma || Self::begins(self.peek()) || self.at("?") {
            if self.at("}") || (comma && entries.is_empty()) {
                break;
            }
            let optional = self.take("?").is_some();
            let key = self.expression()?;
            self.expect_one_of(":", "':'")?;
            entries.push(Entry { optional, key, value: self.expression()? });
            comma = self.take(",").is_some();
            if !comma {
                break;
            }
        }
        if comma {
            self.expect("}")?
        } else {
            self.expect_one_of("}", "{'}', ','}")?
        };
        Some(self.node(open.location, ExprKind::Map(entries)))
    }

    pub(super) fn literal(&mut self, token: Token<'s>, location: Location, negative: bool) -> Expr {
        let problem: String;
        let value = match token.kind {
            Kind::Int => {
                problem = "invalid int literal".into();
                literal::int(token.text, negative).map(Literal::Int)
            }
            Kind::Uint => {
                problem = "invalid uint literal".into();
                literal::uint(token.text).map(Literal::Uint)
            }
            Kind::Float => {
                problem = "invalid double literal".into();
                literal::double(token.text, negative).map(Literal::Double)
            }
            Kind::String => match literal::text(token.text) {
                Ok(text) => return self.node(location, ExprKind::Literal(Literal::String(text.into()))),
                Err(error) => {
                    problem = error.to_string();
                    None
                }
            },
            Kind::Bytes => match literal::bytes(&token.text[1..]) {
                Ok(bytes) => return self.node(location, ExprKind::Literal(Literal::Bytes(bytes.into()))),
                Err(error) => {
                    problem = error.to_string();
                    None
                }
            },
            _ => {
                problem = String::new();
                Some(match token.text {
                    "true" => Literal::Bool(true),
                    "false" => Literal::Bool(false),
                    _ => Literal::Null,
                })
            }
        };
        if let Some(value) = value {
            self.node(location, ExprKind::Literal(value))
        } else {
            self.report(location, problem);
            self.node(location, ExprKind::Broken)
        }
    }
}
