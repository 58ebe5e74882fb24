//! The parsed template: nodes that remember where they stood, and print as Go prints them in errors.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::rc::Rc;

use bytestring::ByteString;

use crate::functions::Function;
use crate::value::{Text, Value};

/// A stretch of a source. Sources are far below 4 GiB, and nodes are many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    /// The same as a range of bytes.
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One named template.
pub(crate) struct Tree {
    /// The template's name.
    pub(crate) name: Rc<str>,
    /// The source it was parsed from, shared by all templates defined there.
    pub(crate) source: Rc<Source>,
    /// What it does; files with the same text share it.
    pub(crate) root: Rc<Body>,
}

/// The nodes of a template.
pub(crate) struct Body {
    pub(crate) nodes: Vec<Node>,
    /// How deeply they nest.
    pub(crate) nesting: usize,
    /// Whether there is nothing but space.
    pub(crate) is_empty: bool,
}

impl Body {
    pub(crate) fn new(nodes: Vec<Node>, nesting: usize, source: &str) -> Self {
        let is_empty = nodes
            .iter()
            .all(|node| matches!(node, Node::Text(span) if go_trim_is_empty(&source[span.range()])));
        Self { nodes, nesting, is_empty }
    }
}

impl Tree {
    /// Whether there is nothing but space, so that it does not replace another definition.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_empty
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        // Dropping recurses as deeply as the nodes nest.
        if self.nesting > 500 {
            let nodes = std::mem::take(&mut self.nodes);
            stacker::grow(self.nesting * 4096, || drop(nodes));
        }
    }
}

fn go_trim_is_empty(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// A text that was parsed, under the name that errors give.
pub(crate) struct Source {
    /// The name of the file or text.
    pub(crate) name: Rc<str>,
    /// The text.
    pub(crate) text: ByteString,
}

/// An element of a template's body.
pub(crate) enum Node {
    /// Text to copy: a span of the source.
    Text(Span),
    /// `{{pipeline}}`
    Action(Pipe),
    /// `{{if}}`
    If(Box<Branch>),
    /// `{{with}}`
    With(Box<Branch>),
    /// `{{range}}`
    Range(Box<Branch>),
    /// `{{template}}`, and what remains of `{{block}}`
    Template(Box<Call>),
    /// `{{break}}`
    Break(u32),
    /// `{{continue}}`
    Continue(u32),
}

/// `if`, `with` or `range`.
pub(crate) struct Branch {
    pub(crate) pipe: Pipe,
    pub(crate) body: Vec<Node>,
    pub(crate) otherwise: Option<Vec<Node>>,
}

/// The invocation of a template.
pub(crate) struct Call {
    pub(crate) position: u32,
    pub(crate) name: Rc<str>,
    pub(crate) pipe: Option<Pipe>,
}

/// Commands joined by `|`, perhaps with variables that take the result.
pub(crate) struct Pipe {
    pub(crate) position: u32,
    pub(crate) assign: bool,
    pub(crate) declares: Vec<Rc<Variable>>,
    pub(crate) commands: Box<[Command]>,
}

/// A variable's name, and its number within the tree set, which is quicker to compare.
pub(crate) struct Variable {
    pub(crate) name: Rc<str>,
    pub(crate) id: u32,
}

/// Operands that stand side by side; the first may be a function or a method.
pub(crate) struct Command {
    pub(crate) position: u32,
    pub(crate) args: Box<[Operand]>,
}

/// One operand and where it stands.
pub(crate) struct Operand {
    pub(crate) position: u32,
    pub(crate) term: Term,
}

/// What an operand is.
pub(crate) enum Term {
    Dot,
    Nil,
    Bool(bool),
    Number(Box<Number>),
    String(Box<StringConstant>),
    Field(Box<[Rc<str>]>),
    Variable(Rc<Variable>, Box<[Rc<str>]>),
    Function(&'static Function),
    Pipe(Box<Pipe>),
    Chain(Box<Chain>),
}

/// A string constant: its value, and how it was written.
pub(crate) struct StringConstant {
    pub(crate) text: Text,
    pub(crate) quoted: Box<str>,
}

/// `(pipeline).Field.Field`
pub(crate) struct Chain {
    pub(crate) operand: Operand,
    pub(crate) fields: Box<[Rc<str>]>,
}

/// A number constant: all that its spelling can mean.
pub(crate) struct Number {
    pub(crate) text: Box<str>,
    pub(crate) int: Option<i64>,
    pub(crate) uint: Option<u64>,
    pub(crate) float: Option<f64>,
    pub(crate) complex: Option<(f64, f64)>,
    /// Its value where the context does not ask for a type; `None` if that overflows.
    pub(crate) ideal: Option<Value>,
}

/// Any node, as errors point at it.
#[derive(Clone, Copy)]
pub(crate) enum At<'t> {
    Nowhere,
    Node(&'t Node),
    Pipe(&'t Pipe),
    Command(&'t Command),
    Operand(&'t Operand),
}

impl At<'_> {
    /// The offset in the source that Go gives for this node.
    pub(crate) fn position(self) -> usize {
        let position = match self {
            Self::Nowhere => 0,
            Self::Node(Node::Text(span)) => span.start,
            Self::Node(Node::Action(pipe)) | Self::Pipe(pipe) => pipe.position,
            Self::Node(Node::If(branch) | Node::With(branch) | Node::Range(branch)) => branch.pipe.position,
            Self::Node(Node::Template(call)) => call.position,
            Self::Node(Node::Break(position) | Node::Continue(position)) => *position,
            Self::Command(command) => command.position,
            Self::Operand(operand) => operand.position,
        };
        position as usize
    }

    /// The node as Go prints it.
    pub(crate) fn describe(self, source: &str) -> String {
        match self {
            Self::Nowhere => String::new(),
            Self::Node(node) => {
                let mut text = String::new();
                write_nodes(std::slice::from_ref(node), source, &mut text);
                text
            }
            Self::Pipe(pipe) => pipe.to_string(),
            Self::Command(command) => command.to_string(),
            Self::Operand(operand) => operand.to_string(),
        }
    }
}

fn write_nodes(nodes: &[Node], source: &str, out: &mut String) {
    use fmt::Write as _;
    for node in nodes {
        // Writing to a string cannot fail.
        let _ = match node {
            Node::Text(span) => out.write_str(&source[span.range()]),
            Node::Action(pipe) => write!(out, "{{{{{pipe}}}}}"),
            Node::If(branch) => write_branch("if", branch, source, out),
            Node::With(branch) => write_branch("with", branch, source, out),
            Node::Range(branch) => write_branch("range", branch, source, out),
            Node::Template(call) => {
                let name = goyaml::strconv::quote(&call.name);
                match &call.pipe {
                    Some(pipe) => write!(out, "{{{{template {name} {pipe}}}}}"),
                    None => write!(out, "{{{{template {name}}}}}"),
                }
            }
            Node::Break(_) => out.write_str("{{break}}"),
            Node::Continue(_) => out.write_str("{{continue}}"),
        };
    }
}

fn write_branch(keyword: &str, branch: &Branch, source: &str, out: &mut String) -> fmt::Result {
    use fmt::Write as _;
    write!(out, "{{{{{keyword} {}}}}}", branch.pipe)?;
    write_nodes(&branch.body, source, out);
    if let Some(otherwise) = &branch.otherwise {
        out.write_str("{{else}}")?;
        write_nodes(otherwise, source, out);
    }
    out.write_str("{{end}}")
}

impl Display for Pipe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, variable) in self.declares.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            f.write_str(&variable.name)?;
        }
        if !self.declares.is_empty() {
            f.write_str(if self.assign { " = " } else { " := " })?;
        }
        for (index, command) in self.commands.iter().enumerate() {
            f.write_str(if index > 0 { " | " } else { "" })?;
            command.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, arg) in self.args.iter().enumerate() {
            f.write_str(if index > 0 { " " } else { "" })?;
            write_operand(arg, f)?;
        }
        Ok(())
    }
}

/// An operand within something else: pipelines get their parentheses.
fn write_operand(operand: &Operand, f: &mut Formatter<'_>) -> fmt::Result {
    match &operand.term {
        Term::Pipe(pipe) => write!(f, "({pipe})"),
        _ => operand.fmt(f),
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.term {
            Term::Dot => f.write_str("."),
            Term::Nil => f.write_str("nil"),
            Term::Bool(value) => value.fmt(f),
            Term::Number(number) => f.write_str(&number.text),
            Term::String(string) => f.write_str(&string.quoted),
            Term::Field(fields) => write_fields(fields, f),
            Term::Variable(variable, fields) => {
                f.write_str(&variable.name)?;
                write_fields(fields, f)
            }
            Term::Function(function) => f.write_str(function.name),
            Term::Pipe(pipe) => pipe.fmt(f),
            Term::Chain(chain) => {
                write_operand(&chain.operand, f)?;
                write_fields(&chain.fields, f)
            }
        }
    }
}

fn write_fields(fields: &[Rc<str>], f: &mut Formatter<'_>) -> fmt::Result {
    for field in fields {
        f.write_str(".")?;
        f.write_str(field)?;
    }
    Ok(())
}
