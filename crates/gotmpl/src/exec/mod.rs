//! Runs templates. [`Run`] is one run of a set with its output, budgets and scope; [`state::State`] is one
//! template within it.

use std::cell::RefCell;
use std::rc::Rc;

mod call;
mod eval;
mod include;
mod memory;
pub(crate) mod scope;
pub(crate) mod slot;
mod state;

pub(crate) use include::without_no_value;
use scope::Scope;
use slot::Slot;
use state::{State, Variable};

use crate::error::Error;
use crate::functions::{Context, Functions};
use crate::parse::tree::Tree;
use crate::parse::{Map, Workspace, with_room};
use crate::value::Value;

/// What to do about a key that a map does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingKey {
    /// Go on with no value, which prints as `<no value>`.
    #[default]
    Default,
    /// Go on with the zero value of the map's elements.
    Zero,
    /// Stop with an error.
    Error,
}

/// Bounds on what a template may use up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How often `include` may be inside itself for one name.
    pub include_depth: usize,
    /// How deeply templates may call templates, by whatever means.
    pub template_depth: usize,
    /// How many bytes one execution may print.
    pub output_bytes: usize,
    /// How many nodes may be executed.
    pub steps: u64,
    /// How many bytes a value may hold that a function makes. All values together may hold four times as much.
    pub value_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            include_depth: 1000,
            // Go allows 100,000. The difference is a multiple of all numbers up to ten, so that templates that call
            // each other in a circle end in the same one of them.
            template_depth: 100_000 - 32 * 2_520,
            output_bytes: 256 << 20,
            steps: 2_000_000_000,
            value_bytes: 256 << 20,
        }
    }
}

/// The trees of one parsed text.
pub(crate) type Trees = Rc<[Rc<Tree>]>;

/// The texts that `tpl` has parsed, shared by all runs of a set.
#[derive(Default)]
pub(crate) struct Texts {
    known: Map<Rc<str>, Trees>,
    workspace: Workspace,
}

/// One run: what all templates that take part in it share.
pub(crate) struct Run<'r> {
    pub(crate) functions: &'r Functions,
    pub(crate) context: &'r Context,
    pub(crate) missing_key: MissingKey,
    pub(crate) limits: Limits,
    pub(crate) scope: Rc<Scope>,
    pub(crate) out: Vec<u8>,
    pub(crate) texts: &'r RefCell<Texts>,
    /// The names that are being included right now, the innermost last.
    included: Vec<Rc<str>>,
    pub(crate) depth: usize,
    /// The depth at which the last of `include` and `tpl` began: Go counts from there.
    start: usize,
    pub(crate) steps: u64,
    /// Bytes that calls have made, but for what was dropped when they were last counted.
    made: usize,
    /// When they are to be counted again.
    count_at: usize,
    variables: Vec<Variable>,
    arguments: Vec<Value>,
}

impl<'r> Run<'r> {
    pub(crate) fn new(
        functions: &'r Functions,
        context: &'r Context,
        missing_key: MissingKey,
        limits: Limits,
        scope: Rc<Scope>,
        texts: &'r RefCell<Texts>,
    ) -> Self {
        Self {
            functions,
            context,
            missing_key,
            limits,
            scope,
            out: Vec::new(),
            texts,
            included: Vec::new(),
            depth: 0,
            start: 0,
            steps: 0,
            made: 0,
            count_at: limits.value_bytes,
            variables: Vec::new(),
            arguments: Vec::new(),
        }
    }

    /// Executes the template of that name, appending to the output.
    pub(crate) fn execute(&mut self, name: &str, data: Value) -> Result<(), Error> {
        let Some(tree) = self.scope.get(name) else {
            let quote = goyaml::strconv::quote;
            let text = format!(
                "template: no template {} associated with template {}",
                quote(name),
                quote(self.scope.name())
            );
            return Err(Error::lookup(text));
        };
        self.execute_first(&tree, Slot::plain(data))
    }

    /// Executes a tree that no other calls by `template`.
    fn execute_first(&mut self, tree: &Rc<Tree>, data: Slot) -> Result<(), Error> {
        let outer = std::mem::replace(&mut self.start, self.depth);
        let result = self.execute_tree(tree, data);
        self.start = outer;
        result
    }

    /// Whether the template that is being executed may call no further one.
    fn is_too_deep(&self) -> bool {
        let limit = self.limits.template_depth;
        self.depth > self.start + limit || self.depth > limit + limit / 10
    }

    /// Executes a tree with `data` as its dot.
    fn execute_tree(&mut self, tree: &Rc<Tree>, data: Slot) -> Result<(), Error> {
        self.depth += 1;
        let result = with_room(|| State::new(self, tree, data).run());
        self.depth -= 1;
        result
    }
}
