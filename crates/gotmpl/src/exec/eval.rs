//! Evaluates pipelines, commands, fields and constants.

use super::MissingKey;
use super::slot::Slot;
use super::state::State;
use crate::error::Error;
use crate::parse::arena::Id;
use crate::parse::tree::{At, Chain, Command, Ideal, Number, Operand, Pipe, Span, Term};
use crate::parse::with_room;
use crate::value::Value;

impl<'t> State<'t, '_, '_> {
    /// The value of a pipeline, out of any interface it was in.
    pub(super) fn pipeline(&mut self, dot: &Slot, pipe: &'t Pipe) -> Result<Value, Error> {
        self.at = At::Pipe(pipe);
        let mut last: Option<Slot> = None;
        for command in &self.arena[pipe.commands] {
            let mut slot = self.command(dot, command, last)?;
            slot.boxed = false;
            last = Some(slot);
        }
        let value = last.unwrap_or_default().value;
        for variable in &self.arena[pipe.declares] {
            let slot = Slot::plain(value.clone());
            if pipe.assign {
                self.assign(variable, slot)?;
            } else {
                self.push(variable.id, slot);
            }
        }
        Ok(value)
    }

    /// A command; `last` is what the one before it in the pipeline gave.
    fn command(&mut self, dot: &Slot, command: &'t Command, last: Option<Slot>) -> Result<Slot, Error> {
        let args = &self.arena[command.args];
        let (first, args) = (&args[0], &args[1..]);
        match first.term {
            Term::Field(fields) => {
                self.at = At::Operand(first);
                return self.fields(dot, dot, first, &self.arena[fields], args, last);
            }
            Term::Chain(chain) => return self.chain(dot, first, chain, args, last),
            Term::Function(function) => {
                self.at = At::Operand(first);
                return self.call_function(dot, function, At::Command(command), args, last);
            }
            Term::Pipe(pipe) => {
                self.not_a_function(first, args, last.as_ref())?;
                return with_room(|| self.pipeline(dot, &self.arena[pipe])).map(Slot::plain);
            }
            Term::Variable(..) => return self.variable(dot, first, args, last),
            _ => {}
        }
        self.at = At::Operand(first);
        self.not_a_function(first, args, last.as_ref())?;
        match first.term {
            Term::Bool(value) => Ok(Slot::plain(Value::Bool(value))),
            Term::Dot => Ok(dot.clone()),
            Term::Number(number, token) => self.ideal(&self.arena[number], token).map(Slot::plain),
            Term::String(constant) => Ok(Slot::plain(Value::String(self.tree.string(constant)))),
            _ => Err(self.error("nil is not a command")),
        }
    }

    fn not_a_function(&self, first: &Operand, args: &[Operand], last: Option<&Slot>) -> Result<(), Error> {
        if args.is_empty() && last.is_none() {
            return Ok(());
        }
        Err(self.error(&format!("can't give argument to non-function {}", self.shown(first))))
    }

    /// The value of a number where nothing says which type is wanted.
    pub(super) fn ideal(&self, number: &Number, token: Span) -> Result<Value, Error> {
        match number.ideal {
            Ideal::Int(int) => Ok(Value::int(int)),
            Ideal::Float(float) => Ok(Value::Float(float)),
            Ideal::Complex => Ok(Value::Complex(number.complex.unwrap_or_default().into())),
            Ideal::Overflow => Err(self.error(&format!("{} overflows int", token.of(self.text)))),
        }
    }

    /// `$x` and `$x.Field`.
    pub(super) fn variable(
        &mut self,
        dot: &Slot,
        operand: &'t Operand,
        args: &'t [Operand],
        last: Option<Slot>,
    ) -> Result<Slot, Error> {
        self.at = At::Operand(operand);
        let Term::Variable(id, names) = operand.term else { return Ok(Slot::INVALID) };
        let (name, fields) = (&self.arena[names][0], &self.arena[names][1..]);
        let Some(slot) = self.find_variable(id).map(|slot| slot.clone()) else {
            return Err(self.error(&format!("undefined variable: {}", name.of(self.text))));
        };
        if fields.is_empty() {
            self.not_a_function(operand, args, last.as_ref())?;
            return Ok(slot);
        }
        self.fields(dot, &slot, operand, fields, args, last)
    }

    /// `(pipeline).Field`
    pub(super) fn chain(
        &mut self,
        dot: &Slot,
        operand: &'t Operand,
        chain: Id<Chain>,
        args: &'t [Operand],
        last: Option<Slot>,
    ) -> Result<Slot, Error> {
        self.at = At::Operand(operand);
        let chain = &self.arena[chain];
        let receiver = self.argument(dot, None, &chain.operand)?;
        self.fields(dot, &receiver, operand, &self.arena[chain.fields], args, last)
    }

    /// `.X.Y.Z`; the last may be a method with arguments.
    pub(super) fn fields(
        &mut self,
        dot: &Slot,
        receiver: &Slot,
        operand: &'t Operand,
        names: &'t [Span],
        args: &'t [Operand],
        last: Option<Slot>,
    ) -> Result<Slot, Error> {
        let Some((final_name, names)) = names.split_last() else { return Ok(receiver.clone()) };
        let mut holder;
        let mut receiver = receiver;
        for name in names {
            holder = self.field(dot, receiver, operand, name.of(self.text), &[], None)?;
            receiver = &holder;
        }
        self.field(dot, receiver, operand, final_name.of(self.text), args, last)
    }

    fn field(
        &mut self,
        dot: &Slot,
        receiver: &Slot,
        operand: &'t Operand,
        name: &'t str,
        args: &'t [Operand],
        last: Option<Slot>,
    ) -> Result<Slot, Error> {
        // What nearly every field is: a key of a map, and not the name of a method.
        if let Value::Map(map) = &receiver.value
            && args.is_empty()
            && last.is_none()
            && map.ty().method(name).is_none()
            && let Some(value) = map.get(name)
        {
            return Ok(Slot::of(value, map.elem()));
        }
        self.any_field(dot, receiver, operand, name, args, last)
    }

    fn any_field(
        &mut self,
        dot: &Slot,
        receiver: &Slot,
        operand: &'t Operand,
        name: &'t str,
        args: &'t [Operand],
        last: Option<Slot>,
    ) -> Result<Slot, Error> {
        if let Value::Nil = receiver.value {
            if receiver.boxed {
                return Err(self.error(&format!("nil pointer evaluating interface {{}}.{name}")));
            }
            if self.run.missing_key == MissingKey::Error {
                let name = goyaml::strconv::quote(name);
                return Err(self.error(&format!("nil data; no entry for key {name}")));
            }
            return Ok(Slot::INVALID);
        }
        if let Some(method) = receiver.value.ty().and_then(|ty| ty.method(name)) {
            return self.call_method(dot, &receiver.value, method, At::Operand(operand), args, last);
        }
        let has_args = !args.is_empty() || last.is_some();
        match &receiver.value {
            Value::Map(map) => {
                if has_args {
                    return Err(self.error(&format!("{name} is not a method but has arguments")));
                }
                if let Some(value) = map.get(name) {
                    return Ok(Slot::of(value, map.elem()));
                }
                return match self.run.missing_key {
                    MissingKey::Default => Ok(Slot::INVALID),
                    MissingKey::Zero => Ok(Slot::zero(map.elem())),
                    MissingKey::Error => {
                        let name = goyaml::strconv::quote(name);
                        Err(self.error(&format!("map has no entry for key {name}")))
                    }
                };
            }
            Value::Object(object) => {
                if object.is_nil() {
                    let ty = receiver.type_name();
                    return Err(self.error(&format!("nil pointer evaluating {ty}.{name}")));
                }
                if object.private_fields().contains(&name) {
                    let ty = receiver.type_name();
                    return Err(self.error(&format!("{name} is an unexported field of struct type {ty}")));
                }
                if let Some(value) = object.field(name) {
                    if has_args {
                        let message = format!("{name} has arguments but cannot be invoked as function");
                        return Err(self.error(&message));
                    }
                    let boxed = matches!(value, Value::Nil);
                    return Ok(Slot { value, boxed });
                }
            }
            _ => {}
        }
        Err(self.error(&format!("can't evaluate field {name} in type {}", receiver.type_name())))
    }
}
