//! Asks generated questions of Slipway and of the real thing, until the time of each suite is up.
//!
//! `cargo test -p differential -- yaml` runs the suites whose name contains `yaml`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the report of a test")]

use std::env;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use differential::generate::{expression, pool, schema, set, subcharts, template, yaml};
use differential::oracle::{Answer, Oracle, Question};
use differential::suite::{Difference, Report, Suite, none};

const SUITES: &[Suite] = &[
    Suite {
        name: "functions",
        fixed: expression::every_function,
        sweep: expression::every_kind,
        generate: expression::call,
        size: 12,
        words: true,
        features: expression::features,
    },
    Suite {
        name: "templates",
        fixed: none,
        sweep: none,
        generate: template::template,
        size: 80,
        words: true,
        features: template::features,
    },
    Suite {
        name: "yaml to json",
        fixed: none,
        sweep: none,
        generate: yaml::to_json,
        size: 120,
        words: true,
        features: yaml::features,
    },
    Suite {
        name: "yaml to yaml",
        fixed: none,
        sweep: none,
        generate: yaml::roundtrip,
        size: 120,
        words: true,
        features: yaml::features,
    },
    Suite {
        name: "set",
        fixed: none,
        sweep: none,
        generate: set::set,
        size: 40,
        words: true,
        features: set::features,
    },
    // The words of schema violations are ours.
    Suite {
        name: "schema",
        fixed: none,
        sweep: none,
        generate: schema::schema,
        size: 40,
        words: false,
        features: schema::features,
    },
    Suite {
        name: "subcharts",
        fixed: none,
        sweep: none,
        generate: subcharts::subcharts,
        size: 200,
        words: true,
        features: subcharts::features,
    },
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
    let (mut questions, mut different, mut incomplete) = (0, 0, false);
    for suite in SUITES {
        if !filters.is_empty() && !filters.iter().any(|filter| suite.name.contains(filter.as_str())) {
            continue;
        }
        match suite.run(&mut oracle, seed, time) {
            Ok(report) => {
                tell(suite.name, &report);
                questions += report.questions;
                different += report.different();
                incomplete |= !report.missing.is_empty();
            }
            Err(error) => {
                eprintln!("{}: {error}", suite.name);
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{questions} questions in all, {} answered alike", questions - different);
    if different == 0 && !incomplete {
        return ExitCode::SUCCESS;
    }
    println!("SLIPWAY_SEED={seed} asks the same questions again");
    ExitCode::FAILURE
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn tell(name: &str, report: &Report) {
    println!("{name}: {} questions, {} of them refused", report.questions, report.refused);
    if report.varying > 0 {
        println!("    {} that Go answers in several ways, our answer among them", report.varying);
    }
    if report.endless > 0 {
        println!("    {} that Go works on without an end, refused by our limits", report.endless);
    }
    print!("{}", report.coverage);
    if !report.missing.is_empty() {
        println!("    never asked for: {}", report.missing.join(", "));
    }
    report.differences.iter().for_each(tell_difference);
}

fn tell_difference(difference: &Difference) {
    println!("--- {} like this", difference.count);
    match &difference.question {
        Question::Chart { files, values } => {
            // What all questions of this sort have in common is left out.
            let common = [pool::CHART, pool::VALUES, pool::PARTIALS, pool::LINES, pool::JSON];
            for (path, text) in files.iter().filter(|(_, text)| !common.contains(&text.as_str())) {
                tell_text(path, text);
            }
            if !values.is_empty() {
                tell_text("values", values);
            }
        }
        Question::YamlToJson(text) | Question::YamlRoundtrip(text) => tell_text("document", text),
        Question::Set { kind, base, text } => {
            tell_text("values", base);
            tell_text(&format!("--{kind}"), text);
        }
        Question::Schema { schema, values } => {
            tell_text("schema", schema);
            tell_text("values", values);
        }
    }
    tell_answer("theirs", &difference.theirs);
    tell_answer("ours", &difference.ours);
}

fn tell_answer(whose: &str, answer: &Answer) {
    match answer {
        Ok(text) => tell_text(whose, text),
        Err(text) => tell_text(&format!("{whose}, refused"), text),
    }
}

/// Prints a text line by line, with what cannot be seen made visible.
fn tell_text(title: &str, text: &str) {
    println!("{title}:");
    for line in text.split_inclusive('\n') {
        let escaped: String = line.chars().map(visible).collect();
        println!("    | {escaped}");
    }
}

fn visible(c: char) -> String {
    if matches!(c, '"' | '\'') { c.to_string() } else { c.escape_debug().to_string() }
}
