//! The complaints of Go's JSON decoder, in the order of the document.

use std::collections::HashSet;
use std::fmt::Write;

use goyaml::strconv::quote;

use super::own::{Fault, Open, SCHEMA_TYPE, holds, scalar};
use super::{DecodeError, resolve, struct_name};
use crate::json::Tree;
use crate::scalar::decode_base64;
use crate::structure::{Scalar, Schema, Shape, Types, View};

/// So many complaints are kept.
const MOST: usize = 100;
/// From so many fields on, doubled ones are looked for in a set.
const MANY: usize = 16;

struct Checker<'a> {
    types: &'a Types,
    /// The structure whose field is being read, and the names of all fields above it.
    within: Option<&'a str>,
    fields: Vec<&'a str>,
    /// The first value of a wrong type; reading goes on after it.
    saved: Option<Fault>,
    /// The path and the complaints, if strict.
    strict: Option<Strict>,
}

#[derive(Default)]
struct Strict {
    path: String,
    complaints: Vec<String>,
}

/// Complaints about a document of that structure; or the error for which the server refuses it.
pub(super) fn check(view: View<'_>, tree: &Tree, strict: bool) -> Result<Vec<String>, DecodeError> {
    let mut checker = Checker::new(view.types(), strict);
    checker.value(view.schema(), tree).map_err(|fault| say(&fault))?;
    match checker.saved {
        Some(fault) => Err(say(&fault)),
        None => Ok(checker.strict.map(|strict| strict.complaints).unwrap_or_default()),
    }
}

/// Complaints about a document that is read into a `map[string]interface{}`.
pub(super) fn check_open(tree: &Tree) -> Result<Vec<String>, DecodeError> {
    if !matches!(tree, Tree::Null | Tree::Object(_)) {
        return Err(say(&Fault::of(tree, "map[string]interface {}")));
    }
    let types = Types::default();
    let mut checker = Checker::new(&types, true);
    checker.interface(tree);
    match checker.saved {
        Some(fault) => Err(say(&fault)),
        None => Ok(checker.strict.map(|strict| strict.complaints).unwrap_or_default()),
    }
}

fn say(fault: &Fault) -> DecodeError {
    DecodeError(match fault {
        Fault::Type { value, field, go_type } if field.is_empty() => {
            format!("json: cannot unmarshal {value} into Go value of type {go_type}")
        }
        Fault::Type { value, field, go_type } => {
            format!("json: cannot unmarshal {value} into Go struct field {field} of type {go_type}")
        }
        Fault::Other(text) => text.clone(),
    })
}

impl Strict {
    fn complain(&mut self, what: &str, name: &str) {
        if self.complaints.len() >= MOST {
            return;
        }
        let dot = if self.path.is_empty() { "" } else { "." };
        let complaint = format!("{what} field {}", quote(&format!("{}{dot}{name}", self.path)));
        if !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }

    fn enter(&mut self, name: &str) -> usize {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        length
    }
}

impl<'a> Checker<'a> {
    fn new(types: &'a Types, strict: bool) -> Self {
        let strict = strict.then(Strict::default);
        Self { types, within: None, fields: Vec::new(), saved: None, strict }
    }

    /// Says where a fault was found.
    fn locate(&self, fault: Fault) -> Fault {
        let Fault::Type { value, field, go_type } = fault else { return fault };
        let Some(within) = self.within else { return Fault::Type { value, field, go_type } };
        let inner = field.split_once('.').map_or("", |(_, path)| path);
        let dot = if inner.is_empty() { "" } else { "." };
        let field = format!("{within}.{}{dot}{inner}", self.fields.join("."));
        Fault::Type { value, field, go_type }
    }

    fn save(&mut self, fault: Fault) {
        if self.saved.is_none() {
            self.saved = Some(self.locate(fault));
        }
    }

    /// Reads a value; an error ends the reading at once.
    fn value(&mut self, schema: &'a Schema, tree: &Tree) -> Result<(), Fault> {
        if tree.is_null() {
            return Ok(());
        }
        let target = resolve(self.types, schema);
        let go_type = schema.encoding.go_type.as_deref().or(target.encoding.go_type.as_deref());
        match (&target.shape, tree) {
            (Shape::Object { fields, open, .. }, Tree::Object(entries)) => {
                let name = struct_name(target);
                let visit = |checker: &mut Self, key: &str, value: &Tree| {
                    if let Some((known, field)) = fields.get_key_value(key) {
                        return checker.field(name, known, field, value);
                    }
                    if let (Some(strict), false) = (&mut checker.strict, open) {
                        strict.complain("unknown", key);
                    }
                    Ok(())
                };
                self.each(entries, visit, |key| fields.contains_key(key))
            }
            (Shape::Map { values, .. }, Tree::Object(entries)) => self.each(
                entries,
                |checker, key, value| checker.below(key, |checker| checker.value(values, value)),
                |_| true,
            ),
            (Shape::List { items, .. }, Tree::List(list)) => {
                for (index, item) in list.iter().enumerate() {
                    self.at(index, |checker| checker.value(items, item))?;
                }
                Ok(())
            }
            (Shape::Scalar(kind), tree) => self.scalar(*kind, tree, go_type.unwrap_or_default()),
            (Shape::Untyped, tree) => self.open(Open::of(go_type), tree),
            (_, tree) => {
                self.save(Fault::of(tree, go_type.unwrap_or_default()));
                Ok(())
            }
        }
    }

    /// Visits fields in order, and complains of those that come twice.
    fn each(
        &mut self,
        entries: &[(String, Tree)],
        mut visit: impl FnMut(&mut Self, &str, &Tree) -> Result<(), Fault>,
        counts: impl Fn(&str) -> bool,
    ) -> Result<(), Fault> {
        let mut seen = (self.strict.is_some() && entries.len() > MANY).then(HashSet::new);
        for (index, (key, value)) in entries.iter().enumerate() {
            if let Some(strict) = &mut self.strict {
                let double = match &mut seen {
                    Some(seen) => !seen.insert(key.as_str()),
                    None => entries[..index].iter().any(|(earlier, _)| earlier == key),
                };
                if double && counts(key) {
                    strict.complain("duplicate", key);
                }
            }
            visit(self, key, value)?;
        }
        Ok(())
    }

    /// Reads the field of a structure.
    fn field(
        &mut self,
        structure: &'a str,
        name: &'a str,
        field: &'a Schema,
        value: &Tree,
    ) -> Result<(), Fault> {
        let (within, depth) = (self.within, self.fields.len());
        self.within = Some(structure);
        self.fields.extend(field.encoding.embedded.as_deref().into_iter().flat_map(|names| names.split('.')));
        self.fields.push(name);
        self.below(name, |checker| checker.value(field, value))?;
        self.within = within;
        self.fields.truncate(depth);
        Ok(())
    }

    fn below<T>(&mut self, name: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.strict.as_mut().map(|strict| strict.enter(name));
        let result = inside(self);
        self.leave(length);
        result
    }

    fn at<T>(&mut self, index: usize, inside: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.strict.as_mut().map(|strict| {
            let length = strict.path.len();
            let _ = write!(strict.path, "[{index}]");
            length
        });
        let result = inside(self);
        self.leave(length);
        result
    }

    fn leave(&mut self, length: Option<usize>) {
        if let (Some(strict), Some(length)) = (&mut self.strict, length) {
            strict.path.truncate(length);
        }
    }

    fn scalar(&mut self, kind: Scalar, tree: &Tree, go_type: &str) -> Result<(), Fault> {
        let fault = match (kind, tree) {
            (Scalar::String, Tree::String(_)) | (Scalar::Boolean, Tree::Bool(_)) => return Ok(()),
            (Scalar::Bytes, Tree::String(text)) => match decode_base64(text.as_str()) {
                Ok(_) => return Ok(()),
                Err(text) => Fault::Other(text),
            },
            (Scalar::Bytes, Tree::List(items)) => {
                for item in items {
                    match item {
                        Tree::Number(digits) if digits.parse::<u8>().is_err() => {
                            self.save(Fault::number(digits, "uint8"));
                        }
                        Tree::Number(_) | Tree::Null => {}
                        other => self.save(Fault::of(other, "uint8")),
                    }
                }
                return Ok(());
            }
            (Scalar::Int32, Tree::Number(digits)) if digits.parse::<i32>().is_ok() => return Ok(()),
            (Scalar::Int64, Tree::Number(digits)) if digits.parse::<i64>().is_ok() => return Ok(()),
            (Scalar::Float, Tree::Number(digits)) if holds_float(digits) => return Ok(()),
            (Scalar::Int32 | Scalar::Int64 | Scalar::Float, Tree::Number(digits)) => {
                Fault::number(digits, go_type)
            }
            (Scalar::Time | Scalar::MicroTime | Scalar::Quantity | Scalar::IntOrString, tree) => {
                return scalar(kind, tree.clone()).map(|_| ()).map_err(|fault| self.locate(fault));
            }
            (_, tree) => Fault::of(tree, go_type),
        };
        self.save(fault);
        Ok(())
    }

    fn open(&mut self, open: Open, tree: &Tree) -> Result<(), Fault> {
        match (open, tree) {
            (Open::Raw, _) | (Open::SchemaOrBool, Tree::Bool(_)) => Ok(()),
            (Open::Interface, tree) => {
                self.interface(tree);
                Ok(())
            }
            (Open::SchemaOrBool, tree) if !matches!(tree, Tree::Object(_)) => {
                Err(Fault::Other("boolean or JSON schema expected".to_owned()))
            }
            (Open::SchemaOrBool | Open::SchemaOrSchemas | Open::SchemaOrNames, Tree::Object(_)) => {
                self.schemas(std::slice::from_ref(tree))
            }
            (Open::SchemaOrSchemas, Tree::List(items)) => self.schemas(items),
            (Open::SchemaOrNames, Tree::List(items)) => {
                let wrong = items.iter().find(|item| !matches!(item, Tree::String(_) | Tree::Null));
                wrong.map_or(Ok(()), |item| Err(self.locate(Fault::of(item, "string"))))
            }
            (Open::SchemaOrBool | Open::SchemaOrSchemas | Open::SchemaOrNames, _) => Ok(()),
        }
    }

    /// Schemas inside schemas are read by a decoder of their own, which is never strict.
    fn schemas(&mut self, trees: &[Tree]) -> Result<(), Fault> {
        let Some(schema) = self.types.get(SCHEMA_TYPE) else { return Ok(()) };
        let mut inner = Checker::new(self.types, false);
        for tree in trees {
            inner.value(schema, tree).map_err(|fault| self.locate(fault))?;
        }
        inner.saved.map_or(Ok(()), |fault| Err(self.locate(fault)))
    }

    /// Reads what no type says anything of.
    fn interface(&mut self, tree: &Tree) {
        match tree {
            Tree::Number(digits) if !holds(digits) => self.save(Fault::number(digits, "float64")),
            Tree::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.at(index, |checker| checker.interface(item));
                }
            }
            Tree::Object(entries) => {
                let visit = |checker: &mut Self, key: &str, value: &Tree| {
                    checker.below(key, |checker| checker.interface(value));
                    Ok(())
                };
                // Nothing that is visited here ends the reading.
                let _ = self.each(entries, visit, |_| true);
            }
            _ => {}
        }
    }
}

fn holds_float(digits: &str) -> bool {
    digits.parse::<f64>().is_ok_and(f64::is_finite)
}
