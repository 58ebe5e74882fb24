//! Renders a chart as `helm template` does: `template CHART [-f FILE] [--set X] [--set-string X] …`.

use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use chart::render::output::{self, Parts};
use chart::values::{Source, ValueOptions};
use chart::{RenderOptions, load, render};
use gotmpl::functions::Offline;

fn main() -> ExitCode {
    match run() {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<String, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut values = ValueOptions::default();
    let mut parts = Parts::default();
    let mut paths = Vec::new();
    while let Some(argument) = arguments.next() {
        let list = match argument.as_str() {
            "-f" => &mut values.files,
            "--set" => &mut values.set,
            "--set-string" => &mut values.strings,
            "--set-json" => &mut values.json,
            "--include-crds" => {
                parts.crds = true;
                continue;
            }
            _ => {
                paths.push(argument);
                continue;
            }
        };
        list.extend(arguments.next());
    }
    let mut read = |source: Source<'_>| match source {
        Source::Stdin => Err("no standard input here".to_owned()),
        Source::Location(path) => std::fs::read(path).map_err(|error| error.to_string()),
    };
    let values = values.merge(&mut read)?;
    let loaded = load(Path::new(paths.last().ok_or("which chart?")?))?;
    chart::checks::installable(&loaded.chart)?;
    chart::checks::dependencies_present(&loaded.chart)?;
    let mut options = RenderOptions::new(Rc::new(Offline::default()));
    if let [name, _] = paths.as_slice() {
        options.release.name.clone_from(name);
    }
    let rendered = render(&loaded.chart, &values, &mut options)?;
    for warning in &rendered.warnings {
        eprintln!("{warning}");
    }
    Ok(output::template(&rendered, parts))
}
