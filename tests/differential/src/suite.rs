//! Runs one generator until its time is up.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::choices::Choices;
use crate::coverage::Coverage;
use crate::oracle::{Answer, Oracle, Question};
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
    /// Questions that are asked once, before the generated ones.
    pub fixed: fn() -> Vec<Generated>,
    /// Makes a question out of decisions.
    pub generate: fn(&mut Choices<'_>) -> Generated,
    /// How many decisions there are at most.
    pub size: usize,
    /// Whether the words of errors must agree, and not only that there is one.
    pub words: bool,
}

/// What a suite found.
#[derive(Debug, Default)]
pub struct Report {
    /// How many questions were asked.
    pub questions: usize,
    /// How many of them both sides refused.
    pub refused: usize,
    /// What was asked for.
    pub coverage: Coverage,
    /// One example of each kind of difference.
    pub differences: Vec<Difference>,
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

/// No fixed questions.
pub fn none() -> Vec<Generated> {
    Vec::new()
}

/// How many questions are under way at once.
const BATCH: usize = 500;
/// How long the smallest question that shows a difference is looked for.
const SHRINKING: Duration = Duration::from_secs(2);
/// Differences that are shrunk and told; the rest is only counted.
const TOLD: usize = 20;

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
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&(self.name.len() as u64).to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let strategy = vec(proptest::num::u16::ANY, 0..self.size);
        let mut found = Found::default();
        let fixed = (self.fixed)();
        for batch in fixed.chunks(BATCH) {
            self.batch(oracle, batch, &mut found, |oracle, index| {
                let question = batch[index].question.clone();
                self.difference(oracle, question)
            })?;
        }
        let start = Instant::now();
        while start.elapsed() < time {
            let mut trees = Vec::with_capacity(BATCH);
            for _ in 0..BATCH {
                let tree = strategy.new_tree(&mut runner);
                trees.push(tree.map_err(|reason| io::Error::other(reason.to_string()))?);
            }
            let generated: Vec<_> = trees.iter().map(|tree| self.make(&tree.current())).collect();
            self.batch(oracle, &generated, &mut found, |oracle, index| {
                self.shrink(oracle, &mut trees[index])
            })?;
        }
        Ok(found.report)
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
        let answers = oracle.ask(&questions)?;
        for (index, (generated, theirs)) in generated.iter().zip(answers).enumerate() {
            let Found { report, kinds } = found;
            report.questions += 1;
            report.refused += usize::from(theirs.is_err());
            for feature in &generated.features {
                report.coverage.add(feature, theirs.is_err());
            }
            let ours = ours::answer(&generated.question);
            if self.agree(&theirs, &ours) || self.varies(oracle, &generated.question, &ours)? {
                continue;
            }
            let kind = kind(&theirs, &ours);
            if let Some(&index) = kinds.get(&kind) {
                report.differences[index].count += 1;
            } else if report.differences.len() < TOLD {
                // What does not repeat was the clock between the two answers.
                if let Some(difference) = shrink(oracle, index)? {
                    kinds.insert(kind, report.differences.len());
                    report.differences.push(difference);
                }
            }
        }
        Ok(())
    }

    /// Whether the real thing gives our answer as well, when asked again: Go walks some maps in random order.
    fn varies(&self, oracle: &mut Oracle, question: &Question, ours: &Answer) -> io::Result<bool> {
        let again = oracle.ask(&vec![question.clone(); 12])?;
        Ok(again.iter().any(|theirs| self.agree(theirs, ours)))
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
        if self.agree(&theirs, &ours) || self.varies(oracle, &question, &ours)? {
            return Ok(None);
        }
        Ok(Some(Difference { question, theirs, ours, count: 1 }))
    }
}

/// Differences with the same words, numbers and names apart, are of one kind.
fn kind(theirs: &Answer, ours: &Answer) -> String {
    let words = |answer: &Answer| match answer {
        Ok(_) => "accepted".to_owned(),
        Err(text) => {
            let last = text.lines().last().unwrap_or_default();
            last.chars().filter(|c| c.is_ascii_alphabetic() || *c == ' ').take(40).collect()
        }
    };
    format!("{} / {}", words(theirs), words(ours))
}
