//! How much printing may make. A few lists that hold each other are more than memory holds when all of it is printed.
//!
//! While a template runs, all that one call or action prints comes out of the same room. What does not fit is left
//! out, and whoever opened the room asks afterwards whether anything was.

use std::cell::Cell;

/// What one value may take where no room was opened.
const ALONE: usize = 256 << 20;

thread_local! {
    /// The bytes that are left; `None` where no template runs.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    static CUT: Cell<bool> = const { Cell::new(false) };
}

/// Opens a room for what is printed next.
pub(crate) fn open(bytes: usize) {
    LEFT.set(Some(bytes));
    CUT.set(false);
}

/// Closes it: printing is on its own again.
pub(crate) fn close() {
    LEFT.set(None);
    CUT.set(false);
}

/// Whether something was left out since the room was opened.
pub(crate) fn was_cut() -> bool {
    CUT.get()
}

/// How many bytes may be printed now.
pub(super) fn left() -> usize {
    LEFT.get().unwrap_or(ALONE)
}

/// Takes off what was printed.
pub(super) fn take(bytes: usize) {
    if let Some(left) = LEFT.get() {
        LEFT.set(Some(left.saturating_sub(bytes)));
    }
}

/// Something is left out.
pub(super) fn cut() {
    CUT.set(true);
}
