//! What becomes of a Pod: decided by its script, its restart policy and the time.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::controllers::object::Object;
use crate::controllers::script::Script;

/// The pause before a container that crashed is started again: it doubles from the first to the last.
const FIRST_PAUSE: i64 = 10;
const LAST_PAUSE: i64 = 300;

/// How a Pod is at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its containers run.
    Running {
        /// Whether they are ready.
        ready: bool,
    },
    /// Its containers did their work.
    Done,
    /// Its containers cannot be started.
    Waiting {
        /// Why.
        reason: String,
    },
    /// Its containers end with an error again and again.
    Crashing(Crash),
    /// Its containers ended with an error, and are not started again.
    Failed {
        /// Why the containers ended.
        reason: String,
        /// With which code.
        code: i64,
    },
    /// It was ended from outside.
    Ended {
        /// Why.
        reason: String,
    },
}

/// A container that ends with an error again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Crash {
    /// How often it was started again.
    pub restarts: i64,
    /// When it last ended.
    pub finished: Timestamp,
    /// Why.
    pub reason: String,
    /// With which code.
    pub code: i64,
}

impl Crash {
    /// How long it is not started again.
    pub(super) fn pause(&self) -> i64 {
        let doubled =
            u32::try_from(self.restarts - 1).ok().and_then(|times| FIRST_PAUSE.checked_shl(times.min(20)));
        doubled.unwrap_or(LAST_PAUSE).min(LAST_PAUSE)
    }

    fn over(&self) -> Timestamp {
        self.finished.checked_add(SignedDuration::from_secs(self.pause())).unwrap_or(Timestamp::MAX)
    }
}

/// How the Pod is now, and when that may change by itself.
pub(super) fn decide(
    pod: &Value,
    script: &Script,
    born: Timestamp,
    now: Timestamp,
) -> (Fate, Option<Timestamp>) {
    let policy = pod.text("spec.restartPolicy");
    if let Some(reason) = &script.fail {
        return match reason.as_str() {
            "CrashLoopBackOff" | "Error" => crash(pod, policy, "Error", 1, now),
            "OOMKilled" => crash(pod, policy, "OOMKilled", 137, now),
            "StartError" | "ContainerCannotRun" => crash(pod, policy, reason, 128, now),
            "Evicted" | "DeadlineExceeded" | "NodeShutdown" | "Terminated" | "Preempting" | "NodeLost" => {
                (Fate::Ended { reason: reason.clone() }, None)
            }
            _ => (Fate::Waiting { reason: reason.clone() }, None),
        };
    }
    let due = script.ready_at(born);
    let again = (due > now).then_some(due);
    if matches!(policy, "Never" | "OnFailure") {
        // Whoever watches sees it run before it is done.
        let runs = pod.text("status.phase") == "Running";
        return if runs && again.is_none() {
            (Fate::Done, None)
        } else {
            (Fate::Running { ready: true }, again)
        };
    }
    (Fate::Running { ready: again.is_none() }, again)
}

fn crash(pod: &Value, policy: &str, reason: &str, code: i64, now: Timestamp) -> (Fate, Option<Timestamp>) {
    if policy == "Never" {
        return (Fate::Failed { reason: reason.into(), code }, None);
    }
    let crash = |restarts, finished| Crash { restarts, finished, reason: reason.into(), code };
    let status = pod.items("status.containerStatuses").first().unwrap_or(&Value::Null);
    let crash = match status.moment("lastState.terminated.finishedAt") {
        // The first crash is followed by a start at once, and a second crash.
        None => crash(1, now),
        Some(finished) => {
            let last = crash(status.count("restartCount").max(1), finished);
            if last.over() <= now { crash(last.restarts + 1, now) } else { last }
        }
    };
    let again = crash.over();
    (Fate::Crashing(crash), Some(again))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + seconds).unwrap()
    }

    #[test]
    fn pauses_double_up_to_five_minutes() {
        let pauses: Vec<i64> = [1, 2, 3, 5, 6, 7, 100]
            .into_iter()
            .map(|restarts| Crash { restarts, finished: at(0), reason: String::new(), code: 1 }.pause())
            .collect();
        assert_eq!(pauses, [10, 20, 40, 160, 300, 300, 300]);
    }

    #[test]
    fn fates() {
        let pod = |policy: &str, phase: &str| json!({"spec": {"restartPolicy": policy}, "status": {"phase": phase}});
        let script = |after: i64, fail: &str| Script {
            ready_after: (after > 0).then(|| SignedDuration::from_secs(after)),
            fail: (!fail.is_empty()).then(|| fail.to_owned()),
            ..Script::default()
        };
        let cases = [
            (pod("Always", "Pending"), script(0, ""), Fate::Running { ready: true }, None),
            (pod("Always", "Pending"), script(5, ""), Fate::Running { ready: false }, Some(at(5))),
            (pod("Never", "Pending"), script(0, ""), Fate::Running { ready: true }, None),
            (pod("Never", "Running"), script(0, ""), Fate::Done, None),
            (pod("OnFailure", "Running"), script(5, ""), Fate::Running { ready: true }, Some(at(5))),
            (
                pod("Never", "Pending"),
                script(0, "CrashLoopBackOff"),
                Fate::Failed { reason: "Error".into(), code: 1 },
                None,
            ),
            (
                pod("Always", "Pending"),
                script(0, "OOMKilled"),
                Fate::Crashing(Crash { restarts: 1, finished: at(0), reason: "OOMKilled".into(), code: 137 }),
                Some(at(10)),
            ),
            (pod("Always", "Pending"), script(0, "Evicted"), Fate::Ended { reason: "Evicted".into() }, None),
            (
                pod("Always", "Pending"),
                script(0, "ImagePullBackOff"),
                Fate::Waiting { reason: "ImagePullBackOff".into() },
                None,
            ),
        ];
        for (pod, script, fate, again) in cases {
            assert_eq!(decide(&pod, &script, at(0), at(0)), (fate, again), "{pod} {script:?}");
        }
    }
}
