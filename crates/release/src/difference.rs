//! What a plan would change, object by object: how each is now, and how it would be.

use engine::Engine;
use kube::api::{DynamicObject, Patch, PatchParams};
use objects::ObjectId;
use plan::input::STAMP;
use plan::output::StepKind;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::release::Prepared;
use crate::session::{MANAGER, ReleaseError};
use crate::standing::{api, get};

/// One object that would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Which object.
    pub object: ObjectId,
    /// What would happen to it.
    pub change: Fate,
    /// How it is; null if it is not there.
    pub before: Value,
    /// How it would be; null if it would be gone.
    pub after: Value,
}

/// What would happen to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It would be made.
    Created,
    /// It would be changed.
    Changed,
    /// It would be deleted.
    Deleted,
    /// Its countdown would begin.
    Stamped,
}

/// What a plan would change. The server says how objects would be, as far as it can; what Secrets hold is masked.
pub async fn differences(
    engine: &Engine,
    prepared: &Prepared,
    force_conflicts: bool,
) -> Result<Vec<Difference>, ReleaseError> {
    let mut found = Vec::new();
    for step in &prepared.plan.steps {
        let (object, mut change) = match step.kind {
            StepKind::Apply { object, .. } => (object, Fate::Changed),
            StepKind::Delete { object, .. } => (object, Fate::Deleted),
            StepKind::Stamp { object, .. } => (object, Fate::Stamped),
            _ => continue,
        };
        let id = &prepared.plan.object(object).id;
        let live = get(engine, id).await?;
        let mut before = live.as_ref().map_or(Value::Null, clean);
        let mut after = match change {
            Fate::Deleted => Value::Null,
            Fate::Stamped => {
                let mut stamped = before.clone();
                stamped["metadata"]["annotations"][STAMP] = json!("now");
                stamped
            }
            _ => {
                let wanted = prepared.manifest(object).unwrap_or_default();
                if live.is_none() {
                    change = Fate::Created;
                }
                applied(engine, id, &wanted, force_conflicts).await
            }
        };
        if before == after {
            continue;
        }
        if id.kind == "Secret" && id.group.is_empty() {
            mask(&mut before, &mut after);
        }
        found.push(Difference { object: id.clone(), change, before, after });
    }
    Ok(found)
}

/// How an object would be if it were applied; where the server cannot say, as it is wanted.
async fn applied(engine: &Engine, id: &ObjectId, wanted: &Value, force_conflicts: bool) -> Value {
    let as_wanted =
        || serde_json::from_value(wanted.clone()).map_or_else(|_| wanted.clone(), |object| clean(&object));
    let Some(api) = api(engine, id) else { return as_wanted() };
    let mut parameters = PatchParams::apply(MANAGER).dry_run();
    parameters.force = force_conflicts;
    match api.patch(&id.name, &parameters, &Patch::Apply(wanted)).await {
        Ok(after) => clean(&after),
        Err(_) => as_wanted(),
    }
}

/// An object without what only the server writes.
fn clean(object: &DynamicObject) -> Value {
    let mut value = serde_json::to_value(object).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        object.remove("status");
    }
    if let Some(metadata) = value["metadata"].as_object_mut() {
        for field in
            ["managedFields", "uid", "resourceVersion", "generation", "creationTimestamp", "selfLink"]
        {
            metadata.remove(field);
        }
    }
    value
}

/// Replaces what a Secret holds; that something differs still shows.
fn mask(before: &mut Value, after: &mut Value) {
    for field in ["data", "stringData"] {
        let (old, new) = (before[field].as_object().cloned(), after[field].as_object().cloned());
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let masked = |of: &Map<String, Value>, other: &Map<String, Value>, word: &str| -> Value {
            let one = |(key, value): (&String, &Value)| {
                let same = other.get(key).is_none_or(|known| known == value);
                (key.clone(), json!(if same { "***".to_owned() } else { format!("*** ({word})") }))
            };
            Value::Object(of.iter().map(one).collect())
        };
        if before[field].is_object() {
            before[field] = masked(&old, &new, "before");
        }
        if after[field].is_object() {
            after[field] = masked(&new, &old, "after");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_secrets_hold_is_not_shown() {
        let mut before = json!({"data": {"same": "YQ==", "other": "Yg==", "gone": "Yw=="}});
        let mut after = json!({"data": {"same": "YQ==", "other": "ZA==", "new": "ZQ=="}});
        mask(&mut before, &mut after);
        assert_eq!(before, json!({"data": {"same": "***", "other": "*** (before)", "gone": "***"}}));
        assert_eq!(after, json!({"data": {"same": "***", "other": "*** (after)", "new": "***"}}));
    }
}
