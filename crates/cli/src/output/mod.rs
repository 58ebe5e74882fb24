//! Standard output: one buffer for the whole run, and the shapes things are printed in.

mod moment;
mod structured;
mod table;

use std::io::{self, BufWriter, Stdout, Write};

pub(crate) use moment::{ANSIC, PLAIN, RFC3339, moment};
pub(crate) use structured::{write_json, write_yaml};
pub(crate) use table::Table;

/// The one way to standard output. What is written is seen at the latest when the run ends.
pub(crate) struct Output(BufWriter<Stdout>);

/// Large enough that an ordinary chart is written with one or two system calls.
const BUFFER: usize = 64 * 1024;

impl Output {
    /// Takes standard output for this run.
    pub(crate) fn new() -> Self {
        Self(BufWriter::with_capacity(BUFFER, io::stdout()))
    }

    /// Whether what is written may have colours.
    pub(crate) fn is_coloured(&self) -> bool {
        anstream::AutoStream::choice(self.0.get_ref()) != anstream::ColorChoice::Never
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
