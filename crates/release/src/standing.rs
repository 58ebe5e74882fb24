//! How the objects of a revision are now.

use engine::Engine;
use jiff::Timestamp;
use kube::api::DynamicObject;
use kube::{Api, Client};
use objects::ObjectId;
use objects::readiness::{self, Circumstances, Overrides};
use plan::input::Member;
use serde::Serialize;

use crate::record::Record;
use crate::session::ReleaseError;
use crate::storage::refused;
use crate::written::Revision;

/// How one object is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// Which object.
    pub id: ObjectId,
    /// One word: `Current`, `InProgress`, `NotFound` and the like.
    pub status: String,
    /// A sentence.
    pub message: String,
    /// The object, if it is there.
    #[serde(skip)]
    pub live: Option<Box<DynamicObject>>,
}

/// How the objects of a revision are now, in the order in which they were rendered.
pub async fn standing(engine: &Engine, record: &Record) -> Result<Vec<Standing>, ReleaseError> {
    let members = members(engine, record)?;
    let mut found = Vec::with_capacity(members.len());
    for member in members {
        let live = get(engine, &member.id).await?;
        found.push(stand(member.id, live));
    }
    Ok(found)
}

/// The objects of a revision, in the order in which they were rendered.
pub fn members(engine: &Engine, record: &Record) -> Result<Vec<Member>, ReleaseError> {
    let marks = engine::Marks::release(record.name.clone(), record.namespace.clone());
    let (wanted, _) = Revision::new(record, None, engine.served()).with_objects(&marks)?.finish();
    Ok(wanted.members)
}

/// An object as it is now.
pub(crate) async fn get(engine: &Engine, id: &ObjectId) -> Result<Option<DynamicObject>, ReleaseError> {
    let Some(api) = api(engine, id) else { return Ok(None) };
    let live = api.get_opt(&id.name).await;
    Ok(live.map_err(|source| refused(&format!("read {id}"), source))?)
}

/// Where an object is reached, if its kind is served.
pub(crate) fn api(engine: &Engine, id: &ObjectId) -> Option<Api<DynamicObject>> {
    let kind = engine.served().kind_of(id)?;
    let client: Client = engine.client().clone();
    Some(match id.namespace.as_deref().filter(|_| kind.namespaced) {
        Some(namespace) => Api::namespaced_with(client, namespace, &kind.resource),
        None => Api::all_with(client, &kind.resource),
    })
}

/// How an object is.
pub(crate) fn stand(id: ObjectId, live: Option<DynamicObject>) -> Standing {
    let Some(live) = live else {
        let (status, message) = ("NotFound".to_owned(), "it is not there".to_owned());
        return Standing { id, status, message, live: None };
    };
    let value = serde_json::to_string(&live).ok().and_then(|text| goyaml::json::from_str(&text).ok());
    let overrides = value.as_ref().and_then(|value| Overrides::of(value).ok()).unwrap_or_default();
    let circumstances = Circumstances::at(Timestamp::now());
    let found = readiness::assess(&value.unwrap_or_default(), &overrides, &circumstances);
    Standing {
        id,
        status: format!("{:?}", found.verdict.status),
        message: found.verdict.message,
        live: Some(Box::new(live)),
    }
}
