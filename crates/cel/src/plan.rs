//! The tree that is evaluated: names and overloads are resolved, constants computed.

use std::sync::Arc;

use goregexp::Regexp;

use crate::ast::{Expr, ExprKind, Fold, Literal, operator};
use crate::check::{Checked, Reference};
use crate::error::{EvalError, Outcome};
use crate::eval;
use crate::functions::{Function, Overload};
use crate::value::{Text, Value};

/// A step of an evaluation.
#[derive(Debug)]
pub(crate) enum Node {
    Const(Value<'static>),
    Variable(Arc<str>),
    Select {
        operand: Box<Node>,
        field: Arc<str>,
        access: Access,
    },
    Index {
        operand: Box<Node>,
        index: Box<Node>,
        optional: bool,
    },
    /// `&&` if true, `||` if false.
    Logic(bool, Box<[Node; 2]>),
    Conditional(Box<[Node; 3]>),
    Equals {
        sides: Box<[Node; 2]>,
        negated: bool,
    },
    NotStrictlyFalse(Box<Node>),
    /// Whether a value is in a list of constants, which costs nothing.
    Within(Box<Node>, Value<'static>),
    Call {
        function: &'static Function,
        overload: Option<&'static Overload>,
        args: Vec<Node>,
        /// The pattern is a constant, for which cel-go has a way of its own.
        fixed_pattern: bool,
    },
    /// `or` and `orValue`: the right side is looked at only if the left is none.
    OptionalOr {
        sides: Box<[Node; 2]>,
        unwrap: bool,
    },
    List(Vec<(bool, Node)>),
    Map(Vec<(bool, Node, Node)>),
    Fold(Box<FoldNode>),
}

/// How a field is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// It must be there.
    Plain,
    /// Whether it is there.
    Test,
    /// It may be missing.
    Optional,
}

#[derive(Debug)]
pub(crate) struct FoldNode {
    pub(crate) range: Node,
    pub(crate) variable: Arc<str>,
    pub(crate) second_variable: Option<Arc<str>>,
    pub(crate) accumulator: Arc<str>,
    pub(crate) initial: Node,
    pub(crate) condition: Node,
    pub(crate) step: Node,
    pub(crate) result: Node,
}

impl Node {
    /// Whether it is a chain of selections on something, which cel-go charges as one.
    pub(crate) fn is_attribute(&self) -> bool {
        matches!(self, Self::Variable(_) | Self::Select { .. } | Self::Index { .. } | Self::Conditional(_))
    }
}

/// Plans an expression. What cannot be computed though all is known is an error already here.
pub(crate) fn plan(expression: &Expr, checked: &Checked) -> Outcome<Node> {
    let boxed = |expression: &Expr| plan(expression, checked).map(Box::new);
    match checked.references.get(&expression.id) {
        Some(Reference::Variable(name)) => return Ok(Node::Variable(Arc::clone(name))),
        Some(Reference::Type(of)) => return Ok(Node::Const(Value::Type(of.clone()))),
        _ => {}
    }
    Ok(match &expression.kind {
        ExprKind::Literal(literal) => Node::Const(constant(literal)),
        ExprKind::Ident(name) => Node::Variable(Arc::clone(name)),
        ExprKind::Select { operand, field, test } => {
            let access = if *test { Access::Test } else { Access::Plain };
            Node::Select { operand: boxed(operand)?, field: Arc::clone(field), access }
        }
        ExprKind::Call { target, function, args } => {
            let mut nodes = Vec::with_capacity(args.len() + 1);
            let reference = checked.references.get(&expression.id);
            let qualified = matches!(reference, Some(Reference::Function { qualified: true, .. }));
            if let (Some(target), false) = (target, qualified) {
                nodes.push(plan(target, checked)?);
            }
            for arg in args {
                nodes.push(plan(arg, checked)?);
            }
            plan_call(function, reference, nodes)?
        }
        ExprKind::List(elements) => {
            let mut items = Vec::with_capacity(elements.len());
            for element in elements {
                items.push((element.optional, plan(&element.value, checked)?));
            }
            folded(Node::List(items))?
        }
        ExprKind::Map(entries) => {
            let mut pairs = Vec::with_capacity(entries.len());
            for entry in entries {
                pairs.push((entry.optional, plan(&entry.key, checked)?, plan(&entry.value, checked)?));
            }
            folded(Node::Map(pairs))?
        }
        ExprKind::Fold(fold) => plan_fold(fold, checked)?,
        // The checker lets neither pass.
        ExprKind::Broken | ExprKind::Message { .. } => return Err(EvalError::no_overload()),
    })
}

fn plan_fold(fold: &Fold, checked: &Checked) -> Outcome<Node> {
    Ok(Node::Fold(Box::new(FoldNode {
        range: plan(&fold.range, checked)?,
        variable: Arc::clone(&fold.variable),
        second_variable: fold.second_variable.clone(),
        accumulator: Arc::clone(&fold.accumulator),
        initial: plan(&fold.initial, checked)?,
        condition: plan(&fold.condition, checked)?,
        step: plan(&fold.step, checked)?,
        result: plan(&fold.result, checked)?,
    })))
}

fn constant(literal: &Literal) -> Value<'static> {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(truth) => Value::Bool(*truth),
        Literal::Int(number) => Value::Int(*number),
        Literal::Uint(number) => Value::Uint(*number),
        Literal::Double(number) => Value::Double(*number),
        Literal::String(text) => Value::String(Text::Shared(Arc::clone(text))),
        Literal::Bytes(bytes) => Value::Bytes(Arc::clone(bytes)),
    }
}

/// A list or map of constants is a constant.
fn folded(node: Node) -> Outcome<Node> {
    let all_constant = match &node {
        Node::List(items) => items.iter().all(|(_, item)| matches!(item, Node::Const(_))),
        Node::Map(pairs) => {
            pairs.iter().all(|(_, key, value)| matches!((key, value), (Node::Const(_), Node::Const(_))))
        }
        _ => false,
    };
    if all_constant { eval::constant(&node).map(Node::Const) } else { Ok(node) }
}

fn pair(args: Vec<Node>) -> Outcome<Box<[Node; 2]>> {
    <[Node; 2]>::try_from(args).map(Box::new).map_err(|_| EvalError::no_overload())
}

fn plan_call(name: &str, reference: Option<&Reference>, mut args: Vec<Node>) -> Outcome<Node> {
    match name {
        operator::AND | operator::OR => return Ok(Node::Logic(name == operator::AND, pair(args)?)),
        operator::EQUALS => return Ok(Node::Equals { sides: pair(args)?, negated: false }),
        operator::NOT_EQUALS => return Ok(Node::Equals { sides: pair(args)?, negated: true }),
        operator::CONDITIONAL => {
            let parts = <[Node; 3]>::try_from(args).map_err(|_| EvalError::no_overload())?;
            return Ok(Node::Conditional(Box::new(parts)));
        }
        operator::NOT_STRICTLY_FALSE => return Ok(Node::NotStrictlyFalse(Box::new(args.remove(0)))),
        operator::INDEX | operator::OPTIONAL_INDEX => {
            let (index, operand) = (Box::new(args.remove(1)), Box::new(args.remove(0)));
            return Ok(Node::Index { operand, index, optional: name == operator::OPTIONAL_INDEX });
        }
        operator::OPTIONAL_SELECT => {
            if let [_, Node::Const(Value::String(field))] = args.as_slice() {
                let field = Arc::from(&**field);
                return Ok(Node::Select {
                    operand: Box::new(args.remove(0)),
                    field,
                    access: Access::Optional,
                });
            }
        }
        _ => {}
    }
    let Some(Reference::Function { function, overloads, .. }) = reference else {
        return Err(EvalError::no_overload());
    };
    let overload = if let [overload] = overloads.as_slice() { Some(*overload) } else { None };
    let mut fixed_pattern = false;
    match (name, overload.map(|overload| &*overload.id)) {
        ("or" | "orValue", _) if args.len() == 2 => {
            return Ok(Node::OptionalOr { sides: pair(args)?, unwrap: name == "orValue" });
        }
        ("@in", Some("in_list")) => {
            if let [_, Node::Const(Value::List(list))] = args.as_slice() {
                if list.is_empty() {
                    return Ok(Node::Const(Value::Bool(false)));
                }
                let plain = |item: &Value<'_>| {
                    matches!(
                        item,
                        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_)
                    )
                };
                if list.iter().all(|item| item.is_ok_and(|item| plain(&item))) {
                    let list = Value::List(list.clone());
                    return Ok(Node::Within(Box::new(args.remove(0)), list));
                }
            }
        }
        ("matches" | "find" | "findAll", _) => {
            if let Some(Node::Const(Value::String(pattern))) = args.get(1) {
                Regexp::compile(pattern).map_err(|error| EvalError::Function(error.to_string()))?;
                fixed_pattern = true;
            }
        }
        (
            "bool" | "bytes" | "double" | "duration" | "dyn" | "int" | "string" | "timestamp" | "type"
            | "uint",
            _,
        ) => {
            if let [Node::Const(value)] = args.as_slice() {
                return function.call(overload, std::slice::from_ref(value)).map(Node::Const);
            }
        }
        _ => {}
    }
    Ok(Node::Call { function, overload, args, fixed_pattern })
}
