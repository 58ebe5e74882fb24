//! Values of every kind, by the expressions that reach them.

use crate::choices::Choices;

/// The chart that generated templates live in.
pub const CHART: &str = "apiVersion: v2\nname: oracle\nversion: 1.2.3\nappVersion: \"4.5\"\nkeywords: [a, b]\nannotations: {k: v}\n";

/// Its values.
pub const VALUES: &str = r#"
text: hello world
empty: ""
lines: "one\ntwo\n\nthree\n"
unicode: "äöü ß 日本 😀"
number: 42
zero: 0
negative: -7
fraction: 1.5
large: 12345678901
huge: 1e21
small: 0.000001
yes: true
no: false
nothing: null
list: [3, 1, 2, 1]
words: [pear, apple, "", apple]
mixed: [1, "two", null, true, [4], {five: 5}]
nolist: []
map: {b: 2, a: 1, c: {d: deep}}
nomap: {}
nested: {a: {b: {c: found}}, list: [{name: x, port: 80}, {name: y, port: 443}]}
version: "1.2.3-beta.1+build"
date: "2020-02-29T13:14:15Z"
json: '{"a":[1,2.5,"x"],"b":null}'
yaml: "a: [1, 2]\nb:\n  c: d\n"
toml: "a = 1\n[b]\nc = \"d\"\n"
tpl: "{{ .Values.text | upper }}-{{ .Release.Name }}"
"#;

/// A file of lines.
pub const LINES: &str = "first\nsecond\n";

/// A file of JSON.
pub const JSON: &str = "{\"b\": [1, 2]}";

/// Named templates that others can call.
pub const PARTIALS: &str = r#"{{- define "echo" -}}{{ . }}{{- end -}}
{{- define "labels" }}
app: {{ .Chart.Name }}
release: {{ .Release.Name | quote }}
{{- end }}
{{- define "type" }}{{ printf "%T" . }}{{ end -}}
{{- define "twice" }}{{ include "echo" . }}{{ include "echo" . }}{{ end -}}
{{- define "fails" }}{{ .a.b.c }}{{ end -}}
{{- define "nothing" }}{{- end -}}
"#;

/// Kinds of value, for the choice of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Text.
    Text,
    /// Go's `int`.
    Int,
    /// `float64`, as numbers in values are.
    Float,
    /// A boolean.
    Bool,
    /// A slice.
    List,
    /// A map.
    Map,
    /// Everything else: nil, times, durations, versions, objects.
    Other,
}

/// Texts that are not UTF-8.
pub const BROKEN: &[&str] = &["(trunc 15 .Values.unicode)", r#""a\xe6\x97 é\xff""#];

const TEXTS: &[&str] = &[
    r#""abc""#,
    ".Values.text",
    r#""""#,
    ".Values.empty",
    "`raw \\n`",
    ".Values.lines",
    ".Values.unicode",
    BROKEN[0],
    BROKEN[1],
    r#""1.2.3""#,
    r#""2020-01-02""#,
    r#""1h30m""#,
    r#""YWJj""#,
    r#""a,b,c""#,
    r#""[a-z]+""#,
    r#""$1x""#,
    r#""42""#,
    r#""true""#,
    r#""0x1F""#,
    ".Values.json",
    ".Values.yaml",
    ".Values.version",
    ".Values.date",
    ".Release.Name",
    r#""  pad ""#,
    r#""a/b/../c.txt""#,
    r#""fooBarBaz""#,
    r#""foo_bar-baz""#,
    r#""http://u:p@h:8/p?q=1#f""#,
    r#""1.5""#,
    r#""-3""#,
    r#""nil""#,
    ".Values.tpl",
    r#""a\tb\"c'd""#,
    r#""%d %s %v %""#,
    ".Chart.Name",
    ".Template.Name",
    r#""é""#,
    r#""0777""#,
    r#""1e3""#,
    r#""yes""#,
];
const INTS: &[&str] = &["1", "0", "3", "-1", "5", "0x10", "'a'", "0b11", "0o17", "12", "2"];
const BIG_INTS: &[&str] =
    &["9223372036854775807", "-9223372036854775808", "1000000", "4294967296", "1_000_000"];
const FLOATS: &[&str] = &[
    ".Values.number",
    "1.5",
    ".Values.fraction",
    ".Values.zero",
    ".Values.negative",
    "-0.5",
    "1e3",
    "2.0",
    ".Values.small",
    "1.5e-7",
];
const BIG_FLOATS: &[&str] = &[".Values.large", ".Values.huge", "1e100", "123456789.125"];
const BOOLS: &[&str] = &["true", "false", ".Values.yes", ".Values.no"];
const LISTS: &[&str] = &[
    ".Values.list",
    ".Values.words",
    ".Values.mixed",
    ".Values.nolist",
    "(list 1 2 3)",
    r#"(list "b" "a")"#,
    "(list)",
    r#"(splitList "," "x,y")"#,
    "(until 3)",
    "(list (list 1) (list 2 3))",
    ".Values.nested.list",
    "(list nil)",
    "(list 1.5 2)",
    r#"(tuple "a" 1)"#,
    "(chunk 2 (list 1 2 3))",
    "(.Files.Lines \"files/a.txt\")",
    "(keys .Values.nomap)",
];
const MAPS: &[&str] = &[
    ".Values.map",
    ".Values.nomap",
    r#"(dict "a" 1)"#,
    "(dict)",
    ".Values.nested",
    r#"(dict "k" .Values.map)"#,
    r#"(split "," "x,y")"#,
    ".Values.map.c",
    r#"(dict "a" nil)"#,
    ".Chart.Annotations",
    "(fromJson .Values.json)",
    r#"(fromYaml "a: 1")"#,
    r#"(urlParse "http://h/p")"#,
];
const OTHERS: &[&str] = &[
    "nil",
    ".Values.nothing",
    ".Values.missing",
    "(int64 7)",
    "(float64 2.5)",
    "1i",
    "1+2i",
    r#"(toDate "2006-01-02" "2020-02-03")"#,
    r#"(mustToDuration "90m")"#,
    ".Files",
    ".Capabilities.KubeVersion",
    ".Capabilities.APIVersions",
    ".Chart",
    ".Release",
    ".Values",
    "$.Values.nested.a",
    ".Template",
    ".Subcharts",
    r#"(.Files.Get "files/a.txt")"#,
    r#"(.Files.GetBytes "files/a.txt")"#,
    r#"(.Files.Glob "files/*")"#,
    r#"((.Files.Glob "files/*").AsConfig)"#,
    ".Values.map.a",
    ".Values.map.x.y",
    r#"(dict "a" 1).a"#,
    "(len .Values.list)",
    r#"(required "needed" .Values.text)"#,
    ".Chart.Keywords",
    ".Chart.IsRoot",
    ".Release.IsInstall",
    ".Release.Revision",
    "(atoi \"3\")",
];

/// One value of each kind, for questions that try them all.
pub const ONE_OF_EACH: &[&str] = &[
    r#""abc""#,
    BROKEN[1],
    r#""""#,
    r#""12""#,
    "0",
    "3",
    "-1",
    "1.5",
    ".Values.number",
    ".Values.huge",
    "'a'",
    "true",
    "false",
    "nil",
    ".Values.nothing",
    ".Values.missing",
    "(list 1 2)",
    "(list)",
    ".Values.words",
    ".Values.mixed",
    r#"(splitList "," "x,y")"#,
    "(until 3)",
    r#"(dict "a" 1)"#,
    "(dict)",
    ".Values.map",
    r#"(split "," "x,y")"#,
    "(int64 7)",
    "1i",
    r#"(semver "1.2.3")"#,
    ".Capabilities",
    r#"(toDate "2006-01-02" "2020-02-03")"#,
    r#"(mustToDuration "90m")"#,
    ".Files",
    ".Capabilities.KubeVersion",
    ".Capabilities.APIVersions",
    ".Values",
    r#"(.Files.GetBytes "files/a.txt")"#,
];

/// Values that Go holds by pointer. Printed by themselves they are as good as any; inside of a list or map Go prints
/// where they lie in memory, which is different at every run. The same is true of `.` and `$`, which have
/// `.Capabilities` inside: no generator prints them as they are.
pub const POINTERS: &[&str] = &[r#"(semver "1.2.3")"#, ".Capabilities"];

const SORTS: [Sort; 7] = [Sort::Text, Sort::Int, Sort::Float, Sort::Bool, Sort::List, Sort::Map, Sort::Other];

/// An expression of the wanted sort.
pub fn of(sort: Sort, choices: &mut Choices<'_>, big: bool) -> &'static str {
    match sort {
        Sort::Text => choices.pick(TEXTS),
        Sort::Int if big && choices.chance(1, 6) => choices.pick(BIG_INTS),
        Sort::Int => choices.pick(INTS),
        Sort::Float if big && choices.chance(1, 4) => choices.pick(BIG_FLOATS),
        Sort::Float => choices.pick(FLOATS),
        Sort::Bool => choices.pick(BOOLS),
        Sort::List => choices.pick(LISTS),
        Sort::Map => choices.pick(MAPS),
        Sort::Other => choices.pick(OTHERS),
    }
}

/// An expression of any sort or a pointer.
pub fn any_or_pointer(choices: &mut Choices<'_>, big: bool) -> &'static str {
    if choices.chance(1, 20) { choices.pick(POINTERS) } else { any(choices, big) }
}

/// An expression of any sort; `big` allows numbers that make some functions run for ever.
pub fn any(choices: &mut Choices<'_>, big: bool) -> &'static str {
    let sort = choices.pick(&SORTS);
    of(sort, choices, big)
}
