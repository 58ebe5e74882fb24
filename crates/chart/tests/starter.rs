//! The chart that `create` makes is a good one.

use std::rc::Rc;

use chart::create::create;
use chart::lint::{LintOptions, Severity, lint};
use chart::render::output::{self, Parts};
use chart::values::ValueOptions;
use chart::{RenderOptions, load, render};
use gotmpl::functions::Offline;
use goyaml::Mapping;

#[test]
fn a_new_chart_loads_lints_and_renders() {
    let directory = tempfile::tempdir().unwrap();
    let created = create("demo", directory.path()).unwrap();
    assert!(created.warnings.is_empty());
    assert!(created.path.join("charts").is_dir());

    let options = LintOptions {
        namespace: "default".to_owned(),
        kube_version: None,
        skip_schema_validation: false,
        environment: Rc::new(Offline::default()),
    };
    let messages = lint(&created.path, &Mapping::new(), &options).unwrap();
    let worst = messages.iter().map(|message| message.severity).max();
    assert_eq!(worst, Some(Severity::Info), "{messages:?}");

    let chart = load(&created.path).unwrap().chart;
    let everything = ValueOptions {
        set: vec!["ingress.enabled=true,httpRoute.enabled=true,autoscaling.enabled=true".to_owned()],
        ..ValueOptions::default()
    };
    let values = everything.merge(&mut |_| Err("no files".to_owned())).unwrap();
    let rendered = render(&chart, &values, &mut RenderOptions::new(Rc::new(Offline::default()))).unwrap();
    insta::assert_snapshot!("everything", output::template(&rendered, Parts::default()));
    insta::assert_snapshot!("notes", rendered.notes);
}

#[test]
fn a_second_time_it_warns_and_a_bad_name_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    create("demo", directory.path()).unwrap();
    assert_eq!(create("demo", directory.path()).unwrap().warnings.len(), 12);
    assert!(create("de/mo", directory.path()).is_err());
    assert!(create("", directory.path()).is_err());
}
