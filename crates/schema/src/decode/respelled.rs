//! Amounts that are written in another way than the server writes them.

use crate::json::Tree;
use crate::scalar::Quantity;
use crate::structure::{ListKind, Scalar, Shape, View};

/// The paths of the atomic lists of a document that hold an amount in another spelling than the server's: `0.5` for
/// `500m`. The server compares such lists as Go holds them, and Go holds these amounts in another way: whoever writes one is
/// taken to have changed the list, though it is shown as before.
pub fn respelled_lists<'t>(view: View<'_>, tree: &'t Tree) -> Vec<Vec<&'t str>> {
    let mut found = Vec::new();
    find(view, tree, &mut Vec::new(), &mut found);
    found
}

fn find<'t>(view: View<'_>, tree: &'t Tree, path: &mut Vec<&'t str>, found: &mut Vec<Vec<&'t str>>) {
    match (view.shape(), tree) {
        (Shape::Object { .. }, Tree::Object(fields)) => {
            for (name, value) in fields {
                if let Some(below) = view.field(name) {
                    path.push(name);
                    find(below, value, path, found);
                    path.pop();
                }
            }
        }
        (Shape::List { kind: ListKind::Atomic, .. }, Tree::List(_)) if holds_respelled(view, tree) => {
            found.push(path.clone());
        }
        _ => {}
    }
}

fn holds_respelled(view: View<'_>, tree: &Tree) -> bool {
    match (view.shape(), tree) {
        (Shape::Scalar(Scalar::Quantity), Tree::String(text)) => {
            Quantity::parse(text.as_str()).is_ok_and(|quantity| quantity.into_text() != text.as_str())
        }
        (_, Tree::Object(fields)) => fields
            .iter()
            .any(|(name, value)| view.field(name).is_some_and(|below| holds_respelled(below, value))),
        (_, Tree::List(items)) => {
            view.items().is_some_and(|below| items.iter().any(|item| holds_respelled(below, item)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn lists_are_named_whose_amounts_go_holds_in_another_way() {
        let scaler = |amount: &str| {
            format!(
                r#"{{"spec": {{"metrics": [{{"pods": {{"target": {{"averageValue": "{amount}"}}}}}}]}}}}"#
            )
        };
        let limits =
            |amount: &str| format!(r#"{{"spec": {{"limits": [{{"max": {{"cpu": "{amount}"}}}}]}}}}"#);
        let pod = r#"{"spec": {"containers": [{"resources": {"limits": {"cpu": "0.5"}}}]}}"#.to_owned();
        for (kind, text, expected) in [
            (("autoscaling", "v2", "HorizontalPodAutoscaler"), scaler("500m"), vec![]),
            (("autoscaling", "v2", "HorizontalPodAutoscaler"), scaler("0.5"), vec![vec!["spec", "metrics"]]),
            (("", "v1", "LimitRange"), limits("1000m"), vec![vec!["spec", "limits"]]),
            (("", "v1", "LimitRange"), limits("1"), vec![]),
            (("", "v1", "Pod"), pod, vec![]),
        ] {
            let view = builtin(kind.0, kind.1, kind.2).unwrap();
            let tree = Tree::parse(&text).unwrap();
            assert_eq!(respelled_lists(view, &tree), expected, "{text}");
        }
    }
}
