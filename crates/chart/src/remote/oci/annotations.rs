//! The annotations of a chart's manifest, drawn from its metadata.

use std::collections::BTreeMap;

use crate::Metadata;

const TITLE: &str = "org.opencontainers.image.title";
const VERSION: &str = "org.opencontainers.image.version";

/// What a manifest says about the chart. The chart's own annotations win, except over its name and version.
pub(super) fn annotations(metadata: &Metadata, created: &str) -> BTreeMap<String, String> {
    let authors: Vec<String> = metadata
        .maintainers
        .iter()
        .map(|maintainer| match maintainer.email.as_str() {
            "" => maintainer.name.clone(),
            email => format!("{} ({email})", maintainer.name),
        })
        .collect();
    let authors = authors.join(", ");
    let facts = [
        ("org.opencontainers.image.description", metadata.description.as_str()),
        (TITLE, &metadata.name),
        (VERSION, &metadata.version),
        ("org.opencontainers.image.url", &metadata.home),
        ("org.opencontainers.image.created", created),
        ("org.opencontainers.image.source", metadata.sources.first().map_or("", String::as_str)),
        ("org.opencontainers.image.authors", &authors),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.trim().is_empty());
    let own = metadata.annotations.iter().filter(|(key, _)| *key != TITLE && *key != VERSION);
    facts
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .chain(own.map(|(key, value)| (key.clone(), value.clone())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Maintainer;

    #[test]
    fn metadata_becomes_annotations() {
        let metadata = Metadata {
            name: "app".into(),
            version: "1.0.0".into(),
            description: " ".into(),
            sources: vec!["https://a".into(), "https://b".into()],
            maintainers: vec![
                Maintainer { name: "Ann".into(), email: "a@x".into(), ..Maintainer::default() },
                Maintainer { name: "Bob".into(), ..Maintainer::default() },
            ],
            annotations: [
                (TITLE.to_owned(), "other".to_owned()),
                ("org.opencontainers.image.created".to_owned(), "then".to_owned()),
                ("own".to_owned(), String::new()),
            ]
            .into(),
            ..Metadata::default()
        };
        insta::assert_debug_snapshot!(annotations(&metadata, "now"), @r#"
        {
            "org.opencontainers.image.authors": "Ann (a@x), Bob",
            "org.opencontainers.image.created": "then",
            "org.opencontainers.image.source": "https://a",
            "org.opencontainers.image.title": "app",
            "org.opencontainers.image.version": "1.0.0",
            "own": "",
        }
        "#);
    }
}
