//! What only the commands that go to the network need: a runtime, and somebody who tells
//! the user how it goes.

use std::io::Write as _;

use chart::remote::{Notify, Remote, Warning};

use crate::context::Context;
use crate::output::Output;
use crate::report::{self, Failure};

/// Runs asynchronous work to its end on this thread.
pub(crate) fn wait<Work: Future>(work: Work) -> Result<Work::Output, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(work))
}

/// Runs asynchronous work to its end, with all processors to help.
pub(crate) fn wait_on_all_processors<Work: Future>(work: Work) -> Result<Work::Output, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    Ok(runtime.block_on(work))
}

/// Waits until somebody wants the process to end.
pub(crate) async fn interrupted() -> std::io::Result<()> {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let mut ended = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            interrupted = interrupted => interrupted,
            _ = ended.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    interrupted.await
}

impl Context {
    /// The user's repositories, registries and caches.
    pub(crate) fn remote(&self) -> Remote {
        Remote::new(self.settings.paths.clone())
    }
}

/// Progress on standard output, at once; warnings on standard error.
pub(crate) struct OnOutput<'a>(pub(crate) &'a mut Output);

impl Notify for OnOutput<'_> {
    fn say(&mut self, text: &str) {
        // A reader that went away is noticed when the command writes its result.
        let _ = self.0.write_all(text.as_bytes()).and_then(|()| self.0.flush());
    }

    fn warn(&mut self, warning: Warning) {
        report::plain(&warning.to_string());
    }
}

/// Everything on standard error, for commands whose output is the chart itself.
pub(crate) struct OnError;

impl Notify for OnError {
    fn say(&mut self, text: &str) {
        report::plain(text.trim_end_matches('\n'));
    }

    fn warn(&mut self, warning: Warning) {
        report::plain(&warning.to_string());
    }
}
