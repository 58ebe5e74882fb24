//! From values to text: the emitters of goyaml v2 (through JSON) and v3, straight into one string.

mod layout;
mod order;
mod scalar;
mod serializer;

use serde::Serialize;

use crate::json;
use crate::{Error, from_str};
use layout::{Dialect, Layout};
use serializer::{Node, Stop};

/// Writes `value` as `sigs.k8s.io/yaml.Marshal` does.
///
/// Go writes JSON first, reads that back as YAML and writes the result. The detour shows only with
/// texts that do not survive it, such as those with control characters; these are sent on it here too.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    match write(value, Dialect::V2) {
        Ok(text) => Ok(text),
        Err(Stop::Detour) => {
            let json = json::to_string(value).map_err(Error::Encode)?;
            let read = from_str(&json).map_err(Error::unwrapped)?;
            write_plainly(&read)
        }
        Err(Stop::Error(error)) => Err(Error::Encode(error)),
    }
}

/// Writes what has already been through the detour.
fn write_plainly(value: &crate::Value) -> Result<String, Error> {
    match write(value, Dialect::V2Reread) {
        Ok(text) => Ok(text),
        Err(Stop::Error(error)) => Err(Error::Encode(error)),
        Err(Stop::Detour) => Err(Error::Encode(json::Error::new("exceeded max depth"))),
    }
}

/// Writes `value` as Helm's `toYamlPretty` does: `go.yaml.in/yaml/v3` with an indent of two.
pub fn to_string_pretty<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    match write(value, Dialect::V3) {
        Ok(text) => Ok(text),
        Err(Stop::Error(error)) => Err(Error::Encode(error)),
        Err(Stop::Detour) => Err(Error::Encode(json::Error::new("exceeded max depth"))),
    }
}

fn write<T: Serialize + ?Sized>(value: &T, dialect: Dialect) -> Result<String, Stop> {
    let mut layout = Layout::new(dialect);
    value.serialize(Node::root(&mut layout))?;
    Ok(layout.finish())
}
