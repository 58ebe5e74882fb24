//! A wish to stop, from whoever has it to the run.

use tokio::sync::watch;

/// Makes the wish.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<bool>);

/// Hears it.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    /// A wish that can be made, and one who hears it.
    pub fn new() -> (Stopper, Self) {
        let (sender, receiver) = watch::channel(false);
        (Stopper(sender), Self(receiver))
    }

    /// Returns when the wish is made; never if nobody can make it any more.
    pub(crate) async fn asked(&mut self) {
        if self.0.wait_for(|asked| *asked).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Stopper {
    /// Asks the run to finish what is under way, and to begin nothing new.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}
