//! Pipelines and what they are made of: declarations, commands, operands, constants.

use super::arena::Slice;
use super::lex::{Kind, Token};
use super::print::Printer;
use super::tree::{Chain, Command, Number, Operand, Pipe, Span, StringConstant, Term, Variable};
use super::{MAX_PAREN_DEPTH, Parser, ROOT, constant, with_room};
use crate::error::Error;

impl Parser<'_, '_> {
    fn variable(&mut self, name: Token) -> Variable {
        if self.variables.is_empty() {
            self.variables.insert("$", ROOT);
        }
        let new = self.variables.len() as u32;
        Variable { name: name.span, id: *self.variables.entry(name.span.of(self.text)).or_insert(new) }
    }

    /// Adds a variable to those that a pipe declares, of which there can be two.
    fn declare(&mut self, pipe: &mut Pipe, token: Token) {
        let variable = self.variable(token);
        self.state.variables.push(variable.id);
        let arena = &mut self.workspace.arena;
        let first = arena[pipe.declares].first().copied();
        pipe.declares = arena.keep_all(first.into_iter().chain([variable]));
    }

    pub(super) fn pipeline(&mut self, context: &'static str, end: Kind) -> Result<Pipe, Error> {
        let position = self.peek_non_space().span.start;
        let mut pipe = Pipe { position, assign: false, declares: Slice::EMPTY, commands: Slice::EMPTY };
        self.declarations(&mut pipe, context)?;
        let base = self.workspace.commands.len();
        loop {
            let token = self.next_non_space();
            match token.kind {
                kind if kind == end => break,
                Kind::Bool
                | Kind::CharConstant
                | Kind::Complex
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Nil
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::LeftParen => {
                    self.backup();
                    let command = self.command()?;
                    self.workspace.commands.push(command);
                }
                _ => return Err(self.unexpected(token, context)),
            }
        }
        let arena = &mut self.workspace.arena;
        pipe.commands = arena.keep_all(self.workspace.commands.drain(base..));
        if pipe.commands.is_empty() {
            return Err(self.error(&format!("missing value for {context}")));
        }
        for (index, command) in arena[pipe.commands].iter().enumerate().skip(1) {
            if let Term::Bool(_) | Term::Dot | Term::Nil | Term::Number(..) | Term::String(_) =
                arena[command.args][0].term
            {
                let stage = index + 1;
                return Err(self.error(&format!("non executable command in pipeline stage {stage}")));
            }
        }
        Ok(pipe)
    }

    /// `$x :=`, `$x =`, or in a range `$i, $x :=`.
    fn declarations(&mut self, pipe: &mut Pipe, context: &str) -> Result<(), Error> {
        loop {
            let variable = self.peek_non_space();
            if variable.kind != Kind::Variable {
                return Ok(());
            }
            self.next();
            let after = self.peek();
            let next = self.peek_non_space();
            match next.kind {
                Kind::Assign | Kind::Declare => {
                    pipe.assign = next.kind == Kind::Assign;
                    self.next_non_space();
                    self.declare(pipe, variable);
                    return Ok(());
                }
                Kind::Char if self.text(next) == "," => {
                    self.next_non_space();
                    self.declare(pipe, variable);
                    if context != "range" || pipe.declares.len() >= 2 {
                        return Err(self.error(&format!("too many declarations in {context}")));
                    }
                    if !matches!(
                        self.peek_non_space().kind,
                        Kind::Variable | Kind::RightDelim | Kind::RightParen
                    ) {
                        return Err(self.error("range can only initialize variables"));
                    }
                }
                // It is an operand after all; the newest token stays where it is.
                _ if after.kind == Kind::Space => {
                    self.state.tokens[1] = after;
                    self.state.tokens[2] = variable;
                    self.state.peeked = 3;
                    return Ok(());
                }
                _ => {
                    self.state.tokens[1] = variable;
                    self.state.peeked = 2;
                    return Ok(());
                }
            }
        }
    }

    fn command(&mut self) -> Result<Command, Error> {
        let position = self.peek_non_space().span.start;
        let base = self.workspace.operands.len();
        loop {
            self.peek_non_space();
            if let Some(operand) = self.operand()? {
                self.workspace.operands.push(operand);
            }
            let token = self.next();
            match token.kind {
                Kind::Space => {}
                Kind::RightDelim | Kind::RightParen => {
                    self.backup();
                    break;
                }
                Kind::Pipe => break,
                _ => return Err(self.unexpected(token, "operand")),
            }
        }
        let args = self.workspace.arena.keep_all(self.workspace.operands.drain(base..));
        if args.is_empty() {
            return Err(self.error("empty command"));
        }
        Ok(Command { position, args })
    }

    fn operand(&mut self) -> Result<Option<Operand>, Error> {
        let Some(operand) = self.term()? else { return Ok(None) };
        if self.peek().kind != Kind::Field {
            return Ok(Some(operand));
        }
        // Go gives a chain of fields the place of the second field.
        let position = self.peek().span.start;
        let term = match operand.term {
            Term::Variable(id, name) => {
                let name = self.workspace.arena[name][0];
                Term::Variable(id, self.names(name))
            }
            Term::Bool(_) | Term::String(_) | Term::Number(..) | Term::Nil | Term::Dot => {
                self.skip_fields();
                let mut printer = Printer::new(&self.workspace.arena, self.text);
                printer.operand(&operand);
                let term = goyaml::strconv::quote(&printer.text);
                return Err(self.error(&format!("unexpected . after term {term}")));
            }
            _ => {
                let first = self.next();
                let fields = self.names(field_name(first));
                Term::Chain(self.workspace.arena.keep(Chain { operand, fields }))
            }
        };
        Ok(Some(Operand { position, term }))
    }

    /// A name and those of the fields that follow it.
    fn names(&mut self, first: Span) -> Slice<Span> {
        let base = self.workspace.names.len();
        self.workspace.names.push(first);
        while self.peek().kind == Kind::Field {
            let name = field_name(self.next());
            self.workspace.names.push(name);
        }
        self.workspace.arena.keep_all(self.workspace.names.drain(base..))
    }

    fn skip_fields(&mut self) {
        while self.peek().kind == Kind::Field {
            self.next();
        }
    }

    fn term(&mut self) -> Result<Option<Operand>, Error> {
        let token = self.next_non_space();
        let text = self.text(token);
        let term = match token.kind {
            Kind::Identifier => {
                let Some(function) = self.functions.get(text) else {
                    let name = goyaml::strconv::quote(text);
                    return Err(self.error(&format!("function {name} not defined")));
                };
                Term::Function(function)
            }
            Kind::Dot => Term::Dot,
            Kind::Nil => Term::Nil,
            Kind::Variable => {
                let Variable { name, id } = self.variable(token);
                if !self.state.variables.contains(&id) {
                    let name = goyaml::strconv::quote(text);
                    return Err(self.error(&format!("undefined variable {name}")));
                }
                Term::Variable(id, self.workspace.arena.keep_all([name]))
            }
            Kind::Field => {
                // As above: the place of the second field, if there is one.
                let position = match self.peek() {
                    second if second.kind == Kind::Field => second.span.start,
                    _ => token.span.start,
                };
                let term = Term::Field(self.names(field_name(token)));
                return Ok(Some(Operand { position, term }));
            }
            Kind::Bool => Term::Bool(text == "true"),
            Kind::CharConstant => self.number(token, constant::character(text))?,
            Kind::Complex => self.number(token, constant::complex(text))?,
            Kind::Number => self.number(token, constant::number(text))?,
            Kind::LeftParen => {
                if self.state.paren_depth >= MAX_PAREN_DEPTH {
                    return Err(self.error("max expression depth exceeded"));
                }
                self.state.paren_depth += 1;
                self.state.nesting += 1;
                let pipe = with_room(|| self.pipeline("parenthesized pipeline", Kind::RightParen))?;
                self.state.nesting -= 1;
                self.state.paren_depth -= 1;
                let position = pipe.position;
                return Ok(Some(Operand { position, term: Term::Pipe(self.workspace.arena.keep(pipe)) }));
            }
            Kind::String | Kind::RawString => {
                if !constant::is_quoted(text) {
                    return Err(self.error("invalid syntax"));
                }
                self.strings += 1;
                Term::String(StringConstant { number: self.strings - 1, token: token.span })
            }
            _ => {
                self.backup();
                return Ok(None);
            }
        };
        Ok(Some(Operand { position: token.span.start, term }))
    }

    fn number(&mut self, token: Token, number: Result<Number, String>) -> Result<Term, Error> {
        match number {
            Ok(number) => Ok(Term::Number(self.workspace.arena.keep(number), token.span)),
            Err(message) => Err(self.error(&message)),
        }
    }
}

/// What comes after the dot.
fn field_name(token: Token) -> Span {
    Span { start: token.span.start + 1, end: token.span.end }
}
