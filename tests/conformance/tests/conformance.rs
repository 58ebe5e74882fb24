//! Holds the dock to a real kube-apiserver.
//!
//! `SLIPWAY_SEED` repeats a run, `SLIPWAY_SEQUENCES` says how long it is, `SLIPWAY_FIRST` which sequence is the first,
//! `SLIPWAY_WITHOUT` is a regular expression of the sorts of differences that are not to be told, while others are fixed.
//! `SLIPWAY_CONTROLLERS=1` asks about deletion on servers with controllers. `SLIPWAY_AGAINST=real` compares two real servers, which shows what the comparison itself is worth.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the report of a test")]

use std::env;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, SystemTime};

use conformance::campaign::{Campaign, Findings};
use conformance::generate::Mode;
use conformance::plane::{Plane, PlaneError};
use conformance::report::report;
use conformance::server::Server;
use conformance::shrink::Pair;
use dock::Dock;
use regex::Regex;

fn main() -> ExitCode {
    if env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let required = env::var_os("SLIPWAY_REQUIRE_CONTROL_PLANE").is_some();
    if !required && number("SLIPWAY_SEQUENCES").is_none() {
        eprintln!("SKIPPED: the comparison with kube-apiserver is asked for by `just conformance`");
        return ExitCode::SUCCESS;
    }
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let seed = number("SLIPWAY_SEED").unwrap_or_else(now);
    let mode = if env::var_os("SLIPWAY_CONTROLLERS").is_some() { Mode::Controllers } else { Mode::Calls };
    let name = format!("conformance-{}", std::process::id());
    let plane = match Plane::start(&name, mode == Mode::Controllers, required) {
        Ok(plane) => plane,
        Err(PlaneError::Missing(why)) if !required => {
            eprintln!("SKIPPED: the comparison with kube-apiserver needs a control plane: {why}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let campaign = Campaign {
        mode,
        seed,
        first: number("SLIPWAY_FIRST").unwrap_or(0),
        sequences: number("SLIPWAY_SEQUENCES").unwrap_or(100),
        width: number("SLIPWAY_WIDTH").unwrap_or(16) as usize,
        enough: number("SLIPWAY_ENOUGH").unwrap_or(40) as usize,
        limit: Duration::from_secs(number("SLIPWAY_SECONDS").unwrap_or(3600)),
        without: env::var("SLIPWAY_WITHOUT").ok().and_then(|pattern| Regex::new(&pattern).ok()),
        tell: |sequence, difference| eprintln!("{}", report(sequence, difference, ("real", "other"))),
    };
    println!("SLIPWAY_SEED={seed}, {} sequences", campaign.sequences);
    if let Some(without) = &campaign.without {
        println!("differences of the sort {without} are not told");
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(compare(&plane, &campaign)) {
        Ok(findings) => tell(&campaign, &findings),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn compare(plane: &Plane, campaign: &Campaign) -> Result<Findings, Box<dyn std::error::Error>> {
    let real = Server::of_kubeconfig("kube-apiserver", &plane.kubeconfig)?;
    let run = format!("r{:x}", now() & 0xf_ffff);
    if env::var("SLIPWAY_AGAINST").is_ok_and(|against| against == "real") {
        let name = format!("conformance-second-{}", std::process::id());
        let second = Plane::start(&name, campaign.mode == Mode::Controllers, false)?;
        let other = Server::of_kubeconfig("second kube-apiserver", &second.kubeconfig)?;
        return Ok(campaign.run(Arc::new(Pair { real, other, run, replays: AtomicUsize::new(0) })).await?);
    }
    let dock = Dock::builder().controllers(campaign.mode == Mode::Controllers).start().await;
    let serving = dock.serve(0).await?;
    let other = Server::plain("dock", serving.url(), None)?;
    Ok(campaign.run(Arc::new(Pair { real, other, run, replays: AtomicUsize::new(0) })).await?)
}

fn tell(campaign: &Campaign, findings: &Findings) -> ExitCode {
    println!("{}", findings.coverage);
    println!(
        "{} sequences in {:.1} s, {} of them with a difference",
        findings.sequences,
        findings.time.as_secs_f64(),
        findings.differing
    );
    for passing in &findings.passing {
        println!("seen once, and not again: {passing}");
    }
    let (asked, good) = findings.coverage.calls();
    let mut failed = false;
    if campaign.mode == Mode::Calls && findings.sequences >= 1000 {
        let missing = findings.coverage.missing();
        failed |= !missing.is_empty();
        for missing in &missing {
            println!("never with success: {missing}");
        }
    }
    if good * 10 < asked * 6 {
        println!("fewer than 60 % of the calls were answered with success");
        failed = true;
    }
    let mut text = String::new();
    let mut sorts: Vec<_> = findings.differences.values().collect();
    sorts.sort_by_key(|finding| std::cmp::Reverse((finding.first, finding.count)));
    for finding in sorts {
        println!("{:>5} {:>5} {}", finding.first, finding.count, finding.difference.signature);
        let told = report(&finding.sequence, &finding.difference, ("real", "other"));
        let _ = writeln!(text, "{told}\n");
    }
    if !findings.differences.is_empty() {
        let path = env::var_os("SLIPWAY_DIFFERENCES")
            .map_or(env::temp_dir().join("slipway-differences.md"), Into::into);
        match std::fs::write(&path, &text) {
            Ok(()) => {
                println!("{} sorts of differences, told in {}", findings.differences.len(), path.display());
            }
            Err(error) => println!("{text}\n{}: {error}", path.display()),
        }
        failed = true;
    }
    if failed {
        println!("SLIPWAY_SEED={} asks the same again", campaign.seed);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_secs())
}
