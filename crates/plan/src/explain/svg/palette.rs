//! Colours: one for each thing that is done.

use super::super::view::{Group, GroupKind, Row, Verb};

/// The entries of a legend, in the order in which they are listed.
pub(super) const LEGEND: [(&str, &str); 9] = [
    (DEFINITIONS, "definitions"),
    (HOOK, "hooks"),
    (MOVED, "moved before its user"),
    (CREATE, "create"),
    (UPDATE, "update"),
    (LEAVE, "unchanged"),
    (DELETE, "delete"),
    (COUNT_DOWN, "count down"),
    (KEEP, "keep, wait"),
];

const DEFINITIONS: &str = "#7c3aed";
const HOOK: &str = "#b45309";
const MOVED: &str = "#0f766e";
const CREATE: &str = "#15803d";
const UPDATE: &str = "#1d4ed8";
const LEAVE: &str = "#64748b";
const DELETE: &str = "#b91c1c";
const COUNT_DOWN: &str = "#c2410c";
const KEEP: &str = "#475569";

/// The colour of a group: that of its kind, or else of the first thing in it that changes something.
pub(crate) fn of_group(group: &Group) -> &'static str {
    match group.kind {
        GroupKind::Definitions => DEFINITIONS,
        GroupKind::Hooks => HOOK,
        GroupKind::Moved => MOVED,
        GroupKind::Rank | GroupKind::Meeting | GroupKind::Kept => KEEP,
        _ => {
            let changes = |row: &&Row| row.verb != Verb::Leave;
            group.steps.iter().find(changes).or(group.steps.first()).map_or(KEEP, |row| of_verb(row.verb))
        }
    }
}

/// The colour of what is done with one object.
pub(super) fn of_verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Create | Verb::CreateIfAbsent => CREATE,
        Verb::Update | Verb::Adopt | Verb::Restore => UPDATE,
        Verb::Leave => LEAVE,
        Verb::Run => HOOK,
        Verb::Delete | Verb::RemoveFinalizers => DELETE,
        Verb::CountDown => COUNT_DOWN,
        Verb::Keep | Verb::Forget | Verb::Wait => KEEP,
    }
}
