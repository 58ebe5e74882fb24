//! The operator as a process, which somebody kills now and then.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use support::{Gate, Mishap};

use crate::lots::Lots;

/// One that has nothing to write is killed after so long.
const IDLE: Duration = Duration::from_secs(10);

/// A process that is started again whenever it ends, and killed now and then.
pub(crate) struct Operator {
    wild: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
    kills: Arc<AtomicUsize>,
    keeper: Option<std::thread::JoinHandle<()>>,
}

impl Operator {
    pub(crate) fn start(
        home: &Path,
        namespace: &str,
        gate: Arc<Gate>,
        mishaps: Arc<Mutex<usize>>,
        seed: Option<u64>,
    ) -> Self {
        let (wild, over) = (Arc::new(AtomicBool::new(seed.is_some())), Arc::new(AtomicBool::new(false)));
        let kills: Arc<AtomicUsize> = Arc::default();
        let keeper = {
            let (wild, over, kills) = (Arc::clone(&wild), Arc::clone(&over), Arc::clone(&kills));
            let (home, namespace) = (home.to_owned(), namespace.to_owned());
            std::thread::spawn(move || {
                let mut lots = Lots::new(seed.unwrap_or_default().wrapping_add(77));
                let mut child = spawn(&home, &namespace);
                while !over.load(Ordering::Relaxed) {
                    if !wild.load(Ordering::Relaxed) {
                        std::thread::sleep(Duration::from_millis(50));
                        if child.try_wait().unwrap().is_some() {
                            child = spawn(&home, &namespace);
                        }
                        continue;
                    }
                    // It may write so much, and is killed a moment later; however slow it is, it gets somewhere.
                    let (begun, end) =
                        (Instant::now(), gate.writes() + usize::try_from(lots.below(40)).unwrap());
                    while gate.writes() < end && begun.elapsed() < IDLE && wild.load(Ordering::Relaxed) {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                    std::thread::sleep(Duration::from_millis(lots.below(60)));
                    *mishaps.lock().unwrap() += gate.mishaps();
                    gate.have_a_bad_day(mishap(&mut lots), lots.next());
                    child.kill().unwrap();
                    child.wait().unwrap();
                    kills.fetch_add(1, Ordering::Relaxed);
                    child = spawn(&home, &namespace);
                }
                child.kill().unwrap();
                child.wait().unwrap();
            })
        };
        Self { wild, over, kills, keeper: Some(keeper) }
    }

    /// How often it was killed.
    pub(crate) fn kills(&self) -> usize {
        self.kills.load(Ordering::Relaxed)
    }

    /// From now on it is left alone.
    pub(crate) fn calm(&self) {
        self.wild.store(false, Ordering::Relaxed);
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

/// What happens on the way until the next kill.
fn mishap(lots: &mut Lots) -> Option<Mishap> {
    let unavailable = http::StatusCode::SERVICE_UNAVAILABLE;
    match lots.below(7) {
        0 => Some(Mishap::Refused(unavailable, None)),
        1 => Some(Mishap::Refused(http::StatusCode::INTERNAL_SERVER_ERROR, None)),
        2 => Some(Mishap::LostBefore),
        3 => Some(Mishap::LostAfter),
        4 => Some(Mishap::WatchBroken),
        5 => Some(Mishap::Expired),
        _ => None,
    }
}

fn spawn(home: &Path, namespace: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_slipway"))
        .args(["operator", "--no-leader-election", "--listen", "", "--log-level", "error"])
        .args(["--watch-namespaces", namespace, "--kubeconfig"])
        .arg(home.join("config"))
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
