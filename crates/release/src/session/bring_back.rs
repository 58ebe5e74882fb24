//! Bringing single objects back that an upgrade removed, from the records of earlier revisions.

use engine::{Event, Options};
use objects::ObjectId;
use plan::input::{Inventory, Live, Policy};
use plan::{Operation, Request};

use super::{Deployed, ReleaseError, Session};
use crate::inventory::Origins;
use crate::release::Prepared;
use crate::written::Revision;

/// An object as a person names it: `deployment/web`, `Deployment.apps/web`, `kube-system/configmap/web`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    kind: String,
    group: Option<String>,
    namespace: Option<String>,
    name: String,
}

impl Choice {
    /// Reads `[NAMESPACE/]KIND[.GROUP]/NAME`.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('/').collect();
        let (namespace, kind, name) = match parts.as_slice() {
            [kind, name] => (None, *kind, *name),
            [namespace, kind, name] => (Some((*namespace).to_owned()), *kind, *name),
            _ => return None,
        };
        let (kind, group) =
            kind.split_once('.').map_or((kind, None), |(kind, group)| (kind, Some(group.to_owned())));
        let complete = !kind.is_empty() && !name.is_empty() && namespace.as_deref() != Some("");
        complete.then(|| Self { kind: kind.to_owned(), group, namespace, name: name.to_owned() })
    }

    /// The namespace, if one is named.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a kind is the one that is meant: by its name or its plural, in any case.
    pub fn is_kind(&self, group: &str, kind: &str, plural: &str) -> bool {
        let same = |known: &str| known.eq_ignore_ascii_case(&self.kind);
        (same(kind) || same(plural)) && self.group.as_deref().is_none_or(|wanted| wanted == group)
    }

    /// Whether an object is the one that is meant.
    pub fn is(&self, id: &ObjectId) -> bool {
        let plural = format!("{}s", id.kind);
        self.is_kind(&id.group, &id.kind, &plural)
            && self.name == id.name
            && (self.namespace.is_none() || self.namespace == id.namespace)
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        let group = self.group.as_ref().map(|group| format!(".{group}")).unwrap_or_default();
        write!(f, "{}{group}/{}", self.kind, self.name)
    }
}

impl Session {
    /// Brings objects back as the newest revision that had them has them. They belong to nobody until the release
    /// has them again.
    pub async fn bring_back(
        &mut self,
        choices: &[Choice],
        options: &Options,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Deployed, ReleaseError> {
        let mut left: Vec<&Choice> = choices.iter().collect();
        let mut done: Option<Deployed> = None;
        let records: Vec<_> = self.release.history().rev().cloned().collect();
        for record in records {
            if left.is_empty() {
                break;
            }
            let marks = self.release.marks.clone();
            let (mut wanted, documents) = Revision::new(&record, None, self.release.engine.served())
                .with_objects_marked(&|document| marks.put_restored_on_all(document))?
                .finish();
            wanted.members.retain(|member| left.iter().any(|choice| choice.is(&member.id)));
            left.retain(|choice| !wanted.members.iter().any(|member| choice.is(&member.id)));
            if wanted.members.is_empty() {
                continue;
            }
            let live = self.release.look(&wanted, &documents, &Inventory::default()).await?;
            if let Some(id) = live.objects.keys().next() {
                return Err(ReleaseError::IsThere(id.clone()));
            }
            let plan = plan::plan(&Request {
                operation: Operation::Install,
                wanted: &wanted,
                stored: &Inventory::default(),
                policy: &Policy::default(),
                live: &Live::empty(),
                now: jiff::Timestamp::now(),
            })?;
            let origins = Origins::default();
            let prepared = Prepared { plan, documents, live, record, origins, done: String::new() };
            let outcome = self.run(&prepared, options, tell).await;
            let went_well = outcome.is_success();
            done = Some(Deployed { record: prepared.record, outcome, plan: prepared.plan });
            if !went_well {
                break;
            }
        }
        match (left.first(), done) {
            (Some(missing), _) => Err(ReleaseError::NoSuchObject(missing.to_string())),
            (None, Some(done)) => Ok(done),
            (None, None) => Err(ReleaseError::NotFound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_named_in_the_usual_ways() {
        let id = ObjectId {
            group: "apps".to_owned(),
            kind: "Deployment".to_owned(),
            namespace: Some("shop".to_owned()),
            name: "web".to_owned(),
        };
        for (text, expected) in [
            ("deployment/web", true),
            ("deployments/web", true),
            ("Deployment.apps/web", true),
            ("shop/deployment/web", true),
            ("other/deployment/web", false),
            ("Deployment.extensions/web", false),
            ("deployment/api", false),
        ] {
            assert_eq!(Choice::parse(text).is_some_and(|choice| choice.is(&id)), expected, "{text}");
        }
        for wrong in ["web", "deployment/", "/web", "a/b/c/d", "/deployment/web"] {
            assert_eq!(Choice::parse(wrong), None, "{wrong}");
        }
    }
}
