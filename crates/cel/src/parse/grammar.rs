//! The grammar, read from the top down.

mod construct;
mod expect;

use std::sync::Arc;

use super::lex::{Kind, Token};
use super::macros;
use crate::ast::{Expr, ExprKind, Literal, operator};
use crate::escape::is_reserved;
use crate::source::{Issue, Location};

/// How deep expressions may stand in one another.
const DEEPEST: usize = 250;

/// Reads tokens; after the first problem with the grammar it stops.
pub(super) struct Parser<'s> {
    tokens: Vec<Token<'s>>,
    position: usize,
    issues: Vec<Issue>,
    next_id: usize,
    depth: usize,
}

/// `None` after a problem with the grammar, which has been reported.
type Parsed<T = Expr> = Option<T>;

impl<'s> Parser<'s> {
    pub(super) fn new(tokens: Vec<Token<'s>>, issues: Vec<Issue>) -> Self {
        Self { tokens, position: 0, issues, next_id: 1, depth: 0 }
    }

    pub(super) fn into_issues(self) -> Vec<Issue> {
        self.issues
    }

    /// A whole expression, with nothing behind it.
    pub(super) fn whole(&mut self) -> Parsed {
        let expression = self.expression()?;
        let token = self.peek();
        if token.kind == Kind::End {
            return Some(expression);
        }
        // One token too many is left out, more are a mismatch.
        let alone = self.tokens[self.position + 1].kind == Kind::End;
        let problem = if alone { "extraneous" } else { "mismatched" };
        self.syntax(token.location, &format!("{problem} input '{}' expecting <EOF>", token.text))
    }

    pub(super) fn report(&mut self, location: Location, message: impl Into<String>) {
        self.issues.push(Issue { location, message: message.into() });
    }

    /// Makes a node of the tree.
    pub(super) fn node(&mut self, location: Location, kind: ExprKind) -> Expr {
        let id = self.next_id;
        self.next_id += 1;
        Expr { id, location, kind }
    }

    pub(super) fn call(&mut self, location: Location, function: &str, args: Vec<Expr>) -> Expr {
        self.node(location, ExprKind::Call { target: None, function: function.into(), args })
    }

    fn syntax<T>(&mut self, location: Location, message: &str) -> Parsed<T> {
        self.report(location, format!("Syntax error: {message}"));
        None
    }

    fn peek(&self) -> Token<'s> {
        self.tokens[self.position]
    }

    fn ahead(&self, count: usize) -> Token<'s> {
        self.tokens[(self.position + count).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'s> {
        let token = self.peek();
        if token.kind != Kind::End {
            self.position += 1;
        }
        token
    }

    fn at(&self, mark: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Mark && token.text == mark
    }

    fn take(&mut self, mark: &str) -> Option<Token<'s>> {
        self.at(mark).then(|| self.next())
    }

    /// Runs a part of the grammar one level deeper.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            self.report(Location::NOWHERE, format!("expression recursion limit exceeded: {DEEPEST}"));
            return None;
        }
        self.depth += 1;
        let parsed = part(self);
        self.depth -= 1;
        parsed
    }

    /// Whether a chain of that many links is too long to be a tree.
    fn too_long(&mut self, links: usize) -> bool {
        let too_long = self.depth + links > DEEPEST;
        if too_long {
            self.report(Location::NOWHERE, "max recursion depth exceeded");
        }
        too_long
    }

    fn expression(&mut self) -> Parsed {
        self.deeper(|parser| {
            let condition = parser.alternatives()?;
            let Some(mark) = parser.take("?") else { return Some(condition) };
            let yes = parser.alternatives()?;
            parser.expect_one_of(":", "':'")?;
            let no = parser.expression()?;
            Some(parser.call(mark.location, operator::CONDITIONAL, vec![condition, yes, no]))
        })
    }

    fn alternatives(&mut self) -> Parsed {
        self.logic("||", operator::OR, Self::conjunction)
    }

    fn conjunction(&mut self) -> Parsed {
        self.logic("&&", operator::AND, Self::relation)
    }

    fn logic(&mut self, mark: &str, function: &str, part: fn(&mut Self) -> Parsed) -> Parsed {
        let mut terms = vec![Some(part(self)?)];
        let mut marks = Vec::new();
        while let Some(token) = self.take(mark) {
            marks.push(token.location);
            terms.push(Some(part(self)?));
        }
        if marks.is_empty() {
            return terms.pop().flatten();
        }
        self.balanced(function, &mut terms, &marks, 0, marks.len() - 1)
    }

    /// A long chain of `&&` becomes a tree of little depth.
    fn balanced(
        &mut self,
        function: &str,
        terms: &mut [Option<Expr>],
        marks: &[Location],
        low: usize,
        high: usize,
    ) -> Parsed {
        let middle = (low + high).div_ceil(2);
        let left = if middle == low {
            terms[middle].take()?
        } else {
            self.balanced(function, terms, marks, low, middle - 1)?
        };
        let right = if middle == high {
            terms[middle + 1].take()?
        } else {
            self.balanced(function, terms, marks, middle + 1, high)?
        };
        Some(self.call(marks[middle], function, vec![left, right]))
    }

    fn relation(&mut self) -> Parsed {
        self.chain(&["<", "<=", ">=", ">", "==", "!=", "in"], Self::sum)
    }

    fn sum(&mut self) -> Parsed {
        self.chain(&["+", "-"], Self::product)
    }

    fn product(&mut self) -> Parsed {
        self.chain(&["*", "/", "%"], Self::unary)
    }

    fn chain(&mut self, marks: &[&str], part: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = part(self)?;
        let mut links = 0;
        loop {
            let token = self.peek();
            if token.kind != Kind::Mark || !marks.contains(&token.text) {
                return Some(left);
            }
            self.next();
            links += 1;
            if self.too_long(links) {
                return None;
            }
            let right = part(self)?;
            let function = operator::binary(token.text)?;
            left = self.call(token.location, function, vec![left, right]);
        }
    }

    fn unary(&mut self) -> Parsed {
        for (mark, function) in [("!", operator::NOT), ("-", operator::NEGATE)] {
            let negative_number = mark == "-" && matches!(self.ahead(1).kind, Kind::Int | Kind::Float);
            if !self.at(mark) || negative_number {
                continue;
            }
            let first = self.peek().location;
            let mut count = 0;
            while self.take(mark).is_some() {
                count += 1;
            }
            self.check_operand(mark, count)?;
            let operand = self.member()?;
            return Some(if count % 2 == 0 { operand } else { self.call(first, function, vec![operand]) });
        }
        self.member()
    }

    /// What follows `!` or `-` is no other sign, unless that belongs to a number.
    fn check_operand(&mut self, mark: &str, count: usize) -> Parsed<()> {
        let (token, next) = (self.peek(), self.ahead(1));
        if mark == "-" && token.kind == Kind::End {
            let message = format!("Syntax error: no viable alternative at input '{}'", mark.repeat(count));
            self.report(token.location, message);
        }
        if mark == "-" && self.at("!") {
            return self.nothing_fits(&[&mark.repeat(count), "!"], token);
        }
        if mark == "!" && self.at("-") && !matches!(next.kind, Kind::Int | Kind::Float) {
            return self.nothing_fits(&["-", next.text], next);
        }
        Some(())
    }

    fn member(&mut self) -> Parsed {
        let mut operand = self.primary()?;
        let mut links = 0;
        loop {
            if let Some(dot) = self.take(".") {
                operand = self.selection(operand, dot)?;
            } else if let Some(bracket) = self.take("[") {
                let optional = self.take("?").is_some();
                self.expect_beginning(if optional { &[] } else { &["?"] })?;
                let index = self.expression()?;
                self.expect("]")?;
                let function = if optional { operator::OPTIONAL_INDEX } else { operator::INDEX };
                operand = self.call(bracket.location, function, vec![operand, index]);
            } else {
                return Some(operand);
            }
            links += 1;
            if self.too_long(links) {
                return None;
            }
        }
    }

    /// What follows a dot: a field, an optional field, or a call.
    fn selection(&mut self, operand: Expr, dot: Token<'s>) -> Parsed {
        let optional = self.take("?").is_some();
        let name = self.peek();
        if matches!(name.kind, Kind::Identifier | Kind::Escaped) {
            self.next();
        }
        match name.kind {
            Kind::Identifier => {}
            Kind::Escaped => {
                self.report(name.location, "unsupported syntax: '`'");
                return Some(operand);
            }
            _ if optional => {
                let expected = "{IDENTIFIER, ESC_IDENTIFIER}";
                let message = format!("Syntax error: mismatched input '{}' expecting {expected}", name.text);
                self.report(name.location, message);
                self.report(name.location, "unsupported ident kind");
                return None;
            }
            Kind::Mark if name.text == "in" => {
                self.report(name.location, "Syntax error: no viable alternative at input '.in'");
                return Some(operand);
            }
            Kind::Mark if matches!(name.text, "true" | "false" | "null") => {
                return self.syntax(
                    name.location,
                    &format!("mismatched input '{}' expecting IDENTIFIER", name.text),
                );
            }
            _ => return self.nothing_fits(&[".", name.text], name),
        }
        if optional {
            let field = self.node(name.location, ExprKind::Literal(Literal::String(name.text.into())));
            return Some(self.call(dot.location, operator::OPTIONAL_SELECT, vec![operand, field]));
        }
        if let Some(open) = self.take("(") {
            let args = self.arguments()?;
            return Some(macros::member_call(self, open.location, name.text, operand, args));
        }
        let field = name.text.into();
        Some(self.node(dot.location, ExprKind::Select { operand: Box::new(operand), field, test: false }))
    }

    /// The arguments of a call, up to the closing parenthesis.
    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = Vec::new();
        self.expect_beginning(&[")"])?;
        if self.take(")").is_some() {
            return Some(args);
        }
        loop {
            args.push(self.expression()?);
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect(")")?;
        Some(args)
    }

    fn primary(&mut self) -> Parsed {
        self.expect_beginning(&[])?;
        let token = self.peek();
        match token.kind {
            Kind::Identifier => self.name(),
            Kind::Mark => match token.text {
                "." if self.ahead(1).kind == Kind::Identifier => self.name(),
                "(" => {
                    self.next();
                    let inner = self.expression()?;
                    self.expect(")")?;
                    Some(inner)
                }
                "[" => self.list(),
                "{" => self.map(),
                "-" if matches!(self.ahead(1).kind, Kind::Int | Kind::Float) => {
                    self.next();
                    let number = self.next();
                    Some(self.literal(number, token.location, true))
                }
                "true" | "false" | "null" => {
                    self.next();
                    Some(self.literal(token, token.location, false))
                }
                "." => {
                    self.next();
                    let next = self.peek();
                    self.nothing_fits(&[".", next.text], next)
                }
                // An operator without its left side, which has been reported.
                _ => Some(self.node(token.location, ExprKind::Broken)),
            },
            Kind::Int | Kind::Uint | Kind::Float | Kind::String | Kind::Bytes => {
                self.next();
                Some(self.literal(token, token.location, false))
            }
            Kind::Escaped | Kind::End => None,
        }
    }

    /// An identifier, a call, or a message, as what follows tells.
    fn name(&mut self) -> Parsed {
        let start = self.peek();
        let dot = self.take(".").is_some();
        let mut end = 1;
        while self.ahead(end).text == "." && self.ahead(end + 1).kind == Kind::Identifier {
            end += 2;
        }
        if self.ahead(end).kind == Kind::Mark && self.ahead(end).text == "{" {
            return self.message(dot, end);
        }
        let token = self.next();
        let open = self.take("(");
        if is_reserved(token.text) {
            self.report(start.location, format!("reserved identifier: {}", token.text));
            if open.is_some() {
                self.arguments()?;
            }
            return Some(self.node(start.location, ExprKind::Broken));
        }
        let name: Arc<str> = if dot { format!(".{}", token.text).into() } else { token.text.into() };
        match open {
            Some(open) => {
                let args = self.arguments()?;
                Some(macros::global_call(self, open.location, &name, args))
            }
            None => Some(self.node(token.location, ExprKind::Ident(name))),
        }
    }
}
