//! Expressions that are ready to be evaluated.

use crate::activation::Activation;
use crate::check::{Reference, check};
use crate::env::Env;
use crate::error::EvalError;
use crate::eval;
use crate::parse::parse;
use crate::plan::{Node, plan};
use crate::source::CompileErrors;
use crate::types::Type;
use crate::value::Value;

/// What one evaluation may cost in Kubernetes.
pub const PER_CALL_LIMIT: u64 = 1_000_000;

/// Why an expression cannot be used, in Kubernetes' words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// It does not follow the grammar, or its types do not fit.
    #[error("compilation failed: {0}")]
    Invalid(CompileErrors),
    /// A part of it that is constant has no value.
    #[error("program instantiation failed: {0}")]
    Constant(EvalError),
}

/// An expression that is ready to be evaluated, many times and by many threads.
#[derive(Debug)]
pub struct Program {
    root: Node,
    result: Type,
    variables: Vec<String>,
}

/// The outcome of an evaluation, and what it cost.
#[derive(Debug)]
pub struct Evaluated<'a> {
    /// The value, or why there is none.
    pub result: Result<Value<'a>, EvalError>,
    /// How many steps it took.
    pub cost: u64,
}

impl Program {
    /// Reads an expression and checks its types.
    pub fn compile(source: &str, env: &Env) -> Result<Self, CompileError> {
        let expression = parse(source).map_err(CompileError::Invalid)?;
        let checked = check(source, &expression, env).map_err(CompileError::Invalid)?;
        let root = plan(&expression, &checked).map_err(CompileError::Constant)?;
        let mut variables: Vec<String> = checked
            .references
            .values()
            .filter_map(|reference| match reference {
                Reference::Variable(name) => Some(name.to_string()),
                _ => None,
            })
            .collect();
        variables.sort_unstable();
        variables.dedup();
        Ok(Self { root, result: checked.result, variables })
    }

    /// The type of its value.
    pub fn result_type(&self) -> &Type {
        &self.result
    }

    /// Whether it looks at a variable.
    pub fn uses(&self, variable: &str) -> bool {
        self.variables.iter().any(|name| name == variable)
    }

    /// Evaluates it within [`PER_CALL_LIMIT`].
    pub fn evaluate<'a>(&self, activation: &Activation<'a>) -> Result<Value<'a>, EvalError> {
        self.run(activation, PER_CALL_LIMIT).result
    }

    /// Evaluates it within a limit, and tells the cost.
    pub fn run<'a>(&self, activation: &Activation<'a>, limit: u64) -> Evaluated<'a> {
        let (result, cost) = eval::evaluate(&self.root, activation, limit);
        Evaluated { result, cost }
    }
}
