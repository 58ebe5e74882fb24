//! A request, understood.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use jiff::Timestamp;

use crate::http::accept::{Accept, Encoding};
use crate::http::options::Options;
use crate::http::user::User;
use crate::kinds::{Context, Rules};
use crate::registry::Resource;
use crate::status::Status;
use crate::store::Key;

/// A request for a resource.
#[derive(Debug)]
pub struct Call {
    /// Which resource.
    pub resource: Arc<Resource>,
    /// In which version.
    pub version: Arc<str>,
    /// In which namespace; empty for all, or for none.
    pub namespace: Arc<str>,
    /// Which object; empty for a collection.
    pub name: Arc<str>,
    /// Which part of it.
    pub subresource: Arc<str>,
    /// With which options.
    pub options: Options,
    /// Who asks.
    pub user: User,
    /// By which program.
    pub user_agent: String,
    /// In what form the answer is wanted.
    pub accept: Accept,
    /// In what form the body is.
    pub encoding: Encoding,
    /// The type of a patch.
    pub content_type: String,
    /// The body.
    pub body: Bytes,
    /// When.
    pub now: Timestamp,
    /// What the answer's `Warning` headers say.
    pub warnings: Mutex<Vec<String>>,
}

/// What a write does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// It makes an object.
    Create,
    /// It changes one.
    Update,
    /// It takes one away.
    Delete,
    /// It opens a connection to one.
    Connect,
}

impl Operation {
    /// As admission calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}

impl Call {
    /// Where the object is kept.
    pub fn key(&self) -> Key {
        self.resource.object_key(&self.namespace, &self.name)
    }

    /// What the rules of a kind may know.
    pub fn context(&self) -> Context {
        Context { now: self.now, dry_run: self.options.is_dry_run(), user: self.user.clone() }
    }

    /// The rules of the kind in the version of the request.
    pub fn rules(&self) -> &dyn Rules {
        self.resource.rules(&self.version)
    }

    /// Tells the client something besides the answer. Said once.
    pub fn warn(&self, words: impl Into<String>) {
        let words = words.into();
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&words) {
            warnings.push(words);
        }
    }

    /// What was told so far.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The object is not there.
    pub fn not_found(&self) -> Status {
        Status::not_found(self.resource.name(), &self.name)
    }

    /// Who owns what is written: the manager that is named, or else the program.
    pub fn manager(&self) -> String {
        if !self.options.field_manager.is_empty() {
            return self.options.field_manager.clone();
        }
        let program = self.user_agent.split('/').next().unwrap_or_default();
        let mut manager = String::new();
        for c in program.chars().filter(|c| !c.is_control()) {
            if manager.len() + c.len_utf8() > 128 {
                break;
            }
            manager.push(c);
        }
        manager
    }

    /// The same request for another object of the collection.
    #[must_use]
    pub fn for_object(&self, namespace: &Arc<str>, name: &Arc<str>) -> Self {
        Self {
            resource: self.resource.clone(),
            version: self.version.clone(),
            namespace: namespace.clone(),
            name: name.clone(),
            subresource: self.subresource.clone(),
            options: self.options.clone(),
            user: self.user.clone(),
            user_agent: self.user_agent.clone(),
            accept: self.accept,
            encoding: self.encoding,
            content_type: self.content_type.clone(),
            body: self.body.clone(),
            now: self.now,
            warnings: Mutex::default(),
        }
    }
}
