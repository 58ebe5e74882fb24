//! Runs one generator until its time is up.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use std::{io, thread};

use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::choices::Choices;
use crate::coverage::Coverage;
use crate::oracle::{Answer, LATE, Oracle, Question};
use crate::ours;

/// A generated question and the features it has.
#[derive(Debug, Clone)]
pub struct Generated {
    /// What is asked.
    pub question: Question,
    /// What the text holds, for the report.
    pub features: Vec<&'static str>,
}

/// A kind of question.
#[derive(Clone, Copy)]
pub struct Suite {
    /// The name in reports and on the command line.
    pub name: &'static str,
    /// Questions that are always asked.
    pub fixed: fn() -> Vec<Generated>,
    /// Questions that are asked once each, as far as half of the time allows; where they begin depends on the seed.
    pub sweep: fn() -> Vec<Generated>,
    /// Makes a question out of decisions.
    pub generate: fn(&mut Choices<'_>) -> Generated,
    /// How many decisions there are at most.
    pub size: usize,
    /// Whether the words of errors must agree, and not only that there is one.
    pub words: bool,
    /// The features without which a run is incomplete.
    pub features: fn(&mut Oracle) -> io::Result<Vec<String>>,
}

/// What a suite found.
#[derive(Debug, Default)]
pub struct Report {
    /// How many questions were asked.
    pub questions: usize,
    /// How many of them both sides refused.
    pub refused: usize,
    /// How many of them the real thing answers differently from time to time, our answer being one of them.
    pub varying: usize,
    /// How many of them take the real thing too long.
    pub endless: usize,
    /// What was asked for.
    pub coverage: Coverage,
    /// What was never asked for, and should have been.
    pub missing: Vec<String>,
    /// One example of each kind of difference.
    pub differences: Vec<Difference>,
}

impl Report {
    /// How many questions the two sides answer differently.
    pub fn different(&self) -> usize {
        self.differences.iter().map(|difference| difference.count).sum()
    }
}

/// A report in the making, with the place of each kind of difference in it.
#[derive(Default)]
struct Found {
    report: Report,
    kinds: BTreeMap<String, usize>,
}

/// A question that the two sides answer differently.
#[derive(Debug)]
pub struct Difference {
    /// The smallest such question that was found.
    pub question: Question,
    /// What the real thing says.
    pub theirs: Answer,
    /// What we say.
    pub ours: Answer,
    /// How many questions showed a difference of the same kind.
    pub count: usize,
}

/// No questions.
pub fn none() -> Vec<Generated> {
    Vec::new()
}

/// How many questions are under way at once.
const BATCH: usize = 500;
/// How long the smallest question that shows a difference is looked for.
const SHRINKING: Duration = Duration::from_secs(2);
/// Kinds of differences that are shrunk and told one by one; further kinds are counted as one.
const TOLD: usize = 20;
/// How often a question is asked again to see whether the answer stays the same. Go walks small maps in few orders.
const AGAIN: usize = 64;

impl Suite {
    /// Whether the two answers agree.
    pub fn agree(&self, theirs: &Answer, ours: &Answer) -> bool {
        match (theirs, ours) {
            (Ok(theirs), Ok(ours)) => theirs == ours,
            (Err(theirs), Err(ours)) => !self.words || theirs == ours,
            _ => false,
        }
    }

    /// Asks generated questions until `time` is up.
    pub fn run(&self, oracle: &mut Oracle, seed: u64, time: Duration) -> io::Result<Report> {
        let mut found = Found::default();
        self.ask_all(oracle, &(self.fixed)(), &mut found, Duration::MAX)?;
        let mut sweep = (self.sweep)();
        if !sweep.is_empty() {
            let begin = usize::try_from(seed).unwrap_or_default() % sweep.len();
            sweep.rotate_left(begin);
        }
        let start = Instant::now();
        self.ask_all(oracle, &sweep, &mut found, time / 2)?;
        self.ask_generated(oracle, seed, &mut found, time.saturating_sub(start.elapsed()))?;
        let mut report = found.report;
        let wanted = (self.features)(oracle)?;
        report.missing = report.coverage.missing(&wanted).into_iter().map(str::to_owned).collect();
        Ok(report)
    }

    fn ask_all(
        &self,
        oracle: &mut Oracle,
        all: &[Generated],
        found: &mut Found,
        time: Duration,
    ) -> io::Result<()> {
        let start = Instant::now();
        for batch in all.chunks(BATCH).take_while(|_| start.elapsed() < time) {
            self.batch(oracle, batch, found, |oracle, index| {
                let question = batch[index].question.clone();
                self.difference(oracle, question)
            })?;
        }
        Ok(())
    }

    fn ask_generated(
        &self,
        oracle: &mut Oracle,
        seed: u64,
        found: &mut Found,
        time: Duration,
    ) -> io::Result<()> {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&(self.name.len() as u64).to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let strategy = vec(proptest::num::u16::ANY, 0..self.size);
        let start = Instant::now();
        while start.elapsed() < time {
            let mut trees = Vec::with_capacity(BATCH);
            for _ in 0..BATCH {
                let tree = strategy.new_tree(&mut runner);
                trees.push(tree.map_err(|reason| io::Error::other(reason.to_string()))?);
            }
            let generated: Vec<_> = trees.iter().map(|tree| self.make(&tree.current())).collect();
            self.batch(oracle, &generated, found, |oracle, index| self.shrink(oracle, &mut trees[index]))?;
        }
        Ok(())
    }

    /// Asks questions and compares the answers; `shrink` makes the smallest question of one that differs.
    fn batch(
        &self,
        oracle: &mut Oracle,
        generated: &[Generated],
        found: &mut Found,
        mut shrink: impl FnMut(&mut Oracle, usize) -> io::Result<Option<Difference>>,
    ) -> io::Result<()> {
        let questions: Vec<_> = generated.iter().map(|one| one.question.clone()).collect();
        // Both sides work at the same time.
        let (theirs, ours) = thread::scope(|scope| {
            let ours = scope.spawn(|| questions.iter().map(ours::answer).collect::<Vec<_>>());
            (oracle.ask(&questions), ours.join())
        });
        let ours = ours.map_err(|_| io::Error::other("our answers are missing"))?;
        for (index, ((generated, theirs), ours)) in generated.iter().zip(theirs?).zip(ours).enumerate() {
            let Found { report, kinds } = found;
            report.questions += 1;
            report.refused += usize::from(theirs.is_err());
            for feature in &generated.features {
                report.coverage.add(feature, theirs.is_err());
            }
            if self.agree(&theirs, &ours) {
                continue;
            }
            if is_late(&theirs) {
                report.endless += 1;
                continue;
            }
            if self.varies(oracle, &generated.question)? {
                report.varying += 1;
                continue;
            }
            let mut kind = kind(&theirs, &ours, &generated.features);
            if !kinds.contains_key(&kind) && kinds.len() >= TOLD {
                "others".clone_into(&mut kind);
            }
            if let Some(&index) = kinds.get(&kind) {
                report.differences[index].count += 1;
            } else {
                let smallest = shrink(oracle, index)?;
                kinds.insert(kind, report.differences.len());
                let question = generated.question.clone();
                report.differences.push(smallest.unwrap_or(Difference { question, theirs, ours, count: 1 }));
            }
        }
        Ok(())
    }

    /// Whether the real thing answers differently when asked again, and like us: Go walks some maps in random
    /// order, and the second may have changed between the two answers.
    fn varies(&self, oracle: &mut Oracle, question: &Question) -> io::Result<bool> {
        // One that took too long, or ended the program, is not worth another minute each time.
        let first = oracle.ask(std::slice::from_ref(question))?.remove(0);
        if first.is_err_and(|text| text.starts_with("oracle: ")) {
            return Ok(false);
        }
        let again = oracle.ask(&vec![question.clone(); AGAIN])?;
        let ours = ours::answer(question);
        Ok(again.iter().any(|theirs| self.agree(theirs, &ours)))
    }

    fn make(&self, numbers: &[u16]) -> Generated {
        (self.generate)(&mut Choices::new(numbers))
    }

    fn shrink(
        &self,
        oracle: &mut Oracle,
        tree: &mut impl ValueTree<Value = Vec<u16>>,
    ) -> io::Result<Option<Difference>> {
        let mut smallest = self.make(&tree.current()).question;
        let start = Instant::now();
        while start.elapsed() < SHRINKING {
            let question = self.make(&tree.current()).question;
            let theirs = oracle.ask(std::slice::from_ref(&question))?.remove(0);
            let moved = if self.agree(&theirs, &ours::answer(&question)) {
                tree.complicate()
            } else {
                smallest = question;
                tree.simplify()
            };
            if !moved {
                break;
            }
        }
        self.difference(oracle, smallest)
    }

    fn difference(&self, oracle: &mut Oracle, question: Question) -> io::Result<Option<Difference>> {
        let theirs = oracle.ask(std::slice::from_ref(&question))?.remove(0);
        let ours = ours::answer(&question);
        if self.agree(&theirs, &ours) || self.varies(oracle, &question)? {
            return Ok(None);
        }
        Ok(Some(Difference { question, theirs, ours, count: 1 }))
    }
}

/// Whether the real thing takes too long to be compared with.
fn is_late(theirs: &Answer) -> bool {
    theirs.as_ref().is_err_and(|text| text.starts_with(LATE))
}

/// Differences with the same words, numbers and names apart, are of one kind; output that differs is told apart by
/// what the question is about.
fn kind(theirs: &Answer, ours: &Answer, features: &[&str]) -> String {
    let words = |answer: &Answer| match answer {
        Ok(_) => format!("accepted {}", features.first().unwrap_or(&"")),
        Err(text) => {
            // How the last line ends: it begins with the place, which is the same for all templates.
            let last = text.lines().last().unwrap_or_default();
            let words: Vec<_> = last.chars().filter(|c| c.is_ascii_alphabetic() || *c == ' ').collect();
            words[words.len().saturating_sub(40)..].iter().collect()
        }
    };
    format!("{} / {}", words(theirs), words(ours))
}
