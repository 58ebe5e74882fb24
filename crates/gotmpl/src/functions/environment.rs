//! What lies outside of rendering: the clock, random bytes, the cluster, the network.

use std::rc::Rc;

use super::FunctionError;
use crate::value::{Entries, Value};

/// A moment: seconds and nanoseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    /// Seconds since the epoch.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanoseconds: u32,
}

/// What a time zone says about one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Seconds east of UTC.
    pub offset: i32,
    /// The abbreviation, such as `UTC` or `CET`.
    pub abbreviation: Rc<str>,
}

/// The outside world as the caller of the engine lets templates see it. Rendering itself does no I/O:
/// everything a function needs from outside comes through here.
pub trait Environment {
    /// The time now.
    fn now(&self) -> Instant;

    /// The local time zone at a moment.
    fn local_zone(&self, _at: Instant) -> Zone {
        Zone { offset: 0, abbreviation: Rc::from("UTC") }
    }

    /// Fills `buffer` with random bytes fit for secrets.
    fn fill_random(&self, buffer: &mut [u8]);

    /// Helm's `lookup`: an object or a list from the cluster, an empty map if there is none.
    fn lookup(
        &self,
        _api_version: &str,
        _kind: &str,
        _namespace: &str,
        _name: &str,
    ) -> Result<Value, FunctionError> {
        Ok(Value::map(Entries::new()))
    }

    /// sprig's `getHostByName`: an address of the host, or nothing where names are not to be resolved.
    fn host_address(&self, _name: &str) -> String {
        String::new()
    }

    /// What a template says in lint mode instead of failing.
    fn warn(&self, _message: &str) {}
}

/// No cluster, no network, a clock that stands still and bytes that are not random: for tests, and for
/// rendering that must come out the same every time.
#[derive(Debug, Clone, Copy)]
pub struct Offline {
    /// What `now` says.
    pub now: Instant,
}

impl Default for Offline {
    fn default() -> Self {
        Self { now: Instant { seconds: 0, nanoseconds: 0 } }
    }
}

impl Environment for Offline {
    fn now(&self) -> Instant {
        self.now
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        // SplitMix64: the same every time, but without a pattern that would never lead to a prime.
        let mut state = 13_u64;
        for chunk in buffer.chunks_mut(8) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..chunk.len()]);
        }
    }
}
