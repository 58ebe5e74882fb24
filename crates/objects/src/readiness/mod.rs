//! When an object is ready.
//!
//! [`kstatus`] answers for any object from its own fields. [`assess`] starts from that answer and adds what ordering
//! needs:
//!
//! 1. An object that is being deleted is `Terminating`, whatever else is said about it.
//! 2. A status that was computed for an older generation than the one that was applied does not count, neither for
//!    success nor for failure. Without this rule the status of the old version lets the next layer start.
//! 3. The object's own [`Overrides`] decide before kstatus: a failure that holds, then a success that holds. If only
//!    one side is given, kstatus decides the other.
//! 4. A Job that something waits for is ready when it has completed; kstatus is content when it runs.
//! 5. A claim whose volume is only made for its first consumer does not hold that consumer up.
//! 6. An object of Slipway's own kinds is ready when its condition `Ready` says so, and has failed when `Failed` does;
//!    kstatus is content with one that nobody has looked at yet.
//!
//! Nothing here asks a cluster or a clock: what must be known from outside is in [`Circumstances`].

mod claims;
mod expression;
pub mod kstatus;
mod overrides;
mod verdict;

use std::fmt;

use goyaml::Value;
use jiff::Timestamp;
use serde::{Serialize, Serializer};

pub use claims::StorageClasses;
use expression::Quantifier;
pub use expression::{Expression, ExpressionError};
pub use overrides::{FAILURE, OverrideError, OverrideProblem, Overrides, SUCCESS, TIMEOUT};
pub use verdict::{Status, Verdict};

/// What comes after an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gate {
    /// Nothing waits for it: a Job may go on running.
    #[default]
    Last,
    /// Something waits for it: a Job must have completed.
    Followed,
}

/// What the readiness of an object depends on, beside the object.
#[derive(Debug, Clone)]
pub struct Circumstances {
    /// The present moment.
    pub now: Timestamp,
    /// `metadata.generation` as our own apply returned it.
    pub applied_generation: Option<i64>,
    /// What comes after the object.
    pub gate: Gate,
    /// For a claim: its volume is made only for its first consumer. See [`StorageClasses`].
    pub waits_for_consumer: bool,
}

impl Circumstances {
    /// An object about which nothing else is known.
    pub fn at(now: Timestamp) -> Self {
        Self { now, applied_generation: None, gate: Gate::default(), waits_for_consumer: false }
    }
}

/// Which rule decided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// kstatus.
    Kstatus,
    /// This success expression holds.
    Success(String),
    /// This failure expression holds.
    Failure(String),
    /// None of the expressions holds.
    NoExpression,
    /// The status is about an older generation.
    Generation,
    /// The Job must have completed.
    Completion,
    /// The claim waits for its first consumer.
    FirstConsumer,
    /// A controller of Slipway's says it in a condition.
    Controller,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kstatus => f.write_str("kstatus"),
            Self::Success(expression) => write!(f, "readiness-success {expression}"),
            Self::Failure(expression) => write!(f, "readiness-failure {expression}"),
            Self::NoExpression => f.write_str("readiness expressions"),
            Self::Generation => f.write_str("generation"),
            Self::Completion => f.write_str("completion"),
            Self::FirstConsumer => f.write_str("first consumer"),
            Self::Controller => f.write_str("condition"),
        }
    }
}

impl Serialize for Decision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A verdict, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Readiness {
    /// What is said about the object.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Which rule said it.
    pub decided_by: Decision,
    /// What is odd about the expressions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Readiness {
    fn new(verdict: Verdict, decided_by: Decision) -> Self {
        Self { verdict, decided_by, warnings: Vec::new() }
    }

    /// Whether the object is ready.
    pub fn is_ready(&self) -> bool {
        self.verdict.is_ready()
    }
}

/// Whether an object is ready, by the rules of the module.
pub fn assess(object: &Value, overrides: &Overrides, circumstances: &Circumstances) -> Readiness {
    let own = kstatus::compute(object, circumstances.now);
    if own.status == Status::Terminating {
        return Readiness::new(own, Decision::Kstatus);
    }
    if let Some(stale) = stale(object, overrides, circumstances) {
        return Readiness::new(stale, Decision::Generation);
    }
    if overrides.are_none() {
        return beyond_kstatus(object, own, circumstances);
    }
    let nothing = Value::Null;
    let status = object.get("status").unwrap_or(&nothing);
    let mut warnings = Vec::new();
    let mut holding = |expressions: &[Expression], quantifier| {
        expressions.iter().find(|one| one.is_met(status, quantifier, &mut warnings)).map(ToString::to_string)
    };
    let failure = holding(&overrides.failure, Quantifier::Any);
    let success = holding(&overrides.success, Quantifier::All);
    let decided = match (failure, success) {
        (Some(failure), _) => Readiness::new(
            Verdict::failed("FailureExpression", format!("readiness-failure holds: {failure}")),
            Decision::Failure(failure),
        ),
        (None, _) if overrides.failure.is_empty() && own.status == Status::Failed => {
            Readiness::new(own, Decision::Kstatus)
        }
        (None, Some(success)) => Readiness::new(
            Verdict::current(format!("readiness-success holds: {success}")),
            Decision::Success(success),
        ),
        (None, None) if overrides.success.is_empty() => {
            without_failure(beyond_kstatus(object, own, circumstances))
        }
        (None, None) => Readiness::new(
            Verdict::in_progress(
                "SuccessExpression",
                format!("readiness-success does not hold: {}", join(overrides)),
            ),
            Decision::NoExpression,
        ),
    };
    Readiness { warnings, ..decided }
}

fn join(overrides: &Overrides) -> String {
    overrides.success.iter().map(Expression::as_str).collect::<Vec<_>>().join(", ")
}

/// When a user says what failure is, kstatus does not.
fn without_failure(readiness: Readiness) -> Readiness {
    if readiness.verdict.status != Status::Failed {
        return readiness;
    }
    let Verdict { reason, message, .. } = readiness.verdict;
    Readiness::new(Verdict::in_progress(reason, message), Decision::NoExpression)
}

/// What is told about an object whose status is about an older generation than the one wanted.
fn stale(object: &Value, overrides: &Overrides, circumstances: &Circumstances) -> Option<Verdict> {
    let number = |path: [&str; 2]| object.get_path(path).and_then(Value::as_i64);
    let generation = number(["metadata", "generation"]);
    let observed = number(["status", "observedGeneration"]);
    if let (Some(applied), Some(seen)) = (circumstances.applied_generation, generation)
        && seen < applied
    {
        let message = format!("generation {applied} was applied, but generation {seen} is what is seen");
        return Some(Verdict::in_progress("StaleGeneration", message));
    }
    // kstatus compares the two itself; an expression must not be believed where kstatus would not be.
    let wanted = if overrides.are_none() {
        circumstances.applied_generation
    } else {
        circumstances.applied_generation.max(generation)
    };
    let wanted = wanted?;
    if let Some(observed) = observed.filter(|observed| *observed < wanted) {
        return Some(kstatus::not_observed(object, wanted, observed));
    }
    // Without a generation of the whole status, the one of the condition that kstatus would believe.
    circumstances.applied_generation.filter(|_| observed.is_none())?;
    let conditions = kstatus::conditions(object).ok()?;
    let ready = conditions.iter().find(|condition| condition.kind == "Ready")?;
    let observed = ready.observed_generation.filter(|observed| *observed < wanted)?;
    Some(kstatus::not_observed(object, wanted, observed))
}

/// kstatus, corrected where it would hold up what it should not, or let pass what is not done.
fn beyond_kstatus(object: &Value, own: Verdict, circumstances: &Circumstances) -> Readiness {
    match kstatus::group_and_kind(object) {
        ("batch", "Job")
            if circumstances.gate == Gate::Followed && own.is_ready() && !has_completed(object) =>
        {
            Readiness::new(Verdict::in_progress("JobNotCompleted", own.message), Decision::Completion)
        }
        ("", "PersistentVolumeClaim") if circumstances.waits_for_consumer && claims::is_waiting(object) => {
            Readiness::new(Verdict::current("PVC waits for its first consumer"), Decision::FirstConsumer)
        }
        ("slipway.dev", "Bundle" | "DeployItem")
        | (
            "servicecatalog.slipway.dev",
            "ServiceInstance" | "ServiceBinding" | "ServiceBroker" | "ClusterServiceBroker",
        ) => by_condition(object, own),
        _ => Readiness::new(own, Decision::Kstatus),
    }
}

/// What the controller of one of our own kinds says.
fn by_condition(object: &Value, own: Verdict) -> Readiness {
    let conditions = kstatus::conditions(object).unwrap_or_default();
    let holds = |kind| conditions.iter().find(|it| it.kind == kind && it.status == "True");
    let generation = |path: [&str; 2]| object.get_path(path).and_then(Value::as_i64);
    let is_seen = generation(["metadata", "generation"]) <= generation(["status", "observedGeneration"]);
    if let Some(failed) = holds("Failed").filter(|_| is_seen) {
        return Readiness::new(Verdict::failed(failed.reason, failed.message), Decision::Controller);
    }
    if own.is_ready() && holds("Ready").is_none() {
        let waiting = Verdict::in_progress("NotObserved", "its controller has not looked at it yet");
        return Readiness::new(waiting, Decision::Controller);
    }
    Readiness::new(own, Decision::Kstatus)
}

fn has_completed(job: &Value) -> bool {
    let conditions = kstatus::conditions(job).unwrap_or_default();
    conditions.iter().any(|condition| (condition.kind, condition.status) == ("Complete", "True"))
}

#[cfg(test)]
mod tests;
