//! In place of the lanes, where no processor has the instructions.

use crate::arithmetic::Power;
use crate::montgomery::Limbs;

/// Never there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lanes {}

impl Lanes {
    pub(crate) fn new() -> Option<Self> {
        None
    }

    pub(crate) fn count(self) -> usize {
        match self {}
    }

    pub(crate) fn pass_two<const N: usize>(self, _: &[Limbs<N>]) -> Option<Vec<bool>> {
        match self {}
    }

    pub(crate) fn powers<const N: usize>(self, _: &[Power<N>]) -> Option<Vec<Limbs<N>>> {
        match self {}
    }
}
