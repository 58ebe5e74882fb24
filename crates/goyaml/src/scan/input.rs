//! Which characters a document may hold, and when Go notices one that it may not.

/// The size of the pieces in which Go decodes its input. A bad character is an error as soon as the
/// scanner needs anything of its piece, even if it would have stopped before the character.
const CHUNK: usize = 512;

/// A text, and the first problem with its characters.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(super) text: &'a str,
    pub(super) ascii: bool,
    /// What is wrong, and up to where the text may be looked at before Go says so.
    pub(super) problem: Option<(&'static str, usize)>,
}

impl<'a> Input<'a> {
    /// Takes a text as it is, but for a byte order mark at its beginning.
    pub(crate) fn new(text: &'a str) -> Self {
        let ascii = text.is_ascii();
        let control = find_control(text, ascii);
        let problem = control.map(|at| ("control characters are not allowed", chunk_start(text, at)));
        Self { ascii, problem, text: without_mark(text) }.shifted(text)
    }

    /// Moves the problem's place if a byte order mark was removed.
    fn shifted(mut self, original: &str) -> Self {
        let removed = original.len() - self.text.len();
        if let Some((_, limit)) = &mut self.problem {
            *limit = limit.saturating_sub(removed);
        }
        self
    }

    /// The valid beginning of bytes that are not UTF-8, with what is wrong with the rest.
    pub(crate) fn broken(valid: &'a str, problem: &'static str) -> Self {
        let whole = Self::new(valid);
        if whole.problem.is_some() {
            return whole;
        }
        let limit = chunk_start(valid, valid.len());
        Self { problem: Some((problem, limit)), ..whole }.shifted(valid)
    }
}

/// The mark that gave away the encoding is removed, and the scanner allows another one.
fn without_mark(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The byte offset of the first character YAML 1.1 does not allow in a stream.
fn find_control(text: &str, ascii: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_control = |byte: u8| (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r')) || byte == 0x7f;
    // Whole blocks at a time: a fold without an early exit is what the compiler can vectorise.
    let mut any = false;
    for &byte in bytes {
        any |= is_control(byte);
    }
    if ascii && !any {
        return None;
    }
    text.char_indices()
        .find(|&(_, c)| match c {
            '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' => false,
            c => c < '\u{10000}',
        })
        .map(|(at, _)| at)
}

/// Where the piece of the input begins that holds the byte at `at`.
fn chunk_start(text: &str, at: usize) -> usize {
    let mut start = 0;
    loop {
        let mut end = (start + CHUNK).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        if at < end || end == text.len() || end == start {
            return start;
        }
        start = end;
    }
}
