//! JSON and YAML, as Helm's `--output` writes them.

use std::io::{self, Write};

use serde::Serialize;

/// One line of JSON.
pub(crate) fn write_json(out: &mut impl Write, data: &impl Serialize) -> io::Result<()> {
    let text = goyaml::json::to_string(data).map_err(io::Error::other)?;
    writeln!(out, "{text}")
}

/// YAML with sorted keys.
pub(crate) fn write_yaml(out: &mut impl Write, data: &impl Serialize) -> io::Result<()> {
    let text = goyaml::to_string(data).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}
