//! How two outputs compare.

use crate::run::{Exit, Outcome};

/// The result of one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// The same bytes.
    Identical,
    /// The same bytes but for what Helm itself writes differently each time.
    IdenticalMasked,
    /// Other bytes, the same objects.
    SameYaml,
    /// Other objects.
    Different,
    /// Helm refuses, Slipway renders.
    WronglyAccepted,
    /// Helm renders, Slipway refuses.
    WronglyRejected,
    /// Slipway ended by a signal, a panic or the time limit.
    Crashed,
    /// Both refuse.
    BothRefuse,
    /// Helm itself does not end in time.
    HelmCrashed,
}

impl Verdict {
    /// All of them, in the order of a report.
    pub(crate) const ALL: [Self; 9] = [
        Self::Identical,
        Self::IdenticalMasked,
        Self::SameYaml,
        Self::Different,
        Self::WronglyAccepted,
        Self::WronglyRejected,
        Self::Crashed,
        Self::BothRefuse,
        Self::HelmCrashed,
    ];

    /// The words of a report.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Identical => "byte-identical",
            Self::IdenticalMasked => "identical but for what Helm varies",
            Self::SameYaml => "same YAML",
            Self::Different => "different",
            Self::WronglyAccepted => "wrongly accepted",
            Self::WronglyRejected => "wrongly rejected",
            Self::Crashed => "crashed",
            Self::BothRefuse => "both refuse",
            Self::HelmCrashed => "Helm crashed",
        }
    }

    /// Whether the case must be explained.
    pub(crate) fn is_failure(self) -> bool {
        !matches!(self, Self::Identical | Self::IdenticalMasked | Self::BothRefuse | Self::HelmCrashed)
    }

    /// Compares two runs.
    pub(crate) fn of(helm: &Outcome, slipway: &Outcome) -> Self {
        match (helm.exit, slipway.exit) {
            (_, Exit::Crashed) => Self::Crashed,
            (Exit::Crashed, _) => Self::HelmCrashed,
            (Exit::Rejected, Exit::Rejected) => Self::BothRefuse,
            (Exit::Rejected, Exit::Accepted) => Self::WronglyAccepted,
            (Exit::Accepted, Exit::Rejected) => Self::WronglyRejected,
            (Exit::Accepted, Exit::Accepted) if helm.stdout == slipway.stdout => Self::Identical,
            (Exit::Accepted, Exit::Accepted) if same_yaml(&helm.stdout, &slipway.stdout) => Self::SameYaml,
            (Exit::Accepted, Exit::Accepted) => Self::Different,
        }
    }
}

fn same_yaml(left: &[u8], right: &[u8]) -> bool {
    let parse = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        documents(&text).map(goyaml::from_str).collect::<Result<Vec<_>, _>>()
    };
    matches!((parse(left), parse(right)), (Ok(left), Ok(right)) if left == right)
}

/// How many objects an output of `helm template` holds: documents with more than comments in them.
pub(crate) fn objects(stdout: &[u8]) -> usize {
    let text = String::from_utf8_lossy(stdout);
    documents(&text)
        .filter(|document| document.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#')))
        .count()
}

fn documents(text: &str) -> impl Iterator<Item = &str> {
    text.strip_prefix("---").unwrap_or(text).split("\n---")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn outcome(exit: Exit, stdout: &str) -> Outcome {
        Outcome { exit, stdout: stdout.into(), stderr: Vec::new(), time: Duration::ZERO }
    }

    #[test]
    fn verdicts() {
        use Exit::{Accepted, Crashed, Rejected};
        for (helm, slipway, expected) in [
            ((Accepted, "a: 1"), (Accepted, "a: 1"), Verdict::Identical),
            ((Accepted, "---\na: 1"), (Accepted, "---\n# it\na:   1"), Verdict::SameYaml),
            ((Accepted, "a: 1"), (Accepted, "a: 2"), Verdict::Different),
            ((Rejected, ""), (Accepted, ""), Verdict::WronglyAccepted),
            ((Accepted, ""), (Rejected, ""), Verdict::WronglyRejected),
            ((Rejected, ""), (Rejected, ""), Verdict::BothRefuse),
            ((Rejected, ""), (Crashed, ""), Verdict::Crashed),
            ((Crashed, ""), (Rejected, ""), Verdict::HelmCrashed),
        ] {
            let verdict = Verdict::of(&outcome(helm.0, helm.1), &outcome(slipway.0, slipway.1));
            assert_eq!(verdict, expected, "{helm:?} {slipway:?}");
        }
    }

    #[test]
    fn documents_of_comments_are_no_objects() {
        assert_eq!(objects(b""), 0);
        assert_eq!(objects(b"---\n# Source: a\n\n---\n# Source: b\n"), 0);
        assert_eq!(objects(b"---\n# Source: a\nkind: A\n---\n# Source: b\nkind: B\n"), 2);
    }
}
