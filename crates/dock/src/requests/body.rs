//! Reading what a client sends.

use std::fmt::Write as _;

use schema::{Decoded, Tree, View};
use serde_json::Value;

use super::call::Call;
use crate::http::accept::Encoding;
use crate::http::options::FieldValidation;
use crate::status::Status;
use crate::wire::protobuf;

/// What the objects of a request are expected to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpectedKind<'a> {
    /// The group, empty for the core.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The kind.
    pub kind: &'a str,
}

impl ExpectedKind<'_> {
    /// `v1`, `apps/v1`.
    pub(crate) fn api_version(self) -> String {
        if self.group.is_empty() { self.version.into() } else { format!("{}/{}", self.group, self.version) }
    }
}

impl Call {
    /// The object in the body of a create, decoded and with its defaults.
    pub(super) fn read_object(&self) -> Result<Value, Status> {
        self.read(self.parse()?)
    }

    /// The body of a create or update as it was written.
    pub(super) fn parse(&self) -> Result<Tree, Status> {
        parse(self, expected_kind(self))
    }

    /// The object in it, decoded and with its defaults.
    pub(super) fn read(&self, tree: Tree) -> Result<Value, Status> {
        let call = self;
        let expected = expected_kind(call);
        let kind = check_type(&tree, expected)?;
        let decoded = call
            .decode(tree, call.options.validation() != FieldValidation::Ignore)
            .map_err(|why| cannot_be_handled(&kind, expected, &why))?;
        if !decoded.complaints.is_empty() {
            match call.options.validation() {
                FieldValidation::Ignore => {}
                FieldValidation::Warn => decoded.complaints.into_iter().for_each(|words| call.warn(words)),
                FieldValidation::Strict => {
                    let words = schema::strict_error(&decoded.complaints);
                    return Err(cannot_be_handled(&kind, expected, &words));
                }
            }
        }
        Ok(defaulted(call, decoded.value))
    }

    /// What is to be written, after somebody else changed it.
    pub(crate) fn reread(&self, changed: Value) -> Result<Value, String> {
        let decoded = self.decode(Tree::from(changed), false)?;
        Ok(if self.part().is_some() { decoded.value } else { defaulted(self, decoded.value) })
    }

    /// Whether what is read and written is the `Scale` that stands for the object.
    pub(super) fn is_scale(&self) -> bool {
        &*self.subresource == "scale"
    }

    /// The type of what is sent, where that is not the object itself.
    pub(super) fn part(&self) -> Option<ExpectedKind<'static>> {
        let part = self.resource.subresource(&self.version, &self.subresource)?;
        part.kind.map(|(group, version, kind)| ExpectedKind { group, version, kind })
    }

    fn part_view(&self) -> Option<View<'static>> {
        self.part().and_then(|part| schema::builtin(part.group, part.version, part.kind))
    }

    /// Reads what a client sent: the object, or what stands for it.
    pub(super) fn decode(&self, tree: Tree, strict: bool) -> Result<Decoded, String> {
        match self.part_view() {
            Some(view) => schema::decode(view, tree, strict).map_err(|error| error.to_string()),
            None => self.resource.decode(tree, &self.version, strict),
        }
    }

    /// Calls with the structure of what a client sends.
    pub(super) fn with_structure<T>(&self, read: impl FnOnce(View<'_>) -> T) -> T {
        match self.part_view() {
            Some(view) => read(view),
            None => self.resource.with_structure(&self.version, read),
        }
    }

    /// What a client sends, before anybody has written anything.
    pub(super) fn empty(&self) -> Value {
        let Some(part) = self.part() else { return self.resource.empty(&self.version) };
        typed(part, self.decode(Tree::object(), false).map_or(Value::Null, |decoded| decoded.value))
    }
}

fn typed(expected: ExpectedKind<'_>, mut object: Value) -> Value {
    object["apiVersion"] = expected.api_version().into();
    object["kind"] = expected.kind.into();
    object
}

/// The object with its type, and with the defaults of its kind.
pub(super) fn defaulted(call: &Call, object: Value) -> Value {
    let mut object = typed(expected_kind(call), object);
    if call.part().is_none() {
        call.rules().default(&mut object);
    }
    object
}

/// What the objects of a request are.
pub(super) fn expected_kind(call: &Call) -> ExpectedKind<'_> {
    if let Some(part) = call.part() {
        return part;
    }
    ExpectedKind { group: &call.resource.key.group, version: &call.version, kind: &call.resource.kind }
}

/// What the server reads first of any object, as Go shows it.
const TYPE: &str =
    r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;

/// The body as it was written.
pub(super) fn parse(call: &Call, expected: ExpectedKind<'_>) -> Result<Tree, Status> {
    let text = || std::str::from_utf8(&call.body).unwrap_or_default();
    let unreadable = |why: String| unrecognized(expected, &why, &call.body);
    let untyped = |why: &dyn std::fmt::Display| {
        unreadable(format!("couldn't get version/kind; json parse error: {why}"))
    };
    match call.encoding {
        Encoding::Json => {
            let tree = Tree::parse(text()).map_err(|error| untyped(&error))?;
            let found = match &tree {
                Tree::Object(_) | Tree::Null => return Ok(tree),
                Tree::List(_) => "array",
                Tree::Bool(_) => "bool",
                Tree::String(_) => "string",
                Tree::Number(_) => "number",
            };
            Err(untyped(&format!("json: cannot unmarshal {found} into Go value of type {TYPE}")))
        }
        Encoding::Yaml => goyaml::from_str_as::<Value>(text())
            .map(Tree::from)
            .map_err(|error| unreadable(error.to_string())),
        Encoding::Protobuf => protobuf::decode(&call.body, &expected.api_version(), expected.kind)
            .map(Tree::from)
            .map_err(|error| unreadable(error.to_string())),
    }
}

/// Refuses an object of another type than the expected one. An object that does not say is of the expected type.
pub(super) fn check_type(tree: &Tree, expected: ExpectedKind<'_>) -> Result<String, Status> {
    let text = |field: &str| tree.get(field).and_then(Tree::as_str).unwrap_or_default().to_owned();
    let (mut api_version, mut kind) = (text("apiVersion"), text("kind"));
    if kind.is_empty() {
        expected.kind.clone_into(&mut kind);
    }
    if api_version.is_empty() {
        api_version = expected.api_version();
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version.as_str()));
    let own = schema::builtin(expected.group, expected.version, expected.kind).is_some();
    let refused = |why: &str| {
        Err(Status::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {}: {why}",
            expected.kind
        )))
    };
    // Definitions and API services are served by programs of their own inside of the real one, which know no others.
    let apart = ["apiextensions.k8s.io", "apiregistration.k8s.io"].contains(&expected.group);
    let known = schema::builtin(group, version, &kind).is_some() && (!apart || group == expected.group);
    if own && !known {
        return refused(&format!(
            "no kind {kind:?} is registered for version {api_version:?} in scheme \"pkg/runtime/scheme.go:111\""
        ));
    }
    if own && (group, kind.as_str()) != (expected.group, expected.kind) {
        let package = match expected.group {
            "" | "events.k8s.io" => "core",
            group => group.split('.').next().unwrap_or_default(),
        };
        return refused(&format!(
            "converting ({version}.{kind}) to ({package}.{}): unknown conversion",
            expected.kind
        ));
    }
    if api_version != expected.api_version() {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({})",
            expected.api_version()
        )));
    }
    if kind != expected.kind {
        let words = format!("converting (v1.{kind}) to (core.{}): unknown conversion", expected.kind);
        return Err(cannot_be_handled(&kind, expected, &words));
    }
    Ok(kind)
}

/// The body of a request for a subresource that has a type of its own.
pub(super) fn read_typed(call: &Call, expected: ExpectedKind<'_>) -> Result<Value, Status> {
    let tree = parse(call, expected)?;
    check_type(&tree, expected)?;
    let value = match schema::builtin(expected.group, expected.version, expected.kind) {
        Some(view) => schema::decode(view, tree, false)
            .map(|decoded| decoded.value)
            .map_err(|error| cannot_be_handled(expected.kind, expected, &error.to_string()))?,
        None => tree.into_value(),
    };
    Ok(typed(expected, value))
}

fn cannot_be_handled(kind: &str, expected: ExpectedKind<'_>, why: &str) -> Status {
    Status::bad_request(format!(
        "{kind} in version {:?} cannot be handled as a {}: {why}",
        expected.version, expected.kind
    ))
}

fn unrecognized(expected: ExpectedKind<'_>, why: &str, body: &[u8]) -> Status {
    Status::bad_request(format!(
        "the object provided is unrecognized (must be of type {}): {why} ({})",
        expected.kind,
        summary(body)
    ))
}

/// The beginning of a body: as it is if it looks like JSON, else in hexadecimal.
fn summary(body: &[u8]) -> String {
    const SHOWN: usize = 30;
    let (shown, more) = if body.len() > SHOWN { (&body[..SHOWN], " ...") } else { (body, "") };
    match body.first() {
        None => "<empty>".into(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(shown)),
        Some(_) => {
            let hex = shown.iter().fold(String::new(), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            });
            format!("{hex}{more}")
        }
    }
}
