//! Pipelines and what they are made of: declarations, commands, operands, constants.

use std::rc::Rc;

use super::lex::{Kind, Token};
use super::tree::{self, Chain, Command, Operand, Pipe, StringConstant, Term, Variable};
use super::{MAX_PAREN_DEPTH, Parser, ROOT, constant, with_room};
use crate::error::Error;

impl<'s> Parser<'s> {
    fn variable(&mut self, name: &'s str) -> Rc<Variable> {
        if self.variables.is_empty() {
            self.variables.insert("$", Rc::new(Variable { name: self.names.keep("$"), id: ROOT }));
        }
        let id = self.variables.len() as u32;
        let new = || Rc::new(Variable { name: self.names.keep(name), id });
        self.variables.entry(name).or_insert_with(new).clone()
    }

    fn declare(&mut self, pipe: &mut Pipe, token: Token) {
        let variable = self.variable(self.text(token));
        self.state.variables.push(variable.id);
        pipe.declares.reserve_exact(1);
        pipe.declares.push(variable);
    }

    pub(super) fn pipeline(&mut self, context: &'static str, end: Kind) -> Result<Pipe, Error> {
        let position = self.peek_non_space().span.start;
        let mut pipe = Pipe { position, assign: false, declares: Vec::new(), commands: Box::default() };
        self.declarations(&mut pipe, context)?;
        let base = self.commands.len();
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
                    self.commands.push(command);
                }
                _ => return Err(self.unexpected(token, context)),
            }
        }
        pipe.commands = self.commands.drain(base..).collect();
        if pipe.commands.is_empty() {
            return Err(self.error(&format!("missing value for {context}")));
        }
        for (index, command) in pipe.commands.iter().enumerate().skip(1) {
            if let Term::Bool(_) | Term::Dot | Term::Nil | Term::Number(_) | Term::String(_) =
                command.args[0].term
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
        let base = self.operands.len();
        loop {
            self.peek_non_space();
            if let Some(operand) = self.operand()? {
                self.operands.push(operand);
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
        let args: Box<[Operand]> = self.operands.drain(base..).collect();
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
        let fields = self.fields(None);
        let term = match operand.term {
            Term::Variable(variable, _) => Term::Variable(variable, fields),
            Term::Bool(_) | Term::String(_) | Term::Number(_) | Term::Nil | Term::Dot => {
                let term = goyaml::strconv::quote(&operand.to_string());
                return Err(self.error(&format!("unexpected . after term {term}")));
            }
            _ => Term::Chain(Box::new(Chain { operand, fields })),
        };
        Ok(Some(Operand { position, term }))
    }

    /// Fields that follow each other: `first`, and those that come next.
    fn fields(&mut self, first: Option<Token>) -> Box<[Rc<str>]> {
        let base = self.fields.len();
        let mut next = first;
        loop {
            if let Some(token) = next {
                let name = self.names.keep(&self.text(token)[1..]);
                self.fields.push(name);
            }
            if self.peek().kind != Kind::Field {
                return self.fields.drain(base..).collect();
            }
            next = Some(self.next());
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
                let variable = self.variable(text);
                if !self.state.variables.contains(&variable.id) {
                    let name = goyaml::strconv::quote(text);
                    return Err(self.error(&format!("undefined variable {name}")));
                }
                Term::Variable(variable, Box::default())
            }
            Kind::Field => {
                // As above: the place of the second field, if there is one.
                let position = match self.peek() {
                    second if second.kind == Kind::Field => second.span.start,
                    _ => token.span.start,
                };
                let term = Term::Field(self.fields(Some(token)));
                return Ok(Some(Operand { position, term }));
            }
            Kind::Bool => Term::Bool(text == "true"),
            Kind::CharConstant => self.number(constant::character(text))?,
            Kind::Complex => self.number(constant::complex(text))?,
            Kind::Number => self.number(constant::number(text))?,
            Kind::LeftParen => {
                if self.state.paren_depth >= MAX_PAREN_DEPTH {
                    return Err(self.error("max expression depth exceeded"));
                }
                self.state.paren_depth += 1;
                self.state.nesting += 1;
                self.state.deepest = self.state.deepest.max(self.state.nesting);
                let pipe = with_room(|| self.pipeline("parenthesized pipeline", Kind::RightParen))?;
                self.state.nesting -= 1;
                self.state.paren_depth -= 1;
                return Ok(Some(Operand { position: pipe.position, term: Term::Pipe(Box::new(pipe)) }));
            }
            Kind::String | Kind::RawString => match constant::unquote(text) {
                Some(value) => Term::String(Box::new(StringConstant { text: value, quoted: text.into() })),
                None => return Err(self.error("invalid syntax")),
            },
            _ => {
                self.backup();
                return Ok(None);
            }
        };
        Ok(Some(Operand { position: token.span.start, term }))
    }

    fn number(&self, number: Result<tree::Number, String>) -> Result<Term, Error> {
        number.map(|number| Term::Number(Box::new(number))).map_err(|message| self.error(&message))
    }
}
