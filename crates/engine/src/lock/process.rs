//! Whether the process that holds a lock still runs, where that can be known: on the machine it runs on.

use std::fs;

/// A process of this machine: the boot, the namespace its number is of, its number, and when it was started.
///
/// All four together name it for good; none of them means anything elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    boot: String,
    space: String,
    number: u32,
    started: u64,
}

/// What is known of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    Runs,
    Ended,
    /// It is, or was, on another machine.
    Elsewhere,
}

impl Process {
    /// This one; nothing where the system does not say.
    pub(crate) fn own() -> Option<Self> {
        let number = std::process::id();
        Some(Self { boot: boot()?, space: space()?, number, started: started(number)? })
    }

    /// As it is written on a lock.
    pub(crate) fn write(&self) -> String {
        format!("{} {} {} {}", self.boot, self.space, self.number, self.started)
    }

    /// As it was written on a lock.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let mut next = || parts.next();
        let (boot, space) = (next()?.to_owned(), next()?.to_owned());
        Some(Self { boot, space, number: next()?.parse().ok()?, started: next()?.parse().ok()? })
    }

    /// Whether it still runs.
    pub(crate) fn life(&self) -> Life {
        match Self::own() {
            Some(own) if own.boot == self.boot && own.space == self.space => match started(self.number) {
                Some(started) if started == self.started => Life::Runs,
                _ => Life::Ended,
            },
            _ => Life::Elsewhere,
        }
    }
}

fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|text| text.trim().to_owned())
}

fn space() -> Option<String> {
    Some(fs::read_link("/proc/self/ns/pid").ok()?.to_str()?.to_owned())
}

/// When a process was started; nothing if there is none of that number, or only what is left of one.
fn started(number: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name, in parentheses, may have anything in it.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let state = fields.first()?;
    if matches!(*state, "Z" | "X") {
        return None;
    }
    fields.get(19)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_all_of_its_names() {
        let own = Process::own().unwrap();
        assert_eq!(Process::read(&own.write()), Some(own.clone()));
        assert_eq!(own.life(), Life::Runs);
        // The number was given to another one since.
        assert_eq!(Process { started: own.started + 1, ..own.clone() }.life(), Life::Ended);
        assert_eq!(Process { boot: "another".into(), ..own.clone() }.life(), Life::Elsewhere);
        assert_eq!(Process { space: "another".into(), ..own }.life(), Life::Elsewhere);
        assert_eq!(Process::read("nonsense"), None);
    }
}
