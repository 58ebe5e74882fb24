//! Leaves out steps of a sequence for as long as it still shows the same difference.

use std::time::{Duration, Instant};

use crate::compare::{Difference, compare};
use crate::replay::replay;
use crate::sequence::{Action, Sequence, Settle, Step};
use crate::server::{Server, ServerError};

/// So long a sequence is made shorter; what is left then is short enough.
const LONG_ENOUGH: Duration = Duration::from_mins(1);

/// Two servers that should answer alike, and how often they have been asked.
#[derive(Debug)]
pub struct Pair {
    /// The real server.
    pub real: Server,
    /// The one that is held to it.
    pub other: Server,
    /// A word for this run, and the number of replays so far: both are in the tags.
    pub run: String,
    /// Replays so far.
    pub replays: std::sync::atomic::AtomicUsize,
}

/// How a sequence went on both servers.
#[derive(Debug)]
pub struct Outcome {
    /// The codes of the real server, by step.
    pub codes: Vec<(usize, u16)>,
    /// The differences.
    pub differences: Vec<Difference>,
}

/// The steps with those of the whole sequence that clear up behind it. What is left there would keep the real server busy:
/// it waits for the objects of each definition that is being deleted, and for a few of them at a time only.
fn cleared(steps: &Sequence, whole: &Sequence) -> Sequence {
    let clears = |step: &&Step| matches!(step.action, Action::Settle(Settle::Cleared(..)));
    let mut cleared = steps.clone();
    for step in whole.steps.iter().filter(clears) {
        if !cleared.steps.iter().any(|present| present.id == step.id) {
            cleared.steps.push(step.clone());
        }
    }
    cleared
}

impl Pair {
    /// Replays a sequence on both.
    pub async fn ask(&self, sequence: &Sequence) -> Result<Outcome, ServerError> {
        let number = self.replays.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let tag = format!("{}{number:05}", self.run);
        let (left, right) = replay((&self.real, &self.other), sequence, &tag).await?;
        let codes = left.answers.iter().map(|(step, answer)| (*step, answer.code)).collect();
        Ok(Outcome { codes, differences: compare(sequence, &left, &right) })
    }

    /// The shortest sequence found that differs in the same way, if it does so again at all.
    pub async fn shrink(
        &self,
        sequence: &Sequence,
        difference: &Difference,
    ) -> Result<Option<(Sequence, Difference)>, ServerError> {
        let mut best = sequence.clone();
        // What comes after the difference has nothing to do with it, and most of what is about other objects has not.
        best.steps.retain(|step| step.id <= difference.step);
        let about = sequence.about(difference.step);
        let mut found = None;
        for candidate in [about, best, sequence.clone()] {
            let candidate = cleared(&candidate, sequence);
            found =
                self.same(&candidate, &difference.signature).await?.map(|difference| (candidate, difference));
            if found.is_some() {
                break;
            }
        }
        let Some((mut best, mut found)) = found else { return Ok(None) };
        let end = Instant::now() + LONG_ENOUGH;
        let mut size = best.steps.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < best.steps.len() && Instant::now() < end {
                let mut shorter = best.clone();
                let end = (at + size).min(best.steps.len());
                shorter.steps.drain(at..end);
                let shorter = cleared(&shorter, sequence);
                if shorter.steps.len() == best.steps.len() {
                    break;
                }
                match self.same(&shorter, &found.signature).await? {
                    Some(difference) => {
                        best = shorter;
                        found = difference;
                    }
                    None => at += size,
                }
            }
            size /= 2;
        }
        Ok(Some((best, found)))
    }

    async fn same(&self, sequence: &Sequence, signature: &str) -> Result<Option<Difference>, ServerError> {
        Ok(self
            .ask(sequence)
            .await?
            .differences
            .into_iter()
            .find(|difference| difference.signature == signature))
    }
}
