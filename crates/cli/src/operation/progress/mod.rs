//! What a user sees while a plan is run.

mod lines;
mod view;

use std::io::IsTerminal as _;
use std::str::FromStr;

use clap::Args;
use engine::Event;
use plan::Plan;
use serde::Serialize;

use crate::report;
use view::View;

/// How progress is shown.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct ProgressFlag {
    /// How progress is shown: a live view on a terminal and lines elsewhere (auto), plain, json or none
    #[arg(long, value_name = "FORM", default_value = "auto")]
    progress: Form,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    #[default]
    Auto,
    Plain,
    Json,
    None,
}

impl FromStr for Form {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "plain" => Ok(Self::Plain),
            "json" => Ok(Self::Json),
            "none" => Ok(Self::None),
            _ => Err("must be one of: auto, plain, json, none"),
        }
    }
}

/// Shows the events of a run on standard error.
pub(crate) enum Progress {
    Nothing,
    Lines,
    Json,
    View(View),
}

/// Tells an event as a line.
pub(crate) fn tell(event: &Event) {
    if let Some(line) = lines::line(event) {
        report::plain(&line);
    }
}

/// An event, and when it happened.
#[derive(Serialize)]
struct Told<'a> {
    time: String,
    #[serde(flatten)]
    event: &'a Event,
}

impl Progress {
    /// Begins to show how a plan is run.
    pub(crate) fn new(flag: ProgressFlag, name: &str, plan: &Plan, timeout: std::time::Duration) -> Self {
        match flag.progress {
            Form::None => Self::Nothing,
            Form::Json => Self::Json,
            Form::Auto if std::io::stderr().is_terminal() => Self::View(View::new(name, plan, timeout)),
            Form::Auto | Form::Plain => Self::Lines,
        }
    }

    /// Shows an event.
    pub(crate) fn hear(&mut self, event: &Event) {
        match self {
            Self::Nothing => {}
            Self::Lines => tell(event),
            Self::Json => {
                let told = Told { time: jiff::Timestamp::now().to_string(), event };
                if let Ok(text) = serde_json::to_string(&told) {
                    report::plain(&text);
                }
            }
            Self::View(view) => view.hear(event),
        }
    }
}
