//! Many sequences, several at a time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::compare::Difference;
use crate::coverage::Coverage;
use crate::generate;
use crate::kinds::POOL;
use crate::sequence::{Sequence, Settle};
use crate::server::{Request, Server, ServerError};
use crate::shrink::Pair;

/// What a run is to do.
#[derive(Debug, Clone)]
pub struct Campaign {
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
}

/// What a run has found.
#[derive(Debug, Default)]
pub struct Findings {
    /// What was asked.
    pub coverage: Coverage,
    /// Sequences that were replayed.
    pub sequences: u64,
    /// Differences by their signature: how many sequences show it, and one of them, shrunk.
    pub differences: BTreeMap<String, (usize, Sequence, Difference)>,
    /// Differences that were not seen again when the same sequence was replayed.
    pub passing: Vec<String>,
    /// How long it took.
    pub time: Duration,
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
        let collections = versions
            .iter()
            .map(|version| format!("/apis/{group}/{}/{plural}", version["name"].as_str().unwrap_or_default()))
            .collect();
        let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
        crate::replay::wait(server, &Settle::Defined(path, collections)).await?;
    }
    Ok(())
}

impl Campaign {
    /// Replays the sequences on both servers.
    pub async fn run(&self, pair: Arc<Pair>) -> Result<Findings, ServerError> {
        let begin = Instant::now();
        prepare(&pair.real).await?;
        prepare(&pair.other).await?;
        let next = Arc::new(AtomicU64::new(self.first));
        let findings = Arc::new(Mutex::new(Findings::default()));
        let mut workers = Vec::new();
        for _ in 0..self.width {
            let (campaign, pair, next, findings) =
                (self.clone(), pair.clone(), next.clone(), findings.clone());
            workers.push(tokio::spawn(async move { campaign.work(&pair, &next, &findings).await }));
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
    ) -> Result<(), ServerError> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= self.first + self.sequences || findings.lock().await.differences.len() >= self.enough
            {
                return Ok(());
            }
            let sequence = generate::of_run(self.seed, index);
            let outcome = pair.ask(&sequence).await?;
            let known = {
                let mut findings = findings.lock().await;
                findings.coverage.add(&sequence, &outcome.codes);
                findings.sequences += 1;
                let known = outcome
                    .difference
                    .as_ref()
                    .and_then(|found| findings.differences.get_mut(&found.signature));
                known.map(|entry| entry.0 += 1)
            };
            let Some(difference) = outcome.difference else { continue };
            if known.is_some() {
                continue;
            }
            let signature = difference.signature.clone();
            match pair.shrink(&sequence, difference).await? {
                Some((shorter, difference)) => {
                    let mut findings = findings.lock().await;
                    let entry = findings.differences.entry(signature).or_insert((0, shorter, difference));
                    entry.0 += 1;
                }
                None => findings.lock().await.passing.push(format!("{signature} (sequence {index})")),
            }
        }
    }
}
