//! The text of an expression, and how a problem is shown in it.

use std::fmt;

/// A place in the text: a line from 1, and a column from 0 counted in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The line, from 1.
    pub line: i32,
    /// The column, from 0.
    pub column: i32,
}

/// What is wrong with an expression, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Where it is wrong.
    pub location: Location,
    /// What is wrong, in cel-go's words.
    pub message: String,
}

/// Everything that is wrong with an expression. Prints as cel-go shows it, with the line and a mark below.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct CompileErrors {
    text: String,
    issues: Vec<Issue>,
}

impl Location {
    /// What concerns the expression as a whole.
    pub(crate) const NOWHERE: Self = Self { line: -1, column: -1 };
}

/// Only this many problems are told.
const MOST_ISSUES: usize = 100;
/// A longer line is not shown.
const LONGEST_LINE: usize = 16_384;

impl CompileErrors {
    pub(crate) fn new(source: &str, mut issues: Vec<Issue>) -> Self {
        let told = issues.len().min(MOST_ISSUES);
        issues[..told].sort_by_key(|issue| issue.location);
        Self { text: source.to_owned(), issues }
    }

    /// The problems, in the order of the text.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }
}

impl fmt::Display for CompileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, issue) in self.issues.iter().take(MOST_ISSUES).enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            show(f, &self.text, issue)?;
        }
        if self.issues.len() > MOST_ISSUES {
            write!(f, "\n{} more errors were truncated", self.issues.len() - MOST_ISSUES)?;
        }
        Ok(())
    }
}

fn show(f: &mut fmt::Formatter<'_>, source: &str, issue: &Issue) -> fmt::Result {
    let Location { line, column } = issue.location;
    write!(f, "ERROR: <input>:{line}:{}: {}", column + 1, issue.message)?;
    let text = usize::try_from(line - 1).ok().and_then(|line| source.split('\n').nth(line));
    let Some(text) = text.filter(|text| text.len() <= LONGEST_LINE && !source.is_empty()) else {
        return Ok(());
    };
    write!(f, "\n | {}\n | ", text.replace('\t', " "))?;
    let mut characters = text.chars();
    for _ in 0..column {
        match characters.next() {
            Some(character) if character.len_utf8() > 1 => f.write_str("\u{ff0e}")?,
            Some(_) => f.write_str(".")?,
            None => break,
        }
    }
    f.write_str(if characters.next().is_some_and(|c| c.len_utf8() > 1) { "\u{ff3e}" } else { "^" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_marked_in_its_line() {
        let issues = vec![Issue { location: Location { line: 2, column: 2 }, message: "odd".into() }];
        assert_eq!(
            CompileErrors::new("a\nbé c", issues).to_string(),
            "ERROR: <input>:2:3: odd\n | bé c\n | .．^"
        );
    }
}
