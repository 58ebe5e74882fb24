//! A list of numbers that a generator turns into decisions.

/// Decisions, taken one after another. When the list is used up every decision is the first alternative, so a
/// shorter list makes a simpler text.
#[derive(Debug)]
pub struct Choices<'a> {
    numbers: &'a [u16],
    at: usize,
}

impl<'a> Choices<'a> {
    /// Decisions from these numbers.
    pub fn new(numbers: &'a [u16]) -> Self {
        Self { numbers, at: 0 }
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        usize::from(number) % count.max(1)
    }

    /// One of the alternatives; the first is the simplest.
    pub fn pick<T: Copy>(&mut self, alternatives: &[T]) -> T {
        alternatives[self.below(alternatives.len())]
    }

    /// True in `part` of `whole` cases, and never once the list is used up.
    pub fn chance(&mut self, part: usize, whole: usize) -> bool {
        self.below(whole) >= whole - part
    }

    /// Whether the list is used up.
    pub fn is_empty(&self) -> bool {
        self.at >= self.numbers.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_takes_the_first_alternative() {
        let mut choices = Choices::new(&[7]);
        assert_eq!(choices.below(5), 2);
        assert!(choices.is_empty());
        assert_eq!(choices.pick(&["simple", "other"]), "simple");
        assert!(!choices.chance(1, 2));
    }
}
