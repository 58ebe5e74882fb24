//! Tables as svcat prints them: centred headings, a rule, and cells that begin two columns in.

use std::fmt::{self, Write as _};

/// Rows under headings.
#[derive(Debug)]
pub(super) struct Grid {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table without rows.
    pub(super) fn new(headings: &[&str]) -> Self {
        Self { headings: headings.iter().map(|&heading| heading.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(super) fn row<const COLUMNS: usize>(&mut self, cells: [&str; COLUMNS]) {
        self.rows.push(cells.iter().map(|cell| cell.replace(['\n', '\r', '\t'], " ")).collect());
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.headings.iter().map(|heading| heading.chars().count()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        widths
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let mut line = String::new();
        for (heading, width) in self.headings.iter().zip(&widths) {
            write!(line, "  {heading:^width$} ")?;
        }
        writeln!(out, "{}", line.trim_end())?;
        for width in &widths {
            write!(out, "+{}", "-".repeat(width + 2))?;
        }
        write!(out, "+")?;
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                write!(line, "  {cell:<width$} ")?;
            }
            write!(out, "\n{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_centred_over_a_rule() {
        let mut grid = Grid::new(&["NAME", "STATUS"]);
        grid.row(["ups-instance", "Ready"]);
        assert_eq!(
            grid.to_string(),
            "      NAME       STATUS\n+--------------+--------+\n  ups-instance   Ready"
        );
    }
}
