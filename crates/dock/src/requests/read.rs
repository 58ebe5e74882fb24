//! GET of one object, and how objects are shown.

use http::StatusCode;
use serde_json::{Value, json};

use super::call::Call;
use super::managed::unexplained;
use crate::http::accept::Shape;
use crate::http::answer::Answer;
use crate::kinds;
use crate::server::Server;
use crate::status::Status;
use crate::store::Revision;
use crate::wire::table;

impl Server {
    /// Answers a GET of an object.
    pub(crate) fn get(&self, call: &Call) -> Result<Answer, Status> {
        let stored = self.store.get(&call.key()).ok_or_else(|| call.not_found())?;
        call.check_shape(false)?;
        Ok(Answer::object(call.shown(&stored.object)))
    }
}

impl Call {
    /// Whether what is answered, a list or not, can be had in the form that the client asks for.
    pub(super) fn check_shape(&self, list: bool) -> Result<(), Status> {
        let (wanted, found) = match (self.accept.shape, list) {
            (Shape::Metadata, true) => ("PartialObjectMetadata", "a list"),
            (Shape::MetadataList, false) => ("PartialObjectMetadataList", "not a list"),
            _ => return Ok(()),
        };
        if self.resource.is_custom() && !list {
            return Err(unexplained("content is not a list".into()));
        }
        let (package, kind) = match (&*self.resource.key.group, &*self.subresource) {
            _ if self.resource.is_custom() => ("unstructured", "Unstructured"),
            (_, "scale") => ("autoscaling", "Scale"),
            ("" | "events.k8s.io", _) => ("core", &*self.resource.kind),
            (group, _) => (group.split('.').next().unwrap_or_default(), &*self.resource.kind),
        };
        let suffix = if list { "List" } else { "" };
        let words = format!(
            "you requested {wanted}, but the requested object is {found} (*{package}.{kind}{suffix})"
        );
        Err(Status::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", words))
    }

    /// An object as this client wants to see it.
    pub(super) fn shown(&self, object: &Value) -> Value {
        // The door to the status hides nothing.
        if &*self.subresource == "status" {
            return self.shaped(self.resource.convert(object, &self.version));
        }
        self.shaped(self.resource.show(object, &self.version))
    }

    /// An object of the request's version in the form that the client asks for.
    pub(super) fn shaped(&self, object: Value) -> Value {
        match self.accept.shape {
            Shape::Object => object,
            Shape::Metadata | Shape::MetadataList => partial(&object),
            Shape::Table => table::of_one(self, &object),
        }
    }

    /// An object with nothing in it. What the server has in a form of its own shows there.
    pub(super) fn blank(&self) -> Value {
        let mut object = self.resource.empty(&self.version);
        match &*self.resource.kind {
            "DaemonSet" => {
                object["metadata"]["annotations"] = json!({"deprecated.daemonset.template.generation": "0"});
            }
            "Deployment" | "ReplicaSet" | "StatefulSet" | "ReplicationController" => {
                object["spec"]["replicas"] = 0.into();
            }
            _ => {}
        }
        object
    }

    /// An object as an item of a list. Items of built-in lists do not repeat their type.
    pub(super) fn item(&self, object: &Value) -> Value {
        let mut object = self.resource.show(object, &self.version);
        match self.accept.shape {
            Shape::Metadata | Shape::MetadataList => return partial(&object),
            Shape::Object | Shape::Table => {}
        }
        if !self.resource.is_custom()
            && let Some(fields) = object.as_object_mut()
        {
            fields.remove("kind");
            fields.remove("apiVersion");
        }
        object
    }

    /// An empty list of this resource.
    pub(super) fn list_of(&self, revision: Revision) -> Value {
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        match self.accept.shape {
            Shape::Metadata | Shape::MetadataList => {
                json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "items": null})
            }
            Shape::Object | Shape::Table => {
                // Lists without a type of their own say that nothing goes on.
                if self.resource.is_custom() && self.accept.shape == Shape::Object {
                    metadata["continue"] = "".into();
                }
                json!({
                    "kind": *self.resource.list_kind,
                    "apiVersion": self.resource.api_version(&self.version),
                    "metadata": metadata,
                    "items": [],
                })
            }
        }
    }
}

/// The metadata of an object, and nothing else.
pub(super) fn partial(object: &Value) -> Value {
    let mut metadata = object["metadata"].clone();
    kinds::drop_derived(&mut metadata);
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
}
