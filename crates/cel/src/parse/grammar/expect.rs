//! What must come next, and how its absence is told: in the words of ANTLR, which Kubernetes' parser is made with.

use super::{Parsed, Parser};
use crate::ast::operator;
use crate::parse::lex::{Kind, Token};

/// The marks that are expected somewhere, in the order in which ANTLR lists them.
const MARKS: &[&str] = &["[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", "true", "false", "null"];
/// The marks that an expression can begin with.
const BEGINNINGS: &[&str] = &["[", "{", "(", ".", "-", "!", "true", "false", "null"];

impl<'s> Parser<'s> {
    /// Takes a mark that must be there; at the end of the text it is told as missing.
    pub(super) fn expect(&mut self, mark: &str) -> Parsed<Token<'s>> {
        if let Some(token) = self.take(mark) {
            return Some(token);
        }
        let token = self.peek();
        if token.kind == Kind::End {
            return self.syntax(token.location, &format!("missing '{mark}' at '<EOF>'"));
        }
        self.expect_one_of(mark, &format!("'{mark}'"))
    }

    /// Takes a mark that must be there, where others could have been; one token before it is left out.
    pub(super) fn expect_one_of(&mut self, mark: &str, expected: &str) -> Parsed<Token<'s>> {
        if let Some(token) = self.take(mark) {
            return Some(token);
        }
        let (token, next) = (self.peek(), self.ahead(1));
        if token.kind != Kind::End && next.kind == Kind::Mark && next.text == mark {
            self.report(
                token.location,
                format!("Syntax error: extraneous input '{}' expecting {expected}", token.text),
            );
            self.next();
            return Some(self.next());
        }
        self.syntax(token.location, &format!("mismatched input '{}' expecting {expected}", token.text))
    }

    /// Whether an expression can begin with a token.
    pub(super) fn begins(token: Token<'_>) -> bool {
        match token.kind {
            Kind::Mark => BEGINNINGS.contains(&token.text),
            Kind::Escaped | Kind::End => false,
            _ => true,
        }
    }

    /// Makes sure that an expression, or one of the other marks, comes next.
    pub(super) fn expect_beginning(&mut self, others: &[&str]) -> Parsed<()> {
        let token = self.peek();
        let fits = |token: Token<'_>| {
            Self::begins(token) || (token.kind == Kind::Mark && others.contains(&token.text))
        };
        if fits(token) {
            return Some(());
        }
        let marks = MARKS.iter().filter(|mark| BEGINNINGS.contains(mark) || others.contains(mark));
        let marks: Vec<String> = marks.map(|mark| format!("'{mark}'")).collect();
        let kinds = "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
        let expected = format!("{{{}, {kinds}}}", marks.join(", "));
        let after_not =
            token.kind == Kind::End && self.position > 0 && self.tokens[self.position - 1].text == "!";
        if fits(self.ahead(1)) && token.kind != Kind::End || after_not {
            self.report(
                token.location,
                format!("Syntax error: extraneous input '{}' expecting {expected}", token.text),
            );
            self.next();
            return if after_not { None } else { Some(()) };
        }
        self.report(
            token.location,
            format!("Syntax error: mismatched input '{}' expecting {expected}", token.text),
        );
        // An operator is taken as if its left side had been there.
        let operator =
            token.kind == Kind::Mark && (operator::binary(token.text).is_some() || token.text == "&&");
        if operator { Some(()) } else { None }
    }

    /// No rule of the grammar fits what has been read up to a token.
    pub(super) fn nothing_fits<T>(&mut self, read: &[&str], token: Token<'s>) -> Parsed<T> {
        let read = read.concat();
        let read = if token.kind == Kind::End { read.trim_end_matches("<EOF>") } else { &read };
        self.syntax(token.location, &format!("no viable alternative at input '{read}'"))
    }
}
