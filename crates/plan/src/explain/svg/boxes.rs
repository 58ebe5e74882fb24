//! What the boxes of a picture say, and how many groups share one.

use std::collections::{BTreeSet, HashMap};

use super::super::label::{lines, title};
use super::super::view::{Group, GroupKind, Verb, View};
use super::layout::Size;
use super::{LINE, Line, palette};

/// Beyond this many groups a picture shows one box for all of a kind in one wave.
const MAX_GROUPS: usize = 60;

/// Beyond this many waves such a box is about several of them.
const MAX_COLUMNS: u32 = 24;

/// How wide a character is: a little more than in any of the fonts, so that nothing sticks out.
const MONO_WIDTH: f64 = 7.3;
const BOLD_WIDTH: f64 = 7.9;

/// One box: what it says.
pub(super) struct Drawn {
    pub(super) colour: &'static str,
    pub(super) what: String,
    pub(super) chart: String,
    pub(super) lines: Vec<(Verb, String)>,
    pub(super) more: Option<String>,
    pub(super) is_point: bool,
}

/// All boxes of a picture.
pub(super) struct Boxes {
    pub(super) drawn: Vec<Drawn>,
    /// The box of each group.
    pub(super) of_group: Vec<usize>,
    /// Whether boxes stand for many groups each.
    pub(super) is_summary: bool,
}

impl Drawn {
    fn of(group: &Group, limit: usize) -> Self {
        let (what, chart) = title(group);
        let (lines, more) = lines(group, limit);
        Self {
            colour: palette::of_group(group),
            what,
            chart,
            lines,
            more: (more > 0).then(|| format!("… and {more} more")),
            is_point: group.kind == GroupKind::Meeting,
        }
    }

    pub(super) fn size(&self) -> Size {
        if self.is_point {
            return Size { width: 14.0, height: 14.0 };
        }
        let length = |text: &str| text.chars().count() as f64;
        let titles = length(&self.what).max(length(&self.chart)) * BOLD_WIDTH;
        let rows = self.lines.iter().map(|(_, line)| length(line) + 2.0);
        let rows = rows.chain(self.more.iter().map(|more| length(more))).fold(0.0, f64::max) * MONO_WIDTH;
        let count = self.lines.len() + usize::from(self.more.is_some());
        Size { width: titles.max(rows) + 32.0, height: self.head() + LINE * count as f64 + 12.0 }
    }

    pub(super) fn head(&self) -> f64 {
        if self.chart.is_empty() { 34.0 } else { 50.0 }
    }
}

impl Boxes {
    /// The boxes of a view; those of a large one stand for many groups each.
    pub(super) fn of(view: &View, limit: usize) -> Self {
        if view.groups.len() <= MAX_GROUPS {
            let drawn = view.groups.iter().map(|group| Drawn::of(group, limit)).collect();
            return Self { drawn, of_group: (0..view.groups.len()).collect(), is_summary: false };
        }
        let column = |wave: u32| match view.waves {
            waves if waves <= MAX_COLUMNS => wave,
            waves => wave.saturating_sub(1) * MAX_COLUMNS / waves,
        };
        // Many charts are too many boxes as well.
        let charts: BTreeSet<_> =
            view.groups.iter().map(|group| (column(group.wave), group.kind, &group.chart)).collect();
        let by_chart = charts.len() <= MAX_GROUPS;
        let mut members: Vec<(Option<&str>, Vec<&Group>)> = Vec::new();
        let mut of_group = Vec::with_capacity(view.groups.len());
        let mut numbers = HashMap::new();
        for group in &view.groups {
            let chart = group.chart.as_deref().filter(|_| by_chart);
            let number = *numbers.entry((column(group.wave), group.kind, chart)).or_insert_with(|| {
                members.push((chart, Vec::new()));
                members.len() - 1
            });
            members[number].1.push(group);
            of_group.push(number);
        }
        let drawn = members.iter().map(|(chart, groups)| match groups.as_slice() {
            [group] => Drawn::of(group, limit),
            groups => many(*chart, groups, limit),
        });
        Self { drawn: drawn.collect(), of_group, is_summary: true }
    }
}

/// The lines of a summary that lead onwards and that no others imply. Boxes are numbered as they come.
pub(super) fn untangled<'a>(lines: Vec<Line<'a>>, count: usize) -> Vec<Line<'a>> {
    let lines: Vec<Line<'a>> = lines.into_iter().filter(|(from, to, _)| from < to).collect();
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to, _) in &lines {
        leaving[*from].push(*to);
    }
    // Which boxes come after each, from the last one on.
    let mut reached: Vec<Vec<bool>> = vec![vec![false; count]; count];
    for from in (0..count).rev() {
        let mut own = std::mem::take(&mut reached[from]);
        for to in &leaving[from] {
            own[*to] = true;
            for (own, through) in own.iter_mut().zip(&reached[*to]) {
                *own |= through;
            }
        }
        reached[from] = own;
    }
    let is_implied =
        |(from, to, _): &Line<'_>| leaving[*from].iter().any(|via| via != to && reached[*via][*to]);
    lines.into_iter().filter(|line| !is_implied(line)).collect()
}

fn many(chart: Option<&str>, groups: &[&Group], limit: usize) -> Drawn {
    let first = groups[0];
    let word = match first.kind {
        GroupKind::Layer => "layers",
        GroupKind::Moved => "groups moved before their users",
        GroupKind::Deletion => "groups to delete",
        GroupKind::Meeting => "barriers",
        _ => "groups",
    };
    let objects: usize = groups.iter().map(|group| group.steps.len()).sum();
    let verb = first.steps.first().map_or(Verb::Wait, |row| row.verb);
    let lines: Vec<(Verb, String)> = groups
        .iter()
        .take(limit)
        .map(|group| (verb, format!("{} ({})", title(group).0, group.steps.len())))
        .collect();
    let more = groups.len().saturating_sub(limit);
    let (low, high) = (first.wave, groups.iter().map(|group| group.wave).max().unwrap_or_default());
    let waves = if low == high { String::new() } else { format!("waves {low} to {high}: ") };
    Drawn {
        colour: palette::of_group(first),
        what: format!("{waves}{} {word}, {objects} objects", groups.len()),
        chart: chart.unwrap_or_default().to_owned(),
        lines,
        more: (more > 0).then(|| format!("… and {more} more")),
        is_point: false,
    }
}
