//! What commands that work on a release have in common: the cluster, the lock, progress, interruption, and how the
//! result is told.

mod outcome;
mod progress;

use std::rc::Rc;
use std::time::Duration;

use engine::{Engine, Marks, Stop, Stopper};
use plan::Plan;
use release::{PENDING_GRACE, Release, ReleaseError, Session, Worker};

pub(crate) use outcome::{Beside, failed, judge, show_notes, show_standing, show_status};
pub(crate) use progress::{Heard, Progress, ProgressFlag, tell};

use crate::cluster::{self, Cluster};
use crate::context::Context;
use crate::report::{self, Failure};
use crate::settings;

/// A name may not be longer: with what is put around it, objects would no longer have room for theirs.
const LONGEST_NAME: usize = 53;

/// Refuses what no release may be called.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    let part = |part: &str| {
        let inner = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        part.starts_with(inner)
            && part.ends_with(inner)
            && part.chars().all(|letter| inner(letter) || letter == '-')
    };
    if name.len() <= LONGEST_NAME && name.split('.').all(part) {
        return Ok(());
    }
    Err(Failure::usage(format!("release name is invalid: {name}")).hint(
        "a name has at most 53 lower-case letters, digits, dashes and dots, and begins and ends with a letter or digit",
    ))
}

/// The cluster that a command works on, and the namespace.
pub(crate) struct Desk {
    pub(crate) cluster: Rc<Cluster>,
    pub(crate) engine: Engine,
    pub(crate) namespace: String,
    /// Where the events of runs are kept, if they are.
    pub(crate) heard: Option<Heard>,
}

impl Desk {
    /// Connects to the cluster that the flags choose.
    pub(crate) fn open(context: &Context) -> Result<Self, Failure> {
        settings::check_driver()?;
        let cluster = Rc::new(Cluster::connect(&context.settings.cluster())?);
        let engine =
            cluster.wait(Engine::connect(cluster.client())).map_err(|error| cluster::unreachable(&error))?;
        let (engine, namespace) = (engine.telling(report::plain), context.settings.namespace());
        Ok(Self { cluster, engine, namespace, heard: None })
    }

    /// Begins to show how a plan is run.
    pub(crate) fn progress(
        &self,
        flag: ProgressFlag,
        name: &str,
        plan: &Plan,
        timeout: Duration,
    ) -> Progress {
        Progress::new(flag, name, plan, timeout, self.heard.clone())
    }

    /// How a release marks what is its own.
    pub(crate) fn marks(&self, name: &str) -> Marks {
        Marks::release(name, &*self.namespace)
    }

    /// Reads a release, to look at it.
    pub(crate) fn release(&self, name: &str) -> Result<Release, Failure> {
        let read = Release::read(self.engine.clone(), self.marks(name), PENDING_GRACE);
        self.cluster.wait(read).map_err(|error| failed(name, &error))
    }

    /// Begins to work on a release.
    pub(crate) fn work(&self, name: &str, pending_grace: Option<Duration>) -> Result<Session, Failure> {
        self.work_in(self.marks(name), pending_grace)
    }

    /// Begins to work on a release of any namespace.
    pub(crate) fn work_in(&self, marks: Marks, pending_grace: Option<Duration>) -> Result<Session, Failure> {
        let (stopper, stop) = self.stop_on_interrupt();
        let pending_grace = pending_grace.unwrap_or(PENDING_GRACE);
        let worker = Worker { holder: holder(), pending_grace, stopper, stop };
        let name = marks.name.clone();
        let session = Session::begin(self.engine.clone(), marks, worker);
        self.cluster.wait(session).map_err(|error| failed(&name, &error))
    }

    /// Does something with a session, and ends it whatever comes out.
    pub(crate) fn with<Made>(
        &self,
        mut session: Session,
        act: impl FnOnce(&mut Session) -> Result<Made, Failure>,
    ) -> Result<Made, Failure> {
        let made = act(&mut session);
        self.cluster.wait(session.end());
        made
    }

    /// Waits for work on a release.
    pub(crate) fn wait<Made>(
        &self,
        name: &str,
        work: impl Future<Output = Result<Made, ReleaseError>>,
    ) -> Result<Made, Failure> {
        self.cluster.wait(work).map_err(|error| failed(name, &error))
    }

    /// A run that ends with what is under way when the user interrupts it, and at once when they do so again.
    fn stop_on_interrupt(&self) -> (Stopper, Stop) {
        let (stopper, stop) = Stop::new();
        let asked = stopper.clone();
        self.cluster.spawn(async move {
            interrupted().await;
            report::plain(
                "Stopping: what is under way is finished and recorded. Interrupt again to end at once.",
            );
            asked.stop();
            interrupted().await;
            std::process::exit(130);
        });
        (stopper, stop)
    }
}

/// Returns when the user interrupts, or when the system asks this process to end.
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
        }
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

/// Who holds the lock of a release while this runs.
fn holder() -> String {
    let user = std::env::var("USER").unwrap_or_else(|_| "somebody".to_owned());
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "this machine",
        host => host,
    };
    format!("{user} on {host} (process {})", std::process::id())
}
