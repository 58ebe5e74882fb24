//! Calls of every function with every kind of argument.

use std::sync::LazyLock;

use gotmpl::functions::Functions;
use gotmpl::value::types::Kind;

use super::chart_of;
use super::pool::{self, Sort};
use super::samples::{SAMPLES, VARYING};
use crate::choices::Choices;
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

/// Functions that take as long as their argument is large, or whose result varies with the clock.
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

/// Every function as it is meant to be called, and with every kind of value in the place of each argument.
pub fn every_call() -> Vec<Generated> {
    let mut all = Vec::new();
    for &name in names() {
        let mut ask = |text: String| all.push(Generated { question: chart_of(text), features: vec![name] });
        let varying: Vec<_> = VARYING.iter().filter(|(known, _)| *known == name).collect();
        for (_, expression) in &varying {
            ask(format!("{{{{ {expression} }}}}"));
        }
        if SLOW.contains(&name) {
            continue;
        }
        let mut simplest = Choices::new(&[]);
        let arguments = suitable(name, &mut simplest, false);
        let shown = |arguments: &[String]| {
            format!("{{{{ printf \"%v %T\" ({name} {0}) ({name} {0}) }}}}", arguments.join(" "))
        };
        if varying.is_empty() {
            ask(shown(&arguments));
            ask(format!("{{{{ {name} {} | toJson }}}}", arguments.join(" ")));
        }
        ask(format!("{{{{ {name} }}}}"));
        ask(format!("{{{{ {name} {} nil }}}}", arguments.join(" ")));
        for position in 0..arguments.len() {
            for kind in pool::ONE_OF_EACH {
                let mut arguments = arguments.clone();
                (*kind).clone_into(&mut arguments[position]);
                if varying.is_empty() || !name.starts_with("rand") {
                    ask(shown(&arguments));
                }
            }
        }
    }
    all
}

/// A template that calls one function.
pub fn call(choices: &mut Choices<'_>) -> Generated {
    let mut name = choices.pick(names());
    if SLOW.contains(&name) {
        name = "quote";
    }
    let text = if let Some(text) = varying(name, choices) { text } else { ordinary(name, choices) };
    Generated { question: chart_of(text), features: vec![name] }
}

fn varying(name: &str, choices: &mut Choices<'_>) -> Option<String> {
    let known: Vec<_> = VARYING.iter().filter(|(known, _)| *known == name).collect();
    if known.is_empty() {
        return None;
    }
    let (_, expression) = choices.pick(&known);
    Some(format!("{{{{ {expression} }}}}"))
}

fn ordinary(name: &'static str, choices: &mut Choices<'_>) -> String {
    let big = !HUNGRY.contains(&name);
    let mut arguments = suitable(name, choices, big);
    match choices.below(8) {
        0..=2 => {}
        7 if !arguments.is_empty() => {
            arguments.pop();
        }
        6 => arguments.push(pool::any(choices, big).to_owned()),
        _ if !arguments.is_empty() => {
            let at = choices.below(arguments.len());
            pool::any(choices, big).clone_into(&mut arguments[at]);
        }
        _ => {}
    }
    let piped = choices.chance(1, 4).then(|| arguments.pop()).flatten();
    let mut expression = name.to_owned();
    for argument in &arguments {
        expression.push(' ');
        expression.push_str(argument);
    }
    if let Some(piped) = piped {
        expression = format!("{piped} | {expression}");
    }
    printed(&expression, choices)
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
                _ => return pool::any(choices, big).to_owned(),
            };
            pool::of(sort, choices, big).to_owned()
        })
        .collect()
}

/// The result shown in one of several ways.
pub(crate) fn printed(expression: &str, choices: &mut Choices<'_>) -> String {
    match choices.below(14) {
        9 => format!("{{{{ {expression} | toJson }}}}"),
        10 => format!("{{{{ ({expression}) | typeOf }}}}"),
        11 => format!("{{{{ printf \"%v|%T|%q\" ({expression}) ({expression}) ({expression}) }}}}"),
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
