use std::collections::BTreeMap;

use super::*;
use crate::functions::Offline;
use crate::value::types::MAP_ANY;

fn rendered(files: &[(&str, &str)]) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let scope = Value::map([("Values".into(), Value::map(Entries::new()))].into());
    let templates = files
        .iter()
        .map(|(name, source)| Template {
            name: format!("c/templates/{name}"),
            source: (*source).to_owned().into(),
            base_path: "c/templates".to_owned(),
            scope: scope.clone(),
        })
        .collect();
    let options = EngineOptions::new(Rc::new(Offline::default()));
    let mut rendered = BTreeMap::new();
    let each = |name: &str, text| {
        rendered.insert(name.to_owned(), text);
    };
    render(templates, MAP_ANY, options, each).map_err(|error| error.to_string())?;
    Ok(rendered)
}

fn one(source: &str) -> String {
    match rendered(&[("a.yaml", source), ("_h.tpl", "{{define \"h\"}}<{{.}}>{{end}}")]) {
        Ok(files) => goyaml::text_of(&files["c/templates/a.yaml"]).into_owned(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn templates_include_and_are_included() {
    for (source, expected) in [
        ("{{include \"h\" 1}}", "<1>"),
        ("{{tpl \"{{include \\\"h\\\" .}}\" 2}}", "<2>"),
        (
            "{{tpl \"{{define \\\"h\\\"}}[{{.}}]{{end}}{{include \\\"h\\\" .}}\" 2}}{{include \"h\" 3}}",
            "[2]<3>",
        ),
        ("{{.Values.a}}|{{.Template.Name}}|{{.Template.BasePath}}", "|c/templates/a.yaml|c/templates"),
        ("{{lookup \"v1\" \"Pod\" \"\" \"\"}}", "map[]"),
        ("{{required \"x\" 1}}", "1"),
    ] {
        assert_eq!(one(source), expected, "{source}");
    }
}

#[test]
fn errors_are_told_as_helm_tells_them() {
    for (source, expected) in [
        ("{{", "error: parse error at (c/templates/a.yaml:1): unclosed action"),
        ("{{fail \"no\"}}", "error: execution error at (c/templates/a.yaml:1:2): no"),
        ("{{required \"need\" .Values.x}}", "error: execution error at (c/templates/a.yaml:1:2): need"),
        (
            "{{.Values.a.b}}",
            "error: c/templates/a.yaml:1:9\n  executing \"c/templates/a.yaml\" at <.Values.a.b>:\n    \
             nil pointer evaluating interface {}.b",
        ),
        (
            "{{include \"nope\" .}}",
            "error: c/templates/a.yaml:1:2\n  executing \"c/templates/a.yaml\" at <include \"nope\" .>:\n    \
             error calling include:\ntemplate: no template \"nope\" associated with template \"gotpl\"",
        ),
    ] {
        assert_eq!(one(source), expected, "{source}");
    }
}

#[test]
fn endless_inclusion_is_an_error() {
    let error = one("{{define \"loop\"}}{{include \"loop\" .}}{{end}}{{include \"loop\" .}}");
    assert!(
        error.contains("rendering template has a nested reference name: loop: unable to execute template")
    );
    let chain = r#"{{block "a" .}}{{block "b" .}}{{block "c" .}}{{template "a"}}{{end}}{{end}}{{end}}"#;
    let included = r#"{{define "a"}}{{block "b" .}}{{template "a"}}{{end}}{{end}}{{include "a" .}}"#;
    for (source, column, name, action) in [
        (r#"{{define "a"}}{{template "a" .}}{{end}}{{template "a" .}}"#, 25, "a", r#"{{template "a" .}}"#),
        (r#"{{block "a" .}}{{block "b" .}}{{template "a"}}{{end}}{{end}}"#, 41, "b", r#"{{template "a"}}"#),
        (chain, 23, "a", r#"{{template "b" .}}"#),
        (included, 22, "a", r#"{{template "b" .}}"#),
    ] {
        let error = one(source);
        let place = format!("c/templates/a.yaml:1:{column}\n  executing {name:?} at <{action}>");
        let expected = format!("{place}:\n    exceeded maximum template depth (100000)");
        assert!(error.ends_with(&expected), "{source}: {error}");
    }
}

#[test]
fn depth_is_bounded_not_by_the_stack() {
    let parens = format!("{{{{{}1{}}}}}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(one(&parens), "1");
    let blocks = format!("{}x{}", "{{if true}}".repeat(3000), "{{end}}".repeat(3000));
    assert_eq!(one(&blocks), "x");
    let mutual = "{{define \"a\"}}{{if .}}{{include \"b\" (rest .)}}{{end}}{{end}}\
                  {{define \"b\"}}.{{include \"a\" .}}{{end}}{{include \"a\" (until 700)}}";
    assert_eq!(one(mutual), ".".repeat(700));
    let value = "{{$x := list}}{{range 2000}}{{$x = list $x}}{{end}}{{len (printf \"%v\" $x)}}";
    assert_eq!(one(value), "4002");
}

#[test]
fn endless_tpl_is_an_error() {
    let endless = "{{define \"t\"}}{{tpl \"{{include \\\"t\\\" .}}\" .}}{{end}}{{include \"t\" .}}";
    let error = one(endless);
    assert!(error.contains("rendering template has a nested reference name: t"), "{}", &error[..200]);
}

#[test]
fn work_is_bounded() {
    let few_steps = Limits { steps: 1000, ..Limits::default() };
    let few_bytes = Limits { output_bytes: 100, ..Limits::default() };
    for (limits, expected) in [
        (few_steps, "exceeded the limit of 1000 steps"),
        (few_bytes, "exceeded the limit of 100 bytes of output"),
    ] {
        let mut options = EngineOptions::new(Rc::new(Offline::default()));
        options.limits = limits;
        let mut engine = Engine::new(options);
        engine.add("a", "{{range 1000000}}x{{end}}").unwrap();
        let error = engine.render("a", &Value::Nil).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}

#[test]
fn bytes_that_are_not_utf8_come_through() {
    let scope = Value::map(Entries::new());
    for (source, expected) in [
        (&b"a\xe9{{ `\xe9\xc3\xa9` }}"[..], &b"a\xe9\xe9\xc3\xa9"[..]),
        (b"{{ printf \"%q\" `\xe9` }}{{ \"\xe9\" }}", b"\"\\xe9\"\xef\xbf\xbd"),
        (b"{{ tpl \"\\xe6{{ . }}\\xe6\" (trunc 1 `\xc3\xa9`) }}", b"\xe6\xc3\xe6"),
        (b"{{ include `h` (trunc 1 `\xc3\xa9`) }}{{ define `h` }}<{{ . }}>{{ end }}", b"<\xc3>"),
        (b"{{ toToml (dict `a` `\xe9`) }}", b"a = \"\xe9\"\n"),
        (b"{{ toYaml `\xe9\xc3` }}{{ toJson `\xe9` }}", b"\xef\xbf\xbd\xef\xbf\xbd\"\\ufffd\""),
        (b"<no value>\xe9", b"\xe9"),
    ] {
        let template = Template {
            name: "a".to_owned(),
            source: Bytes::from_static(source),
            base_path: String::new(),
            scope: scope.clone(),
        };
        let options = EngineOptions::new(Rc::new(Offline::default()));
        let mut rendered = Vec::new();
        render(vec![template], MAP_ANY, options, |_, text| rendered = text).unwrap();
        assert_eq!(rendered, expected, "{}", goyaml::text_of(source));
    }
}
