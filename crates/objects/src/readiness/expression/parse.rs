//! From text to an expression: a path, an operator, a literal.

use goyaml::strconv::parse_float;

use super::compare::{Literal, Operator};
use super::{Expression, ExpressionError};
use crate::jsonpath::JsonPath;

/// Reads a whole expression.
pub(super) fn expression(text: &str) -> Result<Expression, ExpressionError> {
    let error = |at: usize, problem: String| ExpressionError { expression: text.to_owned(), at, problem };
    let start = text.len() - text.trim_start().len();
    let end = path_end(text, start).map_err(|(at, problem)| error(at, problem.to_owned()))?;
    let written = text[start..end].trim_end();
    if written.is_empty() {
        return Err(error(start, "there is no path before the operator".to_owned()));
    }
    // Where a character of the template stands in the text: bare paths get a brace and a dot.
    let (template, shift) = if written.starts_with('{') {
        (written.to_owned(), 0)
    } else if written.starts_with(['.', '[', '$', '@']) {
        (format!("{{{written}}}"), 1)
    } else {
        (format!("{{.{written}}}"), 2)
    };
    let path = JsonPath::parse_path(&template).map_err(|problem| {
        let at = problem.position().unwrap_or(0).saturating_sub(shift).min(written.len());
        error(start + at, problem.to_string())
    })?;
    let after = end + (text[end..].len() - text[end..].trim_start().len());
    let Some((operator, length)) = Operator::at(&text[after..]) else {
        return Err(error(after, "an operator is expected: one of == != < <= > >=".to_owned()));
    };
    let literal = literal(text, after + length).map_err(|(at, problem)| error(at, problem.to_owned()))?;
    Ok(Expression { text: text.trim().to_owned(), path, operator, literal })
}

/// Where the path ends: after its closing brace, or before the operator. Quotes and brackets hide both.
fn path_end(text: &str, start: usize) -> Result<usize, (usize, &'static str)> {
    let in_braces = text[start..].starts_with('{');
    let mut quote = None;
    let mut open = Vec::new();
    for (at, character) in text.char_indices().skip_while(|(at, _)| *at < start) {
        match (quote, character) {
            (Some((mark, _)), _) if character == mark && !text[..at].ends_with('\\') => quote = None,
            (None, '"' | '\'') => quote = Some((character, at)),
            (None, '{' | '[' | '(') => open.push(at),
            (None, '}' | ']' | ')') => {
                open.pop();
                if open.is_empty() && in_braces {
                    return Ok(at + character.len_utf8());
                }
            }
            (None, '=' | '!' | '<' | '>') if open.is_empty() => return Ok(at),
            _ => {}
        }
    }
    match (quote, open.first()) {
        (Some((_, at)), _) => Err((at, "this quote is not closed")),
        (None, Some(at)) => Err((*at, "this bracket is not closed")),
        (None, None) => Ok(text.len()),
    }
}

/// The scalar on the right, from `from` to the end of the text.
fn literal(text: &str, from: usize) -> Result<Literal, (usize, &'static str)> {
    let rest = text[from..].trim();
    let at = from + (text[from..].len() - text[from..].trim_start().len());
    let Some(first) = rest.chars().next() else {
        return Err((text.len(), "there is nothing to compare with"));
    };
    if first == '"' || first == '\'' {
        return quoted(rest, first).map(Literal::Text).map_err(|(offset, problem)| (at + offset, problem));
    }
    let is_special = |c: char| c.is_whitespace() || "\"'{}[]()<>=!&|,".contains(c);
    if let Some(offset) = rest.find(is_special) {
        return Err((at + offset, "one number, boolean or word is expected; other texts need quotes"));
    }
    Ok(if let Ok(integer) = rest.parse() {
        Literal::Integer(integer)
    } else if let Some(number) = number(rest) {
        Literal::Number(number)
    } else if let Some(boolean) = boolean(rest) {
        Literal::Bool(boolean)
    } else {
        Literal::Text(rest.to_owned())
    })
}

fn quoted(text: &str, mark: char) -> Result<String, (usize, &'static str)> {
    let mut content = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some((_, escaped @ ('\\' | '"' | '\''))) => content.push(escaped),
                Some((_, 'n')) => content.push('\n'),
                Some((_, 't')) => content.push('\t'),
                _ => return Err((at, "this escape is not known")),
            },
            _ if character == mark => {
                let end = at + mark.len_utf8();
                return if end == text.len() {
                    Ok(content)
                } else {
                    Err((end, "nothing may follow the literal"))
                };
            }
            other => content.push(other),
        }
    }
    Err((0, "this quote is not closed"))
}

/// A finite decimal number.
pub(super) fn number(text: &str) -> Option<f64> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    parse_float(text, 64).ok().filter(|number| is_decimal && number.is_finite())
}

/// `true` or `false`, also as conditions write it.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}
