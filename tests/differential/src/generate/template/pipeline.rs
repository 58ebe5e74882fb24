//! What actions compute: operands of every sort, and functions that they are piped through.

use super::Builder;
use crate::generate::pool;

impl Builder<'_, '_> {
    pub(super) fn pipeline(&mut self) -> String {
        let mut text = self.operand();
        while self.choices.chance(1, 4) {
            self.feature("pipe");
            let next = self.choices.pick(&[
                "quote",
                "toJson",
                "len",
                "not",
                "default \"d\"",
                "printf \"%v-%T\"",
                "toString",
                "upper",
                "first",
                "index",
                "eq 1",
                "and true",
                "or false",
                "toYaml",
                "nindent 2",
                "int",
                "kindOf",
                "has 1",
                "print \"a\" 1",
                "println",
                "html",
                "urlquery",
                "js",
                "empty",
                "ternary 1 2",
                "lower | title",
                "slice",
                "call",
                "and",
                "1",
                "nil",
                ".Values.text",
                "(quote)",
                "include \"echo\"",
                "required \"r\"",
                "fail",
                "lt 1",
                "ne \"a\"",
            ]);
            text = format!("{text} | {next}");
        }
        text
    }

    pub(super) fn operand(&mut self) -> String {
        match self.choices.below(16) {
            0..=5 => pool::any(self.choices, true).to_owned(),
            6 => {
                self.feature("variable");
                self.variable().to_owned()
            }
            7 => {
                self.feature("variable field");
                let variable = if self.choices.chance(1, 3) { "$" } else { self.variable() };
                let field = self.choices.pick(&[
                    ".Values.text",
                    ".a",
                    ".name",
                    ".Values.map.c.d",
                    ".x.y",
                    ".Chart.Name",
                ]);
                format!("{variable}{field}")
            }
            8 if !self.whole && self.choices.chance(1, 2) => {
                self.feature("dot");
                ".".to_owned()
            }
            8 => {
                self.feature("dot field");
                self.choices
                    .pick(&[
                        ".name",
                        ".a",
                        ".b.c",
                        ".port",
                        ".d",
                        ".Values.nested.a.b.c",
                        ".Values.nested.a.b.c.d",
                        ".Values.text.x",
                    ])
                    .to_owned()
            }
            9 => {
                self.feature("parenthesised");
                let inner = self.simple();
                let field = self.choices.pick(&["", ".a", ".c.d", ".x", ".Values"]);
                format!("({inner}){field}")
            }
            10..=12 => {
                self.feature("call");
                let (first, second) = (self.simple(), self.simple());
                let name = self.choices.pick(&[
                    "eq",
                    "ne",
                    "lt",
                    "le",
                    "gt",
                    "ge",
                    "and",
                    "or",
                    "print",
                    "println",
                    "index",
                    "default",
                    "list",
                    "dict \"k\"",
                    "coalesce",
                    "slice",
                    "add",
                    "cat",
                    "get",
                    "hasKey",
                    "merge (dict)",
                    "set",
                    "contains",
                    "concat",
                    "append",
                ]);
                format!("{name} {first} {second}")
            }
            13 => {
                self.feature("method");
                self.choices
                    .pick(&[
                        ".Files.Get \"files/a.txt\"",
                        ".Capabilities.APIVersions.Has \"v1\"",
                        ".Files.Get",
                        "(.Files.Glob \"**.json\").AsSecrets",
                        ".Capabilities.KubeVersion.Version",
                        ".Capabilities.KubeVersion.Major",
                        ".Capabilities.KubeVersion",
                        ".Files.Lines \"files/a.txt\"",
                        ".Files.Get 1",
                        ".Files.None",
                        ".Chart.None",
                        ".Release.None",
                        ".Capabilities.None",
                        ".Capabilities.APIVersions.Has",
                        ".Chart.Version",
                        ".Capabilities.KubeVersion.GitVersion",
                        ".Files.Get \"none\"",
                        "(semver \"1.2.3\").Major",
                        "(semver \"1.2.3\").Metadata",
                        "((semver \"1.2.3\").Compare (semver \"1.3\"))",
                        "(toDate \"2006\" \"2020\").Year",
                        "(semver \"1.2.3\").major",
                        "(toDate \"2006\" \"2020\").loc",
                        ".Capabilities.KubeVersion.normalizedVersion",
                    ])
                    .to_owned()
            }
            14 => {
                self.feature("literal");
                self.choices
                    .pick(&[
                        "1",
                        "-1",
                        "0x1F",
                        "1e3",
                        "1.5",
                        "'x'",
                        "'\\n'",
                        "\"s\"",
                        "`raw`",
                        "true",
                        "nil",
                        "1i",
                        "0b1",
                        "1_000",
                        "\"\\u00e9\\x41\"",
                        "1e1000",
                        "99999999999999999999",
                        "'ab'",
                        "\"open",
                        "08",
                        "0x",
                        ".5",
                        "1.",
                        "+1",
                        "0777",
                        "0o7",
                        "1e-3",
                        "0x1p4",
                        "'\\''",
                        "\"\\q\"",
                    ])
                    .to_owned()
            }
            _ => {
                self.feature("short circuit");
                let (first, second) = (self.simple(), self.simple());
                format!("{} {first} ({second}) (fail \"reached\")", self.choices.pick(&["and", "or"]))
            }
        }
    }

    fn simple(&mut self) -> String {
        match self.choices.below(6) {
            4 => self.variable().to_owned(),
            5 if !self.whole => self.choices.pick(&[".", ".name", ".port.x"]).to_owned(),
            5 => self.choices.pick(&["$.Values.map", ".name", "nil", "(len $.Values.list)"]).to_owned(),
            _ => pool::any(self.choices, true).to_owned(),
        }
    }
}
