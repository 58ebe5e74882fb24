//! From text to tree: tokens, grammar, literals and macros.

mod grammar;
mod lex;
mod literal;
mod macros;

use crate::ast::Expr;
use crate::source::{CompileErrors, Issue, Location};

/// The longest expression, in characters.
const LONGEST: usize = 100_000;

/// Reads an expression and expands its macros.
pub(crate) fn parse(source: &str) -> Result<Expr, CompileErrors> {
    let length = source.chars().count();
    if length > LONGEST {
        let message = format!("expression code point size exceeds limit: size: {length}, limit {LONGEST}");
        return Err(CompileErrors::new(source, vec![Issue { location: Location::NOWHERE, message }]));
    }
    let mut issues = Vec::new();
    let tokens = lex::tokens(source, &mut issues);
    let mut parser = grammar::Parser::new(tokens, issues);
    let expression = parser.whole();
    let issues = parser.into_issues();
    match expression {
        Some(expression) if issues.is_empty() => Ok(expression),
        _ => Err(CompileErrors::new(source, issues)),
    }
}
