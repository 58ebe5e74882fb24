//! Counts what the generated questions held.

use std::collections::BTreeMap;
use std::fmt;

/// How often each feature was asked for, and how often the answer was an error.
#[derive(Debug, Default)]
pub struct Coverage {
    counts: BTreeMap<String, (usize, usize)>,
}

impl Coverage {
    /// One more question with this feature.
    pub fn add(&mut self, feature: &str, is_error: bool) {
        let (all, errors) = self.counts.entry(feature.to_owned()).or_default();
        *all += 1;
        *errors += usize::from(is_error);
    }

    /// How often the feature was asked for.
    pub fn count(&self, feature: &str) -> usize {
        self.counts.get(feature).map_or(0, |(all, _)| *all)
    }

    /// How often the feature was asked for and answered without an error.
    pub fn accepted(&self, feature: &str) -> usize {
        self.counts.get(feature).map_or(0, |(all, errors)| all - errors)
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells: Vec<_> = self
            .counts
            .iter()
            .map(|(feature, (all, errors))| format!("{feature} {}+{errors}", all - errors))
            .collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or_default() + 2;
        for row in cells.chunks((120 / width).max(1)) {
            let row: String = row.iter().map(|cell| format!("{cell:width$}")).collect();
            writeln!(f, "    {}", row.trim_end())?;
        }
        Ok(())
    }
}
