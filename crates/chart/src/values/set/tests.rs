use super::*;

fn run(reading: fn() -> Reading<'static>, expression: &str, start: &str) -> Result<String, String> {
    let mut values = goyaml::json::from_str(start).unwrap().into_mapping().unwrap();
    set(expression, &mut values, reading()).map_err(|error| error.to_string())?;
    Ok(goyaml::json::to_string(&Value::Mapping(values)).unwrap())
}

fn check(reading: fn() -> Reading<'static>, cases: &[(&str, &str, &str)]) {
    for (start, expression, expected) in cases {
        let found = run(reading, expression, start).unwrap_or_else(|error| error);
        assert_eq!(found, *expected, "{expression:?} over {start}");
    }
}

#[test]
fn typed_values() {
    check(
        || Reading::Typed,
        &[
            ("{}", "a=null", r#"{"a":null}"#),
            (
                "{}",
                "a=0123,b=0,c=-5,d=+7,e=1.5,f=TRUE,g=",
                r#"{"a":"0123","b":0,"c":-5,"d":7,"e":"1.5","f":true,"g":""}"#,
            ),
            ("{}", "a=1,,b=2", "key \"\" has no value (cannot end with ,)"),
            ("{}", "a=x\\,y,b={1,z,true}", r#"{"a":"x,y","b":[1,"z",true]}"#),
            ("{}", "a={}", r#"{"a":[""]}"#),
            ("{}", "a={x},b=1", r#"{"a":["x"],"b":1}"#),
            ("{}", "a={x}y", "key \"y\" has no value"),
            ("{}", "a={x", "list must terminate with '}'"),
            ("{}", "outer.inner=v,outer.middle=w", r#"{"outer":{"inner":"v","middle":"w"}}"#),
            ("{}", "a\\.b=1", r#"{"a.b":1}"#),
            ("{}", "a", "key \"a\" has no value"),
            ("{}", "a,b=1", "key \"a\" has no value (cannot end with ,)"),
            ("{}", "a.b", "key \"b\" has no value"),
            ("{}", "a.=1", "key map \"a\" has no value"),
            ("{}", "a.", "{}"),
            ("{}", "a[0", "{}"),
            ("{}", "=x", "{}"),
            ("{}", "a=b\\", r#"{"a":"b"}"#),
            ("{}", "", "{}"),
        ],
    );
}

#[test]
fn lists() {
    check(
        || Reading::Typed,
        &[
            ("{}", "a[0]=1,a[2]=3", r#"{"a":[1,null,3]}"#),
            ("{}", "a[0].b=1,a[0].c=2,a[1].b=3", r#"{"a":[{"b":1,"c":2},{"b":3}]}"#),
            ("{}", "a[1].b=3,a[0].b=1", r#"{"a":[{"b":1},{"b":3}]}"#),
            ("{}", "a[0][1]=x", r#"{"a":[[null,"x"]]}"#),
            (r#"{"a":[{"x":1}]}"#, "a[0].y=2", r#"{"a":[{"x":1,"y":2}]}"#),
            (r#"{"a":["s"]}"#, "a[0].y=2", r#"{"a":[{"y":2}]}"#),
            ("{}", "a[0]=", r#"{"a":[""]}"#),
            ("{}", "a[0].", r#"{"a":[]}"#),
            ("{}", "a[0]", r#"{"a":[]}"#),
            ("{}", "a[-1]=x", "negative -1 index not allowed"),
            ("{}", "a[65537]=x", "index of 65537 is greater than maximum supported index of 65536"),
            ("{}", "a[x]=1", "error parsing index: strconv.Atoi: parsing \"x\": invalid syntax"),
            ("{}", "a[0]bc=1", "unexpected data at end of array index: ['b' 'c']"),
        ],
    );
}

#[test]
fn paths_through_other_things() {
    check(
        || Reading::Typed,
        &[
            (
                r#"{"a":"s"}"#,
                "a.b=1",
                "unable to parse key: interface conversion: interface {} is string, not map[string]interface {}",
            ),
            (
                r#"{"a":null}"#,
                "a.b=1",
                "unable to parse key: interface conversion: interface {} is nil, not map[string]interface {}",
            ),
            (
                r#"{"a":{}}"#,
                "a[0]=1",
                "unable to parse key: interface conversion: interface {} is map[string]interface {}, not []interface {}",
            ),
            (
                r#"{"a":[1]}"#,
                "a[0][0]=1",
                "unable to parse key: interface conversion: interface {} is json.Number, not []interface {}",
            ),
        ],
    );
    let deep = |levels: usize| format!("{}=1", vec!["a"; levels + 1].join("."));
    assert!(run(|| Reading::Typed, &deep(MAX_DEPTH), "{}").is_ok());
    assert_eq!(
        run(|| Reading::Typed, &deep(MAX_DEPTH + 1), "{}").unwrap_err(),
        "value name nested level is greater than maximum supported nested level of 30"
    );
}

#[test]
fn a_path_of_indexes_without_end_is_refused() {
    let indexes = |count: usize| format!("a{}=1", "[0]".repeat(count));
    assert!(run(|| Reading::Typed, &indexes(MAX_INDEXES), "{}").is_ok());
    for expression in [indexes(MAX_INDEXES + 1), indexes(100_000), format!("a{}=1", "[0].b".repeat(20_000))] {
        assert_eq!(
            run(|| Reading::Typed, &expression, "{}").unwrap_err(),
            "a path has more than 400 indexes"
        );
    }
}

#[test]
fn lists_of_nothing_but_nulls_are_refused() {
    let lists =
        |count: usize| (0..count).map(|list| format!("a{list}[65536]=1")).collect::<Vec<_>>().join(",");
    assert!(run(|| Reading::Typed, &lists(16), "{}").is_ok());
    let message = "lists would be filled up with more than 1048576 nulls";
    assert_eq!(run(|| Reading::Typed, &lists(17), "{}").unwrap_err(), message);
    let nested = format!("a{}=1", "[65536]".repeat(17));
    assert_eq!(run(|| Reading::Typed, &nested, "{}").unwrap_err(), message);
}

#[test]
fn text_json_and_literal() {
    check(|| Reading::Text, &[("{}", "a=1,b={true,null}", r#"{"a":"1","b":["true","null"]}"#)]);
    check(
        || Reading::Json,
        &[
            ("{}", r#"a={"b":[1,2]},c=3"#, r#"{"a":{"b":[1,2]},"c":3}"#),
            ("{}", "a= , b=true", r#"{" b":true,"a":null}"#),
            ("{}", "a=", r#"{"a":null}"#),
            ("{}", r#"a[1]={"x":1}"#, r#"{"a":[null,{"x":1}]}"#),
            (r#"{"a":{"b":1}}"#, r#"a.b="x""#, r#"{"a":{"b":"x"}}"#),
            ("{}", "a=12x", "key \"x\" has no value"),
            ("{}", "a={", "unexpected EOF"),
            ("{}", "a=[1,", "unexpected EOF"),
            ("{}", "a=nul", "unexpected EOF"),
            ("{}", "a=-", "unexpected EOF"),
            ("{}", "a=2.", "unexpected EOF"),
            ("{}", "a=1e999", "json: cannot unmarshal number 1e999 into Go value of type float64"),
            ("{}", "a=2.a", "invalid character 'a' after decimal point in numeric literal"),
            (r#"{"a":[1,[3]]}"#, "a[1][1]", r#"{"a":[1,[3]]}"#),
            ("{}", "a=nul x", "invalid character ' ' in literal null (expecting 'l')"),
            ("{}", "a={]", "invalid character ']' looking for beginning of object key string"),
        ],
    );
    check(
        || Reading::Literal,
        &[
            ("{}", r"a=b,c=\d{x}", r#"{"a":"b,c=\\d{x}"}"#),
            ("{}", "a.b[1]=x,y", r#"{"a":{"b":[null,"x,y"]}}"#),
            ("{}", "a,b=1", r#"{"a,b":"1"}"#),
            ("{}", "a=", r#"{"a":""}"#),
        ],
    );
}

#[test]
fn files_are_read_by_the_callback() {
    let mut values = Mapping::new();
    let mut asked = Vec::new();
    let mut read = |name: &str| {
        asked.push(name.to_owned());
        if name == "missing" {
            Err("open missing: no such file or directory".to_owned())
        } else {
            Ok("text".to_owned())
        }
    };
    set("a=one,b={two,three}", &mut values, Reading::File(&mut read)).unwrap();
    let error = set("c=missing", &mut values, Reading::File(&mut read)).unwrap_err();
    assert_eq!(error.to_string(), "open missing: no such file or directory");
    assert_eq!(asked, ["one", "two", "three", "missing"]);
    assert_eq!(
        values["b"],
        Value::Sequence(vec![Value::String("text".into()), Value::String("text".into())])
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[a-b.=\\[\\]{},0-9\\\\ -]{0,24}") {
        for reading in [Reading::Typed, Reading::Text, Reading::Json, Reading::Literal] {
            let mut values = Mapping::new();
            let _ = set(&text, &mut values, reading);
            proptest::prop_assert!(!values.contains_key(""));
        }
    }

    #[test]
    fn what_is_escaped_is_taken_as_it_is(key in "[a-z.=,\\[]{1,8}", value in "[a-z.=,{}]{1,8}") {
        let escape = |text: &str| text.chars().flat_map(|c| ['\\', c]).collect::<String>();
        let mut values = Mapping::new();
        set(&format!("{}={}", escape(&key), escape(&value)), &mut values, Reading::Text).unwrap();
        proptest::prop_assert_eq!(&values, &Mapping::from([(key, Value::String(value))]));
    }
}
