//! A serde serializer that writes as `encoding/json` does, map keys sorted.

use std::borrow::Cow;
use std::fmt::Display;

use serde::ser::{self, Serialize};

use super::Error;
use super::text::{push_string, sized_float_text};
use crate::carried::shown;
use crate::text_key::TextKey;
use crate::value::{BROKEN_TOKEN, MAX_DEPTH, NUMBER_TOKEN};

/// Where the text goes and how it is laid out.
pub(super) struct Writer<'a> {
    out: String,
    html: bool,
    indent: Option<(&'a str, &'a str)>,
    depth: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(html: bool, indent: Option<(&'a str, &'a str)>) -> Self {
        Self { out: String::new(), html, indent, depth: 0 }
    }

    pub(super) fn write<T: Serialize + ?Sized>(mut self, value: &T) -> Result<String, Error> {
        value.serialize(&mut self)?;
        Ok(self.out)
    }

    fn new_line(&mut self) {
        if let Some((prefix, indent)) = self.indent {
            self.out.push('\n');
            self.out.push_str(prefix);
            for _ in 0..self.depth {
                self.out.push_str(indent);
            }
        }
    }

    fn float(&mut self, value: f64, bits: u32) -> Result<(), Error> {
        if !value.is_finite() {
            let text = crate::strconv::format_float(value, b'g', -1, bits);
            return Err(Error::new(format!("json: unsupported value: {text}")));
        }
        self.out.push_str(&sized_float_text(value, bits));
        Ok(())
    }

    fn display(&mut self, value: impl Display) {
        use std::fmt::Write;
        // Writing to a String cannot fail.
        let _ = write!(self.out, "{value}");
    }

    /// Writes a key, whose bytes that are no part of a character may be carried.
    fn key(&mut self, key: &str) {
        match shown(key) {
            Cow::Borrowed(key) => push_string(&mut self.out, key, self.html),
            Cow::Owned(key) => self.broken(&key),
        }
        self.out.push_str(if self.indent.is_some() { ": " } else { ":" });
    }

    /// Writes a text that was not UTF-8: U+FFFD stands for what was not.
    fn broken(&mut self, text: &str) {
        let start = self.out.len();
        push_string(&mut self.out, text, self.html);
        let written = self.out.split_off(start).replace(char::REPLACEMENT_CHARACTER, "\\ufffd");
        self.out.push_str(&written);
    }
}

/// A collection being written.
pub(super) struct Items<'w, 'a> {
    writer: &'w mut Writer<'a>,
    close: &'static str,
    any: bool,
    /// For maps: each key and where its entry begins.
    keys: Option<Vec<(String, usize)>>,
}

impl<'w, 'a> Items<'w, 'a> {
    fn open(writer: &'w mut Writer<'a>, open: &str, close: &'static str, sort: bool) -> Result<Self, Error> {
        writer.out.push_str(open);
        writer.depth += 1;
        if writer.depth > MAX_DEPTH {
            return Err(Error::cycle());
        }
        Ok(Self { writer, close, any: false, keys: sort.then(Vec::new) })
    }

    fn next(&mut self) {
        if self.any {
            self.writer.out.push(',');
        }
        self.any = true;
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next();
        self.writer.new_line();
        value.serialize(&mut *self.writer)
    }

    fn start_entry(&mut self, key: String) {
        self.next();
        let start = self.writer.out.len();
        self.writer.new_line();
        self.writer.key(&key);
        if let Some(keys) = &mut self.keys {
            keys.push((key, start));
        }
    }

    fn finish(self) {
        let Self { writer, close, any, keys } = self;
        if let Some(keys) = keys
            && !keys.is_sorted_by(|a, b| a.0 <= b.0)
        {
            sort_entries(&mut writer.out, keys);
        }
        writer.depth -= 1;
        if any {
            writer.new_line();
        }
        writer.out.push_str(close);
    }
}

/// Puts entries that were written one after the other, with commas between, in the order of their keys.
fn sort_entries(out: &mut String, keys: Vec<(String, usize)>) {
    let start = keys[0].1;
    let end = out.len();
    let mut ends: Vec<usize> = keys.iter().skip(1).map(|(_, next)| next - 1).collect();
    ends.push(end);
    let mut entries: Vec<_> = keys.into_iter().zip(ends).map(|((key, from), to)| (key, from, to)).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let written = out.split_off(start);
    for (index, (_, from, to)) in entries.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&written[from - start..to - start]);
    }
}

impl<'w, 'a> ser::Serializer for &'w mut Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'w, 'a>;
    type SerializeTuple = Items<'w, 'a>;
    type SerializeTupleStruct = Items<'w, 'a>;
    type SerializeTupleVariant = Variant<'w, 'a>;
    type SerializeMap = Items<'w, 'a>;
    type SerializeStruct = Items<'w, 'a>;
    type SerializeStructVariant = Variant<'w, 'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        self.display(value);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        self.display(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.float(value.into(), 32)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.float(value, 64)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        push_string(&mut self.out, text, self.html);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        self.serialize_str(&crate::base64::encode(bytes))
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        if name == BROKEN_TOKEN {
            self.broken(&value.serialize(TextKey)?);
            return Ok(());
        }
        if name != NUMBER_TOKEN {
            return value.serialize(self);
        }
        let digits = value.serialize(TextKey)?;
        super::check_number(&digits)?;
        self.out.push_str(if digits.is_empty() { "0" } else { &digits });
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut items = Items::open(self, "{", "}", false)?;
        items.start_entry(variant.to_owned());
        value.serialize(&mut *items.writer)?;
        items.finish();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'w, 'a>, Error> {
        Items::open(self, "[", "]", false)
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'w, 'a>, Error> {
        Items::open(self, "[", "]", false)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'w, 'a>, Error> {
        Items::open(self, "[", "]", false)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Variant<'w, 'a>, Error> {
        Variant::open(self, variant, "[", "]")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Items<'w, 'a>, Error> {
        Items::open(self, "{", "}", true)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Items<'w, 'a>, Error> {
        Items::open(self, "{", "}", false)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Variant<'w, 'a>, Error> {
        Variant::open(self, variant, "{", "}")
    }
}

impl ser::SerializeSeq for Items<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeTuple for Items<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeTupleStruct for Items<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeMap for Items<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let key = key.serialize(TextKey)?;
        self.start_entry(key);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeStruct for Items<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.start_entry(key.to_owned());
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

/// A variant with fields: an object of one key, the variant's name.
pub(super) struct Variant<'w, 'a> {
    inner: Items<'w, 'a>,
}

impl<'w, 'a> Variant<'w, 'a> {
    fn open(
        writer: &'w mut Writer<'a>,
        variant: &str,
        open: &str,
        close: &'static str,
    ) -> Result<Self, Error> {
        writer.out.push('{');
        writer.depth += 1;
        writer.new_line();
        writer.key(variant);
        Ok(Self { inner: Items::open(writer, open, close, false)? })
    }

    fn finish(self) {
        let Items { writer, close, any, .. } = self.inner;
        writer.depth -= 1;
        if any {
            writer.new_line();
        }
        writer.out.push_str(close);
        writer.depth -= 1;
        writer.new_line();
        writer.out.push('}');
    }
}

impl ser::SerializeTupleVariant for Variant<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.inner.item(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeStructVariant for Variant<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        ser::SerializeStruct::serialize_field(&mut self.inner, key, value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}
