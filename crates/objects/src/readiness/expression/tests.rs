use goyaml::Value;

use super::*;

fn status() -> Value {
    let text = r#"
succeeded: 1
ratio: 0.5
big: 9007199254740993
count: "10"
phase: Ready
ready: true
empty: ""
nothing: null
message: "not ready, yet"
nested: {state: {code: 7}}
conditions:
- {type: Available, status: "True"}
- {type: Ready, status: "False", reason: Waiting}
containers: [{restarts: 0}, {restarts: 6}]
"#;
    goyaml::from_str(text).unwrap()
}

fn met(expression: &str, quantifier: Quantifier) -> (bool, Vec<String>) {
    let mut warnings = Vec::new();
    let expression = Expression::parse(expression).unwrap_or_else(|error| panic!("{error}"));
    let met = expression.is_met(&status(), quantifier, &mut warnings);
    (met, warnings)
}

#[test]
fn both_spellings_mean_the_same() {
    for spelling in [
        "{.succeeded} == 1",
        "{.succeeded}==1",
        "succeeded==1",
        "succeeded == 1",
        ".succeeded==1",
        "  { .succeeded }  ==  1  ",
        "{$.succeeded} == 1",
        "{['succeeded']} == 1",
    ] {
        assert_eq!(met(spelling, Quantifier::All), (true, vec![]), "{spelling}");
    }
}

#[test]
fn numbers_compare_as_numbers_then_booleans_then_strings() {
    for (expression, expected) in [
        ("succeeded == 1.0", true),
        ("succeeded != 1", false),
        ("succeeded < 2", true),
        ("succeeded <= 1", true),
        ("succeeded > 1", false),
        ("succeeded >= 1", true),
        ("succeeded > -1e3", true),
        ("big == 9007199254740993", true),
        ("big == 9007199254740992", false),
        ("big > 9007199254740992", true),
        ("big > 1.5", true),
        ("ratio < 1", true),
        ("ratio == .5", true),
        ("count > 9", true),
        ("count == 10", true),
        ("count == \"10\"", true),
        ("count == \"10.0\"", false),
        ("ready == true", true),
        ("ready == True", true),
        ("ready != false", true),
        ("ready == \"true\"", true),
        ("phase == Ready", true),
        ("phase == 'Ready'", true),
        ("phase != \"Ready\"", false),
        ("phase == ready", false),
        ("phase == 1", false),
        ("phase != 1", true),
        ("phase == true", false),
        ("empty == ''", true),
        ("message == 'not ready, yet'", true),
        ("nested.state.code == 7", true),
        ("{.conditions[?(@.type==\"Available\")].status} == True", true),
        ("conditions[?(@.type=='Ready')].status == \"True\"", false),
        ("{.conditions[?(@.type==\"Ready\")].reason} == Waiting", true),
        ("{.conditions[-1].type} == Ready", true),
        ("{..code} == 7", true),
    ] {
        assert_eq!(met(expression, Quantifier::All), (expected, vec![]), "{expression}");
    }
}

#[test]
fn a_missing_path_is_not_met_whatever_the_operator() {
    for expression in [
        "gone == 1",
        "gone != 1",
        "{.gone.deeper} != x",
        "nothing != 1",
        "{.conditions[7].type} != x",
        "{.conditions[?(@.type==\"Gone\")].status} != True",
        "{.phase[0]} != x",
    ] {
        for quantifier in [Quantifier::All, Quantifier::Any] {
            assert_eq!(met(expression, quantifier), (false, vec![]), "{expression}");
        }
    }
}

#[test]
fn an_ordering_of_what_is_no_number_is_not_met_and_warned_of() {
    for (expression, warning) in [
        ("phase < 1", "phase < 1: \"Ready\" has no order: only numbers do"),
        ("phase >= Ready", "phase >= Ready: \"Ready\" has no order: only numbers do"),
        ("ready > false", "ready > false: \"true\" has no order: only numbers do"),
        ("succeeded < \"2\"", "succeeded < \"2\": \"1\" has no order: only numbers do"),
        ("nested == 1", "nested == 1: a list or mapping has no order and equals no literal"),
    ] {
        assert_eq!(met(expression, Quantifier::All), (false, vec![warning.to_owned()]));
    }
}

#[test]
fn of_several_values_a_success_needs_all_and_a_failure_one() {
    let expression = "{.containers[*].restarts} > 5";
    assert!(!met(expression, Quantifier::All).0);
    assert!(met(expression, Quantifier::Any).0);
    assert!(met("{.containers[*].restarts} >= 0", Quantifier::All).0);
}

#[test]
fn what_does_not_parse_says_where() {
    for (expression, character, problem) in [
        ("", 1, "there is no path before the operator"),
        ("== 1", 1, "there is no path before the operator"),
        ("succeeded", 10, "an operator is expected: one of == != < <= > >="),
        ("{.succeeded}", 13, "an operator is expected: one of == != < <= > >="),
        ("succeeded = 1", 11, "an operator is expected: one of == != < <= > >="),
        ("{.succeeded} is 1", 14, "an operator is expected: one of == != < <= > >="),
        ("succeeded ==", 13, "there is nothing to compare with"),
        ("succeeded == 1 2", 15, "one number, boolean or word is expected; other texts need quotes"),
        ("a==1 && b==2", 5, "one number, boolean or word is expected; other texts need quotes"),
        ("succeeded == 'x", 14, "this quote is not closed"),
        ("succeeded == 'x' y", 17, "nothing may follow the literal"),
        ("é == 'x\\q'", 8, "this escape is not known"),
        ("{.succeeded == 1", 1, "this bracket is not closed"),
        ("a['b == 1", 3, "this quote is not closed"),
        ("{succeeded} == 1", 2, "unrecognized identifier succeeded"),
        ("{.list[x]} == 1", 7, "invalid array index x"),
        ("list[x] == 1", 5, "invalid array index x"),
        ("{.a}{.b} == 1", 5, "an operator is expected: one of == != < <= > >="),
    ] {
        let error = Expression::parse(expression).expect_err(expression);
        assert_eq!((error.character(), error.problem.as_str()), (character, problem), "{expression}");
    }
    assert_eq!(
        Expression::parse("succeeded = 1").unwrap_err().to_string(),
        "\"succeeded = 1\" is not a readiness expression: an operator is expected: one of == != < <= > >= \
         (character 11)"
    );
}
