//! Reads a template's source into trees, with Go's grammar and Go's complaints.

use std::collections::HashMap;
use std::rc::Rc;

pub(crate) mod arena;
mod constant;
mod expression;
mod lex;
pub(crate) mod print;
pub(crate) mod tree;

use arena::{Arena, Id, Slice};
use bytestring::ByteString;
use lex::{Kind, Lexer, Token};
use tree::{Body, Branch, Call, Command, Node, Operand, Parsed, Source, Span};

use crate::error::Error;
use crate::functions::Functions;

/// A hash map for short keys.
pub(crate) type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Parses the text of `source` in a space that others have used before, and will again.
pub(crate) fn parse(
    source: &Rc<Source>,
    functions: &Functions,
    workspace: &mut Workspace,
) -> Result<Parsed, Error> {
    if u32::try_from(source.text.len()).is_err() {
        return Err(Error::parse(source, 0..0, "the template is larger than 4 GiB"));
    }
    workspace.clear();
    let mut parser = Parser {
        source,
        text: &source.text,
        lexer: Lexer::new(&source.text),
        functions,
        defined: Map::default(),
        variables: Map::default(),
        strings: 0,
        state: State::default(),
        workspace,
    };
    let own = parser.top_level()?;
    let Parser { defined, strings, .. } = parser;
    Ok(Parsed { arena: workspace.arena.take(), own, defined: defined.into_iter().collect(), strings })
}

/// Whether a text can be parsed, and if so into what; why not, depends on its name.
pub(crate) fn parse_unnamed(
    text: ByteString,
    functions: &Functions,
    workspace: &mut Workspace,
) -> Option<Parsed> {
    let source = Rc::new(Source { name: "".into(), text });
    parse(&source, functions, workspace).ok()
}

/// Where parts are gathered while a source is parsed.
#[derive(Default)]
pub(crate) struct Workspace {
    arena: Arena,
    // What is being gathered, innermost last, until its number is known and it gets a place in the arena.
    nodes: Vec<Node>,
    commands: Vec<Command>,
    operands: Vec<Operand>,
    names: Vec<Span>,
}

impl Workspace {
    fn clear(&mut self) {
        self.arena.clear();
        self.nodes.clear();
        self.commands.clear();
        self.operands.clear();
        self.names.clear();
    }
}

/// What Go keeps per tree while it parses; `define` and `block` begin a new one on the same tokens.
struct State {
    /// Up to three tokens of look-ahead, the newest first.
    tokens: [Token; 3],
    peeked: usize,
    variables: Vec<u32>,
    /// Where the left delimiter of the current action stands.
    action: Option<u32>,
    range_depth: usize,
    paren_depth: usize,
    nesting: usize,
}

impl Default for State {
    fn default() -> Self {
        Self {
            tokens: [Token::NONE; 3],
            peeked: 0,
            variables: vec![ROOT],
            action: None,
            range_depth: 0,
            paren_depth: 0,
            nesting: 0,
        }
    }
}

/// The number of the variable `$`.
pub(crate) const ROOT: u32 = 0;

/// Go's limit on parentheses within parentheses.
const MAX_PAREN_DEPTH: usize = 10_000;
/// Go has no limit on blocks within blocks; ours is far beyond what people write.
const MAX_NESTING: usize = 10_000;

struct Parser<'s, 'w> {
    source: &'s Rc<Source>,
    text: &'s str,
    lexer: Lexer<'s>,
    functions: &'s Functions,
    defined: Map<Box<str>, Body>,
    /// The numbers of the variables by their names.
    variables: Map<&'s str, u32>,
    strings: u32,
    state: State,
    workspace: &'w mut Workspace,
}

/// What ended a list of nodes.
enum Ending {
    End,
    Else,
}

impl Ending {
    fn describe(&self) -> &'static str {
        match self {
            Self::End => "{{end}}",
            Self::Else => "{{else}}",
        }
    }
}

/// One step of a list of nodes.
enum Item {
    Node(Node),
    Ending(Ending),
}

impl<'s> Parser<'s, '_> {
    fn text(&self, token: Token) -> &'s str {
        token.span.of(self.text)
    }

    fn next(&mut self) -> Token {
        if self.state.peeked > 0 {
            self.state.peeked -= 1;
        } else {
            self.state.tokens[0] = self.lexer.next();
        }
        self.state.tokens[self.state.peeked]
    }

    fn backup(&mut self) {
        self.state.peeked += 1;
    }

    fn peek(&mut self) -> Token {
        if self.state.peeked == 0 {
            self.state.peeked = 1;
            self.state.tokens[0] = self.lexer.next();
        }
        self.state.tokens[self.state.peeked - 1]
    }

    fn next_non_space(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    fn peek_non_space(&mut self) -> Token {
        let token = self.next_non_space();
        self.backup();
        token
    }

    /// An error at the newest token, which is what Go's errors name the line of.
    fn error(&self, message: &str) -> Error {
        Error::parse(self.source, self.state.tokens[0].span.range(), message)
    }

    fn unexpected(&self, token: Token, context: &str) -> Error {
        let described = self.lexer.describe(token);
        if token.kind != Kind::Error {
            return self.error(&format!("unexpected {described} in {context}"));
        }
        let line = |position: u32| self.source.line(position as usize);
        let mut message = described;
        if let Some(action) = self.state.action
            && line(action) != line(token.span.start)
        {
            // "unclosed action in action started" would stutter.
            let joint = if message.ends_with(" action") { "" } else { " in action" };
            message = format!("{message}{joint} started at {}:{}", self.source.name, line(action));
        }
        self.error(&message)
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Result<Token, Error> {
        let token = self.next_non_space();
        if token.kind == kind { Ok(token) } else { Err(self.unexpected(token, context)) }
    }

    fn top_level(&mut self) -> Result<Body, Error> {
        loop {
            match self.peek().kind {
                Kind::Eof => break,
                Kind::LeftDelim => {
                    let delim = self.next();
                    if self.next_non_space().kind == Kind::Define {
                        self.definition()?;
                        continue;
                    }
                    // Both go back; the newer is there already.
                    self.state.tokens[1] = delim;
                    self.state.peeked = 2;
                }
                _ => {}
            }
            match self.text_or_action()? {
                Item::Node(node) => self.workspace.nodes.push(node),
                Item::Ending(ending) => {
                    return Err(self.error(&format!("unexpected {}", ending.describe())));
                }
            }
        }
        Ok(self.body(0))
    }

    /// The nodes that were gathered from `base` on.
    fn gathered(&mut self, base: usize) -> Slice<Node> {
        self.workspace.arena.keep_all(self.workspace.nodes.drain(base..))
    }

    /// The same as the body of a template.
    fn body(&mut self, base: usize) -> Body {
        let is_space = |node: &Node| matches!(node, Node::Text(span) if span.of(self.text).trim().is_empty());
        let is_empty = self.workspace.nodes[base..].iter().all(is_space);
        Body { nodes: self.gathered(base), is_empty }
    }

    /// Puts a definition among the others of this source.
    fn define(&mut self, name: Box<str>, body: Body) -> Result<(), Error> {
        match self.defined.get(&name) {
            Some(old) if !old.is_empty => {
                if !body.is_empty {
                    return Err(self.error(&multiple(&name)));
                }
            }
            _ => {
                self.defined.insert(name, body);
            }
        }
        Ok(())
    }

    fn definition(&mut self) -> Result<(), Error> {
        const CONTEXT: &str = "define clause";
        let outer = std::mem::take(&mut self.state);
        let token = self.next_non_space();
        let name = self.template_name(token, CONTEXT)?;
        self.expect(Kind::RightDelim, CONTEXT)?;
        let base = self.workspace.nodes.len();
        if let ending @ Ending::Else = self.list()? {
            return Err(self.error(&format!("unexpected {} in {CONTEXT}", ending.describe())));
        }
        let body = self.body(base);
        self.define(name, body)?;
        self.state = outer;
        Ok(())
    }

    fn template_name(&self, token: Token, context: &str) -> Result<Box<str>, Error> {
        match token.kind {
            Kind::String | Kind::RawString => match constant::unquote(self.text(token)) {
                Some(name) => Ok(Box::from(&*name.to_shared())),
                None => Err(self.error("invalid syntax")),
            },
            _ => Err(self.unexpected(token, context)),
        }
    }

    /// Gathers nodes up to `{{end}}` or `{{else}}`.
    fn list(&mut self) -> Result<Ending, Error> {
        while self.peek_non_space().kind != Kind::Eof {
            match self.text_or_action()? {
                Item::Node(node) => self.workspace.nodes.push(node),
                Item::Ending(ending) => return Ok(ending),
            }
        }
        Err(self.error("unexpected EOF"))
    }

    fn text_or_action(&mut self) -> Result<Item, Error> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Text => Ok(Item::Node(Node::Text(token.span))),
            Kind::LeftDelim => {
                self.state.action = Some(token.span.start);
                let item = self.action()?;
                self.state.action = None;
                Ok(item)
            }
            _ => Err(self.unexpected(token, "input")),
        }
    }

    fn action(&mut self) -> Result<Item, Error> {
        let token = self.next_non_space();
        Ok(Item::Node(match token.kind {
            Kind::Block => self.block()?,
            Kind::Break => {
                self.loop_control("{{break}}")?;
                Node::Break(token.span.start)
            }
            Kind::Continue => {
                self.loop_control("{{continue}}")?;
                Node::Continue(token.span.start)
            }
            Kind::Else => {
                // Of `{{else if` the `if` stays, to be found by whoever sees this ending.
                if !matches!(self.peek_non_space().kind, Kind::If | Kind::With) {
                    self.expect(Kind::RightDelim, "else")?;
                }
                return Ok(Item::Ending(Ending::Else));
            }
            Kind::End => {
                self.expect(Kind::RightDelim, "end")?;
                return Ok(Item::Ending(Ending::End));
            }
            Kind::If => Node::If(self.branch("if")?),
            Kind::Range => Node::Range(self.branch("range")?),
            Kind::With => Node::With(self.branch("with")?),
            Kind::Template => self.template()?,
            _ => {
                self.backup();
                Node::Action(self.pipeline("command", Kind::RightDelim)?)
            }
        }))
    }

    fn loop_control(&mut self, keyword: &str) -> Result<(), Error> {
        self.expect(Kind::RightDelim, keyword)?;
        if self.state.range_depth == 0 {
            return Err(self.error(&format!("{keyword} outside {{{{range}}}}")));
        }
        Ok(())
    }

    fn block(&mut self) -> Result<Node, Error> {
        const CONTEXT: &str = "block clause";
        let token = self.next_non_space();
        let name = self.template_name(token, CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, Kind::RightDelim)?;
        let outer = std::mem::take(&mut self.state);
        let base = self.workspace.nodes.len();
        if let ending @ Ending::Else = self.list()? {
            self.state = outer;
            return Err(self.error(&format!("unexpected {} in {CONTEXT}", ending.describe())));
        }
        let body = self.body(base);
        self.define(name.clone(), body)?;
        self.state = outer;
        Ok(self.call(Call { position: token.span.start, name, pipe: Some(pipe) }))
    }

    fn template(&mut self) -> Result<Node, Error> {
        const CONTEXT: &str = "template clause";
        let token = self.next_non_space();
        let name = self.template_name(token, CONTEXT)?;
        let pipe = if self.next_non_space().kind == Kind::RightDelim {
            None
        } else {
            self.backup();
            Some(self.pipeline(CONTEXT, Kind::RightDelim)?)
        };
        Ok(self.call(Call { position: token.span.start, name, pipe }))
    }

    fn call(&mut self, call: Call) -> Node {
        Node::Template(self.workspace.arena.keep(call))
    }

    fn branch(&mut self, context: &'static str) -> Result<Id<Branch>, Error> {
        self.state.nesting += 1;
        if self.state.nesting > MAX_NESTING {
            return Err(self.error("max block depth exceeded"));
        }
        let branch = with_room(|| self.branch_inside(context))?;
        self.state.nesting -= 1;
        Ok(self.workspace.arena.keep(branch))
    }

    fn branch_inside(&mut self, context: &'static str) -> Result<Branch, Error> {
        let variables = self.state.variables.len();
        let pipe = self.pipeline(context, Kind::RightDelim)?;
        let ranging = usize::from(context == "range");
        self.state.range_depth += ranging;
        let base = self.workspace.nodes.len();
        let ending = self.list()?;
        let body = self.gathered(base);
        self.state.range_depth -= ranging;
        let otherwise = match ending {
            Ending::End => None,
            Ending::Else => {
                let inner = match (context, self.peek().kind) {
                    ("if", Kind::If) => {
                        self.next();
                        Some(Node::If(self.branch("if")?))
                    }
                    ("with", Kind::With) => {
                        self.next();
                        Some(Node::With(self.branch("with")?))
                    }
                    _ => None,
                };
                match inner {
                    Some(node) => self.workspace.nodes.push(node),
                    None => {
                        if let ending @ Ending::Else = self.list()? {
                            return Err(self.error(&format!("expected end; found {}", ending.describe())));
                        }
                    }
                }
                Some(self.gathered(base))
            }
        };
        self.state.variables.truncate(variables);
        Ok(Branch { pipe, body, otherwise })
    }
}

/// What is wrong with two templates of one name in one source.
pub(crate) fn multiple(name: &str) -> String {
    format!("template: multiple definition of template {}", goyaml::strconv::quote(name))
}

/// Runs `work`, which recurses as deep as values may nest, with enough stack for all of it.
pub(crate) fn with_much_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(2 * 1024 * 1024, 8 * 1024 * 1024, work)
}

/// Runs `work`, which may recurse once more, with enough stack for it.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(256 * 1024, 4 * 1024 * 1024, work)
}
