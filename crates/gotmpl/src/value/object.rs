//! Structs and pointers to structs: things with fields and methods.

use std::any::Any;

use super::Value;
use super::types::Type;

/// A Go struct, or a pointer to one.
pub trait Object: Any {
    /// The Go type; its kind is `Struct` or `Pointer`, and it has the methods.
    fn go_type(&self) -> Type;

    /// The value of an exported field.
    fn field(&self, name: &str) -> Option<Value> {
        self.fields().into_iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    /// The names of fields that no template can read, which Go says of them.
    fn private_fields(&self) -> &'static [&'static str] {
        &[]
    }

    /// All fields in their order, for printing with `%v` and `%+v`.
    fn fields(&self) -> Vec<(&'static str, Value)>;

    /// Whether this is a nil pointer.
    fn is_nil(&self) -> bool {
        false
    }

    /// What `encoding/json` writes of a type that writes itself as text.
    fn json_text(&self) -> Option<String> {
        None
    }

    /// What `encoding/json` writes of all others: by default all fields, in their order, under their Go names.
    fn json_fields(&self) -> Vec<(&'static str, Value)> {
        self.fields()
    }

    /// What goyaml v3 writes, which knows nothing of JSON: all exported fields, in their order, under their names in
    /// lower case.
    fn yaml_fields(&self) -> Vec<(&'static str, Value)> {
        self.fields()
    }

    /// What a function is given for a struct that lies in another one, and so can be reached through its address:
    /// a copy that cannot, and has not the methods of its pointer. Nothing if that makes no difference.
    fn by_value(&self) -> Option<Value> {
        None
    }

    /// What copying makes of it, if that is not the same: private fields stay behind.
    fn copied(&self) -> Option<Value> {
        None
    }

    /// `==` of two values of the same type.
    fn equals(&self, other: &dyn Object) -> bool {
        let (own, theirs) = (self.fields(), other.fields());
        own.len() == theirs.len() && own.iter().zip(&theirs).all(|(a, b)| a.1.deep_equal(&b.1))
    }

    /// For getting the concrete type back.
    fn as_any(&self) -> &dyn Any;
}
