//! What is to be looked at: now, in the order in which it came up, or at a later time.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use jiff::Timestamp;

use super::controller::Controller;
use super::world::Key;

/// One object that one controller should look at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Work {
    /// Who.
    pub controller: Controller,
    /// At what.
    pub key: Key,
}

/// What is to be looked at. Everything is in it at most once now, and once later.
#[derive(Debug, Default)]
pub struct Queue {
    ready: VecDeque<Work>,
    waiting: HashSet<Work>,
    timers: BTreeSet<(Timestamp, Work)>,
    due: HashMap<Work, Timestamp>,
}

impl Queue {
    /// Something is to be looked at as soon as possible.
    pub fn add(&mut self, work: Work) {
        if self.waiting.insert(work.clone()) {
            self.ready.push_back(work);
        }
    }

    /// Something is to be looked at later; `None` if only when it changes. Replaces what was said before.
    pub fn schedule(&mut self, work: Work, moment: Option<Timestamp>) {
        if let Some(before) = self.due.remove(&work) {
            self.timers.remove(&(before, work.clone()));
        }
        if let Some(moment) = moment {
            self.due.insert(work.clone(), moment);
            self.timers.insert((moment, work));
        }
    }

    /// What is to be looked at now.
    pub fn next(&mut self, now: Timestamp) -> Option<Work> {
        while let Some((moment, _)) = self.timers.first()
            && *moment <= now
        {
            if let Some((_, work)) = self.timers.pop_first() {
                self.due.remove(&work);
                self.add(work);
            }
        }
        let work = self.ready.pop_front()?;
        self.waiting.remove(&work);
        Some(work)
    }

    /// When something is to be looked at next, if nothing changes before.
    pub fn next_moment(&self) -> Option<Timestamp> {
        self.timers.first().map(|(moment, _)| *moment)
    }

    /// Whether there is nothing to be looked at now, timers aside.
    pub fn is_idle(&self) -> bool {
        self.ready.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::world::PODS;
    use super::*;

    fn work(name: &str) -> Work {
        Work { controller: Controller::Kubelet, key: Key::new(&PODS, "default", name) }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn everything_comes_once_and_in_order() {
        let mut queue = Queue::default();
        for name in ["a", "b", "a", "c"] {
            queue.add(work(name));
        }
        let order: Vec<Work> = std::iter::from_fn(|| queue.next(at(0))).collect();
        assert_eq!(order, ["a", "b", "c"].map(work));
    }

    #[test]
    fn a_later_timer_replaces_an_earlier_one() {
        let mut queue = Queue::default();
        queue.schedule(work("a"), Some(at(5)));
        queue.schedule(work("a"), Some(at(9)));
        queue.schedule(work("b"), Some(at(7)));
        queue.schedule(work("c"), Some(at(1)));
        queue.schedule(work("c"), None);
        assert_eq!(queue.next_moment(), Some(at(7)));
        assert_eq!(queue.next(at(6)), None);
        assert_eq!(queue.next(at(7)), Some(work("b")));
        assert_eq!(queue.next(at(8)), None);
        assert_eq!(queue.next(at(9)), Some(work("a")));
        assert_eq!(queue.next_moment(), None);
    }
}
