//! Drops lists and maps without recursing as deeply as they nest, which a template can make very deep.

use std::rc::Rc;

use super::{List, Map, Value};

impl Value {
    /// Whether dropping this drops other values.
    fn is_nested(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }
}

/// Drops values, and all that only they hold.
fn dismantle(mut pending: Vec<Value>) {
    while let Some(value) = pending.pop() {
        match value {
            Value::List(list) => {
                if let Some(mut list) = Rc::into_inner(list) {
                    pending.append(list.contents());
                }
            }
            Value::Map(map) => {
                if let Some(entries) = Rc::into_inner(map).as_mut().and_then(Map::contents) {
                    pending.extend(std::mem::take(entries).into_values());
                }
            }
            _ => {}
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if self.contents().iter().any(Value::is_nested) {
            dismantle(std::mem::take(self.contents()));
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if let Some(entries) = self.contents()
            && entries.values().any(Value::is_nested)
        {
            dismantle(std::mem::take(entries).into_values().collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_values_drop() {
        let mut value = Value::Nil;
        for depth in 0..300_000 {
            value = if depth % 2 == 0 {
                Value::list(vec![value])
            } else {
                Value::map([("a".into(), value)].into())
            };
        }
        let shared = value.clone();
        drop(value);
        assert!(shared.truth());
        drop(shared);
    }
}
