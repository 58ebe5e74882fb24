//! One object of the wanted set, with everything that is read of it once.

use goyaml::Value;
use objects::ObjectId;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::facts::{Nature, Reference};
use super::vocabulary::Spelling;
use crate::ChartIndex;

/// Where something is written: the template's path, and the line in what it rendered, from one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Place {
    /// The path of the template or file: `shop/templates/app.yaml`.
    pub template: String,
    /// The line; zero if nobody knows.
    pub line: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.template),
            line => write!(f, "{}:{line}", self.template),
        }
    }
}

/// A digest of something that is compared later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Digest([u8; 16]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self::from_hash(Sha256::digest(bytes))
    }

    pub(crate) fn from_hash(hash: impl AsRef<[u8]>) -> Self {
        let mut digest = [0; 16];
        digest.copy_from_slice(&hash.as_ref()[..16]);
        Self(digest)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut digest = [0; 16];
        if text.len() != 32 || !text.is_ascii() {
            return Err(serde::de::Error::custom("a digest has 32 hexadecimal digits"));
        }
        for (place, byte) in digest.iter_mut().enumerate() {
            *byte =
                u8::from_str_radix(&text[2 * place..2 * place + 2], 16).map_err(serde::de::Error::custom)?;
        }
        Ok(Self(digest))
    }
}

/// An annotation the planner knows, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// Which one, in which spelling.
    pub spelling: Spelling,
    /// Its value: a text, or a list.
    pub value: Value,
    /// The line of its key in what the template rendered; zero if nobody knows.
    pub line: u32,
}

/// One wanted object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Which object.
    pub id: ObjectId,
    /// The API version it is written in.
    pub api_version: String,
    /// The chart it belongs to.
    pub chart: ChartIndex,
    /// Where it begins.
    pub place: Place,
    /// The annotations that mean something here.
    pub annotations: Vec<Annotation>,
    /// What is special about it.
    pub nature: Nature,
    /// What it needs to exist, beside its namespace and the definition of its kind.
    pub needs: Vec<Reference>,
    /// The digest of its text.
    pub digest: Digest,
    /// Which of the documents handed in it is, from zero; and which item, if that document is a list.
    pub document: u32,
    /// The item of a `List`.
    pub item: Option<u32>,
}
