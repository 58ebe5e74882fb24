//! YAML documents: valid ones with every kind of node, nasty scalars, and the same after small damage.

use std::io;

use super::named;
use crate::choices::Choices;
use crate::oracle::{Oracle, Question};
use crate::suite::Generated;

/// A document to be read, and written as JSON.
pub fn to_json(choices: &mut Choices<'_>) -> Generated {
    let (text, features) = document(choices);
    Generated { question: Question::YamlToJson(text), features }
}

/// A document to be read, and written as YAML.
pub fn roundtrip(choices: &mut Choices<'_>) -> Generated {
    let (text, features) = document(choices);
    Generated { question: Question::YamlRoundtrip(text), features }
}

/// What a run over all documents must have asked for.
pub fn features(_: &mut Oracle) -> io::Result<Vec<String>> {
    Ok(named(&[
        "mapping",
        "sequence",
        "sequence at the key's indent",
        "flow",
        "plain",
        "plain over lines",
        "single quoted",
        "double quoted",
        "block scalar",
        "scalar key",
        "quoted key",
        "complex key",
        "duplicate key",
        "merge key",
        "anchor",
        "alias",
        "tag",
        "carriage returns",
        "damaged",
    ]))
}

/// Scalars whose meaning YAML 1.1, libyaml and Go disagree on with most others, and plain ones.
const PLAIN: &[&str] = &[
    "a",
    "x y",
    "1",
    "true",
    "null",
    "~",
    "",
    "yes",
    "No",
    "on",
    "OFF",
    "y",
    "n",
    "Y",
    "True",
    "TRUE",
    "NULL",
    "Null",
    "nUll",
    "0",
    "-0",
    "+1",
    "01",
    "0777",
    "0o17",
    "0x1F",
    "0X1f",
    "0b101",
    "-0b11",
    "1_000",
    "0_1",
    "1__0",
    "_1",
    "1_",
    "09",
    "08",
    "1e3",
    "1E+3",
    "1.5",
    ".5",
    "5.",
    "-.5",
    "+.5",
    "1.",
    "1.0",
    "1e21",
    "1e20",
    "1e-7",
    "1.e+2",
    "123456789012345678901234567890",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "3.4028235e38",
    "1e400",
    ".inf",
    "-.inf",
    "+.Inf",
    ".INF",
    ".nan",
    ".NaN",
    "NaN",
    "inf",
    "2001-01-23",
    "2001-01-23T04:05:06Z",
    "2001-1-2",
    "2001-12-14t21:59:43.10-05:00",
    "2001-12-14 21:59:43.10 -5",
    "12:30:45",
    "190:20:30",
    "1:20",
    "0.1:2",
    "<<",
    "=",
    "!",
    "a#b",
    "a #b",
    "a: b",
    "a:b",
    "http://x/y",
    "-",
    "- a",
    "-a",
    "--",
    "---",
    "...",
    "?",
    "? a",
    "?a",
    ":",
    ":a",
    "a:",
    "@a",
    "`a",
    "%a",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "{}",
    "[]",
    "{a",
    "a]",
    ",a",
    "a,b",
    "é",
    "\u{a0}",
    "\u{2028}",
    "日本",
    "\u{1F600}",
    "\u{85}",
    "\t",
    "a\tb",
    "0.0",
    "-0.0",
    "1e",
    "e1",
    "0x",
    "0b",
    "0o",
    "0o8",
    "0x_1",
    "+",
    "+-1",
    "1-2",
    "1,000",
    "0.1e1",
    "1.5.2",
    "v1.2",
    "null ",
    "'",
    "\"",
    "a'b",
    "a\"b",
    "\\n",
    "1.0e+06",
    "1000000.0",
    "1e6",
    "100000000000000000000",
    "0.000001",
    "0.0000001",
    "12e03",
    "-2E+05",
    "685.230_15e+03",
    "0b1_0",
    "-0x1",
    "+0x1",
    "0o-1",
    "-0o7",
    "4503599627370497.5",
    "0.1",
    "1.7976931348623157e308",
    "5e-324",
    "~a",
    "Infinity",
];

const ESCAPES: &[&str] = &[
    "a",
    "\\n",
    "\\t",
    "\\\"",
    "\\\\",
    "\\0",
    "\\x41",
    "\\u00e9",
    "\\U0001F600",
    "\\ud83d\\ude00",
    "\\e",
    "\\a",
    "\\_",
    "\\N",
    "\\L",
    "\\P",
    "\\/",
    "\\q",
    "\\x4",
    "\\ud800",
    " ",
    "  ",
    "\n  ",
    "\n\n  ",
    "\\\n  ",
    "'",
    "#",
    ": ",
    "\t",
    "é",
    "\\r",
    "\\v",
    "\\b",
    "\\ ",
    "\u{7f}",
    "\u{85}",
    "\u{1}",
    "\\x7f",
    "\\x80",
];

const TAGS: &[&str] = &[
    "",
    "!!str ",
    "!!int ",
    "!!float ",
    "!!bool ",
    "!!null ",
    "!!binary ",
    "!!timestamp ",
    "!!map ",
    "!!seq ",
    "!local ",
    "!<tag:yaml.org,2002:str> ",
    "! ",
    "!!set ",
    "!!omap ",
    "!e!x ",
    "!!merge ",
];

struct Builder<'a, 'b> {
    choices: &'a mut Choices<'b>,
    features: Vec<&'static str>,
    anchors: usize,
}

fn document(choices: &mut Choices<'_>) -> (String, Vec<&'static str>) {
    let mut builder = Builder { choices, features: Vec::new(), anchors: 0 };
    let mut text = builder.whole();
    if builder.choices.chance(1, 4) {
        text = builder.damaged(&text);
    }
    (text, builder.features)
}

impl Builder<'_, '_> {
    fn whole(&mut self) -> String {
        let head = self.choices.below(20);
        let mut text = match head {
            17 => "---\n".to_owned(),
            18 => "%YAML 1.1\n---\n".to_owned(),
            19 => "# comment\n\n".to_owned(),
            _ => String::new(),
        };
        text.push_str(&self.block(0, 0));
        match self.choices.below(24) {
            20 => text.push_str("---\nb: 1\n"),
            21 => text.push_str("...\n"),
            22 => text.push_str("# end"),
            23 => {
                text = text.replace('\n', "\r\n");
                self.feature("carriage returns");
            }
            _ => {}
        }
        text
    }

    fn feature(&mut self, name: &'static str) {
        self.features.push(name);
    }

    /// A block node at `indent`, ending with a line end.
    fn block(&mut self, indent: usize, depth: usize) -> String {
        match self.choices.below(if depth > 3 { 2 } else { 5 }) {
            0 => format!("{}{}\n", " ".repeat(indent), self.scalar_line(indent)),
            1 => {
                self.feature("flow");
                format!("{}{}\n", " ".repeat(indent), self.flow(0))
            }
            2 | 3 => self.mapping(indent, depth),
            _ => self.sequence(indent, depth),
        }
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> String {
        self.feature("mapping");
        let mut text = String::new();
        for index in 0..=self.choices.below(4) {
            let key = self.key(index);
            text.push_str(&" ".repeat(indent));
            text.push_str(&key);
            text.push_str(&self.value_of(indent, depth));
        }
        text
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> String {
        self.feature("sequence");
        let mut text = String::new();
        for _ in 0..=self.choices.below(3) {
            text.push_str(&" ".repeat(indent));
            text.push('-');
            if self.choices.chance(1, 6) {
                let inner = self.mapping(indent + 2, depth + 1);
                text.push_str(&inner[indent + 1..]);
            } else {
                text.push_str(&self.value_of(indent, depth));
            }
        }
        text
    }

    /// What follows `key:` or `-`.
    fn value_of(&mut self, indent: usize, depth: usize) -> String {
        let anchor = self.anchor();
        let tag = if self.choices.chance(1, 10) {
            self.feature("tag");
            self.choices.pick(TAGS)
        } else {
            ""
        };
        match self.choices.below(10) {
            0..=5 => format!(" {anchor}{tag}{}\n", self.scalar_line(indent + 1)),
            6 => {
                self.feature("block scalar");
                format!(" {anchor}{tag}{}", self.block_scalar(indent))
            }
            7 if depth < 4 => {
                let step = self.choices.pick(&[2, 4, 1, 3]);
                format!(" {anchor}{tag}\n{}", self.block(indent + step, depth + 1))
            }
            8 => {
                self.feature("flow");
                format!(" {anchor}{tag}{}\n", self.flow(0))
            }
            _ => {
                self.feature("sequence at the key's indent");
                let text = self.sequence(indent, depth + 1);
                format!(" {anchor}{tag}\n{text}")
            }
        }
    }

    fn key(&mut self, index: usize) -> String {
        let plain = ["a", "b", "c", "d"][index % 4];
        match self.choices.below(16) {
            9 => {
                self.feature("scalar key");
                format!("{}:", self.choices.pick(PLAIN))
            }
            10 => {
                self.feature("quoted key");
                format!("\"{plain}\\n{}\":", self.choices.pick(ESCAPES))
            }
            11 => {
                self.feature("complex key");
                format!("? {}\n:", self.choices.pick(&["a", "[a, b]", "{a: b}", "- x", "|\n  t"]))
            }
            12 if self.anchors > 0 => {
                self.feature("merge key");
                let anchor = self.choices.below(self.anchors);
                format!("<<: *a{anchor}\n# merged\nz{index}:")
            }
            13 => {
                self.feature("duplicate key");
                "a:".to_owned()
            }
            14 => format!("{plain} :"),
            15 => format!("'{plain}':"),
            _ => format!("{plain}{index}:"),
        }
    }

    fn anchor(&mut self) -> String {
        if self.choices.chance(1, 10) {
            self.feature("anchor");
            self.anchors += 1;
            format!("&a{} ", self.anchors - 1)
        } else {
            String::new()
        }
    }

    fn scalar_line(&mut self, indent: usize) -> String {
        match self.choices.below(12) {
            8 => {
                self.feature("double quoted");
                let pieces = 1 + self.choices.below(4);
                let body: String = (0..pieces).map(|_| self.choices.pick(ESCAPES)).collect();
                format!("\"{}\"", body.replace("\n  ", &format!("\n{}", " ".repeat(indent + 2))))
            }
            9 => {
                self.feature("single quoted");
                format!("'{}'", self.choices.pick(PLAIN))
            }
            10 if self.anchors > 0 => {
                self.feature("alias");
                format!("*a{}", self.choices.below(self.anchors + 1))
            }
            11 => {
                self.feature("plain over lines");
                format!(
                    "{}\n{}{}",
                    self.choices.pick(PLAIN),
                    " ".repeat(indent + 1),
                    self.choices.pick(PLAIN)
                )
            }
            7 => format!("{} # note", self.choices.pick(PLAIN)),
            _ => {
                self.feature("plain");
                self.choices.pick(PLAIN).to_owned()
            }
        }
    }

    fn block_scalar(&mut self, indent: usize) -> String {
        let header = self
            .choices
            .pick(&["|", ">", "|-", ">-", "|+", ">+", "|2", ">1-", "|+1", "|9", "| # c", ">2", "|0"]);
        let step = self.choices.pick(&[2, 1, 4]);
        let mut text = format!("{header}\n");
        for _ in 0..self.choices.below(5) {
            let line = self
                .choices
                .pick(&["a", "", "  b", "# c", "d: e", "\tf", " ", "- g", "é h", "---", "a  ", "\u{85}"]);
            if line.is_empty() {
                text.push('\n');
            } else {
                text.push_str(&format!("{}{line}\n", " ".repeat(indent + step)));
            }
        }
        text
    }

    fn flow(&mut self, depth: usize) -> String {
        match self.choices.below(if depth > 2 { 2 } else { 6 }) {
            0 => self.choices.pick(PLAIN).to_owned(),
            1 => self.choices.pick(&["[]", "{}", "\"q\"", "'s'", "{a: 1}", "[1, 2]"]).to_owned(),
            2 | 3 => {
                let items: Vec<_> = (0..self.choices.below(4)).map(|_| self.flow(depth + 1)).collect();
                let separator = self.choices.pick(&[", ", ",", " , ", ",\n  "]);
                let trailing = self.choices.pick(&["", "", ","]);
                format!("[{}{trailing}]", items.join(separator))
            }
            _ => {
                let items: Vec<_> = (0..self.choices.below(4))
                    .map(|index| {
                        let key =
                            self.choices.pick(&["a", "b", "\"c\"", "1", "yes", "? d", "~", "[x]", "1.5"]);
                        let colon = self.choices.pick(&[": ", ":", " : ", ""]);
                        format!("{key}{index}{colon}{}", self.flow(depth + 1))
                    })
                    .collect();
                format!("{{{}}}", items.join(", "))
            }
        }
    }

    /// The text after one or two small changes.
    fn damaged(&mut self, text: &str) -> String {
        self.feature("damaged");
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..=self.choices.below(2) {
            let at = self.choices.below(chars.len().max(1));
            match self.choices.below(4) {
                0 if !chars.is_empty() => {
                    chars.remove(at);
                }
                1 => chars.insert(
                    at,
                    self.choices.pick(&[
                        ' ', '\n', '\t', ':', '-', '[', ']', '{', '}', ',', '"', '\'', '#', '&', '*', '!',
                        '|', '>', '%', '@', '?', '\u{0}', '\u{7}', '\r',
                    ]),
                ),
                2 if chars.len() > at + 1 => chars.swap(at, at + 1),
                _ => chars.truncate(at),
            }
        }
        chars.into_iter().collect()
    }
}
