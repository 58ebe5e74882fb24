//! Calls of every function with every kind of argument.

use std::io;
use std::sync::LazyLock;

use gotmpl::functions::Functions;
use gotmpl::value::types::Kind;

use super::chart_of;
use super::pool::{self, Sort};
use super::samples::{SAMPLES, WHOLE};
use crate::choices::Choices;
use crate::oracle::Oracle;
use crate::suite::Generated;

static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut names: Vec<_> = gotmpl::helm::functions().names().collect();
    names.sort_unstable();
    names
});

/// All functions that templates can call.
pub fn names() -> &'static [&'static str] {
    &NAMES
}

/// Functions that take as long as their argument is large.
const HUNGRY: &[&str] = &[
    "repeat",
    "until",
    "untilStep",
    "seq",
    "indent",
    "nindent",
    "derivePassword",
    "randAlpha",
    "randAlphaNum",
    "randAscii",
    "randBytes",
    "randInt",
    "randNumeric",
    "genCA",
    "genCAWithKey",
    "genSelfSignedCert",
    "genSelfSignedCertWithKey",
    "genSignedCert",
    "genSignedCertWithKey",
    "printf",
    "round",
    "wrap",
    "wrapWith",
    "abbrev",
    "abbrevboth",
];

/// Functions that take long whatever they are given; the fixed questions have them all.
const SLOW: &[&str] = &[
    "bcrypt",
    "htpasswd",
    "derivePassword",
    "genCA",
    "genCAWithKey",
    "genPrivateKey",
    "genSelfSignedCert",
    "genSelfSignedCertWithKey",
    "genSignedCert",
    "genSignedCertWithKey",
];

/// Functions whose result varies with the clock or at random, or with the key of a cipher.
const VARYING: &[&str] = &[
    "ago",
    "encryptAES",
    "now",
    "randAlpha",
    "randAlphaNum",
    "randAscii",
    "randBytes",
    "randInt",
    "randNumeric",
    "shuffle",
    "uuidv4",
];

/// Functions that put their arguments into a list or a map, or may hand on one that has them inside.
const CONTAINERS: &[&str] = &[
    "append",
    "chunk",
    "coalesce",
    "compact",
    "concat",
    "deepCopy",
    "default",
    "dict",
    "dig",
    "first",
    "get",
    "index",
    "initial",
    "last",
    "list",
    "merge",
    "mergeOverwrite",
    "mustAppend",
    "mustChunk",
    "mustCompact",
    "mustDeepCopy",
    "mustFirst",
    "mustInitial",
    "mustLast",
    "mustMerge",
    "mustMergeOverwrite",
    "mustPrepend",
    "mustPush",
    "mustRest",
    "mustReverse",
    "mustSlice",
    "mustUniq",
    "mustWithout",
    "omit",
    "pick",
    "pluck",
    "prepend",
    "push",
    "rest",
    "reverse",
    "set",
    "slice",
    "ternary",
    "tuple",
    "uniq",
    "unset",
    "values",
    "without",
];

/// Functions that change their first argument.
const CHANGING: &[&str] = &["merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", "set"];

/// What can be said about the result of a call at every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// Everything.
    All,
    /// Its contents but not how Go prints them, since there may be a pointer in a list or map.
    Contents,
    /// Its type.
    Type,
}

fn telling(name: &str, arguments: &[String]) -> Telling {
    let pointer = arguments.iter().any(|argument| pool::POINTERS.contains(&argument.as_str()));
    if VARYING.contains(&name) {
        Telling::Type
    } else if pointer && CONTAINERS.contains(&name) {
        Telling::Contents
    } else {
        Telling::All
    }
}

/// The call, its result in a fixed order where Go's is random.
fn call_of(name: &str, arguments: &[String]) -> String {
    let call = format!("{name} {}", arguments.join(" "));
    if matches!(name, "keys" | "values") { format!("sortAlpha ({call})") } else { call }
}

/// Every function as it is meant to be called, and without arguments.
pub fn every_function() -> Vec<Generated> {
    let mut all = Vec::new();
    for &name in names() {
        let mut ask = |text: String| all.push(Generated { question: chart_of(text), features: vec![name] });
        for (_, expression) in WHOLE.iter().filter(|(known, _)| *known == name) {
            ask(format!("{{{{ {expression} }}}}"));
        }
        ask(format!("{{{{ typeOf ({name}) }}}}"));
        if SLOW.contains(&name) {
            continue;
        }
        let arguments = suitable(name, &mut Choices::new(&[]), false);
        ask(shown(name, &arguments));
        ask(format!("{{{{ {} nil }}}}", call_of(name, &arguments)));
    }
    all.extend(
        WITH_EVERYTHING
            .iter()
            .map(|(name, text)| Generated { question: chart_of((*text).to_owned()), features: vec![name] }),
    );
    all
}

/// What can be said of `.` and `$` without printing them.
const WITH_EVERYTHING: &[(&str, &str)] = &[
    ("typeOf", "{{ typeOf . }} {{ kindOf $ }} {{ printf \"%T\" . }}"),
    ("len", "{{ len . }} {{ len $ }}"),
    ("keys", "{{ keys . | sortAlpha }}"),
    ("hasKey", "{{ hasKey . \"Values\" }} {{ hasKey $ \"x\" }}"),
    ("get", "{{ (get . \"Values\").text }}"),
    ("toJson", "{{ toJson . }}"),
    ("toYaml", "{{ toYaml $ }}"),
    ("eq", "{{ eq . $ }}"),
    ("empty", "{{ empty . }} {{ not . }} {{ default 1 . | typeOf }}"),
    ("upper", "{{ upper . }}"),
    ("add", "{{ add . 1 }}"),
    ("has", "{{ has . (list $) }}"),
    ("deepEqual", "{{ deepEqual . $ }}"),
    ("index", "{{ index . \"Chart\" \"Name\" }}"),
    ("pick", "{{ pick . \"Template\" }}"),
    ("dig", "{{ dig \"Values\" \"map\" \"c\" \"d\" \"none\" . }}"),
];

/// Every function with every kind of value in the place of each argument.
pub fn every_kind() -> Vec<Generated> {
    let mut all = Vec::new();
    for &name in names().iter().filter(|name| !SLOW.contains(name)) {
        let sample = suitable(name, &mut Choices::new(&[]), false);
        for position in 0..sample.len() {
            for kind in pool::ONE_OF_EACH {
                let mut arguments = sample.clone();
                (*kind).clone_into(&mut arguments[position]);
                without_times_as_numbers(name, &mut arguments);
                let question = chart_of(shown(name, &arguments));
                all.push(Generated { question, features: vec![name, kind] });
            }
        }
    }
    all
}

fn shown(name: &str, arguments: &[String]) -> String {
    let call = call_of(name, arguments);
    match telling(name, arguments) {
        Telling::All => format!("{{{{ printf \"%v %T\" ({call}) ({call}) }}}}"),
        Telling::Contents => format!("{{{{ toJson ({call}) }}}} {{{{ typeOf ({call}) }}}}"),
        Telling::Type => format!("{{{{ typeOf ({call}) }}}}"),
    }
}

/// What a run over all functions must have asked for.
pub fn features(oracle: &mut Oracle) -> io::Result<Vec<String>> {
    let mut wanted = oracle.functions()?;
    let unknown = names().iter().find(|name| !wanted.iter().any(|known| known == *name));
    if let Some(unknown) = unknown {
        return Err(io::Error::other(format!("Helm has no function {unknown}")));
    }
    wanted.extend(pool::ONE_OF_EACH.iter().map(|&kind| kind.to_owned()));
    Ok(wanted)
}

/// A template that calls one function.
pub fn call(choices: &mut Choices<'_>) -> Generated {
    let mut name = choices.pick(names());
    if SLOW.contains(&name) {
        name = "quote";
    }
    let big = !HUNGRY.contains(&name);
    let mut arguments = suitable(name, choices, big);
    match choices.below(8) {
        0..=2 => {}
        7 if !arguments.is_empty() => {
            arguments.pop();
        }
        6 => arguments.push(pool::any_or_pointer(choices, big).to_owned()),
        _ if !arguments.is_empty() => {
            let at = choices.below(arguments.len());
            pool::any_or_pointer(choices, big).clone_into(&mut arguments[at]);
        }
        _ => {}
    }
    if CHANGING.contains(&name)
        && let Some((changed, others)) = arguments.split_first_mut()
        && changed.starts_with('.')
        && others.iter().any(|other| other.contains(".Values"))
    {
        // The values would come to hold themselves, and Go's process dies when it prints them.
        *changed = format!("(deepCopy {changed})");
    }
    without_times_as_numbers(name, &mut arguments);
    let text = match telling(name, &arguments) {
        Telling::All => {
            let mut call = call_of(name, &arguments);
            if choices.chance(1, 4)
                && let Some((last, others)) = arguments.split_last()
            {
                call = format!("{last} | {name} {}", others.join(" "));
                if matches!(name, "keys" | "values") {
                    call.push_str(" | sortAlpha");
                }
            }
            printed(&call, choices)
        }
        Telling::Contents | Telling::Type => shown(name, &arguments),
    };
    Generated { question: chart_of(text), features: vec![name] }
}

fn suitable(name: &str, choices: &mut Choices<'_>, big: bool) -> Vec<String> {
    if let Some((_, sample)) = SAMPLES.iter().find(|(known, _)| *known == name)
        && !choices.chance(1, 4)
    {
        return sample.iter().map(|&argument| argument.to_owned()).collect();
    }
    let functions: Functions = gotmpl::helm::functions();
    let Some(function) = functions.get(name) else { return Vec::new() };
    let extra = if function.variadic { choices.below(3) } else { 0 };
    let last = function.params.last().into_iter().cycle().take(extra);
    let params = function.params.iter().chain(last);
    params
        .map(|param| {
            let sort = match param.kind {
                Kind::String => Sort::Text,
                Kind::Bool => Sort::Bool,
                Kind::Float64 => Sort::Float,
                Kind::Slice => Sort::List,
                Kind::Map => Sort::Map,
                kind if kind.is_int() || kind.is_uint() => Sort::Int,
                _ => return pool::any_or_pointer(choices, big).to_owned(),
            };
            pool::of(sort, choices, big).to_owned()
        })
        .collect()
}

/// Whether a time may come out of it: one that is printed as a number shows where its time zone lies in memory.
pub(crate) fn is_time(expression: &str) -> bool {
    ["toDate", "ToDate", "odify"].iter().any(|name| expression.contains(name))
}

/// Leaves no time among the arguments of a call whose format has verbs for numbers.
fn without_times_as_numbers(name: &str, arguments: &mut [String]) {
    if name == "printf" {
        arguments.iter_mut().filter(|argument| is_time(argument)).for_each(|time| "1".clone_into(time));
    }
}

/// The result shown in one of several ways.
pub(crate) fn printed(expression: &str, choices: &mut Choices<'_>) -> String {
    match choices.below(14) {
        9 => format!("{{{{ {expression} | toJson }}}}"),
        10 => format!("{{{{ ({expression}) | typeOf }}}}"),
        11 => format!("{{{{ printf \"%v|%T|%q\" ({expression}) ({expression}) ({expression}) }}}}"),
        12 if is_time(expression) => {
            format!("{{{{ printf \"%#v|%+v|%s\" ({expression}) ({expression}) ({expression}) }}}}")
        }
        12 => format!(
            "{{{{ printf \"%#v|%+v|%d|%s\" ({expression}) ({expression}) ({expression}) ({expression}) }}}}"
        ),
        13 => format!("{{{{ toYaml ({expression}) }}}}"),
        8 => format!("{{{{ {expression} | quote }}}}"),
        7 => format!(
            "{{{{ range $k, $v := {expression} }}}}{{{{ $k }}}}={{{{ $v }}}};{{{{ else }}}}none{{{{ end }}}}"
        ),
        6 => format!("{{{{ with {expression} }}}}[{{{{ . }}}}]{{{{ else }}}}empty{{{{ end }}}}"),
        _ => format!("{{{{ {expression} }}}}"),
    }
}
