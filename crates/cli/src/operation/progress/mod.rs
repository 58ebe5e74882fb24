//! What a user sees while a plan is run.

mod lines;
mod view;

use std::cell::RefCell;
use std::io::IsTerminal as _;
use std::rc::Rc;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use engine::Event;
use plan::Plan;
use serde::Serialize;
use tokio::time::Instant;

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

/// Every event of a run, and how long after its beginning it happened.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    since: Instant,
    events: Rc<RefCell<Vec<(Duration, Event)>>>,
}

impl Heard {
    /// Begins to listen.
    pub(crate) fn new() -> Self {
        Self { since: Instant::now(), events: Rc::default() }
    }

    fn hear(&self, event: &Event) {
        self.events.borrow_mut().push((self.since.elapsed(), event.clone()));
    }

    /// What was heard.
    pub(crate) fn events(&self) -> Vec<(Duration, Event)> {
        self.events.borrow().clone()
    }
}

/// Shows the events of a run on standard error, and keeps them for whoever wants them later.
pub(crate) struct Progress {
    shown: Shown,
    heard: Option<Heard>,
}

enum Shown {
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
    /// Begins to show how a plan is run. What is only rehearsed is over before anybody could watch it.
    pub(crate) fn new(
        flag: ProgressFlag,
        name: &str,
        plan: &Plan,
        timeout: Duration,
        heard: Option<Heard>,
    ) -> Self {
        let is_watched = heard.is_none() && std::io::stderr().is_terminal();
        let shown = match flag.progress {
            Form::None => Shown::Nothing,
            Form::Json => Shown::Json,
            Form::Auto if is_watched => Shown::View(View::new(name, plan, timeout)),
            Form::Auto | Form::Plain => Shown::Lines,
        };
        Self { shown, heard }
    }

    /// Shows an event.
    pub(crate) fn hear(&mut self, event: &Event) {
        if let Some(heard) = &self.heard {
            heard.hear(event);
        }
        match &mut self.shown {
            Shown::Nothing => {}
            Shown::Lines => tell(event),
            Shown::Json => {
                let told = Told { time: jiff::Timestamp::now().to_string(), event };
                if let Ok(text) = serde_json::to_string(&told) {
                    report::plain(&text);
                }
            }
            Shown::View(view) => view.hear(event),
        }
    }
}
