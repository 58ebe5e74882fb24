//! The tables of the specification, as data.
//!
//! [`CODES`] has a row for each code that a chapter of the specification lists for a request, and for one that it does
//! not list ("any other"); [`ORPHANS`] has the rows of the table on orphan mitigation.

use osb::Operation::{self, Bind, Deprovision, Provision, Unbind, Update};

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    Catalog,
    Change(Operation),
    Poll(Operation),
    FetchInstance,
    FetchBinding,
}

/// What becomes of one, as a caller has to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Accepted,
    Refused,
    Postponed,
    Unsettled,
    InProgress,
    Unclear,
    Absent,
    Busy,
}

use Outcome::{Absent, Accepted, Busy, Done, InProgress, Postponed, Refused, Unclear, Unsettled};
use Request::{Catalog, Change, FetchBinding, FetchInstance, Poll};

/// Of a request and a code with a body: what becomes of it.
pub(crate) type Code = (Request, u16, &'static str, Outcome);

const NOTHING: &str = "{}";
const ASYNC: &str = r#"{"error":"AsyncRequired","description":"only asynchronously"}"#;
const CONCURRENCY: &str = r#"{"error":"ConcurrencyError","description":"another operation is in progress"}"#;
const APP: &str = r#"{"error":"RequiresApp","description":"app_guid is missing"}"#;
const MAINTENANCE: &str = r#"{"error":"MaintenanceInfoConflict","description":"the catalog has changed"}"#;
const GOING: &str = r#"{"state":"in progress","description":"10 %"}"#;
const ENDED: &str = r#"{"state":"succeeded"}"#;
const FAILED: &str = r#"{"state":"failed","description":"the disk is full"}"#;
const SERVICES: &str = r#"{"services":[]}"#;
const OPERATION: &str = r#"{"operation":"task_10"}"#;

/// The chapters on each request.
pub(crate) const CODES: &[Code] = &[
    (Catalog, 200, SERVICES, Done),
    (Catalog, 200, NOTHING, Unsettled),
    (Catalog, 401, NOTHING, Unsettled),
    (Catalog, 412, r#"{"description":"version 2.99 is wanted"}"#, Unsettled),
    (Catalog, 500, NOTHING, Unsettled),
    (Change(Provision), 200, NOTHING, Done),
    (Change(Provision), 201, NOTHING, Done),
    (Change(Provision), 202, OPERATION, Accepted),
    (Change(Provision), 202, NOTHING, Accepted),
    (Change(Provision), 400, NOTHING, Refused),
    (Change(Provision), 401, NOTHING, Refused),
    (Change(Provision), 409, NOTHING, Refused),
    (Change(Provision), 412, NOTHING, Refused),
    (Change(Provision), 422, ASYNC, Refused),
    (Change(Provision), 422, MAINTENANCE, Refused),
    (Change(Provision), 422, CONCURRENCY, Postponed),
    (Change(Provision), 429, NOTHING, Postponed),
    (Change(Provision), 410, NOTHING, Refused),
    (Change(Provision), 500, NOTHING, Unsettled),
    (Change(Update), 200, NOTHING, Done),
    (Change(Update), 201, NOTHING, Unsettled),
    (Change(Update), 202, OPERATION, Accepted),
    (Change(Update), 400, NOTHING, Refused),
    (Change(Update), 410, NOTHING, Refused),
    (Change(Update), 422, NOTHING, Refused),
    (Change(Update), 422, ASYNC, Refused),
    (Change(Update), 422, MAINTENANCE, Refused),
    (Change(Update), 422, CONCURRENCY, Postponed),
    (Change(Update), 500, NOTHING, Unsettled),
    (Change(Deprovision), 200, NOTHING, Done),
    (Change(Deprovision), 201, NOTHING, Unsettled),
    (Change(Deprovision), 202, OPERATION, Accepted),
    (Change(Deprovision), 400, NOTHING, Refused),
    (Change(Deprovision), 403, NOTHING, Refused),
    (Change(Deprovision), 404, NOTHING, Refused),
    (Change(Deprovision), 410, NOTHING, Done),
    (Change(Deprovision), 410, "gone", Done),
    (Change(Deprovision), 422, ASYNC, Refused),
    (Change(Deprovision), 422, CONCURRENCY, Postponed),
    (Change(Deprovision), 500, NOTHING, Unsettled),
    (Change(Bind), 200, NOTHING, Done),
    (Change(Bind), 201, r#"{"credentials":{"uri":"x"}}"#, Done),
    (Change(Bind), 202, OPERATION, Accepted),
    (Change(Bind), 400, NOTHING, Refused),
    (Change(Bind), 409, NOTHING, Refused),
    (Change(Bind), 410, NOTHING, Refused),
    (Change(Bind), 422, APP, Refused),
    (Change(Bind), 422, ASYNC, Refused),
    (Change(Bind), 422, CONCURRENCY, Postponed),
    (Change(Bind), 500, NOTHING, Unsettled),
    (Change(Unbind), 200, NOTHING, Done),
    (Change(Unbind), 201, NOTHING, Unsettled),
    (Change(Unbind), 202, OPERATION, Accepted),
    (Change(Unbind), 400, NOTHING, Refused),
    (Change(Unbind), 410, NOTHING, Done),
    (Change(Unbind), 422, ASYNC, Refused),
    (Change(Unbind), 422, CONCURRENCY, Postponed),
    (Change(Unbind), 500, NOTHING, Unsettled),
    (Poll(Provision), 200, GOING, InProgress),
    (Poll(Provision), 200, ENDED, Done),
    (Poll(Provision), 200, FAILED, Unsettled),
    (Poll(Provision), 200, r#"{"state":"perhaps"}"#, Unclear),
    (Poll(Provision), 200, "{", Unclear),
    (Poll(Provision), 202, GOING, Unclear),
    (Poll(Provision), 400, NOTHING, Unclear),
    (Poll(Provision), 404, NOTHING, Unclear),
    (Poll(Provision), 410, NOTHING, Unclear),
    (Poll(Provision), 500, NOTHING, Unclear),
    (Poll(Update), 200, GOING, InProgress),
    (Poll(Update), 200, ENDED, Done),
    (Poll(Update), 200, FAILED, Unsettled),
    (Poll(Update), 410, NOTHING, Unclear),
    (Poll(Deprovision), 200, GOING, InProgress),
    (Poll(Deprovision), 200, ENDED, Done),
    (Poll(Deprovision), 200, FAILED, Unsettled),
    (Poll(Deprovision), 400, NOTHING, Unclear),
    (Poll(Deprovision), 404, NOTHING, Unclear),
    (Poll(Deprovision), 410, NOTHING, Done),
    (Poll(Deprovision), 503, NOTHING, Unclear),
    (Poll(Bind), 200, GOING, InProgress),
    (Poll(Bind), 200, ENDED, Done),
    (Poll(Bind), 200, FAILED, Unsettled),
    (Poll(Bind), 404, NOTHING, Unclear),
    (Poll(Bind), 410, NOTHING, Unclear),
    (Poll(Unbind), 200, GOING, InProgress),
    (Poll(Unbind), 200, ENDED, Done),
    (Poll(Unbind), 200, FAILED, Unsettled),
    (Poll(Unbind), 410, NOTHING, Done),
    (Poll(Unbind), 500, NOTHING, Unclear),
    (FetchInstance, 200, NOTHING, Done),
    (FetchInstance, 404, NOTHING, Absent),
    (FetchInstance, 422, CONCURRENCY, Busy),
    (FetchInstance, 422, NOTHING, Unsettled),
    (FetchInstance, 410, NOTHING, Unsettled),
    (FetchInstance, 500, NOTHING, Unsettled),
    (FetchBinding, 200, r#"{"credentials":{}}"#, Done),
    (FetchBinding, 404, NOTHING, Absent),
    (FetchBinding, 410, NOTHING, Unsettled),
    (FetchBinding, 500, NOTHING, Unsettled),
];

/// What the broker does in a row of the table on orphans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Response {
    /// A code, with a body as it should be.
    Code(u16),
    /// A code, with a body that cannot be read.
    Malformed(u16),
    /// All codes of a hundred, but these.
    Others(u16, &'static [u16]),
    /// A poll that says `failed`.
    PolledFailed,
    /// None in time.
    Timeout,
}

/// Requests, the response to them, whether that is a success, and whether an orphan is to be taken back.
pub(crate) type Orphan = (&'static [Operation], Response, bool, bool);

const ALL: &[Operation] = &Operation::ALL;
const INSTANCES: &[Operation] = &[Provision, Deprovision];
const BINDINGS: &[Operation] = &[Bind, Unbind];

/// The table on orphan mitigation. Whether it is for instances or bindings follows from the request.
pub(crate) const ORPHANS: &[Orphan] = &[
    (ALL, Response::Code(200), true, false),
    (ALL, Response::Malformed(200), false, false),
    (INSTANCES, Response::PolledFailed, false, true),
    (BINDINGS, Response::PolledFailed, false, true),
    // For the three others, the chapters say that 201 is a failure: see the crate's introduction.
    (&[Provision, Bind], Response::Code(201), true, false),
    (&[Update, Deprovision, Unbind], Response::Code(201), false, false),
    (&[Provision], Response::Malformed(201), false, true),
    (&[Bind], Response::Malformed(201), false, true),
    (ALL, Response::Code(202), true, false),
    (&[Provision], Response::Malformed(202), false, true),
    (&[Bind], Response::Malformed(202), false, true),
    (&[Update, Deprovision, Unbind], Response::Malformed(202), false, false),
    (INSTANCES, Response::Others(200, &[200, 201, 202]), false, true),
    (BINDINGS, Response::Others(200, &[200, 201, 202]), false, true),
    (&[Update], Response::Others(200, &[200, 201, 202]), false, false),
    (ALL, Response::Code(408), false, false),
    // 410 is a success of what deletes, as the chapters say.
    (&[Provision, Update, Bind], Response::Others(400, &[408]), false, false),
    (&[Deprovision, Unbind], Response::Others(400, &[408, 410]), false, false),
    (INSTANCES, Response::Others(500, &[]), false, true),
    (BINDINGS, Response::Others(500, &[]), false, true),
    (&[Update], Response::Others(500, &[]), false, false),
    (&[Provision], Response::Timeout, false, true),
    (&[Bind], Response::Timeout, false, true),
    (&[Update, Deprovision, Unbind], Response::Timeout, false, false),
    // Not a row: a poll of an update that failed leaves nothing behind that was not there.
    (&[Update], Response::PolledFailed, false, false),
];
