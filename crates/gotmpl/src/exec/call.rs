//! Calls functions and methods: counts and checks the arguments as Go does, runs, and reports.

use super::slot::Slot;
use super::state::State;
use crate::builtins;
use crate::error::Error;
use crate::functions::{Args, EngineFunction, Function, FunctionError, Run};
use crate::parse::tree::{At, Operand, Pipe, Term};
use crate::parse::{with_much_room, with_room};
use crate::value::types::{ANY, REFLECT, Type};
use crate::value::{Kind, Method, Text, Value};

/// What a call needs to know of a function or method.
#[derive(Clone, Copy)]
struct Signature {
    name: &'static str,
    params: &'static [Type],
    variadic: bool,
}

impl Signature {
    /// The type of the parameter that takes the argument at `index`.
    fn param(self, index: usize) -> Type {
        self.params.get(index).or(self.params.last()).copied().unwrap_or(ANY)
    }
}

/// The arguments of one call, on the run's stack.
struct Frame {
    base: usize,
    /// Which of the first 64 are in an interface.
    boxed: u64,
}

/// An argument as a function gets it: only those of Go's own that take a `reflect.Value` see where it came from.
fn handed(value: Value, param: Type) -> Value {
    match &value {
        Value::Object(object) if param != REFLECT => object.by_value().unwrap_or(value),
        _ => value,
    }
}

impl<'t> State<'t, '_, '_> {
    pub(super) fn call_function(
        &mut self,
        dot: &Slot,
        function: &'static Function,
        node: At<'t>,
        args: &'t [Operand],
        last: Option<Slot>,
    ) -> Result<Slot, Error> {
        let signature =
            Signature { name: function.name, params: function.params, variadic: function.variadic };
        self.check_count(signature, args, last.as_ref())?;
        if let Run::Engine(EngineFunction::And | EngineFunction::Or) = function.run {
            return self.and_or(dot, function, args, last);
        }
        let callee = matches!(function.run, Run::Engine(EngineFunction::Call)).then(|| match args.first() {
            Some(operand) => self.shown(operand),
            None => last.as_ref().map(|slot| describe_callee(&slot.value)).unwrap_or_default(),
        });
        let frame = self.arguments(dot, signature, args, last)?;
        let result = self.run.check_arguments(frame.base).and_then(|()| match function.run {
            Run::Native(native) => native(self.run.context, Args::new(&self.run.arguments[frame.base..]))
                .map(|value| Slot::of(value, function.returns)),
            Run::Deep(native) => {
                let arguments = Args::new(&self.run.arguments[frame.base..]);
                with_much_room(|| native(self.run.context, arguments))
                    .map(|value| Slot::of(value, function.returns))
            }
            Run::Engine(engine) => self.call_engine(engine, &frame, callee),
        });
        let result = self.run.check_printed().and(result);
        let result = result.and_then(|slot| self.run.count_made(&slot.value).map(|()| slot));
        self.run.arguments.truncate(frame.base);
        result.map_err(|error| self.call_error(node, function.name, error))
    }

    /// Runs an action that is one `include` and nothing else: what it prints stays where it is, and no text is made of
    /// it. False if the action is another one.
    pub(super) fn include_in_place(&mut self, dot: &Slot, pipe: &'t Pipe) -> Result<bool, Error> {
        let [command] = &self.arena[pipe.commands] else { return Ok(false) };
        let [first, args @ ..] = &self.arena[command.args] else { return Ok(false) };
        let Term::Function(function) = first.term else { return Ok(false) };
        if !matches!(function.run, Run::Engine(EngineFunction::Include)) {
            return Ok(false);
        }
        self.at = At::Operand(first);
        let signature =
            Signature { name: function.name, params: function.params, variadic: function.variadic };
        self.check_count(signature, args, None)?;
        let frame = self.arguments(dot, signature, args, None)?;
        let result = self.run.check_arguments(frame.base).and_then(|()| {
            let (name, data) = self.template_and_data(&frame);
            self.run.include_in_place(&name.to_shared(), data)
        });
        let result = self.run.check_printed().and(result);
        let result = result.and_then(|bytes| self.run.count_bytes(bytes, &Value::Nil));
        self.run.arguments.truncate(frame.base);
        result.map_err(|error| self.call_error(At::Command(command), function.name, error))?;
        Ok(true)
    }

    /// The arguments of `include` and `tpl`.
    fn template_and_data(&self, frame: &Frame) -> (Text, Value) {
        let arguments = &self.run.arguments[frame.base..];
        let text = Args::new(arguments).value(0).as_text().cloned().unwrap_or_else(|| "".into());
        (text, arguments.get(1).cloned().unwrap_or_default())
    }

    pub(super) fn call_method(
        &mut self,
        dot: &Slot,
        receiver: &Value,
        method: &'static Method,
        node: At<'t>,
        args: &'t [Operand],
        last: Option<Slot>,
    ) -> Result<Slot, Error> {
        let signature = Signature { name: method.name, params: method.params, variadic: method.variadic };
        self.check_count(signature, args, last.as_ref())?;
        let frame = self.arguments(dot, signature, args, last)?;
        let result = (method.run)(self.run.context, receiver, &self.run.arguments[frame.base..]);
        self.run.arguments.truncate(frame.base);
        match result {
            Ok(value) => Ok(Slot::of(value, method.returns)),
            Err(error) => Err(self.call_error(node, method.name, error)),
        }
    }

    #[cold]
    fn call_error(&mut self, node: At<'t>, name: &str, error: FunctionError) -> Error {
        self.at = node;
        self.error_because(&format!("error calling {name}: "), Some(error.into_cause()))
    }

    fn check_count(&self, signature: Signature, args: &[Operand], last: Option<&Slot>) -> Result<(), Error> {
        let given = args.len() + usize::from(last.is_some());
        let wanted = signature.params.len();
        let name = signature.name;
        if signature.variadic {
            if given < wanted - 1 {
                let message = format!(
                    "wrong number of args for {name}: want at least {} got {}",
                    wanted - 1,
                    args.len()
                );
                return Err(self.error(&message));
            }
        } else if given != wanted {
            return Err(self.error(&format!("wrong number of args for {name}: want {wanted} got {given}")));
        }
        Ok(())
    }

    /// Evaluates the arguments onto the stack.
    fn arguments(
        &mut self,
        dot: &Slot,
        signature: Signature,
        args: &'t [Operand],
        last: Option<Slot>,
    ) -> Result<Frame, Error> {
        let base = self.run.arguments.len();
        let mut boxed = 0;
        for (index, operand) in args.iter().enumerate() {
            let param = signature.param(index);
            let slot = match self.argument(dot, Some(param), operand) {
                Ok(slot) => slot,
                Err(error) => {
                    self.run.arguments.truncate(base);
                    return Err(error);
                }
            };
            boxed |= u64::from(slot.boxed) << (index & 63);
            self.run.arguments.push(handed(slot.value, param));
        }
        if let Some(last) = last {
            let index = args.len();
            // Of a variadic function without arguments but this one, Go takes the parameter at its place.
            let param = signature.param(index);
            match self.validated(last, Some(param)) {
                Ok(slot) => {
                    boxed |= u64::from(slot.boxed) << (index & 63);
                    self.run.arguments.push(handed(slot.value, param));
                }
                Err(error) => {
                    self.run.arguments.truncate(base);
                    return Err(error);
                }
            }
        }
        Ok(Frame { base, boxed })
    }

    fn and_or(
        &mut self,
        dot: &Slot,
        function: &Function,
        args: &'t [Operand],
        last: Option<Slot>,
    ) -> Result<Slot, Error> {
        let stop_at = matches!(function.run, Run::Engine(EngineFunction::Or));
        let mut slot = Slot::INVALID;
        for operand in args {
            slot = self.argument(dot, Some(REFLECT), operand)?;
            if slot.value.truth() == stop_at {
                return Ok(slot);
            }
        }
        Ok(last.unwrap_or(slot))
    }

    fn call_engine(
        &mut self,
        engine: EngineFunction,
        frame: &Frame,
        callee: Option<String>,
    ) -> Result<Slot, FunctionError> {
        let run = &mut *self.run;
        match engine {
            EngineFunction::Builtin(builtin) => {
                builtins::run(builtin, &run.arguments[frame.base..], frame.boxed).map(Slot::plain)
            }
            EngineFunction::Call => {
                let arguments = &run.arguments[frame.base..];
                builtins::call(&callee.unwrap_or_default(), run.context, arguments).map(Slot::plain)
            }
            EngineFunction::Include | EngineFunction::Tpl => {
                let (text, data) = self.template_and_data(frame);
                let result = match engine {
                    EngineFunction::Include => self.run.include(&text.to_shared(), data),
                    _ => self.run.tpl(&text, data),
                };
                result.map(|text| Slot::plain(Value::String(text)))
            }
            EngineFunction::And | EngineFunction::Or => Ok(Slot::INVALID),
        }
    }

    /// An argument for a parameter of type `ty`; without a type, whatever it is.
    pub(super) fn argument(
        &mut self,
        dot: &Slot,
        ty: Option<Type>,
        operand: &'t Operand,
    ) -> Result<Slot, Error> {
        self.at = At::Operand(operand);
        let slot = match operand.term {
            Term::Dot => dot.clone(),
            Term::Nil => {
                return match ty {
                    Some(ty) if ty.kind.can_be_nil() || ty == REFLECT => Ok(Slot::zero(ty)),
                    Some(ty) => Err(self.error(&format!("cannot assign nil to {ty}"))),
                    None => Err(self.error("indirection through explicit nil")),
                };
            }
            Term::Field(fields) => self.fields(dot, dot, operand, &self.arena[fields], &[], None)?,
            Term::Variable(..) => self.variable(dot, operand, &[], None)?,
            Term::Pipe(pipe) => Slot::plain(with_room(|| self.pipeline(dot, &self.arena[pipe]))?),
            Term::Function(function) => self.call_function(dot, function, At::Operand(operand), &[], None)?,
            Term::Chain(chain) => self.chain(dot, operand, chain, &[], None)?,
            Term::Bool(_) | Term::Number(..) | Term::String(_) => {
                return self.constant(ty.unwrap_or(ANY), operand).map(Slot::plain);
            }
        };
        self.validated(slot, ty)
    }

    /// A constant as the type the parameter has.
    fn constant(&self, ty: Type, operand: &Operand) -> Result<Value, Error> {
        let number = match operand.term {
            Term::Number(number, _) => Some(&self.arena[number]),
            _ => None,
        };
        let found =
            |expected: &str| Err(self.error(&format!("expected {expected}; found {}", self.shown(operand))));
        match (ty.kind, operand.term) {
            (Kind::Bool, Term::Bool(value)) => Ok(Value::Bool(value)),
            (Kind::Bool, _) => found("bool"),
            (Kind::Float64, _) => match number.and_then(|number| number.float) {
                Some(float) => Ok(Value::Float(float)),
                None => found("float"),
            },
            (Kind::Complex128, _) => match number.and_then(|number| number.complex) {
                Some(complex) => Ok(Value::Complex(complex.into())),
                None => found("complex"),
            },
            (kind, _) if kind.is_int() => match number.and_then(|number| number.int) {
                Some(int) => Ok(Value::Int(ty, int)),
                None => found("integer"),
            },
            (kind, _) if kind.is_uint() => match number.and_then(|number| number.uint) {
                Some(uint) => Ok(Value::Uint(ty, uint)),
                None => found("unsigned integer"),
            },
            (Kind::String, Term::String(constant)) => Ok(Value::String(self.tree.string(constant))),
            (Kind::String, _) => found("string"),
            _ if ty == ANY || ty == REFLECT => match operand.term {
                Term::Bool(value) => Ok(Value::Bool(value)),
                Term::Number(number, token) => self.ideal(&self.arena[number], token),
                Term::String(constant) => Ok(Value::String(self.tree.string(constant))),
                _ => Ok(Value::Nil),
            },
            _ => {
                let shown = self.shown(operand);
                Err(self.error(&format!("can't handle {shown} for arg of type {ty}")))
            }
        }
    }

    /// The value, if it can be given where `ty` is expected.
    fn validated(&self, slot: Slot, ty: Option<Type>) -> Result<Slot, Error> {
        let Some(ty) = ty else { return Ok(slot) };
        if slot.is_invalid() {
            if ty.kind.can_be_nil() || ty == REFLECT {
                return Ok(Slot::zero(ty));
            }
            return Err(self.error(&format!("invalid value; expected {ty}")));
        }
        if ty == ANY {
            return Ok(Slot { value: slot.value, boxed: true });
        }
        if ty == REFLECT {
            return Ok(slot);
        }
        match slot.value.ty() {
            Some(own) if own == ty => Ok(Slot::plain(slot.value)),
            Some(own) if own.assignable_to(ty) => Ok(Slot::plain(converted(slot.value, ty))),
            _ => {
                let own = if matches!(slot.value, Value::Nil) { ANY.name } else { slot.value.type_name() };
                Err(self.error(&format!("wrong type for value; expected {ty}; got {own}")))
            }
        }
    }
}

/// The value as the type it was found assignable to.
fn converted(value: Value, ty: Type) -> Value {
    match &value {
        Value::Map(map) => Value::Map(map.converted_to(ty).into()),
        _ => value,
    }
}

/// `reflect.Value.String()` of what is called.
fn describe_callee(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Nil => "<invalid Value>".to_owned(),
        value => format!("<{} Value>", value.type_name()),
    }
}
