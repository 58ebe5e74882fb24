//! Which number a field has in protobuf. Everything else about it is told by the structure of its type.

use std::collections::HashMap;
use std::sync::LazyLock;

static TABLE: LazyLock<HashMap<String, Vec<Field>>> = LazyLock::new(|| parse(include_str!("numbers.txt")));

/// A field of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The number in protobuf.
    pub number: u32,
    /// What stands there.
    pub form: Form,
}

/// What stands in a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The field of that name in JSON.
    Named(&'static str),
    /// A structure of that type, whose fields JSON has among those around it.
    Embedded(String),
}

/// The fields of a type, by numbers; nothing for a type that protobuf does not have.
pub(super) fn fields(type_name: &str) -> Option<&'static [Field]> {
    // A type that is merged in more than one way is known under more than one name.
    let name = type_name.split('/').next().unwrap_or_default();
    TABLE.get(name).map(Vec::as_slice)
}

fn parse(text: &'static str) -> HashMap<String, Vec<Field>> {
    let mut package = "";
    let mut table = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some(rest) = line.strip_prefix("  ") else {
            package = line;
            continue;
        };
        let mut words = rest.split(' ');
        let name = words.next().unwrap_or_default();
        let mut number = 0;
        let fields = words.filter(|word| !word.is_empty()).map(|word| {
            let (next, word) = word
                .split_once('=')
                .and_then(|(number, word)| Some((number.parse().ok()?, word)))
                .unwrap_or((number + 1, word));
            number = next;
            field(number, word, package)
        });
        table.insert(full_name(package, name), fields.collect());
    }
    table
}

fn field(number: u32, word: &'static str, package: &str) -> Field {
    let form = match word.strip_prefix('@') {
        None => Form::Named(word),
        Some(embedded) if embedded.contains('.') => Form::Embedded(format!("io.k8s.{embedded}")),
        Some(embedded) => Form::Embedded(full_name(package, embedded)),
    };
    Field { number, form }
}

fn full_name(package: &str, name: &str) -> String {
    format!("io.k8s.{package}.{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(name: &str) -> Vec<(u32, &'static str)> {
        let fields = fields(name).unwrap().iter();
        fields
            .map(|field| match field.form {
                Form::Named(name) => (field.number, name),
                Form::Embedded(_) => (field.number, "@"),
            })
            .collect()
    }

    #[test]
    fn numbers_follow_each_other_unless_told() {
        assert_eq!(numbers("io.k8s.api.core.v1.Pod"), [(1, "metadata"), (2, "spec"), (3, "status")]);
        assert_eq!(numbers("io.k8s.api.core.v1.Volume"), [(1, "name"), (2, "@")]);
        let container = numbers("io.k8s.api.core.v1.Container");
        assert!(container.contains(&(21, "volumeDevices")), "{container:?}");
        assert_eq!(fields("io.k8s.api.core.v1.Nothing"), None);
    }

    #[test]
    fn every_kind_has_numbers_for_every_field() {
        // Protobuf is spoken of what is served, and alphas and betas are not.
        for kind in schema::kinds().iter().filter(|kind| !kind.version.contains('a')) {
            assert!(fields(&kind.type_name).is_some(), "{} has no numbers", kind.type_name);
            let Some(view) = schema::types().named(&kind.type_name) else { continue };
            for (_, name) in numbers(&kind.type_name) {
                assert!(view.field(name).is_some(), "{name} of {}", kind.type_name);
            }
        }
    }
}
