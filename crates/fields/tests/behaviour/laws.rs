//! What holds for all objects.

use fields::{FieldSet, PathElement};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::object::Object;

fn element() -> impl Strategy<Value = PathElement<'static>> {
    prop_oneof![
        4 => "[a-c<\"]{0,2}".prop_map(PathElement::field),
        1 => ("[a-b]", 0..20_i64).prop_map(|(name, port)| PathElement::key([("name", json!(name)), ("port", json!(port))])),
        1 => "[a-b\\\\]{0,2}".prop_map(PathElement::value),
        1 => (0..20_i64).prop_map(PathElement::value),
        1 => (0..3_i64).prop_map(PathElement::Index),
    ]
}

fn set() -> impl Strategy<Value = FieldSet<'static>> {
    proptest::collection::vec(proptest::collection::vec(element(), 1..4), 0..12).prop_map(FieldSet::of)
}

fn union(left: &FieldSet<'static>, right: &FieldSet<'static>) -> FieldSet<'static> {
    let mut all = left.clone();
    all.unite(right.clone());
    all
}

fn difference(left: &FieldSet<'static>, right: &FieldSet<'static>) -> FieldSet<'static> {
    let mut rest = left.clone();
    rest.subtract(right);
    rest
}

/// A spec with some of the fields, all values made of the given letters. Nothing is empty: what is empty has no owner,
/// or one that loses it when the place becomes null.
fn spec(letters: &'static str) -> impl Strategy<Value = Value> {
    let text = move || proptest::sample::select(letters.chars().map(String::from).collect::<Vec<_>>());
    let texts = move || proptest::collection::btree_set(text(), 1..3);
    let container = (texts(), proptest::option::of(text())).prop_map(|(args, image)| {
        let mut container = Map::new();
        container.insert("args".into(), json!(args));
        container.extend(image.map(|image| ("image".into(), json!(image))));
        container
    });
    let containers = proptest::collection::btree_map(text(), container, 1..3).prop_map(|containers| {
        containers
            .into_iter()
            .map(|(name, mut container)| {
                container.insert("name".into(), json!(name));
                Value::Object(container)
            })
            .collect::<Vec<_>>()
    });
    (
        proptest::option::of(text()),
        proptest::option::of(texts()),
        proptest::option::of(containers),
        proptest::option::of(proptest::collection::btree_map(text(), text(), 1..3)),
        proptest::option::of(proptest::collection::btree_map(text(), text(), 1..3)),
    )
        .prop_map(|(paused, tags, containers, selector, free)| {
            let mut spec = Map::new();
            spec.extend(paused.map(|paused| ("paused".into(), json!(paused))));
            spec.extend(tags.map(|tags| ("tags".into(), json!(tags))));
            spec.extend(containers.map(|containers| ("containers".into(), json!(containers))));
            spec.extend(selector.map(|selector| ("selector".into(), json!(selector))));
            spec.extend(free.map(|free| ("free".into(), json!(free))));
            spec.entry("replicas").or_insert(json!(1));
            json!({"spec": spec})
        })
}

/// The part of a spec in which two appliers cannot meet: entries and items with their own names.
fn apart(letters: &'static str) -> impl Strategy<Value = Value> {
    spec(letters).prop_map(|mut object| {
        let spec = object["spec"].as_object_mut().unwrap();
        spec.remove("paused");
        spec.remove("selector");
        object
    })
}

/// The spec with lists in one order, and without what is empty.
fn settled(object: &Object) -> Value {
    let mut spec = object.spec().clone();
    if spec.is_null() {
        spec = json!({});
    }
    if let Some(fields) = spec.as_object_mut() {
        for list in fields.values_mut().filter_map(Value::as_array_mut) {
            list.sort_by_key(Value::to_string);
        }
        fields.retain(|_, value| match value {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            Value::Object(entries) => !entries.is_empty(),
            _ => true,
        });
    }
    spec
}

proptest! {
    #[test]
    fn stored_fields_are_read_as_they_were_written(set in set()) {
        let stored = set.to_fields();
        prop_assert_eq!(&FieldSet::from_fields(&stored).unwrap(), &set);
        let text: Value = serde_json::from_str(&set.to_json()).unwrap();
        prop_assert_eq!(stored, text);
    }

    #[test]
    fn sets_have_the_algebra_of_sets(a in set(), b in set(), c in set()) {
        let all = union(&a, &b);
        prop_assert_eq!(&all, &union(&b, &a));
        prop_assert_eq!(union(&all, &c), union(&a, &union(&b, &c)));
        prop_assert_eq!(a.intersection(&b), difference(&a, &difference(&a, &b)));
        prop_assert_eq!(a.intersection(&b), b.intersection(&a));
        prop_assert_eq!(a.intersects(&b), !a.intersection(&b).is_empty());
        prop_assert_eq!(difference(&all, &b), difference(&a, &b));
        prop_assert_eq!(union(&difference(&a, &b), &a.intersection(&b)), a.clone());
        prop_assert_eq!(all.len(), a.len() + b.len() - a.intersection(&b).len());
        prop_assert_eq!(a.contains_all(&b), difference(&b, &a).is_empty());
        prop_assert!(all.contains_all(&b) && a.contains_all(&a.leaves()));
        let mut below = a.clone();
        below.subtract_all_below(&b);
        prop_assert!(difference(&below, &difference(&a, &b)).is_empty());
        prop_assert_eq!(a.paths().len(), a.len());
        for path in a.paths() {
            prop_assert!(a.contains(path.iter().copied()));
        }
    }

    #[test]
    fn applying_twice_is_applying_once(before in spec("abc"), config in spec("abc")) {
        let mut object = Object::new();
        object.update("old", &before);
        object.force("alice", &config);
        let once = object.live.clone();
        object.apply("alice", &config);
        prop_assert_eq!(object.live, once);
    }

    #[test]
    fn taking_everything_back_leaves_what_others_have(theirs in spec("ab"), config in spec("cd")) {
        let mut object = Object::new();
        object.apply("bob", &theirs);
        let before = settled(&object);
        let managers = object.managers();
        if object.try_apply("alice", &config, false).is_ok() {
            object.apply("alice", &json!({}));
            prop_assert_eq!(settled(&object), before);
            prop_assert_eq!(object.managers(), managers);
        }
    }

    #[test]
    fn appliers_that_do_not_meet_may_come_in_any_order(one in apart("ab"), two in apart("cd")) {
        let mut forth = Object::new();
        forth.apply("alice", &one);
        forth.apply("bob", &two);
        let mut back = Object::new();
        back.apply("bob", &two);
        back.apply("alice", &one);
        prop_assert_eq!(settled(&forth), settled(&back));
    }

    #[test]
    fn whoever_applies_by_force_gets_what_it_wants(before in spec("abc"), config in spec("abc")) {
        let mut object = Object::new();
        object.apply("bob", &before);
        object.force("alice", &config);
        // What she wants, she can apply again without force and without change.
        prop_assert!(object.try_apply("alice", &config, false).is_ok());
        for (name, value) in config["spec"].as_object().unwrap() {
            if value.is_string() || name == "selector" {
                prop_assert_eq!(&object.spec()[name], value);
            }
        }
    }

    #[test]
    fn every_field_of_an_updated_object_has_one_updater(first in spec("abc"), second in spec("abc"), third in spec("abc")) {
        let mut object = Object::new();
        for (manager, config) in [("a", &first), ("b", &second), ("c", &third)] {
            object.update(manager, config);
        }
        let sets: Vec<FieldSet<'_>> = object.entries().iter().map(|entry| FieldSet::from_fields(&entry["fieldsV1"]).unwrap()).collect();
        for (at, left) in sets.iter().enumerate() {
            prop_assert!(!left.is_empty());
            for right in &sets[at + 1..] {
                prop_assert!(!left.intersects(right));
            }
        }
    }
}
