//! Walks one template's nodes, printing as it goes.

use std::rc::Rc;

use super::Run;
use super::slot::Slot;
use crate::error::{Cause, Error, Place};
use crate::parse::ROOT;
use crate::parse::arena::{Arena, Id, Slice};
use crate::parse::print::Printer;
use crate::parse::tree::{At, Branch, Call, Node, Operand, Pipe, Tree};
use crate::parse::with_room;
use crate::value::types::STRING;
use crate::value::{Kind, Method, Text, Value};

/// A variable that is in scope.
pub(super) struct Variable {
    pub(super) id: u32,
    pub(super) slot: Slot,
}

/// Where the walk goes on after a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Continue,
}

/// One template being executed.
pub(super) struct State<'t, 'x, 'r> {
    pub(super) run: &'x mut Run<'r>,
    pub(super) tree: &'t Tree,
    /// What the tree is made of, and the text it was parsed from.
    pub(super) arena: &'t Arena,
    pub(super) text: &'t str,
    /// The node that an error would be reported at; follows Go's steps exactly.
    pub(super) at: At<'t>,
    /// Where this template's variables begin.
    base: usize,
    root: Slot,
}

impl<'t, 'x, 'r> State<'t, 'x, 'r> {
    pub(super) fn new(run: &'x mut Run<'r>, tree: &'t Tree, data: Slot) -> Self {
        let base = run.variables.len();
        run.variables.push(Variable { id: ROOT, slot: data.clone() });
        let (arena, text) = (&tree.code.parsed.arena, &*tree.source.text);
        Self { run, tree, arena, text, at: At::Nowhere, base, root: data }
    }

    /// Executes the template.
    pub(super) fn run(mut self) -> Result<(), Error> {
        let root = std::mem::take(&mut self.root);
        let result = self.nodes(self.tree.body.nodes, &root);
        self.run.variables.truncate(self.base);
        result.map(|_| ())
    }

    /// An error here and now, with Go's words around it.
    #[cold]
    pub(super) fn error(&self, message: &str) -> Error {
        self.error_because(message, None)
    }

    /// An error that a function caused, whose text follows the message.
    #[cold]
    pub(super) fn error_because(&self, message: &str, cause: Option<Cause>) -> Error {
        let source = &self.tree.source;
        let position = self.at.position(self.arena);
        let context = self.at.describe(self.arena, self.text);
        let text = format!(
            "template: {}:{}:{}: executing {} at <{context}>: {message}",
            source.name,
            source.line(position),
            source.column(position),
            goyaml::strconv::quote(&self.tree.name),
        );
        let end = (position + context.len()).min(source.text.len());
        let end = if source.text.is_char_boundary(end) { end } else { position };
        Error::execute(text, Some(Place::new(source, position..end)), cause)
    }

    /// An operand as errors show it.
    #[cold]
    pub(super) fn shown(&self, operand: &Operand) -> String {
        let mut printer = Printer::new(self.arena, self.text);
        printer.operand(operand);
        printer.text
    }

    pub(super) fn push(&mut self, id: u32, slot: Slot) {
        self.run.variables.push(Variable { id, slot });
    }

    pub(super) fn find_variable(&mut self, id: u32) -> Option<&mut Slot> {
        let variables = &mut self.run.variables[self.base..];
        variables.iter_mut().rev().find(|variable| variable.id == id).map(|variable| &mut variable.slot)
    }

    fn nodes(&mut self, nodes: Slice<Node>, dot: &Slot) -> Result<Flow, Error> {
        for node in &self.arena[nodes] {
            let flow = self.node(node, dot)?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn step(&mut self) -> Result<(), Error> {
        self.run.steps += 1;
        if self.run.steps > self.run.limits.steps {
            let limit = self.run.limits.steps;
            return Err(self.error(&format!("exceeded the limit of {limit} steps")));
        }
        Ok(())
    }

    fn check_output(&self) -> Result<(), Error> {
        let limit = self.run.limits.output_bytes;
        if self.run.out.len() > limit {
            return Err(self.error(&format!("exceeded the limit of {limit} bytes of output")));
        }
        Ok(())
    }

    fn node(&mut self, node: &'t Node, dot: &Slot) -> Result<Flow, Error> {
        self.at = At::Node(node);
        self.step()?;
        match node {
            Node::Text(span) => {
                self.run.out.extend_from_slice(&self.text.as_bytes()[span.range()]);
                self.check_output()?;
            }
            Node::Action(pipe) if pipe.declares.is_empty() && self.include_in_place(dot, pipe)? => {
                self.at = At::Node(node);
                self.check_output()?;
            }
            Node::Action(pipe) => {
                let value = self.pipeline(dot, pipe)?;
                if pipe.declares.is_empty() {
                    self.at = At::Node(node);
                    self.print(&value, pipe)?;
                }
            }
            Node::If(branch) => return self.branch(*branch, dot, false),
            Node::With(branch) => return self.branch(*branch, dot, true),
            Node::Range(branch) => return self.range(*branch, dot),
            Node::Template(call) => self.template(*call, dot)?,
            Node::Break(_) => return Ok(Flow::Break),
            Node::Continue(_) => return Ok(Flow::Continue),
        }
        Ok(Flow::On)
    }

    fn print(&mut self, value: &Value, pipe: &Pipe) -> Result<(), Error> {
        crate::fmt::room::open(self.run.limits.value_bytes);
        match value {
            Value::Nil => self.run.out.extend_from_slice(b"<no value>"),
            Value::Func(_) => {
                let mut printer = Printer::new(self.arena, self.text);
                printer.pipe(pipe);
                let message = format!("can't print {{{{{}}}}} of type {}", printer.text, value.type_name());
                return Err(self.error(&message));
            }
            Value::String(text) => self.run.out.extend_from_slice(text.as_bytes()),
            _ => match pointer_string(value) {
                Some(method) => {
                    let text = (method.run)(self.run.context, value, &[])
                        .map_err(|error| self.error(error.message()))?;
                    crate::fmt::append_indirect(&mut self.run.out, &text);
                }
                None => crate::fmt::append_indirect(&mut self.run.out, value),
            },
        }
        self.run.check_printed().map_err(|error| self.error(error.message()))?;
        self.check_output()
    }

    fn branch(&mut self, branch: Id<Branch>, dot: &Slot, sets_dot: bool) -> Result<Flow, Error> {
        let branch = &self.arena[branch];
        let mark = self.run.variables.len();
        let value = self.pipeline(dot, &branch.pipe)?;
        let flow = if value.truth() {
            if sets_dot {
                let dot = Slot::plain(value);
                with_room(|| self.nodes(branch.body, &dot))?
            } else {
                with_room(|| self.nodes(branch.body, dot))?
            }
        } else if let Some(otherwise) = branch.otherwise {
            with_room(|| self.nodes(otherwise, dot))?
        } else {
            Flow::On
        };
        self.run.variables.truncate(mark);
        Ok(flow)
    }

    fn range(&mut self, branch: Id<Branch>, dot: &Slot) -> Result<Flow, Error> {
        let branch = &self.arena[branch];
        let outer = self.run.variables.len();
        let value = self.pipeline(dot, &branch.pipe)?;
        let ran = match &value {
            Value::Nil => false,
            Value::Int(ty, count) => {
                self.no_index(branch, &value)?;
                self.each(branch, 0..(*count).max(0), |number| {
                    (Slot::INVALID, Slot::plain(Value::Int(ty, number)))
                })?
            }
            Value::Uint(ty, count) => {
                self.no_index(branch, &value)?;
                self.each(branch, 0..*count, |number| (Slot::INVALID, Slot::plain(Value::Uint(ty, number))))?
            }
            Value::List(list) => {
                let elem = list.elem();
                let items = (0..).map_while(|index| list.get(index).map(|item| (index, item)));
                self.each(branch, items, |(index, item)| {
                    (Slot::plain(Value::int(index as i64)), Slot::of(item, elem))
                })?
            }
            Value::Bytes(bytes) => self.each(branch, bytes.iter().enumerate(), |(index, byte)| {
                let byte = Value::Uint(crate::value::types::UINT8, u64::from(*byte));
                (Slot::plain(Value::int(index as i64)), Slot::plain(byte))
            })?,
            Value::Map(map) => {
                let elem = map.elem();
                let entries: Vec<(Rc<str>, Value)> =
                    map.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
                self.each(branch, entries.into_iter(), |(key, value)| {
                    (Slot::of(Value::String(Text::of_key(&key)), STRING), Slot::of(value, elem))
                })?
            }
            _ => {
                let mut text = b"range can't iterate over ".to_vec();
                crate::fmt::append_indirect(&mut text, &value);
                return Err(self.error(&goyaml::text_of(&text)));
            }
        };
        if !ran && let Some(otherwise) = branch.otherwise {
            let flow = with_room(|| self.nodes(otherwise, dot))?;
            self.run.variables.truncate(outer);
            return Ok(flow);
        }
        self.run.variables.truncate(outer);
        Ok(Flow::On)
    }

    /// A number gives its range one variable only.
    fn no_index(&self, branch: &Branch, value: &Value) -> Result<(), Error> {
        if branch.pipe.declares.len() > 1 {
            let number = crate::fmt::to_text(value);
            return Err(self.error(&format!("can't use {number} to iterate over more than one variable")));
        }
        Ok(())
    }

    /// Runs the body for each item; false if there was none.
    fn each<I>(
        &mut self,
        branch: &'t Branch,
        items: impl Iterator<Item = I>,
        slots: impl Fn(I) -> (Slot, Slot),
    ) -> Result<bool, Error> {
        let mark = self.run.variables.len();
        let mut ran = false;
        for item in items {
            ran = true;
            self.step()?;
            let (index, element) = slots(item);
            self.set_range_variables(&branch.pipe, index, &element)?;
            let flow = with_room(|| self.nodes(branch.body, &element))?;
            self.run.variables.truncate(mark);
            if flow == Flow::Break {
                break;
            }
        }
        Ok(ran)
    }

    fn set_range_variables(&mut self, pipe: &'t Pipe, index: Slot, element: &Slot) -> Result<(), Error> {
        match (&self.arena[pipe.declares], pipe.assign) {
            ([], _) => {}
            ([only], true) => self.assign(only, element.clone())?,
            ([first, second, ..], true) => {
                self.assign(first, index)?;
                self.assign(second, element.clone())?;
            }
            (declares, false) => {
                let variables = &mut self.run.variables;
                let top = variables.len();
                variables[top - 1].slot = element.clone();
                if declares.len() > 1 {
                    variables[top - 2].slot = index;
                }
            }
        }
        Ok(())
    }

    pub(super) fn assign(
        &mut self,
        variable: &crate::parse::tree::Variable,
        slot: Slot,
    ) -> Result<(), Error> {
        match self.find_variable(variable.id) {
            Some(found) => {
                *found = slot;
                Ok(())
            }
            None => Err(self.error(&format!("undefined variable: {}", variable.name.of(self.text)))),
        }
    }

    fn template(&mut self, call: Id<Call>, dot: &Slot) -> Result<(), Error> {
        let call = &self.arena[call];
        let Some(tree) = self.run.scope.get(&call.name) else {
            let name = goyaml::strconv::quote(&call.name);
            return Err(self.error(&format!("template {name} not defined")));
        };
        if self.run.is_too_deep() {
            return Err(self.error("exceeded maximum template depth (100000)"));
        }
        let data = match &call.pipe {
            Some(pipe) => Slot::plain(self.pipeline(dot, pipe)?),
            None => Slot::INVALID,
        };
        self.run.execute_tree(&tree, data)
    }
}

/// The `String` method of a pointer to this struct, if only the pointer has it. An action prints a field through
/// its address and so finds the method; functions are given the struct itself and print its fields.
fn pointer_string(value: &Value) -> Option<&'static Method> {
    let ty = value.ty().filter(|ty| ty.kind == Kind::Struct && ty.stringer.is_none())?;
    ty.method("String")
}
