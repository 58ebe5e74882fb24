//! What holds for all charts and values, whatever is in them.

use std::rc::Rc;

use chart::load::{load_archive, load_files, merge_maps};
use chart::{Chart, File, RenderOptions, package};
use gotmpl::functions::Offline;
use goyaml::{Mapping, Value};
use proptest::prelude::*;

/// Values as people write them: tables of tables, with the odd null.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => any::<bool>().prop_map(Value::Bool),
        3 => (-9_i64..9).prop_map(Value::Int),
        3 => "[a-c]{0,3}".prop_map(Value::String),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Sequence),
            4 => prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|entries| Value::Mapping(entries.into_iter().collect())),
        ]
    })
}

fn table() -> impl Strategy<Value = Mapping> {
    prop::collection::btree_map("[a-d]", values(), 0..4).prop_map(|entries| entries.into_iter().collect())
}

/// A chart whose only template writes down all values it is given.
fn chart(defaults: &Mapping) -> Chart {
    let values = goyaml::to_string(&Value::Mapping(defaults.clone())).expect("values can be written");
    let files = [
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n".to_owned()),
        ("values.yaml", values),
        ("templates/t.yaml", "{{ .Values | toJson }}".to_owned()),
    ];
    load_files(files.map(|(name, text)| File::new(name, text)).to_vec()).expect("a chart that loads").chart
}

/// The values that templates see.
fn seen(defaults: &Mapping, given: &Mapping) -> Value {
    let options = RenderOptions::new(Rc::new(Offline::default()));
    let files = chart::render::render_files(&chart(defaults), given, &options).expect("values that fit");
    goyaml::json::from_str(&goyaml::text_of(&files["c/templates/t.yaml"]))
        .expect("the template writes JSON")
        .numbers_as_float64()
}

fn as_float64(values: &Mapping) -> Value {
    Value::Mapping(values.clone()).numbers_as_float64()
}

/// Without the entries that are null, at every depth of tables.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Mapping(entries) => Value::Mapping(
            entries
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key, without_nulls(value)))
                .collect(),
        ),
        other => other,
    }
}

/// Whether all that `given` says holds in `seen`: its values are there, and what it sets to null is not.
fn obeys(seen: &Value, given: &Value) -> bool {
    match (seen, given) {
        (Value::Mapping(seen), Value::Mapping(given)) => {
            given.iter().all(|(key, wanted)| match seen.get(key) {
                None => wanted.is_null(),
                Some(found) => obeys(found, wanted),
            })
        }
        (seen, given) => seen == given,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_the_user_says_wins(defaults in table(), given in table()) {
        let seen = seen(&defaults, &given);
        prop_assert!(obeys(&seen, &as_float64(&given)), "{seen:?}");
    }

    #[test]
    fn without_values_the_defaults_hold_but_for_nulls(defaults in table()) {
        prop_assert_eq!(seen(&defaults, &Mapping::new()), without_nulls(as_float64(&defaults)));
    }

    #[test]
    fn saying_what_holds_already_changes_nothing(defaults in table()) {
        let Value::Mapping(once) = seen(&defaults, &Mapping::new()) else { panic!("values are a table") };
        prop_assert_eq!(seen(&defaults, &once), Value::Mapping(once));
    }

    #[test]
    fn files_are_merged_from_left_to_right(first in table(), second in table(), third in table()) {
        let merge = |below: &Mapping, above: &Mapping| {
            let mut merged = below.clone();
            merge_maps(&mut merged, above.clone());
            merged
        };
        prop_assert_eq!(merge(&Mapping::new(), &first), first.clone());
        prop_assert_eq!(merge(&first, &Mapping::new()), first.clone());
        prop_assert_eq!(merge(&first, &first), first.clone());
        let together = merge(&merge(&first, &second), &third);
        prop_assert!(obeys(&Value::Mapping(together), &Value::Mapping(third)));
    }

    #[test]
    fn what_is_packed_is_loaded_again(
        files in prop::collection::btree_map("(templates/|files/|crds/|)[a-zé ]{1,8}(/[a-z]{100,120}){0,2}[.]txt", "[ -~\n]{0,600}", 0..6),
        defaults in table(),
        library in any::<bool>(),
    ) {
        let kind = if library { "library" } else { "application" };
        let mut all = vec![
            File::new("Chart.yaml", format!("apiVersion: v2\nname: c\nversion: 1.2.3-rc.1\ntype: {kind}\nkeywords: [a, b]\n")),
            File::new("values.yaml", goyaml::to_string(&Value::Mapping(defaults)).unwrap()),
            File::new("charts/d/Chart.yaml", "apiVersion: v1\nname: d\nversion: 0.1.0\n"),
            File::new("charts/d/templates/t.yaml", "kind: D\n"),
        ];
        all.extend(files.into_iter().map(|(name, text)| File::new(name, text)));
        let chart = load_files(all).unwrap().chart;
        let again = load_archive(&package::archive(&chart).unwrap()).unwrap().chart;
        assert_same(&chart, &again);
    }
}

fn assert_same(one: &Chart, two: &Chart) {
    let files = |files: &[File]| {
        let mut files: Vec<_> = files.iter().map(|file| (file.name.clone(), file.data.clone())).collect();
        files.sort();
        files
    };
    assert_eq!(one.metadata, two.metadata);
    assert_eq!(one.values, two.values);
    assert_eq!(files(&one.templates), files(&two.templates));
    assert_eq!(files(&one.files), files(&two.files));
    assert_eq!(one.dependencies.len(), two.dependencies.len());
    one.dependencies.iter().zip(&two.dependencies).for_each(|(one, two)| assert_same(one, two));
}
