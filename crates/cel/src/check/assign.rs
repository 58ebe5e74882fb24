//! Which types fit which, and what unknown types turn out to be.

use std::collections::HashMap;
use std::sync::Arc;

use crate::types::Type;

/// What the unknown types are found to be.
#[derive(Debug, Clone, Default)]
pub(super) struct Substitutions(HashMap<Arc<str>, Type>);

impl Substitutions {
    pub(super) fn add(&mut self, param: Arc<str>, of: Type) {
        self.0.insert(param, of);
    }

    fn find(&self, of: &Type) -> Option<&Type> {
        match of {
            Type::Param(name) => self.0.get(name),
            _ => None,
        }
    }

    /// The type with what is known put in; what is not known becomes `dyn` if asked.
    pub(super) fn substitute(&self, of: &Type, unknown_is_dyn: bool) -> Type {
        let inner = |of: &Type| self.substitute(of, unknown_is_dyn);
        match of {
            Type::Param(name) => match self.0.get(name) {
                Some(found) => inner(found),
                None if unknown_is_dyn => Type::Dyn,
                None => of.clone(),
            },
            Type::Opaque(name, params) => Type::Opaque(Arc::clone(name), params.iter().map(inner).collect()),
            Type::List(item) => Type::list(inner(item)),
            Type::Map(key, value) => Type::map(inner(key), inner(value)),
            Type::Type(Some(of)) => Type::Type(Some(Arc::new(inner(of)))),
            _ => of.clone(),
        }
    }

    /// Whether all of the first fit all of the second; what is learnt is kept only if so.
    pub(super) fn assign_all(&mut self, from: &[Type], to: &[Type]) -> bool {
        let mut attempt = self.clone();
        let fits = attempt.list_fits(from.iter(), to.iter());
        if fits {
            *self = attempt;
        }
        fits
    }

    /// Whether the first fits the second.
    pub(super) fn assign(&mut self, from: &Type, to: &Type) -> bool {
        self.assign_all(std::slice::from_ref(from), std::slice::from_ref(to))
    }

    fn list_fits<'t>(
        &mut self,
        from: impl ExactSizeIterator<Item = &'t Type>,
        to: impl ExactSizeIterator<Item = &'t Type>,
    ) -> bool {
        from.len() == to.len() && from.zip(to).all(|(from, to)| self.fits(from, to))
    }

    fn fits(&mut self, first: &Type, second: &Type) -> bool {
        if let Type::Param(_) = second {
            let (valid, known) = self.learn(first, second);
            if valid || known {
                return valid;
            }
        }
        if let Type::Param(_) = first {
            return self.learn(second, first).0;
        }
        if first.is_dyn_or_error() || second.is_dyn_or_error() {
            return true;
        }
        match (first, second) {
            (Type::Null, other) | (other, Type::Null) => nullable(other),
            (Type::Type(_), Type::Type(_)) => true,
            (Type::Opaque(..) | Type::List(_) | Type::Map(..), _) => {
                first.same_kind(second)
                    && first.name() == second.name()
                    && self.list_fits(first.params().into_iter(), second.params().into_iter())
            }
            _ => first == second,
        }
    }

    /// Whether an unknown type can be `of`, and whether something was known of it before.
    fn learn(&mut self, of: &Type, param: &Type) -> (bool, bool) {
        if of == param {
            return (true, true);
        }
        let Type::Param(name) = param else { return (false, false) };
        if let Some(known) = self.find(param).cloned() {
            if *of == known {
                return (true, true);
            }
            if self.fits(of, &known) {
                let general = most_general(of, &known).clone();
                if self.free_of(param, &general) {
                    self.add(Arc::clone(name), general);
                }
                return (true, true);
            }
            return (false, true);
        }
        if self.free_of(param, of) {
            self.add(Arc::clone(name), of.clone());
            return (true, false);
        }
        (false, false)
    }

    /// Whether an unknown type does not occur within another.
    fn free_of(&self, param: &Type, within: &Type) -> bool {
        if param == within {
            return false;
        }
        match within {
            Type::Param(_) => self.find(within).is_none_or(|found| self.free_of(param, found)),
            _ => within.params().into_iter().all(|inner| self.free_of(param, inner)),
        }
    }
}

/// Types that `null` is a value of.
fn nullable(of: &Type) -> bool {
    matches!(of, Type::Null | Type::Opaque(..) | Type::Object(_) | Type::Duration | Type::Timestamp)
}

/// The one of two types that says less.
pub(super) fn most_general<'t>(first: &'t Type, second: &'t Type) -> &'t Type {
    if equal_or_less_specific(first, second) { first } else { second }
}

fn equal_or_less_specific(first: &Type, second: &Type) -> bool {
    let vague = |of: &Type| matches!(of, Type::Dyn | Type::Param(_));
    if vague(first) {
        return true;
    }
    if vague(second) || !first.same_kind(second) {
        return false;
    }
    match first {
        Type::Opaque(..) | Type::List(_) | Type::Map(..) => {
            let (ours, theirs) = (first.params(), second.params());
            first.name() == second.name()
                && ours.len() == theirs.len()
                && ours.into_iter().zip(theirs).all(|(first, second)| equal_or_less_specific(first, second))
        }
        Type::Type(_) => true,
        _ => first == second,
    }
}
