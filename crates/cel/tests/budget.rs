//! No expression takes longer than its budget, however it is written.

use cel::{Activation, Env, EvalError, PER_CALL_LIMIT, Program, Type, Value};
use serde_json::json;

fn run(expression: &str, object: &serde_json::Value) -> (Result<bool, EvalError>, u64) {
    let env = Env::new().with_variable("object", Type::Dyn);
    let program = Program::compile(expression, &env).expect("the expression compiles");
    let mut activation = Activation::new();
    activation.bind_json("object", object, None);
    let evaluated = program.run(&activation, PER_CALL_LIMIT);
    (evaluated.result.map(|value| matches!(value, Value::Bool(true))), evaluated.cost)
}

#[test]
fn what_would_take_too_long_is_cancelled() {
    let numbers: Vec<u32> = (0..200_000).collect();
    let object = json!({"list": numbers, "text": "a".repeat(100_000)});
    for expression in [
        "object.list.all(a, object.list.all(b, object.list.all(c, a + b + c >= 0)))",
        "object.list.distinct().size() > 0",
        "sets.contains(object.list, object.list)",
        "lists.range(1000000000).size() > 0",
        "object.list.map(a, object.text).join('').size() > 0",
        "object.text.replace('', object.text).size() > 0",
        "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(a, object.list.map(b, object.list.map(c, c))).size() > 0",
        "object.list.all(a, object.text.matches('(a+)+$'))",
        // Nothing absorbs the end of the budget.
        "object.list.distinct().size() > 0 || true",
    ] {
        assert_eq!(run(expression, &object).0, Err(EvalError::CostExceeded), "{expression}");
    }
}

#[test]
fn costs_are_those_of_kubernetes() {
    let object = json!({"spec": {"replicas": 3, "list": [1, 2, 3], "name": "abcdefghijklmnopqrstuvwxyz"}});
    for (expression, cost) in [
        ("true", 0),
        ("object.spec.replicas == 3", 4),
        ("has(object.spec.replicas)", 2),
        ("object.spec.list.all(x, x > 0)", 19),
        ("object.spec.list.map(x, x * 2).size() == 3", 48),
        ("object.spec.name.startsWith('a')", 6),
        ("object.spec.name.matches('^[a-z]+$')", 9),
        ("object.spec.replicas in [1, 2, 3]", 3),
    ] {
        assert_eq!(run(expression, &object).1, cost, "{expression}");
    }
}

#[test]
fn a_list_is_gathered_in_a_line_not_in_a_square() {
    let numbers: Vec<u32> = (0..20_000).collect();
    let object = json!({"list": numbers});
    let (result, _) = run("object.list.filter(x, x % 2 == 0).map(x, x + 1).size() == 10000", &object);
    assert_eq!(result, Ok(true));
}
