//! Applying a pattern: matching, finding, replacing and splitting with Go's treatment of empty matches.

use std::ops::Range;

use super::Regexp;

impl Regexp {
    /// Whether the pattern matches anywhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled.is_match(text)
    }

    /// The leftmost match.
    pub fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.compiled.find(text).map(|found| found.as_str())
    }

    /// The matches that do not overlap, at most `limit` of them.
    pub fn find_all<'t>(&self, text: &'t str, limit: Option<usize>) -> Vec<&'t str> {
        self.find_ranges(text, limit).into_iter().map(|range| &text[range]).collect()
    }

    fn find_ranges(&self, text: &str, limit: Option<usize>) -> Vec<Range<usize>> {
        let limit = limit.unwrap_or(usize::MAX);
        let mut found = Vec::new();
        let mut position = 0;
        let mut previous_end = None;
        while found.len() < limit && position <= text.len() {
            let Some(range) = self.compiled.find_at(text, position).map(|m| m.range()) else {
                break;
            };
            let mut accept = true;
            if range.end == position {
                // An empty match right after a match is none.
                accept = Some(range.start) != previous_end;
                position += character_width(text, position);
            } else {
                position = range.end;
            }
            previous_end = Some(range.end);
            if accept {
                found.push(range);
            }
        }
        found
    }

    /// Replaces every match by a template, in which `$1`, `${1}`, `$name` and `$$` have their meaning.
    pub fn replace_all(&self, text: &str, template: &str) -> String {
        if !template.contains('$') {
            return self.replace_all_literal(text, template);
        }
        let mut locations = self.compiled.capture_locations();
        let mut output = String::with_capacity(text.len());
        self.replace_with(text, &mut output, |output, position| {
            let found = self.compiled.captures_read_at(&mut locations, text, position)?.range();
            let locations = &locations;
            Some((found, move |output: &mut String| {
                self.expand(output, template, text, locations);
            }))
            .map(|(range, write)| {
                let _ = &output;
                (range, Box::new(write) as Box<dyn FnOnce(&mut String)>)
            })
        });
        output
    }

    /// Replaces every match by a text.
    pub fn replace_all_literal(&self, text: &str, replacement: &str) -> String {
        let mut output = String::with_capacity(text.len());
        let mut copied = 0;
        let mut position = 0;
        while position <= text.len() {
            let Some(found) = self.compiled.find_at(text, position) else {
                break;
            };
            output.push_str(&text[copied..found.start()]);
            if found.end() > copied || found.start() == 0 {
                output.push_str(replacement);
            }
            copied = found.end();
            position = next_position(text, position, found.end());
        }
        output.push_str(&text[copied..]);
        output
    }
}
