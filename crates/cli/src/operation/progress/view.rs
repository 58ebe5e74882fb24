//! A live view of a run on a terminal: layers with their counts, what is awaited and why, and how long it takes.
//!
//! The view is the last lines of the terminal, drawn anew when something happens and twice a second. What stays, such
//! as failures and warnings, is written above it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use engine::Event;
use objects::ObjectId;
use plan::Plan;
use plan::output::StepKind;

use super::lines;

/// So many objects that are awaited are named.
const NAMED: usize = 6;
/// So often it is drawn if nothing happens.
const TICK: Duration = Duration::from_millis(500);

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BUSY: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// The view, and the thread that keeps its clock going.
pub(crate) struct View {
    state: Arc<Mutex<State>>,
}

/// What is shown.
struct State {
    title: String,
    begun: Instant,
    timeout: Duration,
    groups: Vec<Group>,
    group_of: HashMap<ObjectId, usize>,
    awaited: BTreeMap<ObjectId, (String, Instant)>,
    failed: usize,
    /// How many lines were drawn last.
    drawn: usize,
    is_over: bool,
}

/// A layer, or the objects that are in none.
struct Group {
    name: String,
    done: usize,
    of: usize,
}

impl View {
    pub(super) fn new(name: &str, plan: &Plan, timeout: Duration) -> Self {
        let (groups, group_of) = groups(plan);
        let state = Arc::new(Mutex::new(State {
            title: format!("{} {name}", plan.operation),
            begun: Instant::now(),
            timeout,
            groups,
            group_of,
            awaited: BTreeMap::new(),
            failed: 0,
            drawn: 0,
            is_over: false,
        }));
        let ticking = Arc::downgrade(&state);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(TICK);
                let Some(state) = ticking.upgrade() else { return };
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                if state.is_over {
                    return;
                }
                state.draw(None);
            }
        });
        Self { state }
    }

    pub(super) fn hear(&self, event: &Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let stays = state.take_in(event);
        state.draw(stays.as_deref());
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.draw(None);
        state.is_over = true;
    }
}

impl State {
    /// Takes an event in. Returns what is written above the view, for good.
    fn take_in(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::Waiting { object, message, .. } => {
                let since = self.awaited.get(object).map_or_else(Instant::now, |(_, since)| *since);
                self.awaited.insert(object.clone(), (message.clone(), since));
            }
            Event::Deleting { object } => {
                self.awaited.insert(object.clone(), ("it is being deleted".to_owned(), Instant::now()));
            }
            Event::HookBegun { object, moment } => {
                self.awaited.insert(object.clone(), (format!("hook {moment}"), Instant::now()));
            }
            Event::Ready { object } | Event::Gone { object } | Event::HookDone { object } => {
                self.awaited.remove(object);
                if let Some(group) = self.group_of.remove(object) {
                    self.groups[group].done += 1;
                }
            }
            Event::Failed { object, .. } => {
                self.failed += 1;
                if let Some(object) = object {
                    self.awaited.remove(object);
                }
            }
            Event::Ended { .. } => self.is_over = true,
            _ => {}
        }
        let stays = matches!(
            event,
            Event::Failed { .. }
                | Event::Warning { .. }
                | Event::Stripped { .. }
                | Event::Stamped { .. }
                | Event::Restored { .. }
                | Event::Kept { .. }
        );
        stays.then(|| lines::line(event)).flatten()
    }

    fn draw(&mut self, above: Option<&str>) {
        let mut text = String::new();
        if self.drawn > 0 {
            let _ = write!(text, "\x1b[{}A", self.drawn);
        }
        text.push_str("\r\x1b[J");
        if let Some(above) = above {
            let style = if above.starts_with("failed") { BAD } else { BUSY };
            let _ = writeln!(text, "{style}{above}{style:#}");
        }
        let lines = self.lines();
        self.drawn = lines.len();
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        let _ = anstream::stderr().lock().write_all(text.as_bytes());
    }

    fn lines(&self) -> Vec<String> {
        let (done, of) = self.groups.iter().fold((0, 0), |sum, group| (sum.0 + group.done, sum.1 + group.of));
        let (elapsed, timeout) = (seconds(self.begun.elapsed()), seconds(self.timeout));
        let failed =
            if self.failed > 0 { format!("  {BAD}{} failed{BAD:#}", self.failed) } else { String::new() };
        let bar = bar(done, of);
        let mut lines = vec![format!(
            "{BOLD}{}{BOLD:#}  {bar} {done}/{of}  {FAINT}{elapsed} of {timeout}{FAINT:#}{failed}",
            self.title
        )];
        let width = self.groups.iter().map(|group| group.name.chars().count()).max().unwrap_or(0);
        for group in self.groups.iter().filter(|group| group.of > 0) {
            let (mark, style) = match group.done {
                done if done == group.of => ('✓', GOOD),
                0 => ('·', FAINT),
                _ => ('●', BUSY),
            };
            let padding = " ".repeat(width - group.name.chars().count());
            lines.push(format!(
                "  {style}{mark}{style:#} {}{padding}  {}/{}",
                group.name, group.done, group.of
            ));
        }
        for (object, (message, since)) in self.awaited.iter().take(NAMED) {
            let first = message.lines().next().unwrap_or_default();
            let waited = seconds(since.elapsed());
            lines.push(format!("    {BUSY}{object}{BUSY:#}: {first} {FAINT}({waited}){FAINT:#}"));
        }
        if self.awaited.len() > NAMED {
            lines.push(format!("    {FAINT}and {} more{FAINT:#}", self.awaited.len() - NAMED));
        }
        lines
    }
}

/// The layers of a plan in the order in which it comes to them, with how many objects each awaits.
fn groups(plan: &Plan) -> (Vec<Group>, HashMap<ObjectId, usize>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut group_of = HashMap::new();
    for step in &plan.steps {
        let (object, name) = match step.kind {
            StepKind::AwaitReady { object, .. } => {
                let layer =
                    plan.object(object).layer.and_then(|layer| plan.layer_name(layer)).map(str::to_owned);
                (object, layer.unwrap_or_else(|| "objects without a layer".to_owned()))
            }
            StepKind::AwaitEstablished { object } => (object, "definitions".to_owned()),
            StepKind::AwaitGone { object } | StepKind::Delete { object, .. } => (object, "going".to_owned()),
            _ => continue,
        };
        let place = *places.entry(name.clone()).or_insert_with(|| {
            groups.push(Group { name, done: 0, of: 0 });
            groups.len() - 1
        });
        if group_of.insert(plan.object(object).id.clone(), place).is_none() {
            groups[place].of += 1;
        }
    }
    (groups, group_of)
}

fn bar(done: usize, of: usize) -> String {
    const WIDTH: usize = 20;
    let full = (done * WIDTH).checked_div(of).unwrap_or(WIDTH);
    format!("{GOOD}{}{GOOD:#}{FAINT}{}{FAINT:#}", "█".repeat(full), "░".repeat(WIDTH - full))
}

/// A span in whole seconds: `1m5s`.
fn seconds(span: Duration) -> String {
    let seconds = span.as_secs();
    if seconds < 60 { format!("{seconds}s") } else { format!("{}m{}s", seconds / 60, seconds % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_spans() {
        assert_eq!(
            (seconds(Duration::from_secs(59)), seconds(Duration::from_mins(5))),
            ("59s".to_owned(), "5m0s".to_owned())
        );
        assert_eq!(bar(1, 2).matches('█').count(), 10);
        assert_eq!(bar(0, 0).matches('█').count(), 20);
    }
}
