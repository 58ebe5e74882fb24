//! Counts the memory that the values of a run hold, so that no template can use up the machine's.
//!
//! What calls make is added up. Most of it is soon dropped again; so once enough has been made, what the run can still
//! reach is counted anew. Making and counting take time as well, and are charged as steps.

use std::collections::HashSet;
use std::rc::Rc;

use super::Run;
use crate::fmt::room;
use crate::functions::{FunctionError, too_large};
use crate::value::Value;

/// How many times the largest value all values together may be.
const ALL: usize = 4;
/// Making this many bytes takes as long as a step.
const BYTES_PER_STEP: usize = 64;
/// What an entry of a map takes, its key apart.
const ENTRY: usize = 64;

impl Run<'_> {
    /// Refuses arguments that are too large together, whatever the function would make of them, and makes room for
    /// what it prints.
    pub(super) fn check_arguments(&self, base: usize) -> Result<(), FunctionError> {
        room::open(self.limits.value_bytes);
        let mut bytes = 0_usize;
        for value in &self.arguments[base..] {
            bytes = bytes.saturating_add(own_size(value));
        }
        if bytes > self.limits.value_bytes { Err(too_large(self.limits.value_bytes)) } else { Ok(()) }
    }

    /// Refuses what was printed only in part.
    pub(super) fn check_printed(&self) -> Result<(), FunctionError> {
        if room::was_cut() { Err(too_large(self.limits.value_bytes)) } else { Ok(()) }
    }

    /// Counts what a call has made; what others hold as well was there before.
    pub(super) fn count_made(&mut self, value: &Value) -> Result<(), FunctionError> {
        if is_alone(value) { self.count_bytes(own_size(value), value) } else { Ok(()) }
    }

    /// Counts so many bytes that a call has made, or printed; `value` is what holds them, if one does.
    pub(super) fn count_bytes(&mut self, bytes: usize, value: &Value) -> Result<(), FunctionError> {
        if bytes > self.limits.value_bytes {
            return Err(too_large(self.limits.value_bytes));
        }
        self.steps += (bytes / BYTES_PER_STEP) as u64;
        self.made += bytes;
        if self.made > self.count_at { self.count_reachable(value) } else { Ok(()) }
    }

    #[cold]
    fn count_reachable(&mut self, made: &Value) -> Result<(), FunctionError> {
        let mut pending = vec![made.clone()];
        pending.extend(self.arguments.iter().cloned());
        pending.extend(self.variables.iter().map(|variable| variable.slot.value.clone()));
        let mut met = HashSet::new();
        let mut bytes = 0_usize;
        while let Some(value) = pending.pop() {
            let address = match &value {
                Value::String(text) => text.as_bytes().as_ptr().addr(),
                Value::Bytes(bytes) => bytes.as_ptr().addr(),
                Value::List(list) => list.address(),
                Value::Map(map) => map.address(),
                _ => continue,
            };
            if !met.insert(address) {
                continue;
            }
            self.steps += 1;
            bytes += own_size(&value);
            match &value {
                Value::List(list) => pending.extend(list.borrow().iter().cloned()),
                Value::Map(map) => pending.extend(map.borrow().values().cloned()),
                _ => {}
            }
        }
        let limit = self.limits.value_bytes.saturating_mul(ALL);
        if bytes > limit {
            return Err(FunctionError::new(format!("exceeded the limit of {limit} bytes of values")));
        }
        self.made = bytes;
        self.count_at = bytes.saturating_add(self.limits.value_bytes);
        Ok(())
    }
}

/// Whether nobody else holds the value.
fn is_alone(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_alone(),
        Value::Bytes(bytes) => Rc::strong_count(bytes) == 1,
        Value::List(list) => Rc::strong_count(list) == 1,
        Value::Map(map) => Rc::strong_count(map) == 1,
        _ => false,
    }
}

/// What a value takes, without what it refers to.
fn own_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => list.len() * size_of::<Value>(),
        Value::Map(map) => map.len() * ENTRY,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::exec::Limits;
    use crate::{Options, TemplateSet, Value};

    fn outcome(template: &str) -> Result<String, String> {
        let limits = Limits { value_bytes: 1 << 20, steps: 3_000_000, ..Limits::default() };
        let mut set = TemplateSet::new(crate::helm::functions(), Options { limits, ..Options::default() });
        set.add("t", template).unwrap();
        let mut out = String::new();
        set.execute("t", &Value::map([].into()), &mut out).map_err(|error| error.to_string())?;
        Ok(out)
    }

    fn assert_refused(template: &str) {
        let error = outcome(template).expect_err(template);
        assert!(error.contains("exceeded the limit of") || error.contains("too long"), "{template}: {error}");
    }

    #[test]
    fn texts_cannot_grow_without_end() {
        for template in [
            r#"{{ $x := "xxxxxxxx" }}{{ range until 60 }}{{ $x = cat $x $x }}{{ end }}"#,
            r#"{{ $x := "xxxxxxxx" }}{{ range until 60 }}{{ $x = printf "%s%s" $x $x }}{{ end }}"#,
            r#"{{ $x := "xxxxxxxx" }}{{ range until 60 }}{{ $x = quote $x }}{{ end }}"#,
            r#"{{ repeat 1000000000000 "x" | len }}"#,
            r#"{{ indent 1000000000 "x" | len }}"#,
            r#"{{ nindent 1000000 "a\nb\nc" | len }}"#,
            r"{{ randAlpha 1000000000 | len }}",
            r"{{ randBytes 1000000000 | len }}",
            r#"{{ $x := repeat 100000 "x" }}{{ replace "x" $x $x | len }}"#,
            r#"{{ $x := repeat 100000 "x" }}{{ regexReplaceAll "x" $x $x | len }}"#,
            r#"{{ $x := repeat 10000 "x" }}{{ regexReplaceAll "(x+)" $x (repeat 1000 "$1") | len }}"#,
            r#"{{ $x := repeat 100000 "x" }}{{ regexReplaceAllLiteral "x" $x $x | len }}"#,
            r#"{{ $x := repeat 100000 "x" }}{{ $l := list }}{{ range until 100 }}{{ $l = append $l $x }}{{ end }}{{ join "" $l | len }}"#,
            r#"{{ $x := repeat 100000 "x" }}{{ join $x (until 100) | len }}"#,
            r#"{{ $x := repeat 100000 "x" }}{{ wrapWith 1 $x (repeat 1000 "a ") | len }}"#,
            r#"{{ splitList "" (repeat 1000000 "x") | len }}"#,
            r#"{{ split "" (repeat 1000000 "x") | len }}"#,
            r#"{{ regexSplit "" (repeat 1000000 "x") -1 | len }}"#,
            r#"{{ regexFindAll "x" (repeat 1000000 "x") -1 | len }}"#,
        ] {
            assert_refused(template);
        }
    }

    #[test]
    fn lists_cannot_grow_without_end() {
        for template in [
            "{{ until 100000000 | len }}",
            "{{ seq 1 100000000 | len }}",
            "{{ untilStep 0 1000000000000 1 | len }}",
            "{{ $x := until 8 }}{{ range until 60 }}{{ $x = concat $x $x }}{{ end }}",
            "{{ uniq (until 40000) | len }}",
        ] {
            assert_refused(template);
        }
    }

    /// A few maps that hold each other twice are many when each is followed.
    #[test]
    fn shared_values_are_not_written_out_without_end() {
        let shared = "{{ $x := dict }}{{ range until 40 }}{{ $x = dict \"a\" $x \"b\" $x }}{{ end }}";
        let lists = "{{ $x := list 1 }}{{ range until 40 }}{{ $x = list $x $x }}{{ end }}";
        for call in [
            "toYaml $x",
            "mustToYaml $x",
            "toYamlPretty $x",
            "toJson $x",
            "mustToJson $x",
            "toPrettyJson $x",
            "toRawJson $x",
            "toToml (dict \"a\" $x)",
            "deepCopy $x",
            "mustDeepCopy $x",
            "toString $x",
            "quote $x $x",
            "squote $x",
            "cat $x $x",
            "join \"\" (list $x $x)",
            "print $x",
            "println $x",
            "printf \"%v\" $x",
            "printf \"%+v %#v\" $x $x",
            "html $x",
            "eq (list 1) $x",
        ] {
            assert_refused(&format!("{shared}{{{{ {call} | len }}}}"));
            assert_refused(&format!("{lists}{{{{ {call} | len }}}}"));
        }
        assert_refused(&format!("{shared}{{{{ $x }}}}"));
        assert_refused(&format!("{lists}{{{{ $x }}}}"));
        let deep = "{{ $x := list }}{{ range until 20000 }}{{ $x = list $x }}{{ end }}{{ $x }}";
        assert_refused(deep);
        assert_refused(&format!("{{{{ printf \"{}\" 1 | len }}}}", "%1000000[1]d".repeat(100)));
        assert_refused(&format!("{shared}{{{{ $y := $x }}}}{shared}{{{{ merge $x $y | len }}}}"));
    }

    /// However little of the stack is left where it is read.
    #[test]
    fn deep_documents_are_read_deep_within_templates() {
        let deep = |open: &str, close: &str| format!("{}{}", open.repeat(499), close.repeat(499));
        let calls = format!(
            "{{{{ fromJsonArray `{0}` | toJson | len }}}}{{{{ fromYamlArray `{0}` | toYaml | len }}}}\
             {{{{ fromToml `a = {0}` | toToml | len }}}}{{{{ fromJson `{{\"a\":{0}}}` | deepCopy | toYamlPretty | len }}}}",
            deep("[", "]")
        );
        let expected = outcome(&calls).unwrap();
        for depth in [1, 10, 30, 50, 70, 90, 110, 130, 150, 170, 190, 300, 900] {
            let template = format!(
                r#"{{{{ define "d" }}}}{{{{ if . }}}}{{{{ include "d" (sub . 1) }}}}{{{{ else }}}}{calls}{{{{ end }}}}{{{{ end }}}}{{{{ include "d" {depth} }}}}"#
            );
            assert_eq!(outcome(&template).as_ref(), Ok(&expected), "{depth}");
        }
    }

    #[test]
    fn all_values_together_are_bounded() {
        assert_refused(
            r"{{ $d := dict }}{{ range until 1000 }}{{ $_ := set $d (toString .) (repeat 100000 (toString .)) }}{{ end }}",
        );
        // What is dropped does not count, but the work does.
        let dropped = |count: usize| {
            format!(r#"{{{{ range until {count} }}}}{{{{ $_ := repeat 100000 "x" }}}}{{{{ end }}}}"#)
        };
        assert_eq!(outcome(&dropped(1000)), Ok(String::new()));
        assert_refused(&dropped(10_000));
    }
}
