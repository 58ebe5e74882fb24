//! GET of a collection: selected, in pages, at a revision.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::StatusCode;
use schema::Tree;
use serde_json::{Value, json};

use super::call::Call;
use crate::field::{FieldError, Path};
use crate::http::accept::Shape;
use crate::http::answer::Answer;
use crate::registry::Resource;
use crate::selectors::{FieldSelector, LabelSelector, field_value};
use crate::server::Server;
use crate::status::{Cause, Details, Status};
use crate::store::{Revision, Stored};
use crate::wire::table;

/// Which objects of a collection are meant.
#[derive(Debug)]
pub(crate) struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
    resource: Arc<Resource>,
}

impl Selection {
    /// Whether an object is meant.
    pub(crate) fn matches(&self, object: &Value) -> bool {
        if !self.labels.matches_object(object) {
            return false;
        }
        if self.fields.is_empty() {
            return true;
        }
        // Fields have their defaults.
        let object = &*self.resource.completed(object);
        self.fields.matches(|field| -> Cow<'_, str> { field_value(&self.resource.kind, object, field) })
    }

    fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }
}

impl Server {
    /// Answers a GET of a collection.
    pub(crate) fn list(&self, call: &Call) -> Result<Answer, Status> {
        check_options(call)?;
        let selection = call.selection()?;
        let range = call.resource.range(&call.namespace);
        let page = Page::of(call)?;
        let revision =
            page.as_ref().map_or_else(|| self.wanted_revision(call), |page| Ok(Some(page.revision)))?;
        let snapshot = match revision {
            Some(revision) => self
                .store
                .list_at(&range, revision)
                .map_err(|_| if page.is_some() { expired_page() } else { too_old_list() })?,
            None => self.store.list(&range),
        };
        let start = page.map(|page| page.start);
        let after_start = |stored: &&Stored| start.as_ref().is_none_or(|start| stored.key.place() >= *start);
        let mut found = snapshot.objects.iter().filter(after_start);
        let limit = usize::try_from(call.options.limit).ok().filter(|limit| *limit > 0).unwrap_or(usize::MAX);
        let taken: Vec<&Stored> =
            found.by_ref().filter(|stored| selection.matches(&stored.object)).take(limit).collect();
        // Whether any of what is left would be selected is not looked at, but for the one that is named.
        let left = if call.names_one(&selection) { 0 } else { found.count() };

        call.check_shape(true)?;
        let mut list = call.list_of(snapshot.revision);
        if let (Some(last), true) = (taken.last(), left > 0) {
            list["metadata"]["continue"] = Page::after(last, snapshot.revision).into();
            if selection.is_everything() {
                list["metadata"]["remainingItemCount"] = left.into();
            }
        }
        if call.accept.shape == Shape::Table {
            let objects: Vec<Value> =
                taken.iter().map(|stored| call.resource.show(&stored.object, &call.version)).collect();
            return Ok(Answer::object(table::of(call, &objects, &list["metadata"])));
        }
        if !taken.is_empty() {
            list["items"] = taken.iter().map(|stored| call.item(&stored.object)).collect();
        }
        Ok(Answer::object(list))
    }

    /// The revision that a list must show, if not the present one.
    fn wanted_revision(&self, call: &Call) -> Result<Option<Revision>, Status> {
        let Some(wanted) = parse_revision(call)? else { return Ok(None) };
        let present = self.store.revision();
        if wanted > present {
            return Err(too_large(wanted, present));
        }
        Ok((call.options.resource_version_match == "Exact").then_some(wanted))
    }
}

impl Call {
    /// Whether the selection is one object whose place is known, which the server reads as such.
    fn names_one(&self, selection: &Selection) -> bool {
        self.options.continue_token.is_empty()
            && selection.fields.exact("metadata.name").is_some()
            && self.resource.namespaced != self.namespace.is_empty()
    }

    /// What the selectors of a request mean.
    pub(super) fn selection(&self) -> Result<Selection, Status> {
        let refused = |error: crate::selectors::SelectorError| Status::bad_request(error.0);
        let labels = LabelSelector::parse(&self.options.label_selector).map_err(|error| {
            Status::bad_request(format!(
                "unable to parse requirement: {}",
                error.0.trim_start_matches("unable to parse requirement: ")
            ))
        })?;
        let fields = FieldSelector::parse(&self.options.field_selector).map_err(refused)?;
        let mut fields =
            self.resource.with_selectable(|selectable| fields.resolve(selectable)).map_err(refused)?;
        if !self.name.is_empty() {
            if fields.is_empty() {
                fields = FieldSelector::parse(&format!("metadata.name={}", self.name)).map_err(refused)?;
            } else if fields.exact("metadata.name") != Some(&*self.name) {
                return Err(Status::bad_request("fieldSelector metadata.name doesn't match requested name"));
            }
        }
        Ok(Selection { labels, fields, resource: self.resource.clone() })
    }
}

/// The revision in the options, unless it is absent or means any.
pub(super) fn parse_revision(call: &Call) -> Result<Option<Revision>, Status> {
    match call.options.resource_version.as_str() {
        "" | "0" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            let words = format!("strconv.ParseUint: parsing {text:?}: invalid syntax");
            let error = FieldError::invalid(&Path::new("resourceVersion"), text, words);
            Status::bad_request(format!("invalid resource version: {error}"))
        }),
    }
}

fn check_options(call: &Call) -> Result<(), Status> {
    let options = &call.options;
    let mut errors = Vec::new();
    let matching = Path::new("resourceVersionMatch");
    if !options.resource_version_match.is_empty() {
        if options.resource_version.is_empty() {
            errors.push(FieldError::forbidden(
                &matching,
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            ));
        }
        if !options.continue_token.is_empty() {
            errors.push(FieldError::forbidden(
                &matching,
                "resourceVersionMatch is forbidden when continue is provided",
            ));
        }
        match options.resource_version_match.as_str() {
            "Exact" if options.resource_version == "0" => {
                errors.push(FieldError::forbidden(
                    &matching,
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                ));
            }
            "Exact" | "NotOlderThan" => {}
            other => errors.push(FieldError::not_supported(&matching, other, &["Exact", "NotOlderThan", ""])),
        }
    }
    if options.send_initial_events.is_some() {
        errors.push(FieldError::forbidden(
            &Path::new("sendInitialEvents"),
            "sendInitialEvents is forbidden for list",
        ));
    }
    if errors.is_empty() { Ok(()) } else { Err(Status::invalid("meta.k8s.io", "ListOptions", "", &errors)) }
}

/// From where a list goes on.
struct Page {
    revision: Revision,
    start: String,
}

impl Page {
    fn of(call: &Call) -> Result<Option<Self>, Status> {
        let token = &call.options.continue_token;
        if token.is_empty() {
            return Ok(None);
        }
        if !matches!(call.options.resource_version.as_str(), "" | "0") {
            return Err(Status::bad_request(
                "specifying resource version is not allowed when using continue",
            ));
        }
        let invalid = |why: &dyn std::fmt::Display| {
            Status::bad_request(format!("invalid continue token: continue key is not valid: {why}"))
        };
        let bytes = BASE64_URL_SAFE_NO_PAD
            .decode(token)
            .map_err(|_| invalid(&"illegal base64 data at input byte 0"))?;
        let value =
            Tree::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| invalid(&error))?.into_value();
        let (Some(revision), Some(start)) = (value["rv"].as_u64(), value["start"].as_str()) else {
            return Err(invalid(&"incorrect encoded start resourceVersion (version meta.k8s.io/v1)"));
        };
        Ok(Some(Self { revision, start: start.into() }))
    }

    fn after(last: &Stored, revision: Revision) -> String {
        let start = format!("{}\0", last.key.place());
        BASE64_URL_SAFE_NO_PAD
            .encode(json!({"v": "meta.k8s.io/v1", "rv": revision, "start": start}).to_string())
    }
}

fn expired_page() -> Status {
    Status::expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    )
}

fn too_old_list() -> Status {
    Status::expired("The resourceVersion for the provided list is too old.")
}

fn too_large(wanted: Revision, present: Revision) -> Status {
    let mut status = Status::new(
        StatusCode::GATEWAY_TIMEOUT,
        "Timeout",
        format!("Timeout: Too large resource version: {wanted}, current: {present}"),
    );
    let cause = Cause {
        reason: "ResourceVersionTooLarge".into(),
        message: "Too large resource version".into(),
        field: String::new(),
    };
    status.details =
        Some(Box::new(Details { causes: vec![cause], retry_after_seconds: 1, ..Details::default() }));
    status
}
