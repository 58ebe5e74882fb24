//! The columns of built-in kinds, from a table, and the cells in them.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::own::{Own, named};
use super::{items, printed, since, text};
use crate::requests::Call;
use crate::selectors::LabelSelector;

static TABLE: LazyLock<HashMap<&str, Vec<Column>>> = LazyLock::new(|| parse(include_str!("columns.txt")));

/// A column.
#[derive(Debug)]
pub(super) struct Column {
    name: &'static str,
    kind: &'static str,
    format: &'static str,
    priority: i64,
    description: String,
    pub(super) cell: Option<Cell>,
}

/// A place in an object, by fields and indexes.
type Place = Vec<&'static str>;

/// What stands in a cell.
#[derive(Debug)]
pub(super) enum Cell {
    Text(Place, &'static str),
    Number(Place, Option<&'static str>),
    Flag(Place, bool),
    Count(Vec<Place>),
    Labels(Place),
    Selector(Place),
    Parts(Place, &'static str),
    Join(Place),
    Ratio(Place, Place),
    Age,
    Created,
    Own(Own),
}

/// The columns of a kind: the name and the time of its making if nothing else is known of it.
pub(super) fn of(kind: &str) -> &'static [Column] {
    TABLE.get(kind).or_else(|| TABLE.get("Role")).map(Vec::as_slice).unwrap_or_default()
}

/// Whether nothing is known of a kind but its name and the time of its making.
pub(super) fn are_default(call: &Call) -> bool {
    !call.resource.is_custom()
        && of(&call.resource.kind).get(1).is_some_and(|column| column.name == "Created At")
}

/// The cells of an object.
pub(super) fn cells(columns: &[Column], object: &Value, now: Timestamp) -> Vec<Value> {
    let cell = |column: &Column| column.cell.as_ref().map_or(Value::Null, |cell| cell.of(object, now));
    columns.iter().map(cell).collect()
}

impl Column {
    /// `columnDefinitions` of a table.
    pub(super) fn definition(&self) -> Value {
        json!({
            "name": self.name,
            "type": self.kind,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        })
    }

    fn parse(line: &'static str) -> Option<Self> {
        let mut parts = line.splitn(4, " ; ");
        let (name, form, cell, description) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let (form, priority) = form.split_once(' ').unwrap_or((form, "0"));
        let (kind, format) = form.split_once('/').unwrap_or((form, ""));
        let description = match description.strip_prefix('^') {
            Some(place) => documented(place).unwrap_or_default(),
            None => description.replace("\\n", "\n"),
        };
        let priority = priority.parse().unwrap_or_default();
        Some(Self { name: name.trim(), kind, format, priority, description, cell: Cell::parse(cell) })
    }
}

/// What the documentation says of a field; the values that it may have are not told in tables.
pub(super) fn documented(place: &str) -> Option<String> {
    let (name, field) = place.rsplit_once('.')?;
    let described =
        schema::documented_types().named(&format!("io.k8s.{name}"))?.field(field)?.description()?;
    Some(described.split("\n\nPossible enum values:").next().unwrap_or_default().to_owned())
}

fn parse(text: &'static str) -> HashMap<&'static str, Vec<Column>> {
    let mut table: HashMap<&str, Vec<Column>> = HashMap::new();
    let mut kind = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("  ") {
            Some(column) => table.entry(kind).or_default().extend(Column::parse(column)),
            None => kind = line,
        }
    }
    table
}

impl Cell {
    fn parse(text: &'static str) -> Option<Self> {
        if let Some(name) = text.strip_prefix('!') {
            return named(name).map(Self::Own);
        }
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        let fallback = |text: &'static str| match text.split_once('|') {
            Some((path, other)) => (place(path), Some(other)),
            None => (place(text), None),
        };
        Some(match first {
            "age" => Self::Age,
            "created" => Self::Created,
            "count" => Self::Count(rest.split(' ').map(place).collect()),
            "labels" => Self::Labels(place(rest)),
            "selector" => Self::Selector(place(rest)),
            "names" => Self::Parts(place(rest), "name"),
            "images" => Self::Parts(place(rest), "image"),
            "join" => Self::Join(place(rest)),
            "ratio" => {
                let (part, whole) = rest.split_once(' ')?;
                Self::Ratio(place(part), place(whole))
            }
            _ if text.starts_with('.') => {
                let (path, other) = fallback(text);
                Self::Text(path, other.unwrap_or_default())
            }
            _ => {
                let (path, other) = fallback(text.get(1..)?);
                match text.chars().next()? {
                    '#' => Self::Number(path, other),
                    '?' => Self::Flag(path, other.is_some()),
                    _ => return None,
                }
            }
        })
    }

    fn of(&self, object: &Value, now: Timestamp) -> Value {
        let number = |path: &[&str]| at(object, path).as_i64().unwrap_or_default();
        match self {
            Self::Text(path, other) => match printed(at(object, path)) {
                empty if empty.is_empty() => (*other).into(),
                text => text.into(),
            },
            Self::Number(path, other) => match (at(object, path), other) {
                (Value::Null, Some(other)) => (*other).into(),
                (value, _) => value.as_i64().unwrap_or_default().into(),
            },
            Self::Flag(path, other) => at(object, path).as_bool().unwrap_or(*other).into(),
            Self::Count(paths) => paths.iter().map(|path| count(at(object, path))).sum::<usize>().into(),
            Self::Labels(path) => labels(at(object, path)).into(),
            Self::Selector(path) => selector(at(object, path)).into(),
            Self::Parts(path, field) => {
                let parts: Vec<&str> =
                    items(at(object, path)).iter().map(|part| text(&part[field])).collect();
                parts.join(",").into()
            }
            Self::Join(path) => {
                let parts: Vec<&str> = items(at(object, path)).iter().map(text).collect();
                parts.join(",").into()
            }
            Self::Ratio(part, whole) => format!("{}/{}", number(part), number(whole)).into(),
            Self::Age => since(&object["metadata"]["creationTimestamp"], now).into(),
            Self::Created => object["metadata"]["creationTimestamp"].clone(),
            Self::Own(own) => own.of(object, now),
        }
    }
}

fn place(path: &'static str) -> Place {
    path.split('.').filter(|step| !step.is_empty()).collect()
}

fn at<'a>(object: &'a Value, place: &[&str]) -> &'a Value {
    place.iter().fold(object, |value, step| match value {
        Value::Array(items) => {
            step.parse::<usize>().ok().and_then(|index| items.get(index)).unwrap_or(&Value::Null)
        }
        other => &other[*step],
    })
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(entries) => entries.len(),
        _ => 0,
    }
}

/// `a=b,c=d`
fn labels(value: &Value) -> String {
    let mut pairs: Vec<String> = value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", text(value)))
        .collect();
    pairs.sort();
    if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") }
}

fn selector(value: &Value) -> String {
    match LabelSelector::of(Some(value)).map(|selector| selector.to_string()) {
        Ok(empty) if empty.is_empty() => "<none>".to_owned(),
        Ok(selector) => selector,
        Err(_) => "<error>".to_owned(),
    }
}
