//! Many sequences, several at a time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use regex::Regex;
use tokio::sync::Mutex;

use crate::compare::Difference;
use crate::coverage::Coverage;
use crate::generate::{self, Mode};
use crate::kinds::POOL;
use crate::sequence::Sequence;
use crate::server::{Request, Server, ServerError};
use crate::shrink::{Outcome, Pair};

/// The real garbage collector looks for new kinds so often.
const DISCOVERY: Duration = Duration::from_secs(35);

/// For so long after its end a run still looks into what it has found: a difference that is not seen again does not count.
const LAST_LOOK: Duration = Duration::from_mins(2);

/// What a run is to do.
#[derive(Debug, Clone)]
pub struct Campaign {
    /// What sort of server they are for.
    pub mode: Mode,
    /// From which all sequences are made.
    pub seed: u64,
    /// The number of the first.
    pub first: u64,
    /// How many.
    pub sequences: u64,
    /// How many at a time.
    pub width: usize,
    /// After how many sorts of differences it is enough.
    pub enough: usize,
    /// After how long no further sequence is begun.
    pub limit: Duration,
    /// Sorts of differences that are not looked into, while others are.
    pub without: Option<Regex>,
    /// Is told of every difference as soon as it is known, so that a run that is cut short was not for nothing.
    pub tell: fn(&Sequence, &Difference),
}

/// What a run has found.
#[derive(Debug, Default)]
pub struct Findings {
    /// What was asked.
    pub coverage: Coverage,
    /// Sequences that were replayed.
    pub sequences: u64,
    /// Those of them that showed any difference, and did so again.
    pub differing: u64,
    /// Differences by their signature.
    pub differences: BTreeMap<String, Finding>,
    /// Differences that were not seen again when the same sequence was replayed.
    pub passing: Vec<String>,
    /// How long it took.
    pub time: Duration,
}

/// One sort of difference.
#[derive(Debug)]
pub struct Finding {
    /// How many sequences show it.
    pub count: usize,
    /// In how many of them it is the first.
    pub first: usize,
    /// One of them, with as few steps as show it.
    pub sequence: Sequence,
    /// Where that one differs.
    pub difference: Difference,
}

/// Gives a server the definitions that the sequences take for granted.
pub async fn prepare(server: &Server) -> Result<(), ServerError> {
    for definition in POOL {
        let body = definition();
        let request = Request {
            method: "POST",
            target: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions".to_owned(),
            accept: "",
            content_type: "application/json",
            body: Some(body.to_string()),
        };
        server.ask(&request).await?;
        let name = body["metadata"]["name"].as_str().unwrap_or_default();
        let versions = body["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let plural = body["spec"]["names"]["plural"].as_str().unwrap_or_default();
        let group = body["spec"]["group"].as_str().unwrap_or_default();
        let collections: Vec<String> = versions
            .iter()
            .map(|version| format!("/apis/{group}/{}/{plural}", version["name"].as_str().unwrap_or_default()))
            .collect();
        let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
        crate::replay::wait(server, &path, &collections).await?;
    }
    Ok(())
}

impl Campaign {
    /// Replays the sequences on both servers.
    pub async fn run(&self, pair: Arc<Pair>) -> Result<Findings, ServerError> {
        let begin = Instant::now();
        prepare(&pair.real).await?;
        prepare(&pair.other).await?;
        if self.mode == Mode::Controllers {
            tokio::time::sleep(DISCOVERY).await;
        }
        let end = begin + self.limit;
        let next = Arc::new(AtomicU64::new(self.first));
        let findings = Arc::new(Mutex::new(Findings::default()));
        let mut workers = Vec::new();
        for _ in 0..self.width {
            let (campaign, pair, next, findings) =
                (self.clone(), pair.clone(), next.clone(), findings.clone());
            workers.push(tokio::spawn(async move { campaign.work(&pair, &next, &findings, end).await }));
        }
        let mut failure = None;
        for worker in workers {
            match worker.await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => failure = Some(error),
                Err(panic) => std::panic::resume_unwind(panic.into_panic()),
            }
        }
        let mut findings = std::mem::take(&mut *findings.lock().await);
        findings.time = begin.elapsed();
        failure.map_or(Ok(findings), Err)
    }

    async fn work(
        &self,
        pair: &Pair,
        next: &AtomicU64,
        findings: &Mutex<Findings>,
        end: Instant,
    ) -> Result<(), ServerError> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if Instant::now() > end
                || index >= self.first + self.sequences
                || findings.lock().await.differences.len() >= self.enough
            {
                return Ok(());
            }
            let sequence = generate::of_run(self.mode, self.seed, index);
            let mut outcome = pair.ask(&sequence).await?;
            if let Some(without) = &self.without {
                outcome.differences.retain(|difference| !without.is_match(&difference.signature));
            }
            let fresh = findings.lock().await.add(&sequence, &outcome);
            // What is known already, or cannot be looked into any more, counts.
            let mut stays = fresh.is_empty() || outcome.differences.len() > fresh.len();
            for difference in fresh {
                if Instant::now() > end + LAST_LOOK {
                    stays = true;
                    break;
                }
                let shorter = pair.shrink(&sequence, &difference).await?;
                let mut findings = findings.lock().await;
                if let Some((sequence, difference)) = shorter {
                    stays = true;
                    (self.tell)(&sequence, &difference);
                    if let Some(finding) = findings.differences.get_mut(&difference.signature) {
                        (finding.sequence, finding.difference) = (sequence, difference);
                    }
                } else {
                    (self.tell)(&sequence, &difference);
                    findings.differences.remove(&difference.signature);
                    findings.passing.push(format!("{} (sequence {index})", difference.signature));
                }
            }
            if !stays {
                findings.lock().await.differing -= 1;
            }
        }
    }
}

impl Findings {
    /// Counts how a sequence went, and returns the differences of a new sort.
    fn add(&mut self, sequence: &Sequence, outcome: &Outcome) -> Vec<Difference> {
        self.coverage.add(sequence, &outcome.codes);
        self.sequences += 1;
        self.differing += u64::from(!outcome.differences.is_empty());
        let mut fresh = Vec::new();
        for difference in &outcome.differences {
            let finding = self.differences.entry(difference.signature.clone()).or_insert_with(|| {
                fresh.push(difference.clone());
                Finding { count: 0, first: 0, sequence: sequence.clone(), difference: difference.clone() }
            });
            finding.count += 1;
            finding.first += usize::from(difference.first);
        }
        fresh
    }
}
