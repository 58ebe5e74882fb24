//! Where the emitter stands on the page: indentation, columns, and the white space it owes.

/// Which library's output is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// goyaml v2 as `sigs.k8s.io/yaml` uses it, from values that have yet to pass through JSON.
    V2,
    /// The same, from values that JSON and the reader have already settled.
    V2Reread,
    /// goyaml v3.
    V3,
}

impl Dialect {
    pub(super) fn is_v2(self) -> bool {
        self != Self::V3
    }

    /// The column after which a space becomes a line break.
    fn width(self) -> usize {
        if self.is_v2() { 80 } else { usize::MAX }
    }
}

/// How far each level is indented.
const INDENT: i32 = 2;

/// The state that decides whether a break or a space comes before what is written next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) column: usize,
    /// The last character was white space.
    whitespace: bool,
    /// Nothing but indentation and indicators stands on this line.
    indention: bool,
}

/// The page.
pub(super) struct Layout {
    pub(super) out: String,
    pub(super) dialect: Dialect,
    pub(super) depth: usize,
    width: usize,
    pub(super) indent: i32,
    place: Place,
}

impl Layout {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            out: String::new(),
            dialect,
            depth: 0,
            width: dialect.width(),
            indent: -1,
            place: Place { column: 0, whitespace: true, indention: true },
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.indent = -1;
        self.write_indent();
        self.out
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    pub(super) fn set_place(&mut self, place: Place) {
        self.place = place;
    }

    pub(super) fn indention(&self) -> bool {
        self.place.indention
    }

    pub(super) fn past_width(&self) -> bool {
        self.place.column > self.width
    }

    /// Whether `length` more characters stay within the width, so that none becomes a break.
    pub(super) fn fits(&self, length: usize) -> bool {
        self.place.column.saturating_add(length) < self.width
    }

    /// The indentation one level deeper. A block collection at the root is not indented.
    pub(super) fn deeper(&self, block: bool) -> i32 {
        match self.indent {
            ..0 if block => 0,
            ..0 => INDENT,
            indent => indent + INDENT,
        }
    }

    pub(super) fn put(&mut self, c: char) {
        self.out.push(c);
        self.place.column += 1;
    }

    /// Writes text without line breaks.
    pub(super) fn put_str(&mut self, text: &str) {
        self.out.push_str(text);
        self.place.column += if text.is_ascii() { text.len() } else { text.chars().count() };
    }

    pub(super) fn put_break(&mut self) {
        self.out.push('\n');
        self.start_line();
    }

    /// Writes one of the line breaks as it is.
    pub(super) fn put_other_break(&mut self, c: char) {
        self.out.push(c);
        self.start_line();
    }

    fn start_line(&mut self) {
        self.place.column = 0;
        if !self.dialect.is_v2() {
            self.place.indention = true;
        }
    }

    /// Goes to the indentation, on a new line unless this one is still empty up to there.
    pub(super) fn write_indent(&mut self) {
        let indent = usize::try_from(self.indent).unwrap_or(0);
        let Place { column, whitespace, indention } = self.place;
        if !indention || column > indent || column == indent && !whitespace {
            self.put_break();
        }
        while self.place.column < indent {
            self.put(' ');
        }
        self.place.whitespace = true;
        if self.dialect.is_v2() {
            self.place.indention = true;
        }
    }

    /// Writes punctuation; one that is `indention` may be followed by a collection on the same line.
    pub(super) fn write_indicator(&mut self, text: &str, needs_space: bool, indention: bool) {
        if needs_space && !self.place.whitespace {
            self.put(' ');
        }
        self.put_str(text);
        self.place.whitespace = false;
        self.place.indention &= indention;
    }

    /// A space before a plain scalar, if it needs one.
    pub(super) fn separate(&mut self) {
        if !self.place.whitespace {
            self.put(' ');
        }
    }

    /// After text: what follows needs a space, or a line of its own.
    pub(super) fn after_text(&mut self) {
        self.place.whitespace = false;
        self.place.indention = false;
    }

    /// After a character inside a scalar.
    pub(super) fn leave_indention(&mut self) {
        self.place.indention = false;
    }

    /// After a break inside a scalar.
    pub(super) fn enter_indention(&mut self) {
        if self.dialect.is_v2() {
            self.place.indention = true;
        }
    }

    /// After the header of a block scalar.
    pub(super) fn start_block(&mut self) {
        self.put_break();
        self.enter_indention();
        self.place.whitespace = true;
    }
}
