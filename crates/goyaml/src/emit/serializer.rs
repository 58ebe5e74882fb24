//! A serde serializer that lays out YAML as it goes; maps are put in goyaml's order afterwards, if they
//! were not in it already.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use serde::ser::{self, Serialize, Serializer};

use super::layout::{Dialect, Layout, Place};
use super::order::less;
use super::scalar::{Analysis, Style, wanted_style};
use crate::Error;
use crate::carried::bytes_of;
use crate::json::{self, float_text};
use crate::resolve::{Resolved, resolve};
use crate::strconv::format_float;
use crate::text_key::TextKey;
use crate::value::{BINARY_TOKEN, MAX_DEPTH, NUMBER_TOKEN, TIMESTAMP_TOKEN};

/// Beyond this many bytes Go's reader would not take the key from JSON.
const MAX_KEY_LENGTH: usize = 1000;

/// Why writing stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// A value that changes on its way through JSON: start again by that way.
    Detour,
    Error(json::Error),
}

impl Stop {
    /// The error to report. Only values that have not been on the detour are sent on it.
    pub(super) fn into_error(self) -> Error {
        match self {
            Self::Error(error) => Error::Encode(error),
            Self::Detour => Error::Encode(json::Error::new("json: unsupported value")),
        }
    }
}

impl Display for Stop {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Detour => formatter.write_str("needs to be written through JSON"),
            Self::Error(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for Stop {}

impl ser::Error for Stop {
    fn custom<T: Display>(message: T) -> Self {
        Self::Error(json::Error::new(message.to_string()))
    }
}

impl From<json::Error> for Stop {
    fn from(error: json::Error) -> Self {
        Self::Error(error)
    }
}

/// A node about to be written.
pub(super) struct Node<'l> {
    layout: &'l mut Layout,
    /// It is the value of a mapping, where goyaml v2 does not indent a sequence.
    in_mapping: bool,
}

impl<'l> Node<'l> {
    pub(super) fn root(layout: &'l mut Layout) -> Self {
        Self { layout, in_mapping: false }
    }

    fn plain(self, value: impl Display) {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = write!(text, "{value}");
        self.layout.write_scalar(&text, Style::Plain, true);
    }

    fn float(self, value: f64, bits: u32) -> Result<(), Stop> {
        if !value.is_finite() {
            let text = match format_float(value, b'g', -1, 64).as_str() {
                _ if self.layout.dialect.is_v2() => return Err(unsupported(value).into()),
                "NaN" => ".nan",
                "+Inf" => ".inf",
                _ => "-.inf",
            };
            self.layout.write_scalar(text, Style::Plain, true);
            return Ok(());
        }
        let text = match self.layout.dialect {
            Dialect::V2 if bits == 64 => as_read(&float_text(value)),
            Dialect::V2 => as_read(&float_text(format_float(value, b'g', -1, 32).parse().unwrap_or(value))),
            Dialect::V2Reread | Dialect::V3 => format_float(value, b'g', -1, bits),
        };
        self.layout.write_scalar(&text, Style::Plain, true);
        Ok(())
    }

    fn collection(self, shape: Shape) -> Result<Items<'l>, Stop> {
        let Node { layout, in_mapping } = self;
        layout.depth += 1;
        if layout.depth > MAX_DEPTH {
            return Err(json::Error::cycle().into());
        }
        let outer = layout.indent;
        let (keys, entries) = (String::new(), Vec::new());
        Ok(Items { layout, outer, in_mapping, any: false, shape, keys, entries })
    }
}

fn unsupported(value: f64) -> json::Error {
    json::Error::new(format!("json: unsupported value: {}", format_float(value, b'g', -1, 64)))
}

/// A JSON number as goyaml prints it, having read it.
fn as_read(digits: &str) -> String {
    match resolve(digits) {
        Resolved::Int(value) => value.to_string(),
        Resolved::Uint(value) => value.to_string(),
        Resolved::Float(value) => format_float(value, b'g', -1, 64),
        _ => digits.to_owned(),
    }
}

/// Whether JSON and Go's reader hand on the text as it is.
fn survives_json(text: &str) -> bool {
    let bytes = text.as_bytes();
    if text.is_ascii() {
        return !bytes.contains(&0x7f);
    }
    !text.chars().any(|c| matches!(c, '\x7f'..='\u{9f}' | '\u{fffe}' | '\u{ffff}'))
}

fn write_text(layout: &mut Layout, text: &str) -> Result<(), Stop> {
    if layout.dialect == Dialect::V2 && !survives_json(text) {
        return Err(Stop::Detour);
    }
    let v3 = !layout.dialect.is_v2();
    let style = Analysis::of(text, v3).style(wanted_style(text), false, text.is_empty());
    layout.write_scalar(text, style, true);
    Ok(())
}

/// What is in a collection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Sequence,
    /// Entries that are put in goyaml's order.
    Map,
    /// Entries that stay in the order in which they come.
    Struct,
}

/// A collection being written.
pub(super) struct Items<'l> {
    layout: &'l mut Layout,
    outer: i32,
    in_mapping: bool,
    any: bool,
    shape: Shape,
    /// The keys so far, one after the other.
    keys: String,
    entries: Vec<Entry>,
}

/// Where an entry of a map stands.
struct Entry {
    key_end: usize,
    start: usize,
    end: usize,
    /// The state of the page after it.
    place: Option<Place>,
}

impl Items<'_> {
    /// The first item decides that this is a block collection.
    fn start(&mut self) {
        if !self.any {
            self.any = true;
            let v2 = self.layout.dialect.is_v2();
            let indentless = self.shape == Shape::Sequence
                && self.in_mapping
                && v2
                && !self.layout.indention()
                && self.outer >= 0;
            if !indentless {
                self.layout.indent = self.layout.deeper(true);
            }
        }
        self.layout.write_indent();
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.start();
        self.layout.write_indicator("-", true, true);
        value.serialize(Node { layout: self.layout, in_mapping: false })
    }

    fn start_entry(&mut self, key: &str) {
        self.start();
        self.keys.push_str(key);
        let start = self.layout.out.len();
        self.entries.push(Entry { key_end: self.keys.len(), start, end: 0, place: None });
    }

    /// Writes a key whose bytes that are no part of a character may be carried.
    fn carried_key(&mut self, key: &str) -> Result<(), Stop> {
        match bytes_of(key) {
            Cow::Borrowed(_) => self.key(key),
            Cow::Owned(bytes) if self.layout.dialect.is_v2() => self.key(&crate::text_of(&bytes)),
            Cow::Owned(bytes) => {
                self.start_entry(key);
                let text = format!("!!binary {}", crate::base64::encode(&bytes));
                self.layout.write_scalar(&text, Style::Plain, false);
                self.layout.write_indicator(":", false, false);
                Ok(())
            }
        }
    }

    fn key(&mut self, key: &str) -> Result<(), Stop> {
        if self.layout.dialect == Dialect::V2 && (key.len() > MAX_KEY_LENGTH || !survives_json(key)) {
            return Err(Stop::Detour);
        }
        self.start_entry(key);
        let v3 = !self.layout.dialect.is_v2();
        let analysis = Analysis::of(key, v3);
        let simple = !analysis.multiline && key.len() <= 128;
        if !simple {
            self.layout.write_indicator("?", true, true);
        }
        let style = analysis.style(wanted_style(key), simple, key.is_empty());
        self.layout.write_scalar(key, style, !simple);
        if simple {
            self.layout.write_indicator(":", false, false);
        } else {
            self.layout.write_indent();
            self.layout.write_indicator(":", true, true);
        }
        Ok(())
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        value.serialize(Node { layout: self.layout, in_mapping: true })?;
        if let Some(entry) = self.entries.last_mut() {
            entry.end = self.layout.out.len();
            entry.place = Some(self.layout.place());
        }
        Ok(())
    }

    fn finish(mut self) {
        self.layout.depth -= 1;
        if self.any {
            if self.shape == Shape::Map {
                self.sort();
            }
        } else {
            let (open, close) = if self.shape == Shape::Sequence { ("[", "]") } else { ("{", "}") };
            self.layout.write_indicator(open, true, false);
            self.layout.write_indicator(close, false, false);
        }
        self.layout.indent = self.outer;
    }

    /// Puts the entries of a map in goyaml's order.
    fn sort(&mut self) {
        let v3 = !self.layout.dialect.is_v2();
        let mut key_start = 0;
        let mut keyed = Vec::with_capacity(self.entries.len());
        let mut sorted = true;
        let mut previous = "";
        for entry in self.entries.drain(..) {
            let key = &self.keys[key_start..entry.key_end];
            key_start = entry.key_end;
            sorted = sorted && (keyed.is_empty() || !less(key, previous, v3));
            previous = key;
            keyed.push((key, entry));
        }
        if sorted {
            return;
        }
        let Some(from) = keyed.first().map(|(_, entry)| entry.start) else { return };
        let compare = |a: &str, b: &str| match (less(a, b, v3), less(b, a, v3)) {
            (true, _) => std::cmp::Ordering::Less,
            (_, true) => std::cmp::Ordering::Greater,
            _ => std::cmp::Ordering::Equal,
        };
        keyed.sort_by(|(a, _), (b, _)| compare(a, b));
        let written = self.layout.out.split_off(from);
        for (index, (_, entry)) in keyed.iter().enumerate() {
            if index > 0 {
                self.layout.write_indent();
            }
            self.layout.out.push_str(&written[entry.start - from..entry.end - from]);
            if let Some(place) = entry.place {
                self.layout.set_place(place);
            }
        }
    }
}

macro_rules! integers {
    ($($method:ident $kind:ty;)*) => {$(
        fn $method(self, value: $kind) -> Result<(), Stop> {
            self.plain(value);
            Ok(())
        }
    )*};
}

impl<'l> Serializer for Node<'l> {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Items<'l>;
    type SerializeTuple = Items<'l>;
    type SerializeTupleStruct = Items<'l>;
    type SerializeTupleVariant = ser::Impossible<(), Stop>;
    type SerializeMap = Items<'l>;
    type SerializeStruct = Items<'l>;
    type SerializeStructVariant = ser::Impossible<(), Stop>;

    integers! {
        serialize_bool bool;
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
    }

    fn serialize_f32(self, value: f32) -> Result<(), Stop> {
        self.float(value.into(), 32)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Stop> {
        self.float(value, 64)
    }

    fn serialize_char(self, value: char) -> Result<(), Stop> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), Stop> {
        write_text(self.layout, text)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Stop> {
        self.serialize_str(&crate::base64::encode(bytes))
    }

    fn serialize_none(self) -> Result<(), Stop> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Stop> {
        self.layout.write_scalar("null", Style::Plain, true);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Stop> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Stop> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Stop> {
        if name == TIMESTAMP_TOKEN && self.layout.dialect == Dialect::V3 {
            let text = value.serialize(TextKey)?;
            self.layout.write_scalar(&text, Style::Plain, true);
            return Ok(());
        }
        if name == BINARY_TOKEN {
            let text = format!("!!binary {}", value.serialize(TextKey)?);
            self.layout.write_scalar(&text, Style::Plain, true);
            return Ok(());
        }
        if name != NUMBER_TOKEN {
            return value.serialize(self);
        }
        let digits = value.serialize(TextKey)?;
        if self.layout.dialect == Dialect::V3 {
            // To goyaml v3 a json.Number is the string it is made of.
            return self.serialize_str(&digits);
        }
        json::check_number(&digits)?;
        let text = if digits.is_empty() { "0".to_owned() } else { as_read(&digits) };
        self.layout.write_scalar(&text, Style::Plain, true);
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Stop> {
        let mut items = self.collection(Shape::Map)?;
        items.key(variant)?;
        items.value(value)?;
        items.finish();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'l>, Stop> {
        self.collection(Shape::Sequence)
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'l>, Stop> {
        self.collection(Shape::Sequence)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'l>, Stop> {
        self.collection(Shape::Sequence)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Stop> {
        Err(ser::Error::custom("json: unsupported type: variant with fields"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Items<'l>, Stop> {
        self.collection(Shape::Map)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Items<'l>, Stop> {
        // JSON, by whose way the older library goes, has turned structs into maps.
        let shape = if self.layout.dialect.is_v2() { Shape::Map } else { Shape::Struct };
        self.collection(shape)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Stop> {
        Err(ser::Error::custom("json: unsupported type: variant with fields"))
    }
}

impl ser::SerializeSeq for Items<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.item(value)
    }

    fn end(self) -> Result<(), Stop> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeTuple for Items<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.item(value)
    }

    fn end(self) -> Result<(), Stop> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeTupleStruct for Items<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.item(value)
    }

    fn end(self) -> Result<(), Stop> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeMap for Items<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        let key = key.serialize(TextKey)?;
        self.carried_key(&key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.value(value)
    }

    fn end(self) -> Result<(), Stop> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeStruct for Items<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Stop> {
        self.key(key)?;
        self.value(value)
    }

    fn end(self) -> Result<(), Stop> {
        self.finish();
        Ok(())
    }
}
