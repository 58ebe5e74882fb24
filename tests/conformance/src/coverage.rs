//! Counts what was asked, and how much of it was answered with success.

use std::collections::BTreeMap;
use std::fmt;

use crate::sequence::{Action, Group, Sequence, Verb};

/// How often each verb was asked of each group, and how often with success.
#[derive(Debug, Default)]
pub struct Coverage {
    counts: BTreeMap<(Verb, Group), (usize, usize)>,
    subresources: BTreeMap<(&'static str, Verb), (usize, usize)>,
    codes: BTreeMap<u16, usize>,
}

impl Coverage {
    /// Adds the calls of a sequence.
    pub fn add(&mut self, sequence: &Sequence, codes: &[(usize, u16)]) {
        for step in &sequence.steps {
            let Action::Call(call) = &step.action else { continue };
            let Some((_, code)) = codes.iter().find(|(id, _)| *id == step.id) else { continue };
            if call.check {
                continue;
            }
            let good = usize::from((200..300).contains(code));
            let count = self.counts.entry((call.verb, call.group)).or_default();
            *count = (count.0 + 1, count.1 + good);
            if !call.subresource.is_empty() {
                let count = self.subresources.entry((call.subresource, call.verb)).or_default();
                *count = (count.0 + 1, count.1 + good);
            }
            *self.codes.entry(*code).or_default() += 1;
        }
    }

    /// How many calls there were, and how many of them were answered with success.
    pub fn calls(&self) -> (usize, usize) {
        self.counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
    }

    /// What was never asked, or never with success where it can be.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for verb in Verb::ALL {
            for group in Group::ALL {
                let (asked, good) = self.counts.get(&(verb, group)).copied().unwrap_or_default();
                // Custom resources have no strategic merge patch, and namespaces go one by one.
                let refused = verb == Verb::PatchStrategic && matches!(group, Group::Custom)
                    || verb == Verb::DeleteCollection && group == Group::Namespace;
                if asked == 0 && !(verb == Verb::DeleteCollection && group == Group::Namespace)
                    || good == 0 && !refused
                {
                    missing.push(format!("{} of {}", verb.name(), group.name()));
                }
            }
        }
        missing
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:18}", "")?;
        for group in Group::ALL {
            write!(f, "{:>14}", group.name())?;
        }
        writeln!(f)?;
        for verb in Verb::ALL {
            write!(f, "{:18}", verb.name())?;
            for group in Group::ALL {
                let (asked, good) = self.counts.get(&(verb, group)).copied().unwrap_or_default();
                write!(f, "{:>14}", format!("{good}/{asked}"))?;
            }
            writeln!(f)?;
        }
        for ((subresource, verb), (asked, good)) in &self.subresources {
            writeln!(f, "{:32}{:>14}", format!("{subresource}: {}", verb.name()), format!("{good}/{asked}"))?;
        }
        let codes: Vec<_> = self.codes.iter().map(|(code, count)| format!("{code}: {count}")).collect();
        writeln!(f, "codes {}", codes.join(", "))?;
        let (asked, good) = self.calls();
        write!(
            f,
            "{asked} calls, {good} of them answered with success ({:.1} %)",
            100.0 * good as f64 / asked.max(1) as f64
        )
    }
}
