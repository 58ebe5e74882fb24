//! A set of templates that can call each other.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use bytestring::ByteString;

use crate::ahead::Ahead;
use crate::error::Error;
use crate::exec::scope::Scope;
use crate::exec::{Limits, MissingKey, Run, Texts};
use crate::functions::{Context, Environment, Functions, Offline};
use crate::parse::tree::{Code, Source};
use crate::parse::{Map, Workspace, parse};
use crate::value::Value;

/// How a set behaves.
pub struct Options {
    /// The name of the set, which errors give, and which is the name of every text that `tpl` parses.
    pub name: Rc<str>,
    /// What to do about missing keys.
    pub missing_key: MissingKey,
    /// Bounds on each execution.
    pub limits: Limits,
    /// The outside world, for functions.
    pub environment: Rc<dyn Environment>,
    /// Helm's lint mode.
    pub lint: bool,
    /// Texts that may have been parsed already, with the same functions.
    pub ahead: Option<Arc<Ahead>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "gotpl".into(),
            missing_key: MissingKey::default(),
            limits: Limits::default(),
            environment: Rc::new(Offline::default()),
            lint: false,
            ahead: None,
        }
    }
}

/// Templates by name, with the functions they may call.
///
/// ```
/// use gotmpl::{Functions, Options, TemplateSet, Value};
///
/// let mut set = TemplateSet::new(Functions::builtin(), Options::default());
/// set.add("greeting", r#"{{define "who"}}{{.}}{{end}}hello {{template "who" .name}}!"#)?;
/// let data = Value::map([("name".into(), Value::from("world"))].into());
/// let mut out = String::new();
/// set.execute("greeting", &data, &mut out)?;
/// assert_eq!(out, "hello world!");
/// # Ok::<(), gotmpl::Error>(())
/// ```
pub struct TemplateSet {
    functions: Functions,
    missing_key: MissingKey,
    limits: Limits,
    context: Context,
    scope: Rc<Scope>,
    /// What `tpl` was given.
    texts: RefCell<Texts>,
    /// What was added, by the length of its text: the charts of a tree often carry the same library.
    added: Map<usize, Vec<(ByteString, Rc<Code>)>>,
    ahead: Option<Arc<Ahead>>,
    workspace: Workspace,
}

impl TemplateSet {
    /// An empty set.
    pub fn new(functions: Functions, options: Options) -> Self {
        let Options { name, missing_key, limits, environment, lint, ahead } = options;
        Self {
            functions,
            missing_key,
            limits,
            context: Context { environment, lint, value_bytes: limits.value_bytes },
            scope: Rc::new(Scope::new(name)),
            texts: RefCell::default(),
            added: Map::default(),
            ahead,
            workspace: Workspace::default(),
        }
    }

    /// Parses `source` as the template `name`, and adds it with all it defines. A later definition replaces
    /// an earlier one unless it is empty.
    pub fn add(&mut self, name: &str, source: impl Into<ByteString>) -> Result<(), Error> {
        let source = Rc::new(Source { name: name.into(), text: source.into() });
        let trees = self.code(&source)?.trees(&source)?;
        // Nobody else holds the scope but while executing, which borrows the set.
        if let Some(scope) = Rc::get_mut(&mut self.scope) {
            for tree in &trees {
                scope.define(tree);
            }
        }
        Ok(())
    }

    fn code(&mut self, source: &Rc<Source>) -> Result<Rc<Code>, Error> {
        let known = self.added.entry(source.text.len()).or_default();
        if let Some((_, same)) = known.iter().find(|(known, _)| *known == source.text) {
            return Ok(same.clone());
        }
        let workspace = &mut self.workspace;
        let ahead = self.ahead.as_ref().and_then(|ahead| ahead.parsed(&source.text, workspace));
        let parsed = match ahead {
            Some(parsed) => parsed,
            None => parse(source, &self.functions, workspace)?.into(),
        };
        let code = Rc::new(Code::new(parsed));
        known.push((source.text.clone(), code.clone()));
        Ok(code)
    }

    /// Whether there is a template of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.scope.get(name).is_some()
    }

    /// The names of all templates, sorted.
    pub fn names(&self) -> Vec<Rc<str>> {
        let mut names: Vec<_> = self.scope.names().cloned().collect();
        names.sort();
        names
    }

    /// Executes the template `name` with `data` as its dot, appending what it prints to `out`. Bytes that are
    /// not UTF-8 come out as U+FFFD.
    pub fn execute(&self, name: &str, data: &Value, out: &mut String) -> Result<(), Error> {
        let mut printed = Vec::new();
        let result = self.execute_to_bytes(name, data, &mut printed);
        out.push_str(&goyaml::text_of(&printed));
        result
    }

    /// Executes the template `name`, putting what it prints, even if it fails on the way, in the place of what was
    /// in `out`.
    pub(crate) fn execute_to_bytes(&self, name: &str, data: &Value, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut run = Run::new(
            &self.functions,
            &self.context,
            self.missing_key,
            self.limits,
            self.scope.clone(),
            &self.texts,
        );
        out.clear();
        run.out = std::mem::take(out);
        let result = run.execute(name, data.clone());
        crate::fmt::room::close();
        *out = run.out;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Phase;

    fn failure(template: &str) -> Error {
        let mut set = TemplateSet::new(crate::helm::functions(), Options::default());
        let helper = "{{define \"inner\"}}\n  {{fail .}}{{end}}";
        set.add("helpers", helper)
            .and_then(|()| set.add("main", template))
            .and_then(|()| set.execute("main", &Value::from("text"), &mut String::new()))
            .expect_err("it fails")
    }

    #[test]
    fn errors_know_their_place() {
        let error = failure("a: b\nc: {{ .x.y }}\n");
        let place = error.place().expect("it has a place");
        assert_eq!(error.phase(), Phase::Execute);
        assert_eq!((place.name(), place.line(), place.column()), ("main", 2, 8));
        assert_eq!(place.snippet(), "c: {{ .x.y }}");

        let error = failure("a\n\n{{ if }}\n");
        let place = error.place().expect("it has a place");
        assert_eq!(error.phase(), Phase::Parse);
        assert_eq!((place.line(), place.snippet()), (3, "{{ if }}"));
    }

    #[test]
    fn the_innermost_place_is_where_it_really_happened() {
        let error = failure("{{ include \"inner\" . }}");
        let (outer, inner) = (error.place().expect("outer"), error.innermost_place().expect("inner"));
        assert_eq!((outer.name(), outer.line()), ("main", 1));
        assert_eq!((inner.name(), inner.line(), inner.snippet()), ("helpers", 2, "  {{fail .}}{{end}}"));
    }
}
