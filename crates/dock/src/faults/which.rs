//! Which requests meet a fault.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::requests::Call;

/// Which requests meet a fault: all that fit everything that is said here.
///
/// Names may have `*` for any text. Requests that fit are counted in the order in which they come:
/// [`after`](Which::after) lets the first ones pass, [`times`](Which::times) and [`nth`](Which::nth) limit how many
/// are met, [`probability`](Which::probability) draws lots that are the same for the same seed.
#[derive(Debug, Default)]
pub struct Which {
    verbs: Vec<String>,
    resource: Option<String>,
    subresource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    user: Option<String>,
    first: u64,
    count: Option<u64>,
    lots: Option<(f64, u64)>,
    seen: AtomicU64,
    met: AtomicU64,
}

impl Which {
    /// Every request for a resource.
    pub fn any() -> Self {
        Self::default()
    }

    /// Requests with a verb as Kubernetes names it: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`,
    /// `deletecollection`.
    pub fn verb(verb: &str) -> Self {
        Self::verbs(&[verb])
    }

    /// Requests with one of these verbs.
    pub fn verbs(verbs: &[&str]) -> Self {
        Self { verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(), ..Self::default() }
    }

    /// Requests that change something.
    pub fn write() -> Self {
        Self::verbs(&["create", "update", "patch", "delete", "deletecollection"])
    }

    /// Requests that change nothing.
    pub fn read() -> Self {
        Self::verbs(&["get", "list", "watch"])
    }

    /// For this resource: `pods`, `deployments.apps`.
    #[must_use]
    pub fn resource(mut self, resource: &str) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// For this part of objects: `status`. Nothing means the object itself.
    #[must_use]
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresource = Some(subresource.into());
        self
    }

    /// In this namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// For objects of this name. Of a creation, the name is the one in the body.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.into());
        self
    }

    /// By this user.
    #[must_use]
    pub fn user(mut self, user: &str) -> Self {
        self.user = Some(user.into());
        self
    }

    /// Not the first so many.
    #[must_use]
    pub fn after(mut self, passed: u64) -> Self {
        self.first = passed;
        self
    }

    /// At most so many.
    #[must_use]
    pub fn times(mut self, count: u64) -> Self {
        self.count = Some(count);
        self
    }

    /// Only that one, counted from 1.
    #[must_use]
    pub fn nth(self, which: u64) -> Self {
        self.after(which.saturating_sub(1)).times(1)
    }

    /// Only with this probability. The same seed draws the same lots.
    #[must_use]
    pub fn probability(mut self, probability: f64, seed: u64) -> Self {
        self.lots = Some((probability, seed));
        self
    }

    /// Whether a request is meant. Counts it, if it fits.
    pub(super) fn matches(&self, line: &str, call: &Call) -> bool {
        if !self.fits(line, call) {
            return false;
        }
        let index = self.seen.fetch_add(1, Ordering::Relaxed);
        if index < self.first || self.lots.is_some_and(|(probability, seed)| lot(seed, index) >= probability)
        {
            return false;
        }
        let met = self.met.fetch_add(1, Ordering::Relaxed);
        self.count.is_none_or(|count| met < count)
    }

    fn fits(&self, line: &str, call: &Call) -> bool {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|pattern| fits(pattern, found))
        };
        (self.verbs.is_empty() || self.verbs.iter().any(|verb| verb == call.verb(line)))
            && is(&self.resource, &call.resource.name().to_string())
            && is(&self.subresource, &call.subresource)
            && is(&self.namespace, &call.namespace)
            && is(&self.user, &call.user.name)
            && (self.name.is_none() || is(&self.name, &name(call)))
    }
}

/// The name of the object, which only the body of a creation tells.
fn name(call: &Call) -> String {
    if !call.name.is_empty() {
        return call.name.to_string();
    }
    let body: serde_json::Value = serde_json::from_slice(&call.body).unwrap_or_default();
    body["metadata"]["name"].as_str().unwrap_or_default().to_owned()
}

/// Whether a text has the form of a pattern, in which `*` is any text.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => {
            let Some(text) = text.strip_prefix(start) else { return false };
            (0..=text.len()).any(|at| text.is_char_boundary(at) && fits(rest, &text[at..]))
        }
    }
}

/// A number from 0 up to 1 that a seed and a position decide.
fn lot(seed: u64, index: u64) -> f64 {
    let mut bits = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 31;
    let high = u32::try_from(bits >> 32).unwrap_or_default();
    f64::from(high) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text, expected) in [
            ("web", "web", true),
            ("web", "web-1", false),
            ("web-*", "web-1", true),
            ("*-1", "web-1", true),
            ("w*b*", "web-1", true),
            ("w*c", "web", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn lots_are_the_same_for_a_seed_and_as_many_as_expected() {
        let drawn = |seed| (0..1000).filter(|index| lot(seed, *index) < 0.3).collect::<Vec<_>>();
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        assert!((250..350).contains(&drawn(7).len()), "{}", drawn(7).len());
    }
}
