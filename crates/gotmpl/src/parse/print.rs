//! Nodes as Go prints them in errors.

use super::arena::{Arena, Slice};
use super::tree::{Branch, Command, Node, Operand, Pipe, Span, Term};

/// Prints parts of one source.
pub(crate) struct Printer<'t> {
    arena: &'t Arena,
    source: &'t str,
    /// What was printed.
    pub(crate) text: String,
}

impl<'t> Printer<'t> {
    pub(crate) fn new(arena: &'t Arena, source: &'t str) -> Self {
        Self { arena, source, text: String::new() }
    }

    pub(crate) fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Text(span) => self.text.push_str(span.of(self.source)),
                Node::Action(pipe) => {
                    self.text.push_str("{{");
                    self.pipe(pipe);
                    self.text.push_str("}}");
                }
                Node::If(branch) => self.branch("if", &self.arena[*branch]),
                Node::With(branch) => self.branch("with", &self.arena[*branch]),
                Node::Range(branch) => self.branch("range", &self.arena[*branch]),
                Node::Template(call) => {
                    let call = &self.arena[*call];
                    self.text.push_str("{{template ");
                    self.text.push_str(&goyaml::strconv::quote(&call.name));
                    if let Some(pipe) = &call.pipe {
                        self.text.push(' ');
                        self.pipe(pipe);
                    }
                    self.text.push_str("}}");
                }
                Node::Break(_) => self.text.push_str("{{break}}"),
                Node::Continue(_) => self.text.push_str("{{continue}}"),
            }
        }
    }

    fn branch(&mut self, keyword: &str, branch: &Branch) {
        self.text.push_str("{{");
        self.text.push_str(keyword);
        self.text.push(' ');
        self.pipe(&branch.pipe);
        self.text.push_str("}}");
        self.nodes(&self.arena[branch.body]);
        if let Some(otherwise) = branch.otherwise {
            self.text.push_str("{{else}}");
            self.nodes(&self.arena[otherwise]);
        }
        self.text.push_str("{{end}}");
    }

    pub(crate) fn pipe(&mut self, pipe: &Pipe) {
        for (index, variable) in self.arena[pipe.declares].iter().enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "" });
            self.text.push_str(variable.name.of(self.source));
        }
        if !pipe.declares.is_empty() {
            self.text.push_str(if pipe.assign { " = " } else { " := " });
        }
        for (index, command) in self.arena[pipe.commands].iter().enumerate() {
            self.text.push_str(if index > 0 { " | " } else { "" });
            self.command(command);
        }
    }

    pub(crate) fn command(&mut self, command: &Command) {
        for (index, argument) in self.arena[command.args].iter().enumerate() {
            self.text.push_str(if index > 0 { " " } else { "" });
            self.inner(argument);
        }
    }

    /// An operand within something else: pipelines get their parentheses.
    fn inner(&mut self, operand: &Operand) {
        let is_pipe = matches!(operand.term, Term::Pipe(_));
        self.text.push_str(if is_pipe { "(" } else { "" });
        self.operand(operand);
        self.text.push_str(if is_pipe { ")" } else { "" });
    }

    pub(crate) fn operand(&mut self, operand: &Operand) {
        match operand.term {
            Term::Dot => self.text.push('.'),
            Term::Nil => self.text.push_str("nil"),
            Term::Bool(value) => self.text.push_str(if value { "true" } else { "false" }),
            Term::Number(_, token) => self.text.push_str(token.of(self.source)),
            Term::String(constant) => self.text.push_str(constant.token.of(self.source)),
            Term::Field(fields) => self.fields(fields),
            Term::Variable(_, names) => {
                for (index, name) in self.arena[names].iter().enumerate() {
                    self.text.push_str(if index > 0 { "." } else { "" });
                    self.text.push_str(name.of(self.source));
                }
            }
            Term::Function(function) => self.text.push_str(function.name),
            Term::Pipe(pipe) => self.pipe(&self.arena[pipe]),
            Term::Chain(chain) => {
                let chain = &self.arena[chain];
                self.inner(&chain.operand);
                self.fields(chain.fields);
            }
        }
    }

    fn fields(&mut self, fields: Slice<Span>) {
        for field in &self.arena[fields] {
            self.text.push('.');
            self.text.push_str(field.of(self.source));
        }
    }
}
