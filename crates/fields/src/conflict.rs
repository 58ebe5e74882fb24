//! Fields that cannot be taken, because others own them.

use std::fmt::{self, Write};

use crate::gotext::Quoted;
use crate::managers::{Entry, Operation};
use crate::set::{FieldSet, show};

/// All fields that could not be taken, by manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflicts(Vec<Conflict>);

/// One field that could not be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Who owns it, as a refusal names it: `"kubectl" using v1`.
    pub manager: String,
    /// Which field: `.data.a`.
    pub field: String,
}

impl Conflicts {
    /// The conflicts with each of these managers on these fields.
    pub(crate) fn with(managers: &[(&Entry<'_>, FieldSet<'_>)]) -> Self {
        let mut sorted: Vec<_> =
            managers.iter().map(|(entry, fields)| (entry.identifier(), entry, fields)).collect();
        sorted.sort_by(|left, right| left.0.cmp(&right.0));
        let mut conflicts = Vec::new();
        for (_, entry, fields) in sorted {
            let manager = describe(entry);
            let fields = fields.paths();
            conflicts
                .extend(fields.iter().map(|path| Conflict { manager: manager.clone(), field: show(path) }));
        }
        Self(conflicts)
    }

    /// One conflict for each field and manager, grouped by manager.
    pub fn all(&self) -> &[Conflict] {
        &self.0
    }
}

impl Conflict {
    /// The sentence of the cause; its reason is `FieldManagerConflict`.
    pub fn message(&self) -> String {
        format!("conflict with {}", self.manager)
    }
}

fn describe(entry: &Entry<'_>) -> String {
    let mut text = Quoted(&entry.manager).to_string();
    if !entry.subresource.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(text, " with subresource {}", Quoted(&entry.subresource));
    }
    if entry.operation == Operation::Update {
        let _ = write!(text, " using {}", entry.api_version);
    }
    text
}

/// The message of the refusal.
impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [one] = &self.0[..] {
            return write!(f, "Apply failed with 1 conflict: conflict with {}: {}", one.manager, one.field);
        }
        write!(f, "Apply failed with {} conflicts: ", self.0.len())?;
        for (at, of_manager) in self.0.chunk_by(|left, right| left.manager == right.manager).enumerate() {
            let newline = if at == 0 { "" } else { "\n" };
            write!(f, "{newline}conflicts with {}:", of_manager[0].manager)?;
            of_manager.iter().try_for_each(|conflict| write!(f, "\n- {}", conflict.field))?;
        }
        Ok(())
    }
}
