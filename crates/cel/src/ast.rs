//! The tree of an expression, after macros are expanded.

use std::sync::Arc;

use crate::source::Location;

/// An expression: what it is, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    /// Identifies the expression within its tree.
    pub(crate) id: usize,
    /// Where problems with it are shown.
    pub(crate) location: Location,
    pub(crate) kind: ExprKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    /// What could not be read; a problem has been reported.
    Broken,
    Literal(Literal),
    Ident(Arc<str>),
    Select {
        operand: Box<Expr>,
        field: Arc<str>,
        /// `has(operand.field)`.
        test: bool,
    },
    Call {
        target: Option<Box<Expr>>,
        function: Arc<str>,
        args: Vec<Expr>,
    },
    List(Vec<Element>),
    Map(Vec<Entry>),
    Message {
        name: Arc<str>,
        fields: Vec<Field>,
    },
    Fold(Box<Fold>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
}

/// An item of a list; an optional one, `?item`, may be missing.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) optional: bool,
    pub(crate) value: Expr,
}

/// `key: value`, or `?key: value`.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) optional: bool,
    pub(crate) key: Expr,
    pub(crate) value: Expr,
}

/// `field: value` of a message.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) value: Expr,
}

/// A comprehension: what `all`, `map` and their kin become.
#[derive(Debug, Clone)]
pub(crate) struct Fold {
    pub(crate) range: Expr,
    pub(crate) variable: Arc<str>,
    pub(crate) second_variable: Option<Arc<str>>,
    pub(crate) accumulator: Arc<str>,
    pub(crate) initial: Expr,
    pub(crate) condition: Expr,
    pub(crate) step: Expr,
    pub(crate) result: Expr,
}

/// The names of operators, as they stand in messages.
pub(crate) mod operator {
    pub(crate) const CONDITIONAL: &str = "_?_:_";
    pub(crate) const AND: &str = "_&&_";
    pub(crate) const OR: &str = "_||_";
    pub(crate) const NOT: &str = "!_";
    pub(crate) const NEGATE: &str = "-_";
    pub(crate) const EQUALS: &str = "_==_";
    pub(crate) const NOT_EQUALS: &str = "_!=_";
    pub(crate) const ADD: &str = "_+_";
    pub(crate) const INDEX: &str = "_[_]";
    pub(crate) const OPTIONAL_INDEX: &str = "_[?_]";
    pub(crate) const OPTIONAL_SELECT: &str = "_?._";
    pub(crate) const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
    pub(crate) const MAP_INSERT: &str = "cel.@mapInsert";
    pub(crate) const SORT_BY: &str = "@sortByAssociatedKeys";

    /// The function that a binary operator stands for.
    pub(crate) fn binary(symbol: &str) -> Option<&'static str> {
        Some(match symbol {
            "<" => "_<_",
            "<=" => "_<=_",
            ">=" => "_>=_",
            ">" => "_>_",
            "==" => EQUALS,
            "!=" => NOT_EQUALS,
            "in" => "@in",
            "+" => ADD,
            "-" => "_-_",
            "*" => "_*_",
            "/" => "_/_",
            "%" => "_%_",
            _ => return None,
        })
    }
}

impl Expr {
    /// The dotted name that a chain of selections spells, if it is one.
    pub(crate) fn qualified_name(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Ident(name) => Some(name.to_string()),
            ExprKind::Select { operand, field, test: false } => {
                let mut name = operand.qualified_name()?;
                name.push('.');
                name.push_str(field);
                Some(name)
            }
            _ => None,
        }
    }
}
