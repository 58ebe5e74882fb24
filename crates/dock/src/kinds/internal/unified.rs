//! Differences of texts in the unified form, found as Python's `difflib` finds them: the server's library does so.

use std::collections::HashMap;
use std::fmt::Write as _;

/// How many lines that are alike are told around each change.
const CONTEXT: usize = 3;

/// Lines that are more frequent than this in a long text say nothing about where they belong.
const LONG: usize = 200;

/// A run of lines that are alike: where it begins in both texts, and how long it is.
type Run = (usize, usize, usize);

/// What has to be changed from one run to the next.
type Change = (usize, usize, usize, usize, bool);

struct Matcher<'a> {
    one: Vec<&'a str>,
    other: Vec<&'a str>,
    places: HashMap<&'a str, Vec<usize>>,
}

/// The difference of two texts; nothing if they are alike.
pub(super) fn difference(one: &str, other: &str) -> String {
    let matcher = Matcher::new(lines(one), lines(other));
    let mut text = String::new();
    for group in groups(matcher.changes()) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        // Writing to a string does not fail.
        let _ = writeln!(text, "@@ -{} +{} @@", span(first.0, last.1), span(first.2, last.3));
        for (from, to, other_from, other_to, alike) in group {
            if alike {
                tell(&mut text, ' ', &matcher.one[from..to]);
            } else {
                tell(&mut text, '-', &matcher.one[from..to]);
                tell(&mut text, '+', &matcher.other[other_from..other_to]);
            }
        }
    }
    text
}

fn lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

fn tell(text: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        let _ = writeln!(text, "{sign}{line}");
    }
}

fn span(from: usize, to: usize) -> String {
    match to - from {
        1 => format!("{}", from + 1),
        0 => format!("{from},0"),
        length => format!("{},{length}", from + 1),
    }
}

impl<'a> Matcher<'a> {
    fn new(one: Vec<&'a str>, other: Vec<&'a str>) -> Self {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, line) in other.iter().enumerate() {
            places.entry(line).or_default().push(place);
        }
        if other.len() >= LONG {
            let most = other.len() / 100 + 1;
            places.retain(|_, places| places.len() <= most);
        }
        Self { one, other, places }
    }

    /// The longest run within bounds, the first in the first text among those, then the first in the other.
    fn longest(&self, (low, high): (usize, usize), (other_low, other_high): (usize, usize)) -> Run {
        let (mut best_one, mut best_other, mut size) = (low, other_low, 0);
        let mut lengths: HashMap<usize, usize> = HashMap::new();
        for at in low..high {
            let mut next = HashMap::new();
            for &place in self.places.get(self.one[at]).into_iter().flatten() {
                if place < other_low {
                    continue;
                }
                if place >= other_high {
                    break;
                }
                let before = place.checked_sub(1).and_then(|place| lengths.get(&place));
                let length = before.copied().unwrap_or_default() + 1;
                next.insert(place, length);
                if length > size {
                    (best_one, best_other, size) = (at + 1 - length, place + 1 - length, length);
                }
            }
            lengths = next;
        }
        while best_one > low && best_other > other_low && self.one[best_one - 1] == self.other[best_other - 1]
        {
            (best_one, best_other, size) = (best_one - 1, best_other - 1, size + 1);
        }
        while best_one + size < high
            && best_other + size < other_high
            && self.one[best_one + size] == self.other[best_other + size]
        {
            size += 1;
        }
        (best_one, best_other, size)
    }

    fn runs(&self, one: (usize, usize), other: (usize, usize), runs: &mut Vec<Run>) {
        let (at, place, size) = self.longest(one, other);
        if size == 0 {
            return;
        }
        if one.0 < at && other.0 < place {
            self.runs((one.0, at), (other.0, place), runs);
        }
        match runs.last_mut() {
            Some((before, other_before, length))
                if *before + *length == at && *other_before + *length == place =>
            {
                *length += size;
            }
            _ => runs.push((at, place, size)),
        }
        if at + size < one.1 && place + size < other.1 {
            self.runs((at + size, one.1), (place + size, other.1), runs);
        }
    }

    fn changes(&self) -> Vec<Change> {
        let mut runs = Vec::new();
        self.runs((0, self.one.len()), (0, self.other.len()), &mut runs);
        runs.push((self.one.len(), self.other.len(), 0));
        let (mut at, mut place) = (0, 0);
        let mut changes = Vec::new();
        for (from, other_from, size) in runs {
            if at < from || place < other_from {
                changes.push((at, from, place, other_from, false));
            }
            (at, place) = (from + size, other_from + size);
            if size > 0 {
                changes.push((from, at, other_from, place, true));
            }
        }
        changes
    }
}

/// Changes that are near each other, with the lines around them.
fn groups(mut changes: Vec<Change>) -> Vec<Vec<Change>> {
    if let Some((from, to, other_from, other_to, true)) = changes.first_mut() {
        *from = (*from).max(to.saturating_sub(CONTEXT));
        *other_from = (*other_from).max(other_to.saturating_sub(CONTEXT));
    }
    if let Some((from, to, other_from, other_to, true)) = changes.last_mut() {
        *to = (*to).min(*from + CONTEXT);
        *other_to = (*other_to).min(*other_from + CONTEXT);
    }
    let (mut groups, mut group) = (Vec::new(), Vec::new());
    for (from, to, other_from, other_to, alike) in changes {
        if alike && to - from > 2 * CONTEXT {
            group.push((from, to.min(from + CONTEXT), other_from, other_to.min(other_from + CONTEXT), alike));
            groups.push(std::mem::take(&mut group));
            group.push((
                from.max(to.saturating_sub(CONTEXT)),
                to,
                other_from.max(other_to.saturating_sub(CONTEXT)),
                other_to,
                alike,
            ));
            continue;
        }
        group.push((from, to, other_from, other_to, alike));
    }
    let only_alike = matches!(group.as_slice(), [(.., true)]);
    if !group.is_empty() && !only_alike {
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_differs_from_itself() {
        assert_eq!(difference("a\nb\nc", "a\nb\nc"), "");
    }

    #[test]
    fn far_changes_are_told_apart() {
        let one: Vec<String> = (0..30).map(|line| line.to_string()).collect();
        let mut other = one.clone();
        other[2] = "two".into();
        other.remove(25);
        assert_eq!(
            difference(&one.join("\n"), &other.join("\n")),
            "@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -23,7 +23,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n"
        );
    }
}
