//! What is optional, and whether it is on.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Something optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Feature {
    /// `spec.existsExternally: false` takes the backing thing down and keeps the object.
    DeclarativeDelete,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::DeclarativeDelete];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DeclarativeDelete => "DeclarativeDelete",
        }
    }

    fn default_on(self) -> bool {
        match self {
            Self::DeclarativeDelete => false,
        }
    }
}

/// Which features are on: `DeclarativeDelete=true,…`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features(BTreeMap<Feature, bool>);

/// A feature gate cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeatureError {
    /// It is not a name and a truth value.
    #[error("feature gate {0:?} is not of the form NAME=true or NAME=false")]
    Form(String),
    /// There is no such feature.
    #[error("unknown feature gate {0:?}; there {there}", there = there_are())]
    Unknown(String),
}

fn there_are() -> String {
    let names: Vec<_> = Feature::ALL.iter().map(|feature| feature.as_str()).collect();
    format!("{} {}", if names.len() == 1 { "is" } else { "are" }, names.join(", "))
}

impl Features {
    /// Whether a feature is on.
    pub fn is_on(&self, feature: Feature) -> bool {
        self.0.get(&feature).copied().unwrap_or_else(|| feature.default_on())
    }

    /// The same with a feature on or off.
    #[must_use]
    pub fn with(mut self, feature: Feature, on: bool) -> Self {
        self.0.insert(feature, on);
        self
    }
}

impl FromStr for Features {
    type Err = FeatureError;

    fn from_str(text: &str) -> Result<Self, FeatureError> {
        let mut features = Self::default();
        for gate in text.split(',').map(str::trim).filter(|gate| !gate.is_empty()) {
            let (name, on) = gate.split_once('=').ok_or_else(|| FeatureError::Form(gate.to_owned()))?;
            let on = on.trim().parse().map_err(|_| FeatureError::Form(gate.to_owned()))?;
            let known = Feature::ALL.into_iter().find(|feature| feature.as_str() == name.trim());
            features = features.with(known.ok_or_else(|| FeatureError::Unknown(name.trim().to_owned()))?, on);
        }
        Ok(features)
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gates: Vec<_> = Feature::ALL
            .iter()
            .map(|feature| format!("{}={}", feature.as_str(), self.is_on(*feature)))
            .collect();
        f.write_str(&gates.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_named_and_off_unless_said_otherwise() {
        assert!(!Features::default().is_on(Feature::DeclarativeDelete));
        let on: Features = "DeclarativeDelete=true".parse().unwrap_or_default();
        assert!(on.is_on(Feature::DeclarativeDelete));
        assert_eq!(on.to_string(), "DeclarativeDelete=true");
        for (text, expected) in [
            ("Fly=true", "unknown feature gate \"Fly\"; there is DeclarativeDelete"),
            (
                "DeclarativeDelete",
                "feature gate \"DeclarativeDelete\" is not of the form NAME=true or NAME=false",
            ),
            (
                "DeclarativeDelete=yes",
                "feature gate \"DeclarativeDelete=yes\" is not of the form NAME=true or NAME=false",
            ),
        ] {
            assert_eq!(
                text.parse::<Features>().err().map(|error| error.to_string()).as_deref(),
                Some(expected)
            );
        }
    }
}
