//! `reflect.DeepEqual`.

use std::rc::Rc;

use super::Value;

impl Value {
    /// `reflect.DeepEqual`: the same type, and the same contents all the way down.
    pub fn deep_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nil, Self::Nil) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(ta, a), Self::Int(tb, b)) => ta == tb && a == b,
            (Self::Uint(ta, a), Self::Uint(tb, b)) => ta == tb && a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Complex(a), Self::Complex(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                Rc::ptr_eq(a, b)
                    || a.ty() == b.ty()
                        && a.is_nil() == b.is_nil()
                        && a.len() == b.len()
                        && a.borrow().iter().zip(b.borrow().iter()).all(|(a, b)| a.deep_equal(b))
            }
            (Self::Map(a), Self::Map(b)) => {
                Rc::ptr_eq(a, b)
                    || a.ty() == b.ty()
                        && a.is_nil() == b.is_nil()
                        && a.len() == b.len()
                        && a.borrow()
                            .iter()
                            .zip(b.borrow().iter())
                            .all(|((ka, a), (kb, b))| ka == kb && a.deep_equal(b))
            }
            (Self::Object(a), Self::Object(b)) => {
                Rc::ptr_eq(a, b) || a.go_type() == b.go_type() && a.equals(b.as_ref())
            }
            // DeepEqual holds for functions only if both are nil.
            _ => false,
        }
    }
}
