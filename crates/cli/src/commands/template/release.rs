//! What the release is called, and whether its labels can be used.

use std::rc::Rc;

use super::flags::Arguments;
use crate::go_flags::comma_separated;
use crate::outside::Outside;
use crate::report::Failure;

/// What a release is called that nobody named.
const DEFAULT_NAME: &str = "release-name";

/// What Go calls the template that makes a name; it shows in errors.
const NAME_TEMPLATE: &str = "name-template";

/// Labels that the record of a release has already.
const SYSTEM_LABELS: [&str; 6] = ["name", "owner", "status", "version", "createdAt", "modifiedAt"];

/// The release's name and what the chart is called by, from the positional arguments.
pub(super) fn name_and_chart(arguments: &Arguments) -> Result<(String, String), Failure> {
    let release = &arguments.release;
    let template = release.name_template.as_deref().unwrap_or_default();
    match arguments.positional.as_slice() {
        [name, chart] => {
            let also = match (release.generate_name, template.is_empty()) {
                (true, _) => "--generate-name",
                (false, false) => "--name-template",
                (false, true) => return Ok((name.clone(), chart.clone())),
            };
            Err(Failure::usage(format!("cannot set {also} and also specify a name")))
        }
        [chart] if !template.is_empty() => Ok((templated_name(template)?, chart.clone())),
        [chart] => Ok((DEFAULT_NAME.to_owned(), chart.clone())),
        [_, _, unexpected @ ..] => Err(Failure::usage(format!(
            "expected at most two arguments, unexpected arguments: {}",
            unexpected.join(", ")
        ))),
        [] => Err(Failure::usage("a chart is needed")),
    }
}

pub(crate) fn templated_name(template: &str) -> Result<String, Failure> {
    let environment = Rc::new(Outside { enable_dns: true, ..Outside::default() });
    let options = gotmpl::Options { name: NAME_TEMPLATE.into(), environment, ..gotmpl::Options::default() };
    let mut set = gotmpl::TemplateSet::new(gotmpl::helm::functions(), options);
    let mut name = String::new();
    set.add(NAME_TEMPLATE, template)
        .and_then(|()| set.execute(NAME_TEMPLATE, &gotmpl::Value::Nil, &mut name))
        .map_err(|error| Failure::new(error.to_string()))?;
    Ok(name)
}

/// Labels are `key=value`, and none may be one of the record's own.
pub(crate) fn check_labels(labels: &[String]) -> Result<(), Failure> {
    for label in comma_separated(labels) {
        let Some((key, _)) = label.split_once('=') else {
            return Err(Failure::usage(format!(
                "invalid argument {label:?} for \"-l, --labels\" flag: {label} must be formatted as key=value"
            )));
        };
        if SYSTEM_LABELS.contains(&key) {
            return Err(Failure::new(format!(
                "user supplied labels contains system reserved label name. System labels: [{}]",
                SYSTEM_LABELS.join(" ")
            )));
        }
    }
    Ok(())
}
