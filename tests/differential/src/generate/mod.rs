//! What is asked: text built from decisions.

pub mod expression;
pub mod pool;
pub mod samples;
pub mod schema;
pub mod set;
pub mod subcharts;
pub mod template;
pub mod yaml;

use crate::oracle::Question;

/// Features by their names.
pub(crate) fn named(features: &[&str]) -> Vec<String> {
    features.iter().map(|&feature| feature.to_owned()).collect()
}

/// A chart of one template, with the values of the [`pool`].
pub(crate) fn chart_of(template: String) -> Question {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    Question::Chart {
        files: vec![
            file("Chart.yaml", pool::CHART),
            file("values.yaml", pool::VALUES),
            file("files/a.txt", pool::LINES),
            file("files/b.json", pool::JSON),
            file("templates/_partial.tpl", pool::PARTIALS),
            ("templates/t.yaml".to_owned(), template),
        ],
        values: String::new(),
    }
}
