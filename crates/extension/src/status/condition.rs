//! Conditions as Kubernetes has them.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionStatus {
    /// It does.
    True,
    /// It does not.
    False,
    /// Nobody knows.
    Unknown,
}

impl ConditionStatus {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<bool> for ConditionStatus {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// Sets a condition. Its time is that of the last change of its status; nothing changes if nothing is new.
pub fn set_condition(
    conditions: &mut Vec<Condition>,
    kind: &str,
    status: ConditionStatus,
    reason: &str,
    message: &str,
    generation: Option<i64>,
    now: Timestamp,
) {
    let new = Condition {
        type_: kind.to_owned(),
        status: status.as_str().to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        observed_generation: generation,
        last_transition_time: Time(now),
    };
    match conditions.iter_mut().find(|condition| condition.type_ == kind) {
        Some(old) if old.status == new.status => {
            *old = Condition { last_transition_time: old.last_transition_time.clone(), ..new };
        }
        Some(old) => *old = new,
        None => conditions.push(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_condition_is_that_of_its_last_change() {
        let mut conditions = Vec::new();
        let early = Timestamp::UNIX_EPOCH;
        let late = early + jiff::SignedDuration::from_secs(60);
        set_condition(&mut conditions, "Ready", true.into(), "Ok", "", None, early);
        set_condition(&mut conditions, "Ready", true.into(), "Ok", "still", Some(2), late);
        assert_eq!(conditions.len(), 1);
        assert_eq!((conditions[0].last_transition_time.0, conditions[0].message.as_str()), (early, "still"));
        set_condition(&mut conditions, "Ready", ConditionStatus::Unknown, "Lost", "", None, late);
        assert_eq!(conditions[0].last_transition_time.0, late);
    }
}
