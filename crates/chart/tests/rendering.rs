//! Small charts, each with one nasty thing in it, against what Helm 4.3.1 printed for them.
//!
//! `charts/NAME` is rendered with the values of `charts/NAME.values.yaml`, if there are any, and must come out as
//! `charts/NAME.expected.yaml` or be refused with the words of `charts/NAME.expected.error`.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use chart::load::load_files;
use chart::render::output::{self, Parts};
use chart::values::{Source, ValueOptions};
use chart::{File, RenderOptions, checks, load, render};
use gotmpl::functions::Offline;
use goyaml::Mapping;

fn rendered(chart: &Path, values: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut options = ValueOptions::default();
    if values.exists() {
        options.files.push(values.to_string_lossy().into_owned());
    }
    let mut read = |source: Source<'_>| match source {
        Source::Location(path) => fs::read(path).map_err(|error| error.to_string()),
        Source::Stdin => Err("no standard input here".to_owned()),
    };
    let values = options.merge(&mut read)?;
    let loaded = load(chart)?;
    checks::installable(&loaded.chart)?;
    checks::dependencies_present(&loaded.chart)?;
    let mut options = RenderOptions::new(Rc::new(Offline::default()));
    let rendered = render(&loaded.chart, &values, &mut options)?;
    Ok(output::template(&rendered, Parts { crds: true, ..Parts::default() }))
}

#[test]
fn charts_come_out_as_helm_prints_them() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/charts");
    let mut checked = 0;
    let mut wrong = Vec::new();
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let beside = |suffix: &str| directory.join(format!("{name}.{suffix}"));
        let outcome = rendered(&path, &beside("values.yaml"));
        let (expected, found) = match outcome {
            Ok(text) => (beside("expected.yaml"), text),
            Err(error) => (beside("expected.error"), format!("{error}\n")),
        };
        let expected = fs::read_to_string(&expected).unwrap_or_else(|_| "something else".to_owned());
        if expected != found {
            wrong.push(format!("== {name}\n-- expected\n{expected}\n-- found\n{found}"));
        }
        checked += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 40, "only {checked} charts were found");
}

#[test]
fn charts_of_the_next_format_are_rendered_too() {
    let files = [
        ("Chart.yaml", "apiVersion: v3\nname: next\nversion: 0.1.0\n"),
        ("requirements.yaml", "dependencies: [{name: ignored, version: '*'}]\n"),
        ("charts/inner/Chart.yaml", "name: inner\nversion: 0.1.0\n"),
        ("charts/inner/templates/b.yaml", "kind: B\nversion: {{ .Chart.APIVersion }}\n"),
        ("templates/a.yaml", "kind: A\nfiles: {{ len .Files }}\n"),
    ];
    let files = files.map(|(name, text)| File::new(name, text.to_owned())).to_vec();
    let chart = load_files(files).unwrap().chart;
    let rendered =
        render(&chart, &Mapping::new(), &mut RenderOptions::new(Rc::new(Offline::default()))).unwrap();
    assert_eq!(
        output::template(&rendered, Parts::default()),
        "---\n# Source: next/templates/a.yaml\nkind: A\nfiles: 1\n\n---\n# Source: next/charts/inner/templates/b.yaml\nkind: B\nversion: v3\n"
    );
}
