//! Formats that old drafts do not define, but that Helm's validator checks in them all the same.

use jsonschema::Draft;

/// The names of those formats.
pub(super) const UNKNOWN_TO_OLD_DRAFTS: [&str; 3] = ["duration", "uuid", "semver"];

/// Whether a text has the format.
pub(super) fn matches(format: &str, text: &str) -> bool {
    if format == "semver" {
        return gotmpl::semver::Version::parse_strict(text).is_ok();
    }
    // The newest draft knows the others; its own check is asked.
    let schema = serde_json::json!({ "format": format });
    let validator =
        jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true).build(&schema);
    validator.is_ok_and(|validator| validator.is_valid(&serde_json::json!(text)))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn formats_are_told_from_other_texts() {
        for (format, good, bad) in [
            ("duration", "P1DT5M", "5m"),
            ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8"),
            ("semver", "1.2.3-rc.1", "v1.2"),
        ] {
            assert!(matches(format, good), "{good}");
            assert!(!matches(format, bad), "{bad}");
        }
    }
}
