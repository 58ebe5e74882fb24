//! `.helmignore`, with the ways in which it differs from `.gitignore`.
//!
//! Rules are tried in order and the first that decides ends the search. A rule without `/` looks at the file name
//! only; `**` is refused. A negated rule does not bring a file back: it ignores everything that it does *not* match.

use crate::path::{BadPattern, Pattern, base};

/// The name of the file with the rules.
pub const FILE_NAME: &str = ".helmignore";

/// Why a rule was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IgnoreError {
    /// `**` has no meaning here.
    #[error("double-star (**) syntax is not supported")]
    DoubleStar {
        /// Line of the rule, from 1.
        line: usize,
    },
    /// The pattern itself is broken.
    #[error("{source}")]
    Pattern {
        /// Line of the rule, from 1.
        line: usize,
        /// What is wrong.
        source: BadPattern,
    },
}

/// The rules of one `.helmignore`.
#[derive(Debug, Clone, Default)]
pub struct Rules(Vec<Rule>);

#[derive(Debug, Clone)]
struct Rule {
    /// `None` when the pattern became invalid without its `!`; such a rule matches nothing.
    pattern: Option<Pattern>,
    negated: bool,
    directories_only: bool,
    name_only: bool,
}

impl Rules {
    /// Reads the rules of a file.
    pub fn parse(text: &str) -> Result<Self, IgnoreError> {
        let mut rules = Self::default();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            rules.add(line, index + 1)?;
        }
        Ok(rules)
    }

    /// Adds what Helm always ignores: dot files directly in `templates/`.
    pub fn add_defaults(&mut self) {
        // The pattern is a constant that parses.
        let _ = self.add("templates/.?*", 0);
    }

    fn add(&mut self, line: &str, number: usize) -> Result<(), IgnoreError> {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        if text.contains("**") {
            return Err(IgnoreError::DoubleStar { line: number });
        }
        Pattern::parse(text).map_err(|source| IgnoreError::Pattern { line: number, source })?;

        let (negated, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (directories_only, text) = text.strip_suffix('/').map_or((false, text), |rest| (true, rest));
        let (name_only, text) = match text.strip_prefix('/') {
            Some(rest) => (false, rest),
            None => (!text.contains('/'), text),
        };
        let pattern = Pattern::parse(text).ok();
        self.0.push(Rule { pattern, negated, directories_only, name_only });
        Ok(())
    }

    /// Whether the path (relative to the chart, with `/`) is to be left out.
    pub fn ignores(&self, path: &str, is_directory: bool) -> bool {
        if matches!(path, "" | "." | "./") {
            return false;
        }
        for rule in &self.0 {
            let wrong_sort = rule.directories_only && !is_directory;
            let subject = if rule.name_only { base(path) } else { path };
            let matched =
                !wrong_sort && rule.pattern.as_ref().is_some_and(|pattern| pattern.matches(subject));
            if matched != rule.negated {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_decide_as_helm_does() {
        for (rules, path, is_directory, ignored) in [
            ("helm.txt", "helm.txt", false, true),
            ("helm.*", "helm.txt", false, true),
            ("*.txt", "sub/x.txt", false, true),
            ("tiller.txt", "sub/tiller.txt", false, true),
            ("/tiller.txt", "sub/tiller.txt", false, false),
            ("/*.txt", "a.txt", false, true),
            ("cargo/*.txt", "cargo/a.txt", false, true),
            ("cargo/*.*", "mast/a.txt", false, false),
            ("cargo/", "cargo", true, true),
            ("cargo/", "cargo", false, false),
            ("mast/", "x/mast", true, true),
            ("# comment\n\nx", "x", false, true),
            ("!helm.txt", "helm.txt", false, false),
            ("!helm.txt", "other.txt", false, true),
            ("!*.txt\nhelm.txt", "helm.txt", false, true),
            ("!cargo/", "file", false, true),
            ("x\r\ny", "x", false, true),
            (".*", ".", true, false),
        ] {
            let rules = Rules::parse(rules).unwrap();
            assert_eq!(rules.ignores(path, is_directory), ignored, "{rules:?} {path}");
        }
    }

    #[test]
    fn dot_files_in_templates_are_always_ignored() {
        let mut rules = Rules::default();
        rules.add_defaults();
        assert!(rules.ignores("templates/.swp", false));
        assert!(!rules.ignores("templates/sub/.swp", false));
        assert!(!rules.ignores(".swp", false));
    }

    #[test]
    fn refuses_double_stars_and_broken_patterns() {
        assert_eq!(Rules::parse("a\n**/b").unwrap_err(), IgnoreError::DoubleStar { line: 2 });
        assert_eq!(Rules::parse("[x-]").unwrap_err(), IgnoreError::Pattern { line: 1, source: BadPattern });
    }
}
