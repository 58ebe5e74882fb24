//! Shows the lines of a user's file that an error is about, with a caret under the column.

use std::fmt;

use anstyle::{AnsiColor, Style};

/// A place in a file and the lines around it.
#[derive(Clone, Debug)]
pub(crate) struct Snippet {
    title: String,
    line: usize,
    column: Option<usize>,
    width: usize,
    lines: Vec<(usize, String)>,
}

const GUTTER: Style = AnsiColor::Blue.on_default().bold();
const CARET: Style = AnsiColor::Red.on_default().bold();

/// How many lines before the faulty one are shown, so that a reader finds the place.
const CONTEXT_BEFORE: usize = 2;

impl Snippet {
    /// The given line (from 1) of `text`, which a reader knows as `name`.
    ///
    /// `column` counts bytes from 1. Nothing is returned when the text has no such line.
    pub(crate) fn new(name: &str, text: &str, line: usize, column: Option<usize>) -> Option<Self> {
        Self::within(name, text, line, column, 1)
    }

    /// The same without a column, and with no line before `first`.
    pub(crate) fn from(name: &str, text: &str, line: usize, first: usize) -> Option<Self> {
        Self::within(name, text, line, None, first)
    }

    fn within(name: &str, text: &str, line: usize, column: Option<usize>, first: usize) -> Option<Self> {
        let first = line.saturating_sub(CONTEXT_BEFORE).max(first).max(1);
        let lines: Vec<_> = text
            .lines()
            .enumerate()
            .map(|(index, content)| (index + 1, content.to_owned()))
            .skip(first - 1)
            .take(line + 1 - first)
            .collect();
        let (last, content) = lines.last()?;
        if *last != line {
            return None;
        }
        let column = column.filter(|column| (1..=content.len() + 1).contains(column));
        Some(Self { title: title(name, line, column), line, column, width: 1, lines })
    }

    /// One line, when it is all there is of the file. The caret alone shows the column: Go counts
    /// columns from 0 in its messages, and two numbers for one place would confuse.
    pub(crate) fn line(name: &str, line: usize, column: Option<usize>, content: &str) -> Self {
        let column = column.filter(|column| (1..=content.len() + 1).contains(column));
        Self {
            title: title(name, line, None),
            line,
            column,
            width: 1,
            lines: vec![(line, content.to_owned())],
        }
    }

    /// Says more about the place.
    pub(crate) fn titled(mut self, remark: &str) -> Self {
        self.title = format!("{} ({remark})", self.title);
        self
    }

    /// Underlines this many bytes instead of one.
    pub(crate) fn underline(mut self, bytes: usize) -> Self {
        self.width = bytes.max(1);
        self
    }
}

fn title(name: &str, line: usize, column: Option<usize>) -> String {
    match column {
        Some(column) => format!("{name}:{line}:{column}"),
        None => format!("{name}:{line}"),
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.line.to_string().len();
        writeln!(out, "{:digits$}{GUTTER}-->{GUTTER:#} {}", "", self.title)?;
        writeln!(out, "{:digits$} {GUTTER}|{GUTTER:#}", "")?;
        for (number, content) in &self.lines {
            writeln!(out, "{GUTTER}{number:digits$} |{GUTTER:#} {content}")?;
        }
        let Some(column) = self.column else { return Ok(()) };
        let content = self.lines.last().map_or("", |(_, content)| content);
        // Tabs before the caret stay tabs, so that it lands under its character.
        let indent: String = content
            .char_indices()
            .take_while(|(offset, _)| offset + 1 < column)
            .map(|(_, character)| if character == '\t' { '\t' } else { ' ' })
            .collect();
        let rest = content.get(column - 1..).unwrap_or("");
        let marked = rest.get(..self.width).unwrap_or(rest).chars().count();
        writeln!(
            out,
            "{:digits$} {GUTTER}|{GUTTER:#} {indent}{CARET}{}{CARET:#}",
            "",
            "^".repeat(marked.max(1))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(snippet: Option<Snippet>) -> String {
        let text = snippet.map(|snippet| snippet.to_string()).unwrap_or_default();
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn points_at_the_column() {
        let text = "one\ntwo\nthree\n  four\nfive\n";
        let shown = plain(Snippet::new("values.yaml", text, 4, Some(3)).map(|s| s.underline(4)));
        assert_eq!(shown, " --> values.yaml:4:3\n  |\n2 | two\n3 | three\n4 |   four\n  |   ^^^^\n");
    }

    #[test]
    fn keeps_tabs_under_tabs() {
        assert_eq!(plain(Snippet::new("t", "\tx", 1, Some(2))), " --> t:1:2\n  |\n1 | \tx\n  | \t^\n");
    }

    #[test]
    fn has_no_caret_without_a_column_that_exists() {
        assert_eq!(plain(Snippet::new("t", "ab", 1, Some(9))), " --> t:1\n  |\n1 | ab\n");
    }

    #[test]
    fn is_nothing_beyond_the_end() {
        assert!(Snippet::new("t", "ab", 2, None).is_none());
        assert!(Snippet::new("t", "", 0, None).is_none());
    }
}
