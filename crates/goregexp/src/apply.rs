//! Applying a pattern: matching, finding, replacing and splitting with Go's treatment of empty matches.

use std::ops::Range;

use regex::CaptureLocations;

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
            let Some(range) = self.compiled.find_at(text, position).map(|found| found.range()) else {
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
    ///
    /// `None` if that makes more than `most` bytes.
    pub fn replace_all(&self, text: &str, template: &str, most: usize) -> Option<String> {
        if !template.contains('$') {
            return self.replace_all_literal(text, template, most);
        }
        let mut groups = self.compiled.capture_locations();
        let mut output = String::with_capacity(text.len());
        let (mut copied, mut position) = (0, 0);
        while position <= text.len() {
            let Some(found) = self.compiled.captures_read_at(&mut groups, text, position) else {
                break;
            };
            output.push_str(&text[copied..found.start()]);
            if found.end() > copied || found.start() == 0 {
                self.expand(&mut output, template, text, &groups, most)?;
            }
            copied = found.end();
            position = next_position(text, position, copied);
        }
        output.push_str(&text[copied..]);
        Some(output)
    }

    /// Replaces every match by a text; `None` if that makes more than `most` bytes.
    pub fn replace_all_literal(&self, text: &str, replacement: &str, most: usize) -> Option<String> {
        let mut output = String::with_capacity(text.len());
        let (mut copied, mut position) = (0, 0);
        while position <= text.len() {
            let Some(found) = self.compiled.find_at(text, position) else {
                break;
            };
            output.push_str(&text[copied..found.start()]);
            // An empty match right after a match is not replaced again.
            if found.end() > copied || found.start() == 0 {
                output.push_str(replacement);
            }
            if output.len() > most {
                return None;
            }
            copied = found.end();
            position = next_position(text, position, copied);
        }
        output.push_str(&text[copied..]);
        Some(output)
    }

    /// Writes a replacement template with the groups of a match filled in.
    fn expand(
        &self,
        output: &mut String,
        mut template: &str,
        text: &str,
        groups: &CaptureLocations,
        most: usize,
    ) -> Option<()> {
        while let Some((before, after)) = template.split_once('$') {
            output.push_str(before);
            template = after;
            if let Some(after) = template.strip_prefix('$') {
                output.push('$');
                template = after;
                continue;
            }
            let Some((name, rest)) = take_group_name(template) else {
                output.push('$');
                continue;
            };
            template = rest;
            let group = match group_number(name) {
                Some(number) => groups.get(number),
                None => self
                    .names
                    .iter()
                    .enumerate()
                    .filter(|(_, own)| own.as_deref() == Some(name))
                    .find_map(|(number, _)| groups.get(number)),
            };
            if let Some((start, end)) = group {
                output.push_str(&text[start..end]);
            }
            if output.len() > most {
                return None;
            }
        }
        output.push_str(template);
        Some(())
    }

    /// Splits a text at the matches into at most `limit` pieces.
    pub fn split<'t>(&self, text: &'t str, limit: Option<usize>) -> Vec<&'t str> {
        if limit == Some(0) {
            return Vec::new();
        }
        if !self.source.is_empty() && text.is_empty() {
            return vec![""];
        }
        let mut pieces = Vec::new();
        let (mut begin, mut end) = (0, 0);
        for found in self.find_ranges(text, limit) {
            if limit.is_some_and(|limit| pieces.len() + 1 >= limit) {
                break;
            }
            end = found.start;
            if found.end != 0 {
                pieces.push(&text[begin..end]);
            }
            begin = found.end;
        }
        if end != text.len() {
            pieces.push(&text[begin..]);
        }
        pieces
    }
}

/// How far to step over the character at a position; beyond the end, by one.
fn character_width(text: &str, position: usize) -> usize {
    text[position..].chars().next().map_or(1, char::len_utf8)
}

/// Where to look on after a match: behind it, but at least one character further.
fn next_position(text: &str, position: usize, match_end: usize) -> usize {
    match_end.max(position + character_width(text, position))
}

/// Takes the name of a group, in braces or not, off the front of a template.
fn take_group_name(template: &str) -> Option<(&str, &str)> {
    let (braced, text) = template.strip_prefix('{').map_or((false, template), |text| (true, text));
    let end = text.find(|c: char| !(c.is_alphabetic() || c.is_numeric() || c == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return None;
    }
    Some((name, if braced { rest.strip_prefix('}')? } else { rest }))
}

/// The number of a group, if its name is one.
fn group_number(name: &str) -> Option<usize> {
    if name.len() > 1 && name.starts_with('0') || !name.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    name.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacement_templates_are_go_s() {
        for (pattern, text, template, expected) in [
            ("a(x*)b", "-ab-axxb-", "${1}W", "-W-xxW-"),
            ("a(x*)b", "-ab-axxb-", "$1W", "---"),
            ("a(?P<n>x*)b", "-axb-", "[$n][${n}]$$$x$", "-[x][x]$$-"),
            ("", "héé", "-", "-h-é-é-"),
            ("x*", "baaxc", "-", "-b-a-a-c-"),
            ("(?P<n>a)|(?P<n>b)", "ab", "<$n>", "<a><b>"),
        ] {
            let regexp = Regexp::compile(pattern).unwrap();
            assert_eq!(
                regexp.replace_all(text, template, 100).as_deref(),
                Some(expected),
                "{pattern} in {text}"
            );
        }
    }

    #[test]
    fn empty_matches_count_as_in_go() {
        let find = |pattern, text, limit| Regexp::compile(pattern).unwrap().find_all(text, limit);
        assert_eq!(find("a*", "baac", None), ["", "aa", ""]);
        assert_eq!(find("", "é", None), ["", ""]);
        assert_eq!(find(r"\B", "aé", None).len(), 1);
        assert_eq!(find("[a-z]", "abc", Some(2)), ["a", "b"]);
    }

    #[test]
    fn splitting_is_go_s() {
        let split = |pattern, text, limit| Regexp::compile(pattern).unwrap().split(text, limit);
        assert_eq!(split("a", "banana", None), ["b", "n", "n", ""]);
        assert_eq!(split("a", "banana", Some(2)), ["b", "nana"]);
        assert_eq!(split("z+", "pizza", Some(1)), ["pizza"]);
        assert_eq!(split("", "abc", None), ["a", "b", "c"]);
        assert_eq!(split("a", "", None), [""]);
        assert!(split("a", "ab", Some(0)).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn a_quoted_text_matches_itself(text: String) {
            let regexp = Regexp::compile(&crate::quote_meta(&text)).unwrap();
            proptest::prop_assert_eq!(regexp.find(&text), Some(text.as_str()));
        }

        #[test]
        fn a_pattern_is_read_or_refused(pattern in r"[\[\]()*+?{}|.^$\\a-c0-2:<>P=!iQEdpLxz-]{0,12}", text in "[a-c0-2\n]{0,8}") {
            if let Ok(regexp) = Regexp::compile(&pattern) {
                let found: usize = regexp.find_all(&text, None).iter().map(|found| found.len()).sum();
                proptest::prop_assert!(found <= text.len());
                regexp.replace_all(&text, "$0", 1000);
            }
        }
    }
}
