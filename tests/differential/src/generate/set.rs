//! Strings for `--set` and its relatives.

use std::io;

use super::named;
use crate::choices::Choices;
use crate::oracle::{Oracle, Question};
use crate::suite::Generated;

const BASES: &[&str] =
    &["", "a: {b: 1}", "a: [1, {b: 2}, [3]]", "a: text", "a: null\nb: {c: {d: 1}}", "list: []"];
const PIECES: &[&str] = &[
    "a",
    "b",
    "c",
    ".",
    "[0]",
    "[1]",
    "=",
    ",",
    "1",
    "true",
    "null",
    "text",
    "{",
    "}",
    "{x,y}",
    "[",
    "]",
    "\\,",
    "\\.",
    "\\[",
    "\\=",
    "\\\\",
    "\\",
    "\"",
    "'",
    " ",
    "é",
    "[-1]",
    "[x]",
    "[2][1]",
    "0777",
    "1.5",
    "-3",
    "[65537]",
    "[a",
    "{}",
    "{1,true,null,x}",
    "[1,2]",
    "{\"k\": [1, \"v\"]}",
    "\"s\"",
    "false",
    "0",
    "00",
    "1e3",
    "False",
    "9223372036854775808",
    "\n",
    "\t",
    "a.b[0].c=2",
    "x=1,y=2",
    "list",
    "[0]=",
    "={",
    "=[",
    "=\"",
    "{{",
    "}}",
];
const KINDS: &[&str] = &["set", "set-string", "set-json", "set-literal"];

/// What a run over all strings must have asked for.
pub fn features(_: &mut Oracle) -> io::Result<Vec<String>> {
    Ok(named(KINDS))
}

/// A string, its flag, and values that are there already.
pub fn set(choices: &mut Choices<'_>) -> Generated {
    let kind = choices.pick(KINDS);
    let base = choices.pick(BASES).to_owned();
    let mut text = String::new();
    for _ in 0..=choices.below(3) {
        if !text.is_empty() {
            text.push(',');
        }
        if choices.chance(3, 4) {
            text.push_str(&assignment(choices, kind));
        } else {
            for _ in 0..choices.below(8) {
                text.push_str(choices.pick(PIECES));
            }
        }
    }
    Generated { question: Question::Set { kind, base, text }, features: vec![kind] }
}

fn assignment(choices: &mut Choices<'_>, kind: &str) -> String {
    let mut text = choices.pick(&["a", "b", "list", "a\\.b", "é", ""]).to_owned();
    for _ in 0..choices.below(4) {
        text.push_str(choices.pick(&[".b", ".c", "[0]", "[1]", "[3]", ".d\\,e", "[-1]", "[]", ".", ". "]));
    }
    text.push('=');
    if kind == "set-json" {
        text.push_str(choices.pick(&[
            "1",
            "\"x\"",
            "{\"a\": [1, 2.5, null]}",
            "[1,\"b,c\"]",
            "true",
            "null",
            "{",
            "nul",
            "1 2",
            "",
            "1e3",
            "-0",
            "[] ",
        ]));
    } else {
        for _ in 0..choices.below(3) {
            text.push_str(choices.pick(PIECES));
        }
    }
    text
}
