//! Templates with every action, nested, trimmed, and sometimes damaged.

mod pipeline;

use std::io;

use super::{chart_of, expression, named, pool};
use crate::choices::Choices;
use crate::oracle::Oracle;
use crate::suite::Generated;

/// A template.
pub fn template(choices: &mut Choices<'_>) -> Generated {
    let mut builder = Builder {
        choices,
        features: Vec::new(),
        variables: Vec::new(),
        depth: 0,
        in_range: false,
        whole: true,
        named: 0,
        open: Vec::new(),
    };
    let mut text = builder.nodes(4);
    if text.contains("range") {
        // A loop that long ends only here, by a limit of ours.
        text = text.replace("9223372036854775807", "12").replace("4294967296", "12");
    }
    // A variable may hold a time, which Go prints as a number with the place in memory where its zone lies.
    let times_printed = expression::is_time(&text) && text.contains("printf");
    if times_printed {
        text = text.replace("%d", "%v");
    }
    if builder.choices.chance(1, 6) {
        let damaged = builder.damaged(&text);
        // No damage may print all there is (see `Builder::whole`), or a time under another verb.
        if lonely_dots(&damaged) <= lonely_dots(&text) && !times_printed {
            text = damaged;
        }
    }
    let features = builder.features;
    Generated { question: chart_of(text), features }
}

const WORDS: &[&str] =
    &["a", " ", "\n", "key: ", "\n  - ", "é", "{", "}}", "\t", "\"", "# note\n", "<no value>", "x\n\ny"];
// None of one letter: without it would be left what must not be printed, see `Builder::whole`.
const VARIABLES: &[&str] = &["$xx", "$yy", "$long_name", "$éa"];

/// What a run over all templates must have asked for.
pub fn features(_: &mut Oracle) -> io::Result<Vec<String>> {
    const ACTIONS: &[&str] = &[
        "text",
        "action",
        "comment",
        "if",
        "with",
        "else",
        "else if",
        "else with",
        "range",
        "range over int",
        "range else",
        "break",
        "continue",
        "declaration",
        "assignment",
        "define",
        "template",
        "block",
        "include",
        "tpl",
        "pipe",
        "variable",
        "variable field",
        "dot",
        "dot field",
        "parenthesised",
        "call",
        "method",
        "literal",
        "short circuit",
        "trimmed",
        "damaged",
    ];
    Ok(named(ACTIONS))
}

/// How often `.` or `$` stand by themselves.
fn lonely_dots(text: &str) -> usize {
    let chars: Vec<char> = text.chars().collect();
    let name = |at: Option<&char>| at.is_some_and(|c| c.is_alphanumeric() || "_.$)".contains(*c));
    let lonely = |at: &usize| {
        matches!(chars[*at], '.' | '$')
            && !name(chars.get(at + 1))
            && !(chars[*at] == '.' && name(at.checked_sub(1).and_then(|before| chars.get(before))))
    };
    (0..chars.len()).filter(lonely).count()
}

struct Builder<'a, 'b> {
    choices: &'a mut Choices<'b>,
    features: Vec<&'static str>,
    variables: Vec<&'static str>,
    depth: usize,
    in_range: bool,
    /// Whether `.` is the whole of what templates see, with `.Capabilities`, which Go prints as the place where it
    /// lies in memory. It is not printed then, and `$`, which always is, never: both differ at every run.
    whole: bool,
    named: usize,
    /// The templates whose text is being made.
    open: Vec<String>,
}

impl Builder<'_, '_> {
    fn feature(&mut self, name: &'static str) {
        self.features.push(name);
    }

    fn nodes(&mut self, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.choices.below(most) {
            text.push_str(&self.node());
        }
        text
    }

    /// The delimiters around an action, with their trim markers.
    fn action(&mut self, inner: &str) -> String {
        let left = self.choices.pick(&["{{ ", "{{- ", "{{", "{{-\n"]);
        let right = self.choices.pick(&[" }}", " -}}", "}}", "\n-}}"]);
        if left.contains('-') || right.contains('-') {
            self.feature("trimmed");
        }
        format!("{left}{inner}{right}")
    }

    fn node(&mut self) -> String {
        if self.depth > 4 {
            return self.choices.pick(WORDS).to_owned();
        }
        self.depth += 1;
        let text = match self.choices.below(24) {
            0..=3 => {
                self.feature("text");
                self.choices.pick(WORDS).to_owned()
            }
            4..=8 => {
                self.feature("action");
                let pipeline = self.pipeline();
                self.action(&pipeline)
            }
            9..=10 => self.conditional("if"),
            11 => self.conditional("with"),
            12..=13 => self.range(),
            14 => self.declare(),
            15 => self.assign(),
            16 => {
                self.feature("comment");
                self.choices
                    .pick(&[
                        "{{/* c */}}",
                        "{{- /* c\nd */ -}}",
                        "{{/*}}*/}}",
                        "{{ /* c */ }}",
                        "{{/* c */ }}",
                    ])
                    .to_owned()
            }
            17 => self.define(),
            18 => self.call("template"),
            19 => self.call("include"),
            20 => {
                self.feature("block");
                let name = self.fresh_name();
                let pipeline = self.pipeline();
                let open = self.action(&format!("block {name:?} {pipeline}"));
                let inner = self.body(name);
                format!("{open}{inner}{{{{ end }}}}")
            }
            21 if self.in_range => {
                let word = self.choices.pick(&["break", "continue"]);
                self.feature(word);
                let condition = self.pipeline();
                format!("{{{{ if {condition} }}}}{{{{ {word} }}}}{{{{ end }}}}")
            }
            22 => {
                self.feature("tpl");
                let inner = self.action(".Values.text | upper");
                self.action(&format!("tpl {inner:?} $"))
            }
            _ => {
                self.feature("printed");
                let pipeline = self.pipeline();
                expression::printed(&pipeline, self.choices)
            }
        };
        self.depth -= 1;
        text
    }

    /// Nodes for which `.` is a value of the template's own.
    fn elsewhere(&mut self, in_range: bool) -> String {
        let before = std::mem::replace(&mut self.whole, false);
        let text = self.scoped(in_range);
        self.whole = before;
        text
    }

    /// Nodes with their own variables.
    fn scoped(&mut self, in_range: bool) -> String {
        let known = self.variables.len();
        let before = self.in_range;
        self.in_range |= in_range;
        let text = self.nodes(3);
        self.in_range = before;
        self.variables.truncate(known);
        text
    }

    fn conditional(&mut self, word: &'static str) -> String {
        self.feature(word);
        let known = self.variables.len();
        let head = self.head();
        let mut text = self.action(&format!("{word} {head}"));
        text.push_str(&if word == "with" { self.elsewhere(false) } else { self.scoped(false) });
        for _ in 0..self.choices.below(3) {
            let nested = self.choices.pick(&["else if", "else with"]);
            self.feature(nested);
            let head = self.head();
            text.push_str(&self.action(&format!("{nested} {head}")));
            text.push_str(&if nested == "else with" { self.elsewhere(false) } else { self.scoped(false) });
        }
        if self.choices.chance(1, 2) {
            self.feature("else");
            text.push_str(&self.action("else"));
            text.push_str(&self.scoped(false));
        }
        text.push_str(&self.action("end"));
        self.variables.truncate(known);
        text
    }

    fn head(&mut self) -> String {
        let pipeline = self.pipeline();
        if self.choices.chance(1, 5) {
            let variable = self.choices.pick(VARIABLES);
            self.variables.push(variable);
            format!("{variable} := {pipeline}")
        } else {
            pipeline
        }
    }

    fn range(&mut self) -> String {
        self.feature("range");
        let known = self.variables.len();
        let over = match self.choices.below(8) {
            0 => ".Values.list".to_owned(),
            1 => ".Values.map".to_owned(),
            2 => {
                self.feature("range over int");
                self.choices
                    .pick(&["3", "0", "(int .Values.number)", "-1", "2.0", "(len .Values.words)"])
                    .to_owned()
            }
            3 => ".Values.nested.list".to_owned(),
            4 => ".Values.mixed".to_owned(),
            5 => "until 3".to_owned(),
            6 => ".Values.nothing".to_owned(),
            _ => self.pipeline(),
        };
        let head = match self.choices.below(3) {
            0 => over,
            1 => {
                self.variables.push("$xx");
                format!("$xx := {over}")
            }
            _ => {
                self.variables.extend(["$xx", "$yy"]);
                format!("$xx, $yy := {over}")
            }
        };
        let mut text = self.action(&format!("range {head}"));
        text.push_str(&self.elsewhere(true));
        if self.choices.chance(1, 4) {
            self.feature("range else");
            text.push_str(&self.action("else"));
            text.push_str(&self.scoped(false));
        }
        text.push_str(&self.action("end"));
        self.variables.truncate(known);
        text
    }

    fn declare(&mut self) -> String {
        self.feature("declaration");
        let variable = self.choices.pick(VARIABLES);
        let pipeline = self.pipeline();
        self.variables.push(variable);
        self.action(&format!("{variable} := {pipeline}"))
    }

    fn assign(&mut self) -> String {
        self.feature("assignment");
        let variable = if self.choices.chance(1, 10) { "$unknown" } else { self.variable() };
        let pipeline = self.pipeline();
        self.action(&format!("{variable} = {pipeline}"))
    }

    fn variable(&mut self) -> &'static str {
        let at = self.choices.below(self.variables.len());
        self.variables.get(at).copied().unwrap_or("$unset")
    }

    fn fresh_name(&mut self) -> String {
        self.named += 1;
        format!("made{}", self.named)
    }

    fn define(&mut self) -> String {
        self.feature("define");
        let name = self.fresh_name();
        let before = std::mem::replace(&mut self.in_range, false);
        let open = format!("{{{{ define {name:?} }}}}");
        let inner = self.body(name);
        self.in_range = before;
        format!("{open}{inner}{{{{ end }}}}")
    }

    /// The text of a template of that name.
    fn body(&mut self, name: String) -> String {
        let known = std::mem::take(&mut self.variables);
        self.open.push(name);
        let text = self.elsewhere(false);
        self.open.pop();
        self.variables = known;
        text
    }

    fn call(&mut self, word: &'static str) -> String {
        self.feature(word);
        let made = format!("made{}", self.choices.below(self.named + 1));
        let name = match self.choices.below(8) {
            0 => "echo",
            1 => "labels",
            2 => "type",
            3 => "twice",
            4 => "nothing",
            5 => "fails",
            6 => "none such",
            _ => made.as_str(),
        };
        let endless = self.open.iter().any(|open| open == name);
        // Go takes a good second to get to the end, and minutes to find its way back through so many ranges.
        let rare = endless && word == "template" && (self.in_range || self.choices.chance(7, 8));
        let name = if rare { "nothing" } else { name };
        // Labels print nothing of what they are given but a name or two.
        let pipeline = match name {
            "labels" => ".".to_owned(),
            // Given more at each of Go's hundred thousand turns, it would fill the memory before the last.
            _ if endless => pool::any(self.choices, true).to_owned(),
            _ => self.operand(),
        };
        let argument = if word == "template" && self.choices.chance(1, 4) {
            String::new()
        } else {
            format!(" {pipeline}")
        };
        self.action(&format!("{word} {name:?}{argument}"))
    }

    fn damaged(&mut self, text: &str) -> String {
        self.feature("damaged");
        let mut chars: Vec<char> = text.chars().collect();
        let at = self.choices.below(chars.len().max(1));
        match self.choices.below(4) {
            0 if !chars.is_empty() => {
                chars.remove(at);
            }
            1 => chars.insert(
                at,
                self.choices.pick(&[
                    ' ', '{', '}', '(', ')', '|', '"', '`', '.', '$', ':', '=', '-', '\'', ',', '\n', '/',
                    '*', '!', '#', '0', 'x', '\u{e9}',
                ]),
            ),
            2 if chars.len() > at + 1 => chars.swap(at, at + 1),
            _ => chars.truncate(at),
        }
        chars.into_iter().collect()
    }
}
