//! Reads the packed table that the build script wrote. It is part of this program, so what cannot be read is empty.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use flate2::read::ZlibDecoder;

use super::{Kind, Scope};
use crate::structure::{Encoding, ListKind, MapKind, Omit, Patching, Scalar, Schema, Shape, Types};

static STRUCTURE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/structure.z"));
static DESCRIPTIONS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptions.z"));

/// In the order in which the build script numbers them.
const SCALARS: [Scalar; 10] = [
    Scalar::String,
    Scalar::Bytes,
    Scalar::Time,
    Scalar::MicroTime,
    Scalar::Int32,
    Scalar::Int64,
    Scalar::Float,
    Scalar::Boolean,
    Scalar::IntOrString,
    Scalar::Quantity,
];

struct Reader {
    words: Vec<Arc<str>>,
    body: Cursor,
    descriptions: Option<Cursor>,
}

struct Cursor {
    bytes: Vec<u8>,
    at: usize,
}

/// The types, with descriptions if asked for, and the kinds.
pub(super) fn read(documented: bool) -> (Types, Vec<Kind>) {
    let mut body = Cursor::inflate(STRUCTURE);
    let words = (0..body.number()).map(|_| body.text()).collect();
    let descriptions = documented.then(|| Cursor::inflate(DESCRIPTIONS));
    let mut reader = Reader { words, body, descriptions };
    let mut types = Types::default();
    for _ in 0..reader.body.number() {
        let name = reader.word();
        let schema = reader.schema();
        types.insert(name, schema);
    }
    let mut kinds: Vec<Kind> = (0..reader.body.number()).map(|_| reader.kind()).collect();
    kinds.sort_by(|a, b| (&a.group, &a.kind, &a.version).cmp(&(&b.group, &b.kind, &b.version)));
    (types, kinds)
}

impl Cursor {
    fn inflate(packed: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(packed.len() * 8);
        if ZlibDecoder::new(packed).read_to_end(&mut bytes).is_err() {
            bytes.clear();
        }
        Self { bytes, at: 0 }
    }

    fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        byte
    }

    fn number(&mut self) -> usize {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }

    fn text(&mut self) -> Arc<str> {
        let length = self.number();
        let bytes = self.bytes.get(self.at..self.at + length).unwrap_or_default();
        self.at += length;
        Arc::from(str::from_utf8(bytes).unwrap_or_default())
    }
}

impl Reader {
    fn word(&mut self) -> Arc<str> {
        let index = self.body.number();
        self.words.get(index).cloned().unwrap_or_default()
    }

    fn words(&mut self) -> Vec<Arc<str>> {
        (0..self.body.number()).map(|_| self.word()).collect()
    }

    fn schema(&mut self) -> Schema {
        let description = self.descriptions.as_mut().map(Cursor::text).filter(|text| !text.is_empty());
        let flags = self.body.number();
        let flag = |bit: u8| flags >> bit & 1 == 1;
        let mut encoding = Encoding {
            go_type: Some(self.word()).filter(|name| !name.is_empty()),
            pointer: flag(0),
            omit: match (flag(1), flag(2)) {
                (_, true) => Omit::Zero,
                (true, false) => Omit::Never,
                (false, false) => Omit::Empty,
            },
            embedded: None,
        };
        let patching = Patching {
            merge: flag(3),
            key: if flag(4) { Some(self.word()) } else { None },
            retain_keys: flag(5),
            replace: flag(8),
        };
        let default = if flag(6) { serde_json::from_str(&self.word()).ok().map(Arc::new) } else { None };
        if flag(7) {
            encoding.embedded = Some(self.word());
        }
        Schema { shape: self.shape(), patching, description, default, encoding }
    }

    fn shape(&mut self) -> Shape {
        match self.body.byte() {
            b's' => {
                Shape::Scalar(SCALARS.get(usize::from(self.body.byte())).copied().unwrap_or(Scalar::String))
            }
            b'o' => {
                let kind = self.map_kind();
                let required = self.words().into();
                let mut fields = BTreeMap::new();
                for _ in 0..self.body.number() {
                    let name = self.word();
                    fields.insert(name, self.schema());
                }
                Shape::Object { fields: Arc::new(fields), required, open: false, kind }
            }
            b'm' => {
                let kind = self.map_kind();
                Shape::Map { values: Arc::new(self.schema()), kind }
            }
            b'l' => {
                let kind = match self.body.byte() {
                    0 => ListKind::Atomic,
                    1 => ListKind::Set,
                    _ => ListKind::Map(self.words()),
                };
                Shape::List { items: Arc::new(self.schema()), kind }
            }
            b'n' => Shape::Named(self.word()),
            _ => Shape::Untyped,
        }
    }

    fn map_kind(&mut self) -> MapKind {
        if self.body.byte() == 1 { MapKind::Atomic } else { MapKind::Granular }
    }

    fn kind(&mut self) -> Kind {
        Kind {
            group: self.word(),
            version: self.word(),
            kind: self.word(),
            resource: self.word(),
            type_name: self.word(),
            list_kind: Some(self.word()).filter(|list| !list.is_empty()),
            scope: match self.body.byte() {
                0 => Scope::Cluster,
                1 => Scope::Namespaced,
                _ => Scope::Subresource,
            },
        }
    }
}
