//! Asks generated questions of Slipway and of the real thing, until the time of each suite is up.
//!
//! `cargo test -p differential -- yaml` runs the suites whose name contains `yaml`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the report of a test")]

use std::env;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use differential::generate::{pool, subcharts, yaml};
use differential::oracle::{Answer, Oracle, Question};
use differential::suite::{Difference, Suite, none};

// The words of an error about a key that prints a whole value are not Go's to the letter yet; what is refused is.
const SUITES: &[Suite] = &[
    Suite { name: "yaml to json", fixed: none, generate: yaml::to_json, size: 120, words: false },
    Suite { name: "yaml to yaml", fixed: none, generate: yaml::roundtrip, size: 120, words: false },
    Suite { name: "subcharts", fixed: none, generate: subcharts::subcharts, size: 200, words: true },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let filters: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let mut oracle = match Oracle::start() {
        Ok(oracle) => oracle,
        Err(absent) if env::var_os("SLIPWAY_REQUIRE_ORACLE").is_some() => {
            eprintln!("the oracle is required: {absent}");
            return ExitCode::FAILURE;
        }
        Err(absent) => {
            eprintln!("SKIPPED: the comparison with Helm needs Go: {absent}");
            return ExitCode::SUCCESS;
        }
    };
    let seed = number("SLIPWAY_SEED").unwrap_or_else(|| {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_secs())
    });
    let time = Duration::from_secs(number("SLIPWAY_DIFFERENTIAL_SECONDS").unwrap_or(8));
    println!("SLIPWAY_SEED={seed}, {} s for each suite", time.as_secs());
    let mut failed = false;
    for suite in SUITES {
        if !filters.is_empty() && !filters.iter().any(|filter| suite.name.contains(filter.as_str())) {
            continue;
        }
        match suite.run(&mut oracle, seed, time) {
            Ok(report) => {
                println!(
                    "{}: {} questions, {} of them refused",
                    suite.name, report.questions, report.refused
                );
                print!("{}", report.coverage);
                failed |= !report.differences.is_empty();
                report.differences.iter().for_each(tell);
            }
            Err(error) => {
                eprintln!("{}: {error}", suite.name);
                return ExitCode::FAILURE;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn tell(difference: &Difference) {
    println!("--- {} like this", difference.count);
    match &difference.question {
        Question::Chart { files, values } => {
            // What all questions of this sort have in common is left out.
            let common = [pool::CHART, pool::VALUES, pool::PARTIALS, pool::LINES, pool::JSON];
            for (path, text) in files.iter().filter(|(_, text)| !common.contains(&text.as_str())) {
                println!("{path}: {text:?}");
            }
            if !values.is_empty() {
                println!("values: {values:?}");
            }
        }
        question => println!("{question:?}"),
    }
    println!("theirs: {}", told(&difference.theirs));
    println!("ours:   {}", told(&difference.ours));
}

fn told(answer: &Answer) -> String {
    match answer {
        Ok(text) => format!("{text:?}"),
        Err(text) => format!("error {text:?}"),
    }
}
