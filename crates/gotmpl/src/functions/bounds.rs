//! Whether there is room for what a function is about to make.

use super::{Context, FunctionError};
use crate::parse::with_room;
use crate::value::Value;

/// Values that nest deeper are taken to hold themselves, as sprig's `set` can make them do; who follows them says so.
const MAX_DEPTH: usize = 1000;

/// What a function says that would make too much.
#[cold]
pub(crate) fn too_large(limit: usize) -> FunctionError {
    FunctionError::new(format!("exceeded the limit of {limit} bytes in a value"))
}

/// Why counting stops early.
enum Stop {
    Full,
    Endless,
}

impl Context {
    /// Whether a text of so many bytes may be made.
    pub(super) fn room_for(&self, bytes: Option<usize>) -> Result<(), FunctionError> {
        match bytes {
            Some(bytes) if bytes <= self.value_bytes => Ok(()),
            _ => Err(too_large(self.value_bytes)),
        }
    }

    /// Whether a list of so many items may be made.
    pub(super) fn room_for_items(&self, count: usize) -> Result<(), FunctionError> {
        self.room_for(count.checked_mul(size_of::<Value>()))
    }

    /// Whether a value may be copied or written with all that it holds. A map that is held twice counts twice, since
    /// it is written twice.
    pub(super) fn room_for_all_of(&self, value: &Value) -> Result<(), FunctionError> {
        let mut room = self.value_bytes;
        match take(&mut room, value, 0) {
            Err(Stop::Full) => Err(too_large(self.value_bytes)),
            Ok(()) | Err(Stop::Endless) => Ok(()),
        }
    }
}

fn take(room: &mut usize, value: &Value, depth: usize) -> Result<(), Stop> {
    if depth > MAX_DEPTH {
        return Err(Stop::Endless);
    }
    let size = match value {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 0,
    };
    *room = room.checked_sub(size + size_of::<Value>()).ok_or(Stop::Full)?;
    match value {
        Value::List(list) => {
            with_room(|| list.borrow().iter().try_for_each(|item| take(room, item, depth + 1)))
        }
        Value::Map(map) => with_room(|| {
            map.borrow().iter().try_for_each(|(key, value)| {
                *room = room.checked_sub(key.len()).ok_or(Stop::Full)?;
                take(room, value, depth + 1)
            })
        }),
        _ => Ok(()),
    }
}
