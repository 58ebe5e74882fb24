//! Reading many documents, none of which needs another for that, on two processors.

/// What `read` makes of each document, in order. If their texts have at least `worth` bytes together, a second
/// thread reads the latter half of the bytes; below that it costs more than it saves.
///
/// ```
/// let lengths = objects::read_in_halves(&["a: 1", "b: 22"], 4, |text| text.len(), |text| text.len());
/// assert_eq!(lengths, [4, 5]);
/// ```
pub fn read_in_halves<D: Sync, R: Send>(
    documents: &[D],
    worth: usize,
    size: impl Fn(&D) -> usize,
    read: impl Fn(&D) -> R + Sync,
) -> Vec<R> {
    let read_all = |documents: &[D]| documents.iter().map(&read).collect::<Vec<_>>();
    let total: usize = documents.iter().map(&size).sum();
    let (first, second) = documents.split_at(middle(documents, total, size));
    if total < worth || second.is_empty() {
        return read_all(documents);
    }
    std::thread::scope(|scope| {
        let second = scope.spawn(|| read_all(second));
        let mut all = read_all(first);
        match second.join() {
            Ok(second) => all.extend(second),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        all
    })
}

/// How many documents from the start on have half of the bytes.
fn middle<D>(documents: &[D], total: usize, size: impl Fn(&D) -> usize) -> usize {
    let mut before = 0;
    documents
        .iter()
        .take_while(|document| {
            let within = before < total / 2;
            before += size(document);
            within
        })
        .count()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn half_of_the_bytes_are_read_by_another_thread() {
        let here = thread::current().id();
        let threads = |sizes: &[usize], worth| {
            read_in_halves(sizes, worth, |size| *size, |_| thread::current().id() == here)
        };
        assert_eq!(threads(&[10, 10, 10, 10], 40), [true, true, false, false]);
        assert_eq!(threads(&[30, 5, 5], 40), [true, false, false]);
        assert_eq!(threads(&[10, 10, 10, 10], 41), [true; 4]);
        assert_eq!(threads(&[100], 40), [true]);
        assert_eq!(threads(&[], 0), [true; 0]);
    }

    proptest! {
        #[test]
        fn each_is_read_once_and_in_order(sizes in prop::collection::vec(0..20_usize, 0..40), worth in 0..100_usize) {
            let documents: Vec<_> = sizes.into_iter().enumerate().collect();
            let read = read_in_halves(&documents, worth, |(_, size)| *size, |(number, _)| *number);
            prop_assert_eq!(read, (0..documents.len()).collect::<Vec<_>>());
        }
    }
}
