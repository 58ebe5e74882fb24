//! What the pods of awaited workloads say about why these are not ready, long before time is over.
//!
//! A workload that is not ready after [a moment](patients::MOMENT) is looked at more closely: its namespace's pods,
//! `ReplicaSet`s and warnings are watched, once for all workloads there. What a pod says is a [`Symptom`], which has a
//! weight: some are only told, some end the wait when they last, and some do so unless something else that is
//! awaited may still be what is missing. What ends a wait is told with [`Evidence`]: the last lines that were logged,
//! and the warnings.

mod alone;
mod asked;
mod evidence;
mod patients;
mod symptom;
mod watch;

pub(crate) use alone::hopeless;
pub(crate) use asked::ask;
pub(crate) use evidence::Evidence;
pub(crate) use patients::{Finding, Patients};
pub(crate) use symptom::Symptom;
pub(crate) use watch::Surroundings;
