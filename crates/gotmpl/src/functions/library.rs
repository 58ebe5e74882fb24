//! The whole library: sprig, and what Helm adds to it that needs no engine.

use super::{Function, Functions};

/// The families. A later one replaces functions of an earlier one.
static FAMILIES: &[&[Function]] = &[
    super::strings::TABLE,
    super::cases::TABLE,
    super::numeric::TABLE,
    super::lists::TABLE,
    super::dicts::TABLE,
    super::merge::TABLE,
    super::defaults::TABLE,
    super::reflection::TABLE,
    super::encoding::TABLE,
    super::json::TABLE,
    super::yaml::TABLE,
    super::regex::TABLE,
    super::versions::TABLE,
    super::dates::TABLE,
    super::durations::TABLE,
    super::paths::TABLE,
    super::url::TABLE,
    super::network::TABLE,
    super::toml::TABLE,
    super::crypto::TABLE,
    super::random::TABLE,
];

impl Functions {
    /// Adds sprig's functions, without `env` and `expandenv`, and those of Helm's that need no engine.
    pub fn add_library(&mut self) {
        for family in FAMILIES {
            self.add(family);
        }
    }
}
