//! Cutting a rendered file into its documents, with Helm's leniency.

use std::borrow::Cow;
use std::ops::Range;

/// The documents of a file, in order, without the separators and without leading blank space.
///
/// A separator is `---` at the start of a line; what follows it on the line belongs to the next document, so
/// that `---apiVersion: v1`, which careless trimming in templates makes, still works.
pub fn split_documents(text: &str) -> Vec<&str> {
    document_ranges(text.as_bytes()).into_iter().map(|range| &text[range]).collect()
}

/// Where the documents of a file stand, which need not be UTF-8.
pub(super) fn document_ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut documents = Vec::new();
    let begin = leading_space(text);
    let mut start = begin;
    for at in memchr::memmem::find_iter(text, "---") {
        // The dashes of `-----` right behind a separator start no line.
        if at < start || !(at == begin || text[at - 1] == b'\n') {
            continue;
        }
        push(&mut documents, text, start..at);
        let rest = &text[at + 3..];
        start = at + 3 + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    }
    push(&mut documents, text, start..text.len());
    documents
}

fn push(documents: &mut Vec<Range<usize>>, text: &[u8], document: Range<usize>) {
    let start = document.start + leading_space(&text[document.clone()]);
    if start < document.end {
        documents.push(start..document.end);
    }
}

/// The text of a document. What is not UTF-8 is not YAML, unless it stands where a reader does not come to.
pub(super) fn yaml_text(document: &[u8]) -> Result<Cow<'_, str>, goyaml::Error> {
    if let Ok(text) = std::str::from_utf8(document) {
        return Ok(text.into());
    }
    goyaml::from_slice(document)?;
    Ok(goyaml::text_of(document))
}

/// How many bytes of white space a text begins with.
pub(super) fn leading_space(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at = text.len() - text[at..].trim_ascii_start().len();
        let (Some(0x0b | 0x80..), few) = (text.get(at), &text[at..text.len().min(at + 3)]) else { return at };
        // Vertical tabs are white space too, and so are some characters beyond ASCII, of two or three bytes.
        let first = few.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        let Some(space) = first.filter(|c| c.is_whitespace()) else { return at };
        at += space.len_utf8();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_where_helm_cuts() {
        for (text, documents) in [
            ("", vec![]),
            ("---\n---\n", vec![]),
            ("a: 1\n---\nb: 2\n", vec!["a: 1\n", "b: 2\n"]),
            ("\n\n---   \n\n  a: 1\n", vec!["a: 1\n"]),
            ("---apiVersion: v1\n---\tkind: x", vec!["apiVersion: v1\n", "kind: x"]),
            ("a: 1\n --- \nb: 2", vec!["a: 1\n --- \nb: 2"]),
            ("a: |\n  x\n-----\nb: 2", vec!["a: |\n  x\n", "--\nb: 2"]),
            ("a: 1\r\n---\r\nb: 2", vec!["a: 1\r\n", "b: 2"]),
            ("--- # comment\na: 1\n---\n# only a comment\n", vec!["# comment\na: 1\n", "# only a comment\n"]),
            (" \u{b}\u{a0}\u{2028} ---\nä: 1", vec!["ä: 1"]),
        ] {
            assert_eq!(split_documents(text), documents, "{text:?}");
        }
    }

    #[test]
    fn what_is_not_utf8_is_not_space() {
        for (text, length) in
            [(&b" \xc2"[..], 1), (b"\xe2\x80a", 0), (b"\xa0", 0), ("\u{2003}".as_bytes(), 3)]
        {
            assert_eq!(leading_space(text), length, "{text:?}");
        }
    }
}
