//! Reading TOML into maps, lists, numbers, strings and times.

use std::collections::HashSet;
use std::rc::Rc;

use super::encode::dotted;
use super::number::scalar;
use super::scan::{Problem, Scanner, is_line_end, printed};
use crate::functions::Context;
use crate::parse::with_room;
use crate::value::types::LIST_MAP_ANY;
use crate::value::{Entries, List, Map, Value};

/// How deep tables and arrays may nest. Go knows no bound; a few kilobytes could exhaust the stack.
const MAX_DEPTH: usize = 500;
const TOO_DEEP: &str = "values nest too deeply";

type Result<T> = std::result::Result<T, Problem>;

/// A document as a map, or what is wrong with it. The first byte that is no part of a character is wrong when it is come
/// to, and not before.
pub(super) fn decode(document: &[u8], context: &Context) -> std::result::Result<Value, String> {
    let (text, broken) = match std::str::from_utf8(document) {
        Ok(text) => (text, None),
        Err(error) => {
            let (valid, rest) = document.split_at(error.valid_up_to());
            (std::str::from_utf8(valid).unwrap_or_default(), rest.first())
        }
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.bytes().take(6).any(|byte| byte == 0) {
        return Err(
            "toml: line 1: files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8"
                .to_owned(),
        );
    }
    let mut decoder = Decoder {
        scanner: Scanner::new(text),
        context,
        root: new_map(),
        table: Vec::new(),
        key: String::new(),
        key_line: 1,
        implicit: HashSet::new(),
        arrays: HashSet::new(),
        depth: 0,
    };
    let read = decoder.document();
    let read = match broken {
        Some(byte) if decoder.scanner.has_ended() => {
            let line = decoder.scanner.line;
            Err(Problem { line, message: format!("invalid UTF-8 byte: {byte:#04x}") })
        }
        _ => read,
    };
    match read {
        Ok(()) => Ok(Value::Map(decoder.root)),
        Err(Problem { line, message }) => match decoder.last_key() {
            key if key.is_empty() => Err(format!("toml: line {line}: {message}")),
            key => Err(format!("toml: line {line} (last key {}): {message}", goyaml::strconv::quote(&key))),
        },
    }
}

struct Decoder<'a> {
    scanner: Scanner<'a>,
    context: &'a Context,
    root: Rc<Map>,
    /// The table that keys are in.
    table: Vec<String>,
    /// The key whose value is read.
    key: String,
    /// The line of the key or the table's name.
    key_line: usize,
    /// Tables that exist only because something is in them.
    implicit: HashSet<String>,
    /// Keys whose values are arrays.
    arrays: HashSet<String>,
    /// How many arrays and inline tables are open.
    depth: usize,
}

fn new_map() -> Rc<Map> {
    Rc::new(Map::any(Entries::new()))
}

/// The table a value is, or the last of the tables it is.
fn as_table(value: &Value) -> Option<Rc<Map>> {
    match value {
        Value::Map(map) => Some(Rc::clone(map)),
        Value::List(list) if list.ty() == LIST_MAP_ANY => list.borrow().last()?.as_map().cloned(),
        _ => None,
    }
}

/// The name under which a key is remembered.
fn path(key: &[String]) -> String {
    let parts: Vec<&str> = key.iter().map(String::as_str).collect();
    dotted(&parts)
}

impl Decoder<'_> {
    fn last_key(&self) -> String {
        match (self.table.is_empty(), self.key.is_empty()) {
            (_, true) => path(&self.table),
            (true, false) => self.key.clone(),
            (false, false) => format!("{}.{}", path(&self.table), self.key),
        }
    }

    /// A problem with the key rather than with what is read now.
    fn key_problem<T>(&self, message: String) -> Result<T> {
        Err(Problem { line: self.key_line, message })
    }

    fn defined_twice<T>(&self, key: &[String]) -> Result<T> {
        self.key_problem(format!("Key '{}' has already been defined.", path(key)))
    }

    fn document(&mut self) -> Result<()> {
        loop {
            self.scanner.skip_blank()?;
            match self.scanner.peek() {
                None => return Ok(()),
                Some('[') => self.table_header()?,
                Some(_) => {
                    let outer = self.table.clone();
                    let value = self.key_and_value()?;
                    let key = self.key.clone();
                    self.set(&key, value)?;
                    self.table = outer;
                    self.key.clear();
                }
            }
            self.end_of_line()?;
        }
    }

    fn end_of_line(&mut self) -> Result<()> {
        self.scanner.skip_spaces();
        if self.scanner.peek() == Some('#') {
            return self.scanner.skip_comment();
        }
        match self.scanner.next()? {
            None => Ok(()),
            Some(character) if is_line_end(character) => Ok(()),
            other => self.scanner.problem(format!(
                "expected a top-level item to end with a newline, comment, or EOF, but got {} instead",
                printed(other)
            )),
        }
    }

    fn table_header(&mut self) -> Result<()> {
        self.scanner.next()?;
        let array = self.scanner.accept("[");
        self.key_line = self.scanner.line;
        let mut key = Vec::new();
        loop {
            self.scanner.skip_spaces();
            match self.scanner.peek() {
                None | Some(']') => {
                    return self
                        .scanner
                        .problem("unexpected end of table name (table names cannot be empty)");
                }
                Some('.') => {
                    return self.scanner.problem("unexpected table separator (table names cannot be empty)");
                }
                _ => key.push(self.key_name()?),
            }
            self.scanner.skip_spaces();
            match self.scanner.next()? {
                Some('.') => {}
                Some(']') => break,
                other => {
                    return self.scanner.problem(format!(
                        "expected '.' or ']' to end table name, but got {} instead",
                        printed(other)
                    ));
                }
            }
        }
        if array && !self.scanner.accept("]") {
            let found = self.scanner.next()?;
            return self.scanner.problem(format!(
                "expected end of table array name delimiter ']', but got {} instead",
                printed(found)
            ));
        }
        self.enter(&key, array)
    }

    fn key_name(&mut self) -> Result<String> {
        if matches!(self.scanner.peek(), Some('"' | '\'')) {
            return self.scanner.string(false);
        }
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        Ok(self.scanner.take_while(bare).to_owned())
    }

    /// Reads a key, with dots or without, and its value; the table becomes the one the value belongs in.
    fn key_and_value(&mut self) -> Result<Value> {
        self.scanner.skip_spaces();
        match self.scanner.peek() {
            None | Some('=') => return self.scanner.problem("unexpected '=': key name appears blank"),
            Some('.') => return self.scanner.problem("unexpected '.': keys cannot start with a '.'"),
            _ => self.key_line = self.scanner.line,
        }
        let mut key = Vec::new();
        loop {
            self.scanner.skip_spaces();
            match self.scanner.peek() {
                None | Some('=') => return self.scanner.problem("unexpected '='"),
                Some('.') => return self.scanner.problem("unexpected '.'"),
                _ => key.push(self.key_name()?),
            }
            self.scanner.skip_spaces();
            match self.scanner.next()? {
                Some('.') => {}
                Some('=') => break,
                None => return self.scanner.problem("unexpected EOF; expected key separator '='"),
                other => {
                    let message = format!("expected '.' or '=', but got {} instead", printed(other));
                    return self.scanner.problem_with(other, message);
                }
            }
        }
        self.key = key.pop().unwrap_or_default();
        for part in key {
            let mut context = self.table.clone();
            context.push(part);
            self.implicit.insert(path(&context));
            self.enter(&context, false)?;
        }
        self.value(false)
    }

    fn value(&mut self, in_array: bool) -> Result<Value> {
        self.scanner.skip_spaces();
        match self.scanner.peek() {
            Some(open @ ('[' | '{')) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.scanner.problem(TOO_DEEP);
                }
                let value =
                    with_room(|| if open == '[' { self.array() } else { self.inline_table(in_array) });
                self.depth -= 1;
                value
            }
            Some('"' | '\'') => Ok(self.scanner.string(true)?.into()),
            _ => scalar(&mut self.scanner, self.context),
        }
    }

    fn array(&mut self) -> Result<Value> {
        self.scanner.next()?;
        let mut full = self.table.clone();
        full.push(self.key.clone());
        self.arrays.insert(path(&full));
        let mut items = Vec::new();
        loop {
            self.scanner.skip_blank()?;
            if self.scanner.accept("]") {
                break;
            }
            if self.scanner.accept(",") {
                return self.scanner.problem("unexpected comma");
            }
            items.push(self.value(true)?);
            self.scanner.skip_blank()?;
            match self.scanner.next()? {
                Some(',') => {}
                Some(']') => break,
                other => {
                    let found = other.map_or("end of file".to_owned(), |c| format!("'{c}'"));
                    return self.scanner.problem(format!(
                        "expected a comma (',') or array terminator (']'), but got {found}"
                    ));
                }
            }
        }
        Ok(Value::list(items))
    }

    fn inline_table(&mut self, in_array: bool) -> Result<Value> {
        self.scanner.next()?;
        let outer = (self.table.clone(), std::mem::take(&mut self.key));
        let mut own = outer.0.clone();
        own.push(outer.1.clone());
        self.implicit.insert(path(&own));
        self.enter(&own, in_array)?;
        let result = new_map();
        loop {
            self.scanner.skip_blank()?;
            if self.scanner.accept("}") {
                break;
            }
            if self.scanner.accept(",") {
                return self.scanner.problem("unexpected comma");
            }
            let value = self.key_and_value()?;
            let key = self.key.clone();
            self.set(&key, value.clone())?;
            let mut inner = Rc::clone(&result);
            for part in &self.table[own.len()..] {
                let next = inner.get(part).unwrap_or_else(|| Value::Map(new_map()));
                inner.insert(part.as_str(), next.clone());
                match next {
                    Value::Map(map) => inner = map,
                    _ => return self.key_problem(format!("{} is not a table", path(&self.table))),
                }
            }
            inner.insert(key, value);
            self.table.clone_from(&own);
            self.scanner.skip_blank()?;
            match self.scanner.next()? {
                Some(',') => {}
                Some('}') => break,
                other => {
                    let found = other.map_or("end of file".to_owned(), |c| format!("'{c}'"));
                    return self.scanner.problem(format!(
                        "expected a comma or an inline table terminator '}}', but got {found} instead"
                    ));
                }
            }
        }
        (self.table, self.key) = outer;
        Ok(Value::Map(result))
    }

    /// Makes a table, with those above it, and goes into it.
    fn enter(&mut self, key: &[String], array: bool) -> Result<()> {
        if key.len() > MAX_DEPTH {
            return self.scanner.problem(TOO_DEEP);
        }
        let Some((name, above)) = key.split_last() else { return Ok(()) };
        let mut map = Rc::clone(&self.root);
        for (depth, part) in above.iter().enumerate() {
            if !map.contains_key(part) {
                self.implicit.insert(path(&key[..=depth]));
                map.insert(part.as_str(), Value::Map(new_map()));
            }
            let Some(next) = map.get(part).as_ref().and_then(as_table) else {
                let other = path(&key[..=depth]);
                return self.key_problem(format!("Key '{other}' was already created as a hash."));
            };
            map = next;
        }
        self.table = above.to_vec();
        if array {
            match map.get(name) {
                None => {
                    let list = List::new(LIST_MAP_ANY, vec![Value::Map(new_map())]);
                    map.insert(name.as_str(), Value::List(Rc::new(list)));
                }
                Some(Value::List(list)) if list.ty() == LIST_MAP_ANY => {
                    list.borrow_mut().push(Value::Map(new_map()));
                }
                Some(_) => {
                    return self.key_problem(format!(
                        "Key '{}' was already created and cannot be used as an array.",
                        path(key)
                    ));
                }
            }
        } else {
            self.set(name, Value::Map(new_map()))?;
        }
        self.table.push(name.clone());
        Ok(())
    }

    /// Sets a value in the table, in which it must not be yet.
    fn set(&mut self, key: &str, value: Value) -> Result<()> {
        let mut map = Rc::clone(&self.root);
        let mut full = Vec::with_capacity(self.table.len() + 1);
        for part in &self.table {
            full.push(part.clone());
            match map.get(part).as_ref().and_then(as_table) {
                Some(next) => map = next,
                None => return self.defined_twice(&full),
            }
        }
        full.push(key.to_owned());
        if !map.contains_key(key) {
            map.insert(key, value);
            return Ok(());
        }
        let name = path(&full);
        if !self.implicit.remove(&name) {
            return self.defined_twice(&full);
        }
        if self.arrays.contains(&name) {
            map.insert(key, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Offline;

    fn read(text: impl AsRef<[u8]>) -> std::result::Result<String, String> {
        let context = Context { environment: Rc::new(Offline::default()), lint: false, value_bytes: 1 << 20 };
        decode(text.as_ref(), &context).map(|value| goyaml::json::to_string(&value).unwrap())
    }

    #[test]
    fn documents_become_maps() {
        for (text, json) in [
            ("a = 1\nb.c = 'x'\n", r#"{"a":1,"b":{"c":"x"}}"#),
            (
                "[t]\nx = [1, 2.5, \"é\\n\"]\n[t.u]\n[[v]]\ny=true\n[[v]]\n",
                r#"{"t":{"u":{},"x":[1,2.5,"é\n"]},"v":[{"y":true},{}]}"#,
            ),
            ("a = {x = 1, y.z = [{}]}", r#"{"a":{"x":1,"y":{"z":[{}]}}}"#),
            (
                "s = \"\"\"\na\\\n   b\"\"\"\nr = '''\n'c'''\nh = 0xff_f\ni = -0\nf=1e3\n",
                r#"{"f":1000,"h":4095,"i":0,"r":"'c","s":"ab"}"#,
            ),
            ("d = 2020-01-02T03:04:05Z\n# end", r#"{"d":"2020-01-02T03:04:05Z"}"#),
        ] {
            assert_eq!(read(text).as_deref(), Ok(json), "{text}");
        }
    }

    #[test]
    fn nesting_without_end_is_refused() {
        let ends = |text: String| read(&text).unwrap_err().ends_with("values nest too deeply");
        assert!(read(format!("a = {}{}", "[".repeat(500), "]".repeat(500))).is_ok());
        assert!(ends(format!("a = {}", "[".repeat(100_000))));
        assert!(ends(format!("a = {}", "{a = ".repeat(50_000))));
        assert!(ends(format!("{}a = 1", "a.".repeat(50_000))));
        assert!(ends(format!("[{}a]", "a.".repeat(50_000))));
        assert!(ends(format!("[[{}a]]", "a.".repeat(50_000))));
    }

    #[test]
    fn what_is_wrong_is_said_as_in_go() {
        for (text, message) in [
            ("a", "toml: line 1: unexpected EOF; expected key separator '='"),
            ("a = \n", "toml: line 1 (last key \"a\"): expected value but found '\\n' instead"),
            ("a = 1\na = 2", "toml: line 2 (last key \"a\"): Key 'a' has already been defined."),
            ("a = 01", "toml: line 1 (last key \"a\"): Invalid integer \"01\": cannot have leading zeroes"),
            ("[t]\nb = [1,", "toml: line 2 (last key \"t.b\"): unexpected EOF; expected value"),
            ("a = nope", "toml: line 1 (last key \"a\"): expected value but found \"nope\" instead"),
        ] {
            assert_eq!(read(text).unwrap_err(), message, "{text}");
        }
        for (document, message) in [
            (&b"h\xc3\xa4\xe6"[..], "toml: line 1: expected '.' or '=', but got 'ä' instead"),
            (b"a\xe6", "toml: line 1: invalid UTF-8 byte: 0xe6"),
            (b"a = 1\nb = 'x\xff", "toml: line 2 (last key \"b\"): invalid UTF-8 byte: 0xff"),
        ] {
            assert_eq!(read(document).unwrap_err(), message);
        }
    }
}
