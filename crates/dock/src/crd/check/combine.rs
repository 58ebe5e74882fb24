//! `allOf`, `anyOf`, `oneOf` and `not`. What did not change is not tolerated below them.

use serde_json::Value;

use super::Checker;
use super::outcome::{Outcome, Problem};
use crate::crd::props::Props;

impl Checker {
    pub(super) fn combinations(&self, value: &Value, schema: &Props, path: &str) -> Outcome {
        let mut outcome = Outcome::default();
        let quoted = goyaml::strconv::quote(path);
        if !schema.any_of.is_empty() {
            outcome.merge(self.any_of(value, schema, path, &quoted));
        }
        if !schema.one_of.is_empty() {
            outcome.merge(self.one_of(value, schema, path, &quoted));
        }
        if !schema.all_of.is_empty() {
            outcome.merge(self.all_of(value, schema, path, &quoted));
        }
        if let Some(not) = &schema.not
            && self.value(value, not, path, None).is_valid()
        {
            outcome.add(Problem::whole(format!("{quoted} must not validate the schema (not)")));
        }
        outcome.matches += 1;
        outcome
    }

    fn any_of(&self, value: &Value, schema: &Props, path: &str, quoted: &str) -> Outcome {
        let mut best: Option<Outcome> = None;
        for alternative in &schema.any_of {
            let found = self.value(value, alternative, path, None);
            if found.is_valid() {
                return found;
            }
            keep_best(&mut best, found);
        }
        let mut outcome =
            Outcome::of(Some(Problem::whole(format!("{quoted} must validate at least one schema (anyOf)"))));
        outcome.merge(best.unwrap_or_default());
        outcome
    }

    fn one_of(&self, value: &Value, schema: &Props, path: &str, quoted: &str) -> Outcome {
        let mut best: Option<Outcome> = None;
        let mut success: Option<Outcome> = None;
        let mut valid = 0;
        for alternative in &schema.one_of {
            let found = self.value(value, alternative, path, None);
            if found.is_valid() {
                valid += 1;
                best = None;
                success.get_or_insert(found);
            } else if valid == 0 {
                keep_best(&mut best, found);
            }
        }
        if valid == 1 {
            return success.unwrap_or_default();
        }
        let found = match valid {
            0 => "Found none valid".to_owned(),
            many => format!("Found {many} valid alternatives"),
        };
        let words = format!("{quoted} must validate one and only one schema (oneOf). {found}");
        let mut outcome = Outcome::of(Some(Problem::whole(words)));
        outcome.merge(best.unwrap_or_default());
        outcome
    }

    fn all_of(&self, value: &Value, schema: &Props, path: &str, quoted: &str) -> Outcome {
        let mut outcome = Outcome::default();
        let mut valid = 0;
        for part in &schema.all_of {
            let found = self.value(value, part, path, None);
            valid += usize::from(found.is_valid());
            outcome.merge(found);
        }
        if valid != schema.all_of.len() {
            let none = if valid == 0 { ". None validated" } else { "" };
            outcome.add(Problem::whole(format!("{quoted} must validate all the schemas (allOf){none}")));
        }
        outcome
    }
}

fn keep_best(best: &mut Option<Outcome>, found: Outcome) {
    if best.as_ref().is_none_or(|best| found.matches > best.matches) {
        *best = Some(found);
    }
}
