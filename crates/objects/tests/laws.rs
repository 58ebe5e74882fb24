//! What holds for every input: nothing panics, and what is printed can be read.

use goyaml::Value;
use jiff::Timestamp;
use objects::jsonpath::JsonPath;
use objects::readiness::{Circumstances, Expression, Gate, Overrides, Status, assess, kstatus};
use objects::{GoDuration, annotation_list, read_objects};
use proptest::prelude::*;

/// Texts of the characters that paths and expressions are made of.
fn path_text() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just("[?("),
            Just(")]"),
            Just("."),
            Just(".."),
            Just("@"),
            Just("$"),
            Just("*"),
            Just("a"),
            Just("é"),
            Just("1"),
            Just("-"),
            Just(":"),
            Just(","),
            Just("'"),
            Just("\""),
            Just("\\"),
            Just("=="),
            Just("!="),
            Just("<"),
            Just(" "),
            Just("\n"),
            Just("range "),
            Just("end"),
            Just("true"),
        ],
        0..14,
    )
    .prop_map(|parts| parts.concat())
}

/// Objects with the fields that rules look at, holding anything.
fn object() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-2_i64..4).prop_map(Value::Int),
        Just(Value::Float(1.5)),
        prop_oneof![Just("True"), Just("Ready"), Just("Running"), Just("Pending"), Just("é"), Just("")]
            .prop_map(|text| Value::String(text.to_owned())),
    ];
    let key = prop_oneof![
        Just("metadata"),
        Just("spec"),
        Just("status"),
        Just("conditions"),
        Just("type"),
        Just("reason"),
        Just("phase"),
        Just("generation"),
        Just("observedGeneration"),
        Just("replicas"),
        Just("readyReplicas"),
        Just("containerStatuses"),
        Just("state"),
        Just("waiting"),
        Just("name"),
        Just("deletionTimestamp"),
        Just("creationTimestamp"),
        Just("annotations"),
        Just("updateStrategy"),
        Just("rollingUpdate"),
        Just("partition"),
    ];
    let tree = scalar.prop_recursive(5, 48, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Sequence),
            proptest::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(Value::Mapping),
        ]
    });
    let identity = prop_oneof![
        Just(("apps/v1", "Deployment")),
        Just(("apps/v1", "StatefulSet")),
        Just(("apps/v1", "DaemonSet")),
        Just(("apps/v1", "ReplicaSet")),
        Just(("batch/v1", "Job")),
        Just(("v1", "Pod")),
        Just(("v1", "PersistentVolumeClaim")),
        Just(("v1", "Service")),
        Just(("example.com/v1", "Widget")),
        Just(("apiextensions.k8s.io/v1", "CustomResourceDefinition")),
    ];
    (identity, tree.clone(), tree.clone(), tree).prop_map(|((api_version, kind), metadata, spec, status)| {
        let text = |text: &str| Value::String(text.to_owned());
        let fields = [
            ("apiVersion", text(api_version)),
            ("kind", text(kind)),
            ("metadata", metadata),
            ("spec", spec),
            ("status", status),
        ];
        Value::Mapping(fields.map(|(key, value)| (key.to_owned(), value)).into())
    })
}

proptest! {
    #[test]
    fn durations_are_read_back(nanoseconds: i64) {
        let duration = GoDuration::from_nanoseconds(nanoseconds);
        prop_assert_eq!(duration.to_string().parse(), Ok(duration));
    }

    #[test]
    fn any_text_is_a_path_or_an_error_inside_of_it(text in path_text(), object in object()) {
        match JsonPath::parse(&text) {
            Ok(path) => {
                let _ = path.render(&object);
                let _ = path.render_leniently(&object);
                let _ = path.find(&object);
            }
            Err(error) => prop_assert!(error.position().is_none_or(|at| text.is_char_boundary(at))),
        }
    }

    #[test]
    fn any_text_is_an_expression_or_an_error_inside_of_it(text in path_text()) {
        match Expression::parse(&text) {
            Ok(expression) => prop_assert_eq!(expression.as_str(), text.trim()),
            Err(error) => prop_assert!(error.at <= text.len() && text.is_char_boundary(error.at), "{}", error),
        }
    }

    #[test]
    fn a_list_of_plain_names_reads_the_same_in_every_spelling(
        names in proptest::collection::vec("[a-z][a-z0-9-]{0,8}", 0..5)
    ) {
        let texts: Vec<Value> = names.iter().cloned().map(Value::String).collect();
        let json = goyaml::json::to_string(&names).expect("names are JSON");
        for spelling in [
            Value::Sequence(texts),
            Value::String(json),
            Value::String(names.join(", ")),
            Value::Sequence(vec![Value::String(names.join(","))]),
        ] {
            prop_assert_eq!(annotation_list(&spelling), Ok(names.clone()));
        }
    }

    #[test]
    fn any_text_is_a_stream_or_an_error(text in "(---|\\.\\.\\.|kind: A|apiVersion: v1|items:|- |[\\[\\]{}: é\\n]){0,12}") {
        let _ = read_objects(&text);
    }

    /// What is being deleted is never ready, and a gate never makes ready what is not.
    #[test]
    fn any_object_has_a_status(object in object(), applied in proptest::option::of(0_i64..5)) {
        let now = Timestamp::UNIX_EPOCH;
        let own = kstatus::compute(&object, now);
        let open = Circumstances { applied_generation: applied, ..Circumstances::at(now) };
        let gated = Circumstances { gate: Gate::Followed, ..open.clone() };
        let none = Overrides::default();
        let (open, gated) = (assess(&object, &none, &open), assess(&object, &none, &gated));
        prop_assert!(open.is_ready() || !gated.is_ready());
        prop_assert!(own.is_ready() || !open.is_ready(), "generations only ever hold back");
        if own.status == Status::Terminating {
            prop_assert_eq!(open.verdict, own);
        }
    }
}
