//! Cutting a rendered file into its documents, with Helm's leniency.

/// The documents of a file, in order, without the separators and without leading blank space.
///
/// A separator is `---` at the start of a line; what follows it on the line belongs to the next document, so
/// that `---apiVersion: v1`, which careless trimming in templates makes, still works.
pub fn split_documents(text: &str) -> Vec<&str> {
    let text = text.trim_start();
    let mut documents = Vec::new();
    let mut start = 0;
    for at in memchr::memmem::find_iter(text.as_bytes(), "---") {
        // The dashes of `-----` right behind a separator start no line.
        if at < start || !(at == 0 || text.as_bytes()[at - 1] == b'\n') {
            continue;
        }
        push(&mut documents, &text[start..at]);
        let rest = &text[at + 3..];
        start = at + 3 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    }
    push(&mut documents, &text[start..]);
    documents
}

fn push<'t>(documents: &mut Vec<&'t str>, document: &'t str) {
    let document = document.trim_start();
    if !document.is_empty() {
        documents.push(document);
    }
}

#[cfg(test)]
mod tests {
    use super::split_documents;

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
        ] {
            assert_eq!(split_documents(text), documents, "{text:?}");
        }
    }
}
