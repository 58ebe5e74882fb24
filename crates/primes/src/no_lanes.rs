//! In place of the lanes, where no processor has the instructions.

use crate::arithmetic::Power;
use crate::montgomery::Limbs;

/// How many numbers there would be at once.
pub(crate) const COUNT: usize = 1;

/// Never there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lanes {}

impl Lanes {
    pub(crate) fn new() -> Option<Self> {
        None
    }

    pub(crate) fn pass_two<const N: usize>(self, _: &[Limbs<N>]) -> Option<Vec<bool>> {
        match self {}
    }

    pub(crate) fn powers<const N: usize>(self, _: &[Power<N>]) -> Option<Vec<Limbs<N>>> {
        match self {}
    }
}
