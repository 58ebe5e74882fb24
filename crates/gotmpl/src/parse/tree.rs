//! The parsed template: nodes that remember where they stood. They are plain data: names and constants are spans of the
//! source, and what they refer to lies in the [`Arena`] of their source.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use bytestring::ByteString;

use super::arena::{Arena, Id, Slice};
use super::constant;
use super::print::Printer;
use crate::error::Error;
use crate::functions::Function;
use crate::value::Text;

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

    /// What stands there.
    pub(crate) fn of(self, source: &str) -> &str {
        &source[self.range()]
    }
}

/// What a source says, whatever its name is.
pub(crate) struct Parsed {
    pub(crate) arena: Arena,
    /// What the source itself does.
    pub(crate) own: Body,
    /// What it defines by name.
    pub(crate) defined: Vec<(Box<str>, Body)>,
    /// How many string constants there are.
    pub(crate) strings: u32,
}

/// The nodes of a template.
#[derive(Clone, Copy)]
pub(crate) struct Body {
    pub(crate) nodes: Slice<Node>,
    /// Whether there is nothing but space.
    pub(crate) is_empty: bool,
}

/// What was parsed, ready to be executed; files with the same text share it.
pub(crate) struct Code {
    pub(crate) parsed: Arc<Parsed>,
    /// The string constants that were needed so far, to be shared from then on. Most of what is parsed is never
    /// executed, and takes no room here.
    strings: OnceCell<Box<[OnceCell<Text>]>>,
}

impl Code {
    pub(crate) fn new(parsed: Arc<Parsed>) -> Self {
        Self { parsed, strings: OnceCell::new() }
    }

    /// The templates that a source with this text makes: those that it defines, and itself.
    pub(crate) fn trees(self: &Rc<Self>, source: &Rc<Source>) -> Result<Vec<Rc<Tree>>, Error> {
        let tree = |name, body| Rc::new(Tree { name, source: source.clone(), code: self.clone(), body });
        let Parsed { own, defined, .. } = &*self.parsed;
        let mut own = Some(*own);
        let mut trees = Vec::with_capacity(defined.len() + 1);
        for (name, body) in defined {
            // Nearly nobody defines a template of the name that the file has.
            if **name == *source.name {
                match own {
                    Some(own) if !own.is_empty && !body.is_empty => {
                        let end = source.text.len();
                        return Err(Error::parse(source, end..end, &super::multiple(name)));
                    }
                    _ if body.is_empty => continue,
                    _ => own = None,
                }
            }
            trees.push(tree(Rc::from(&**name), *body));
        }
        trees.extend(own.map(|own| tree(source.name.clone(), own)));
        Ok(trees)
    }
}

/// One named template.
pub(crate) struct Tree {
    /// The template's name.
    pub(crate) name: Rc<str>,
    /// The source it was parsed from, shared by all templates defined there.
    pub(crate) source: Rc<Source>,
    pub(crate) code: Rc<Code>,
    /// What it does.
    pub(crate) body: Body,
}

impl Tree {
    /// Whether there is nothing but space, so that it does not replace another definition.
    pub(crate) fn is_empty(&self) -> bool {
        self.body.is_empty
    }

    /// The value of a string constant.
    pub(crate) fn string(&self, constant: StringConstant) -> Text {
        let read = || constant::unquote(constant.token.of(&self.source.text)).unwrap_or_else(|| "".into());
        let count = self.code.parsed.strings;
        let strings = self.code.strings.get_or_init(|| (0..count).map(|_| OnceCell::new()).collect());
        strings[constant.number as usize].get_or_init(read).clone()
    }
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
    If(Id<Branch>),
    /// `{{with}}`
    With(Id<Branch>),
    /// `{{range}}`
    Range(Id<Branch>),
    /// `{{template}}`, and what remains of `{{block}}`
    Template(Id<Call>),
    /// `{{break}}`
    Break(u32),
    /// `{{continue}}`
    Continue(u32),
}

/// `if`, `with` or `range`.
pub(crate) struct Branch {
    pub(crate) pipe: Pipe,
    pub(crate) body: Slice<Node>,
    pub(crate) otherwise: Option<Slice<Node>>,
}

/// The invocation of a template.
pub(crate) struct Call {
    pub(crate) position: u32,
    pub(crate) name: Box<str>,
    pub(crate) pipe: Option<Pipe>,
}

/// Commands joined by `|`, perhaps with variables that take the result.
pub(crate) struct Pipe {
    pub(crate) position: u32,
    pub(crate) assign: bool,
    pub(crate) declares: Slice<Variable>,
    pub(crate) commands: Slice<Command>,
}

/// A variable's name, and its number within the source, which is quicker to compare.
#[derive(Clone, Copy)]
pub(crate) struct Variable {
    pub(crate) name: Span,
    pub(crate) id: u32,
}

/// Operands that stand side by side; the first may be a function or a method.
pub(crate) struct Command {
    pub(crate) position: u32,
    pub(crate) args: Slice<Operand>,
}

/// One operand and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    pub(crate) position: u32,
    pub(crate) term: Term,
}

/// What an operand is.
#[derive(Clone, Copy)]
pub(crate) enum Term {
    Dot,
    Nil,
    Bool(bool),
    Number(Id<Number>, Span),
    String(StringConstant),
    Field(Slice<Span>),
    /// A variable's number, and its name with those of the fields after it.
    Variable(u32, Slice<Span>),
    Function(&'static Function),
    Pipe(Id<Pipe>),
    Chain(Id<Chain>),
}

/// A string constant: which one it is of its source, and the token.
#[derive(Clone, Copy)]
pub(crate) struct StringConstant {
    pub(crate) number: u32,
    pub(crate) token: Span,
}

/// `(pipeline).Field.Field`
pub(crate) struct Chain {
    pub(crate) operand: Operand,
    pub(crate) fields: Slice<Span>,
}

/// A number constant: all that its spelling can mean.
pub(crate) struct Number {
    pub(crate) int: Option<i64>,
    pub(crate) uint: Option<u64>,
    pub(crate) float: Option<f64>,
    pub(crate) complex: Option<(f64, f64)>,
    pub(crate) ideal: Ideal,
}

/// What a number is where the context does not ask for a type.
#[derive(Clone, Copy)]
pub(crate) enum Ideal {
    Int(i64),
    Float(f64),
    Complex,
    Overflow,
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
    pub(crate) fn position(self, arena: &Arena) -> usize {
        let position = match self {
            Self::Nowhere => 0,
            Self::Node(Node::Text(span)) => span.start,
            Self::Node(Node::Action(pipe)) | Self::Pipe(pipe) => pipe.position,
            Self::Node(Node::If(branch) | Node::With(branch) | Node::Range(branch)) => {
                arena[*branch].pipe.position
            }
            Self::Node(Node::Template(call)) => arena[*call].position,
            Self::Node(Node::Break(position) | Node::Continue(position)) => *position,
            Self::Command(command) => command.position,
            Self::Operand(operand) => operand.position,
        };
        position as usize
    }

    /// The node as Go prints it.
    pub(crate) fn describe(self, arena: &Arena, source: &str) -> String {
        let mut printer = Printer::new(arena, source);
        match self {
            Self::Nowhere => {}
            Self::Node(node) => printer.nodes(std::slice::from_ref(node)),
            Self::Pipe(pipe) => printer.pipe(pipe),
            Self::Command(command) => printer.command(command),
            Self::Operand(operand) => printer.operand(operand),
        }
        printer.text
    }
}
