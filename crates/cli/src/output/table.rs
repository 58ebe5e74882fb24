//! Tables as Helm prints them: columns padded to their widest cell and joined by tabs,
//! long cells cut with an ellipsis.

use std::fmt;

/// Rows of cells.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    max_column_width: usize,
}

impl Table {
    /// An empty table; a width of 0 means that cells are never cut.
    pub(crate) fn new(max_column_width: usize) -> Self {
        Self { rows: Vec::new(), max_column_width }
    }

    /// Adds a row.
    pub(crate) fn row<const COLUMNS: usize>(&mut self, cells: [&str; COLUMNS]) {
        self.rows.push(cells.map(str::to_owned).to_vec());
    }

    /// Adds a row with as many columns as there are cells.
    pub(crate) fn cells(&mut self, cells: &[&str]) {
        self.rows.push(cells.iter().map(|&cell| cell.to_owned()).collect());
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; columns];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                let mut needed = cell.lines().map(width_of).max().unwrap_or(0);
                if self.max_column_width != 0 {
                    needed = needed.min(self.max_column_width);
                }
                *width = needed.max(*width);
            }
        }
        widths
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                out.write_str("\n")?;
            }
            write_row(out, row, &widths)?;
        }
        Ok(())
    }
}

fn write_row(out: &mut fmt::Formatter<'_>, row: &[String], widths: &[usize]) -> fmt::Result {
    let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| fit(cell, *width)).collect();
    let height = cells.iter().map(|cell| cell.split('\n').count()).max().unwrap_or(1);
    for line in 0..height {
        if line > 0 {
            out.write_str("\n")?;
        }
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            if column > 0 {
                out.write_str("\t")?;
            }
            out.write_str(&fit(cell.split('\n').nth(line).unwrap_or(" "), *width))?;
        }
    }
    Ok(())
}

/// Pads a cell to its column, or cuts it to leave room for an ellipsis.
fn fit(cell: &str, width: usize) -> String {
    let length = width_of(cell);
    if width == 0 || length == width {
        return cell.to_owned();
    }
    if length < width {
        return format!("{cell}{}", " ".repeat(width - length));
    }
    let mut cut = String::new();
    for (used, character) in cell.chars().enumerate() {
        cut.push(character);
        if used + 1 + 3 >= width {
            break;
        }
    }
    cut + "..."
}

fn width_of(text: &str) -> usize {
    text.chars().filter(|character| !character.is_control()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pads_and_joins_by_tabs() {
        let mut table = Table::new(80);
        table.row(["NAME", "URL"]);
        table.row(["stable", "https://x"]);
        assert_eq!(table.to_string(), "NAME  \tURL      \nstable\thttps://x");
    }

    #[test]
    fn cuts_long_cells() {
        let mut table = Table::new(10);
        table.row(["D"]);
        table.row(["a description that is long"]);
        assert_eq!(table.to_string(), "D         \na descr...");
    }
}
