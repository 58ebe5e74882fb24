//! The outside world as templates may see it: the clock, random bytes, and host names if allowed.

use std::net::ToSocketAddrs as _;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use engine::Served;
use gotmpl::functions::{Environment, FunctionError, Instant, Zone};
use gotmpl::value::{Entries, Value};

use crate::cluster::Cluster;
use crate::report;

/// This machine, and a cluster if there is one to ask; without, lookups find nothing.
#[derive(Default)]
pub(crate) struct Outside {
    /// Whether templates may look up host names.
    pub(crate) enable_dns: bool,
    /// Whether warnings of templates are dropped, since somebody else told them.
    pub(crate) quiet: bool,
    /// The cluster, with what it serves.
    pub(crate) cluster: Option<Rc<(Rc<Cluster>, Served)>>,
}

impl Environment for Outside {
    fn now(&self) -> Instant {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Instant { seconds: since.as_secs() as i64, nanoseconds: since.subsec_nanos() }
    }

    fn local_zone(&self, at: Instant) -> Zone {
        let utc = || Zone { offset: 0, abbreviation: Rc::from("UTC") };
        let Ok(moment) = jiff::Timestamp::from_second(at.seconds) else { return utc() };
        let zone = jiff::tz::TimeZone::system();
        let info = zone.to_offset_info(moment);
        Zone { offset: info.offset().seconds(), abbreviation: Rc::from(info.abbreviation()) }
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        // Without randomness there are no secrets worth making; a system that has none is broken.
        getrandom::fill(buffer).expect("the system gives random bytes");
    }

    fn lookup(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Value, FunctionError> {
        match self.cluster.as_deref() {
            Some((cluster, served)) => cluster.lookup(served, api_version, kind, namespace, name),
            None => Ok(Value::map(Entries::new())),
        }
    }

    fn host_address(&self, name: &str) -> String {
        if !self.enable_dns {
            return String::new();
        }
        let addresses = (name, 0).to_socket_addrs().into_iter().flatten();
        addresses.map(|address| address.ip().to_string()).next().unwrap_or_default()
    }

    fn warn(&self, message: &str) {
        if !self.quiet {
            report::warn("missing required value", &[("message", &message)]);
        }
    }
}
