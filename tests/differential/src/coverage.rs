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
    fn count(&self, feature: &str) -> usize {
        self.counts.get(feature).map_or(0, |(all, _)| *all)
    }

    /// Those of the features that were never asked for.
    pub fn missing<'a>(&self, features: &'a [String]) -> Vec<&'a str> {
        features.iter().map(String::as_str).filter(|feature| self.count(feature) == 0).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_asked_for_is_missing() {
        let mut coverage = Coverage::default();
        coverage.add("range", true);
        let wanted = ["range".to_owned(), "with".to_owned()];
        assert_eq!(coverage.missing(&wanted), ["with"]);
        assert_eq!(coverage.to_string(), "    range 0+1\n");
    }
}
