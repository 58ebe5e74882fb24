//! `reflect.DeepEqual`.

use std::collections::HashSet;
use std::rc::Rc;

use super::Value;
use crate::parse::with_room;

/// Go's `==` of floats: exact, and NaN equals nothing.
#[expect(clippy::float_cmp, reason = "exactness is the point")]
pub(crate) fn float_equal(a: f64, b: f64) -> bool {
    a == b
}

/// Pairs of lists or maps that have been met. Go takes them for equal when it meets them again, which is
/// what makes values that hold themselves comparable.
type Met = HashSet<(usize, usize)>;

impl Value {
    /// `reflect.DeepEqual`: the same type, and the same contents all the way down.
    pub fn deep_equal(&self, other: &Self) -> bool {
        self.equal_beyond(other, &mut Met::new())
    }

    fn equal_beyond(&self, other: &Self, met: &mut Met) -> bool {
        match (self, other) {
            (Self::Nil, Self::Nil) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(ta, a), Self::Int(tb, b)) => ta == tb && a == b,
            (Self::Uint(ta, a), Self::Uint(tb, b)) => ta == tb && a == b,
            (Self::Float(a), Self::Float(b)) => float_equal(*a, *b),
            (Self::Complex(a), Self::Complex(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                Rc::ptr_eq(a, b)
                    || !met.insert((a.address(), b.address()))
                    || a.ty() == b.ty()
                        && a.is_nil() == b.is_nil()
                        && a.len() == b.len()
                        && a.borrow()
                            .iter()
                            .zip(b.borrow().iter())
                            .all(|(a, b)| with_room(|| a.equal_beyond(b, met)))
            }
            (Self::Map(a), Self::Map(b)) => {
                a.ty() == b.ty()
                    && (a.is_same(b)
                        || !met.insert((a.address(), b.address()))
                        || a.is_nil() == b.is_nil()
                            && a.len() == b.len()
                            && a.borrow()
                                .iter()
                                .zip(b.borrow().iter())
                                .all(|((ka, a), (kb, b))| ka == kb && with_room(|| a.equal_beyond(b, met))))
            }
            (Self::Object(a), Self::Object(b)) => {
                Rc::ptr_eq(a, b) || a.go_type() == b.go_type() && a.equals(b.as_ref())
            }
            // DeepEqual holds for functions only if both are nil.
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_itself_can_be_compared_and_printed() {
        let cycle = || {
            let map = Value::map([("x".into(), Value::int(1))].into());
            if let Value::Map(entries) = &map {
                entries.insert("self", map.clone());
                entries.insert("too", map.clone());
            }
            map
        };
        assert!(cycle().deep_equal(&cycle()));
        assert_eq!(crate::fmt::to_text(&cycle()).to_string(), "map[self:... too:... x:1]");
    }
}
