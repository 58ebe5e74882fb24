//! Reads the facts: `package` opens the types of one API version, a line without indent names a type, an indented
//! line one of its fields.
//!
//! After the name stand, in any order: `*` (a pointer in Go) or `*Type` or `Type` (Go's name, where it is not the one
//! the structure suggests; names without a package are of the type's own), `!` (written even when empty), `omitzero`,
//! `in(Struct)` (a field of structures that Go embeds, named from the outside in), `atomic` / `granular` / `set` / `map(keys)` (for server-side apply), `merge` / `merge(key)` / `retainKeys` /
//! `replace` (for strategic merge patches), `default(json)`.

/// What is said of one field, or (without a field) of a type.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one word of the facts' language")]
pub(crate) struct Fact {
    pub(crate) type_name: String,
    pub(crate) field: Option<String>,
    pub(crate) go: Option<String>,
    pub(crate) pointer: bool,
    pub(crate) always: bool,
    pub(crate) omit_zero: bool,
    pub(crate) inline: Option<String>,
    pub(crate) kind: Option<Kind>,
    pub(crate) merge: bool,
    pub(crate) merge_key: Option<String>,
    pub(crate) retain_keys: bool,
    pub(crate) replace: bool,
    pub(crate) default: Option<serde_json::Value>,
}

/// What identifies the entries, for server-side apply.
pub(crate) enum Kind {
    Atomic,
    Granular,
    Set,
    Map(Vec<String>),
}

pub(crate) fn parse(text: &str) -> Result<Vec<Fact>, String> {
    let mut facts = Vec::new();
    let mut package = String::new();
    let mut type_name = String::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("package ") {
            name.clone_into(&mut package);
            continue;
        }
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        if name.starts_with('#') {
            continue;
        }
        let field = line.starts_with(' ');
        if !field {
            type_name = format!("{package}.{name}");
        }
        let mut fact =
            Fact { type_name: type_name.clone(), field: field.then(|| name.to_owned()), ..Fact::default() };
        for word in words {
            tell(&mut fact, word, &package).map_err(|error| format!("line {}: {error}", number + 1))?;
        }
        facts.push(fact);
    }
    Ok(facts)
}

fn tell(fact: &mut Fact, word: &str, package: &str) -> Result<(), String> {
    let (head, inside) = match word.split_once('(') {
        Some((head, rest)) => (head, Some(rest.strip_suffix(')').ok_or("a bracket stays open")?)),
        None => (word, None),
    };
    match (head, inside) {
        ("!", None) => fact.always = true,
        ("omitzero", None) => fact.omit_zero = true,
        ("in", Some(names)) => fact.inline = Some(names.to_owned()),
        ("atomic", None) => fact.kind = Some(Kind::Atomic),
        ("granular", None) => fact.kind = Some(Kind::Granular),
        ("set", None) => fact.kind = Some(Kind::Set),
        ("map", Some(keys)) => fact.kind = Some(Kind::Map(keys.split(',').map(str::to_owned).collect())),
        ("merge", key) => {
            fact.merge = true;
            fact.merge_key = key.map(str::to_owned);
        }
        ("retainKeys", None) => fact.retain_keys = true,
        ("replace", None) => fact.replace = true,
        ("default", Some(json)) => {
            fact.default = Some(serde_json::from_str(json).map_err(|error| format!("{json}: {error}"))?);
        }
        (name, None) => {
            let bare = name.strip_prefix('*').unwrap_or(name);
            fact.pointer = bare.len() < name.len();
            fact.go = (!bare.is_empty()).then(|| qualified(bare, package));
        }
        _ => return Err(format!("{word} is no fact")),
    }
    Ok(())
}

/// Go's name of a type as its errors print it: with the last part of the package.
fn qualified(name: &str, package: &str) -> String {
    if let Some(items) = name.strip_prefix("[]") {
        return format!("[]{}", qualified(items, package));
    }
    if let Some((key, value)) = name.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        return format!("map[{}]{}", qualified(key, package), qualified(value, package));
    }
    let own = name.starts_with(char::is_uppercase);
    if own { format!("{}.{name}", package.rsplit('.').next().unwrap_or_default()) } else { name.to_owned() }
}
