//! What the server says and keeps in corners where only a comparison with kube-apiserver tells.

mod wire;

use dock::Dock;
use dock::store::{EventKind, Range, ResourceKey};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower_service::Service;
use wire::{Exchange, request};

const TABLE: &str = "application/json;as=Table;g=meta.k8s.io;v=v1";
const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const SERVICES: &str = "/api/v1/namespaces/default/services";

async fn start() -> Dock {
    Dock::builder().controllers(false).start().await
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn claim(name: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    })
}

#[tokio::test]
async fn routes_refuse_forms_that_nobody_knows() {
    let dock = start().await;
    let path = "/api/v1/namespaces/default/configmaps/none";
    let refused = dock.ask_with("GET", path, &Value::Null, &[("accept", "text/html")]).await;
    assert_eq!((refused.code, &refused.body["details"]), (406, &json!({})));
    assert_eq!(
        refused.body["message"],
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
         application/vnd.kubernetes.protobuf"
    );
    let refused = dock.ask_with("PATCH", path, &Value::Null, &[("content-type", "application/json")]).await;
    assert_eq!((refused.code, text(&refused.body["message"])), (415, "415: Unsupported Media Type"));
}

#[tokio::test]
async fn definitions_know_no_other_kinds() {
    let dock = start().await;
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}});
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(
        dock.ask("POST", path, &pod).await.body["message"],
        "Pod in version \"v1\" cannot be handled as a CustomResourceDefinition: no kind \"Pod\" is registered for \
         version \"v1\" in scheme \"pkg/runtime/scheme.go:111\""
    );
    assert_eq!(
        dock.ask("POST", SERVICES, &pod).await.body["message"],
        "Pod in version \"v1\" cannot be handled as a Service: converting (v1.Pod) to (core.Service): unknown \
         conversion"
    );
}

#[tokio::test]
async fn what_goes_is_told_as_it_was_stored() {
    let dock = start().await;
    let path = "/api/v1/namespaces/default/configmaps";
    let made = dock.ask("POST", path, &json!({"metadata": {"name": "a", "finalizers": ["x/y"]}})).await;
    let one = format!("{path}/a");
    dock.ask("DELETE", &one, &Value::Null).await;
    let freed = dock.ask("PATCH", &one, &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!((freed.code, &freed.body["metadata"]["finalizers"]), (200, &Value::Null));

    let configs = ResourceKey { group: "".into(), resource: "configmaps".into() };
    let range = Range { resource: configs, namespace: "default".into() };
    let since = text(&made.body["metadata"]["resourceVersion"]).parse().expect("a revision");
    let mut events = dock.store().follow(range, since).expect("it is not compacted");
    let mut last = None;
    while let Ok(event) = events.try_recv() {
        last = Some(event);
    }
    let last = last.expect("it was deleted");
    assert_eq!(last.kind, EventKind::Deleted);
    assert_eq!(last.object["metadata"]["finalizers"], json!(["x/y"]));
    assert_eq!(last.object["metadata"]["resourceVersion"], json!(last.revision.to_string()));
}

#[tokio::test]
async fn events_have_the_defaults_of_their_version() {
    let dock = start().await;
    let version = |name: &str, replicas: Value| {
        json!({
            "name": name, "served": true, "storage": name == "v1", "deprecated": name != "v1",
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
                "type": "object", "properties": {"replicas": replicas}}}}},
        })
    };
    let definition = json!({
        "metadata": {"name": "crates.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "crates", "singular": "crate", "kind": "Crate", "listKind": "CrateList"},
            "versions": [
                version("v1", json!({"type": "integer", "default": 1})),
                version("v1beta1", json!({"type": "integer"})),
            ],
        },
    });
    let made = dock.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await;
    assert_eq!(made.code, 201, "{}", made.body);
    let old =
        json!({"apiVersion": "example.com/v1beta1", "kind": "Crate", "metadata": {"name": "a"}, "spec": {}});
    let path = "/apis/example.com/v1beta1/namespaces/default/crates";
    let stored = dock.ask("POST", path, &old).await;
    assert_eq!(stored.code, 201, "{}", stored.body);
    let nameless = dock.ask("PUT", path, &old).await;
    assert_eq!((nameless.code, text(&nameless.body["message"])), (400, "name must be provided"));
    assert_eq!(nameless.warnings, stored.warnings, "a refusal says that the version is deprecated, too");
    assert_eq!(nameless.warnings.len(), 1);

    let before = text(&stored.body["metadata"]["resourceVersion"]).parse::<u64>().expect("a revision") - 1;
    let watch = format!("/apis/example.com/v1/namespaces/default/crates?watch=true&resourceVersion={before}");
    let answer = dock.clone().call(request("GET", &watch, &Value::Null, &[])).await.expect("an answer");
    let frame = answer.into_body().frame().await.expect("an event").expect("an event");
    let event: Value = serde_json::from_slice(&frame.into_data().expect("an event")).expect("an event");
    assert_eq!(event["object"]["spec"], json!({"replicas": 1}));
}

#[tokio::test]
async fn what_an_event_no_longer_says_is_shown_as_go_holds_it() {
    let dock = start().await;
    let about = json!({"kind": "Pod", "name": "p", "namespace": "default"});
    let event =
        json!({"metadata": {"name": "e"}, "involvedObject": about, "source": {"component": "c"}, "count": 1});
    assert_eq!(dock.ask("POST", "/api/v1/namespaces/default/events", &event).await.code, 201);
    let event = json!({"metadata": {"name": "e"}, "regarding": about});
    let path = "/apis/events.k8s.io/v1/namespaces/default/events/e";
    let refused = dock.ask("PUT", path, &event).await;
    let message = text(&refused.body["message"]);
    for words in [
        r#"source: Invalid value: {"Component":"","Host":""}: field is immutable"#,
        "count: Invalid value: 0: field is immutable",
    ] {
        assert!(message.contains(words), "{message}");
    }
}

#[tokio::test]
async fn whoever_spells_an_amount_in_a_list_anew_owns_the_list() {
    let dock = start().await;
    let ranges = "/api/v1/namespaces/default/limitranges";
    let range = |amount: &str| {
        let limits = json!([{"type": "Pod", "max": {"cpu": amount}}]);
        json!({"metadata": {"name": "l"}, "spec": {"limits": limits}})
    };
    assert_eq!(dock.ask("POST", &format!("{ranges}?fieldManager=first"), &range("500m")).await.code, 201);
    for (amount, owner) in [("500m", "first"), ("0.5", "second")] {
        let seen = dock.ask("PUT", &format!("{ranges}/l?fieldManager=second"), &range(amount)).await.body;
        assert_eq!(seen["spec"]["limits"][0]["max"]["cpu"], "500m");
        let managers = seen["metadata"]["managedFields"].as_array().expect("managers").clone();
        let managers: Vec<&Value> = managers.iter().map(|entry| &entry["manager"]).collect();
        assert_eq!(managers, [owner]);
    }
}

#[tokio::test]
async fn a_namespace_without_work_left_goes_as_anything_else() {
    let dock = start().await;
    let path = "/api/v1/namespaces/short";
    let mut made = dock.ask("POST", "/api/v1/namespaces", &json!({"metadata": {"name": "short"}})).await.body;
    made["spec"]["finalizers"] = json!([]);
    assert_eq!(dock.ask("PUT", &format!("{path}/finalize"), &made).await.code, 200);
    let marked = dock.ask("DELETE", path, &json!({"propagationPolicy": "Foreground"})).await;
    assert_eq!(marked.body["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    assert_eq!(dock.ask("GET", path, &Value::Null).await.code, 200);
    assert_eq!(dock.ask("DELETE", path, &json!({"propagationPolicy": "Background"})).await.code, 200);
    assert_eq!(dock.ask("GET", path, &Value::Null).await.code, 404);
}

#[tokio::test]
async fn nothing_is_hidden_in_the_last_state_of_what_goes() {
    let dock = start().await;
    let service =
        json!({"metadata": {"name": "a", "finalizers": ["a.b/c"]}, "spec": {"ports": [{"port": 1}]}});
    assert_eq!(dock.ask("POST", SERVICES, &service).await.code, 201);
    let path = format!("{SERVICES}/a");
    let name = json!({"spec": {"type": "ExternalName", "externalName": "example.com", "clusterIP": null, "clusterIPs": null}});
    let named = dock.ask("PATCH", &path, &name).await.body;
    assert_eq!(named["spec"].get("internalTrafficPolicy"), None, "{named}");
    dock.ask("DELETE", &path, &Value::Null).await;
    let last = dock.ask("PATCH", &path, &json!({"metadata": {"finalizers": null}})).await.body;
    assert_eq!(last["spec"]["internalTrafficPolicy"], "Cluster", "{last}");
}

#[tokio::test]
async fn the_rows_of_autoscalers_are_the_same_in_every_version() {
    let dock = start().await;
    let path =
        |version: &str| format!("/apis/autoscaling/{version}/namespaces/default/horizontalpodautoscalers");
    let autoscaler = json!({"metadata": {"name": "a"}, "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}, "maxReplicas": 4,
        "metrics": [{"type": "Pods", "pods": {
            "metric": {"name": "packets"}, "target": {"type": "AverageValue", "averageValue": "500m"}
        }}],
    }});
    let made = dock.ask("POST", &path("v2"), &autoscaler).await;
    assert_eq!(made.code, 201, "{}", made.body);
    for version in ["v1", "v2"] {
        let table = dock.ask_with("GET", &path(version), &Value::Null, &[("accept", TABLE)]).await.body;
        assert_eq!(table["rows"][0]["cells"][2], "<unknown>/500m", "{version}");
    }
}

#[tokio::test]
async fn the_last_state_of_a_role_has_the_empty_rules_that_were_sent() {
    const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
    let dock = start().await;
    let role =
        |finalizers: &[&str]| json!({"metadata": {"name": "a", "finalizers": finalizers}, "rules": []});
    let made = dock.ask("POST", ROLES, &role(&["a.b/c"])).await;
    assert_eq!((made.code, &made.body["rules"]), (201, &Value::Null), "the store knows no empty lists");
    let path = format!("{ROLES}/a");
    dock.ask("DELETE", &path, &Value::Null).await;
    let last = dock.ask("PUT", &path, &role(&[])).await;
    assert_eq!((last.code, &last.body["rules"]), (200, &json!([])), "{}", last.body);
    assert_eq!(dock.ask("GET", &path, &Value::Null).await.code, 404);
}

#[tokio::test]
async fn a_service_made_by_way_of_its_status_has_no_address() {
    let dock = start().await;
    let path = format!("{SERVICES}/a/status?fieldManager=m");
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}});
    let kind = [("content-type", "application/apply-patch+yaml")];
    let made = dock.ask_with("PATCH", &path, &service, &kind).await;
    assert_eq!((made.code, &made.body["spec"]["clusterIP"]), (201, &Value::Null), "{}", made.body);
}

#[tokio::test]
async fn metadata_is_had_of_what_it_is_asked_for() {
    let dock = start().await;
    let one = "/api/v1/namespaces/default";
    let list = [("accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")];
    let refused = dock.ask_with("GET", one, &Value::Null, &list).await;
    assert_eq!(refused.code, 406);
    assert_eq!(
        refused.body["message"],
        "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Namespace)"
    );
    let object = [("accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")];
    let refused = dock.ask_with("GET", "/apis/apps/v1/deployments", &Value::Null, &object).await;
    assert_eq!(
        refused.body["message"],
        "you requested PartialObjectMetadata, but the requested object is a list (*apps.DeploymentList)"
    );
    assert_eq!(dock.ask_with("GET", one, &Value::Null, &object).await.code, 200);
}

#[tokio::test]
async fn tables_of_kinds_without_columns_have_no_rows() {
    let dock = start().await;
    let roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
    for (path, rows) in [(roles, Value::Null), (CLAIMS, json!([]))] {
        let table = dock.ask_with("GET", path, &Value::Null, &[("accept", TABLE)]).await;
        assert_eq!(table.body["rows"], rows, "{path}");
    }
}

#[tokio::test]
async fn a_deprecated_kind_says_so() {
    let dock = start().await;
    let found = dock.ask("GET", "/api/v1/endpoints?limit=x", &Value::Null).await;
    assert_eq!(found.code, 400);
    assert!(found.warnings[0].contains("v1 Endpoints is deprecated in v1.33+"), "{:?}", found.warnings);
}

#[tokio::test]
async fn one_that_is_named_has_no_next_page() {
    let dock = start().await;
    for name in ["a", "b"] {
        dock.ask("POST", CLAIMS, &claim(name)).await;
    }
    for (selector, goes_on) in [("", true), ("&fieldSelector=metadata.name%3Da", false)] {
        let page = dock.ask("GET", &format!("{CLAIMS}?limit=1{selector}"), &Value::Null).await;
        assert_eq!(page.body["metadata"]["continue"].is_string(), goes_on, "{selector}");
    }
}

#[tokio::test]
async fn a_claim_is_pending_from_its_second_write_on() {
    let dock = start().await;
    let version = |body: &Value| text(&body["metadata"]["resourceVersion"]).to_owned();
    let created = dock.ask("POST", CLAIMS, &claim("a")).await.body;
    assert_eq!(created["status"]["phase"], "Pending");
    let path = format!("{CLAIMS}/a");
    let second = dock.ask("PATCH", &path, &json!({})).await.body;
    assert_ne!(version(&created), version(&second));
    let third = dock.ask("PATCH", &path, &json!({})).await.body;
    assert_eq!(version(&second), version(&third));
}

#[tokio::test]
async fn claims_grow_where_their_class_lets_them() {
    let dock = start().await;
    let classes = "/apis/storage.k8s.io/v1/storageclasses";
    let class = json!({"metadata": {"name": "wide"}, "provisioner": "x", "allowVolumeExpansion": true});
    assert_eq!(dock.ask("POST", classes, &class).await.code, 201);
    let grown = json!({"spec": {"resources": {"requests": {"storage": "2Gi"}}}});
    for (name, class, words) in
        [("b", "other", "only dynamically provisioned pvc can be resized"), ("c", "wide", "")]
    {
        let mut one = claim(name);
        one["spec"]["storageClassName"] = class.into();
        dock.ask("POST", CLAIMS, &one).await;
        let path = format!("{CLAIMS}/{name}");
        dock.ask("PATCH", &format!("{path}/status"), &json!({"status": {"phase": "Bound"}})).await;
        let said = dock.ask("PATCH", &path, &grown).await;
        assert_eq!(said.code == 200, words.is_empty(), "{name}: {}", said.body);
        assert!(words.is_empty() || text(&said.body["message"]).contains(words), "{name}: {}", said.body);
    }
}

#[tokio::test]
async fn protocols_of_a_port_share_its_port_on_the_nodes() {
    let dock = start().await;
    let ports = json!([
        {"name": "a", "port": 53, "protocol": "UDP"}, {"name": "b", "port": 53, "protocol": "TCP"},
        {"name": "c", "port": 54},
    ]);
    let service = json!({"metadata": {"name": "dns"}, "spec": {"type": "NodePort", "ports": ports}});
    let made = dock.ask("POST", SERVICES, &service).await.body;
    let given = |index: usize| made["spec"]["ports"][index]["nodePort"].clone();
    assert_eq!(given(0), given(1));
    assert_ne!(given(0), given(2));
}

#[tokio::test]
async fn ports_without_names_would_all_be_on_one_port_of_the_nodes() {
    let dock = start().await;
    let service = json!({"metadata": {"name": "a"}, "spec": {"type": "NodePort", "ports": [{"port": 80}]}});
    let port = dock.ask("POST", SERVICES, &service).await.body["spec"]["ports"][0]["nodePort"].take();
    let ports = json!({"spec": {"ports": [{"port": 80}, {"port": 81}]}});
    let refused = dock.ask("PATCH", &format!("{SERVICES}/a"), &ports).await;
    assert_eq!(
        (refused.code, text(&refused.body["message"])),
        (500, &*format!("duplicate nodePort: {{TCP {port}}}"))
    );
}

#[tokio::test]
async fn addresses_and_ports_that_cannot_be_had_are_refused() {
    let dock = start().await;
    let service = |name: &str, address: &str, port: u32| {
        let ports = json!([{"port": 80, "nodePort": port}]);
        let spec = json!({"type": "NodePort", "clusterIP": address, "clusterIPs": [address], "ports": ports});
        json!({"metadata": {"name": name}, "spec": spec})
    };
    assert_eq!(dock.ask("POST", SERVICES, &service("a", "10.96.7.7", 30077)).await.code, 201);
    for (address, port, words) in [
        (
            "10.200.0.1",
            30078,
            "failed to allocate IP 10.200.0.1: the provided network does not match the current range",
        ),
        ("10.96.7.7", 30078, "failed to allocate IP 10.96.7.7: provided IP is already allocated"),
        (
            "10.96.7.8",
            30077,
            "spec.ports[0].nodePort: Invalid value: 30077: provided port is already allocated",
        ),
        ("10.96.7.8", 77, "The range of valid ports is 30000-32767"),
    ] {
        let refused = dock.ask("POST", SERVICES, &service("b", address, port)).await;
        assert_eq!(refused.code, 422);
        assert!(text(&refused.body["message"]).contains(words), "{}", refused.body["message"]);
    }
    // What it has already is its own.
    let labelled =
        dock.ask("PATCH", &format!("{SERVICES}/a"), &json!({"metadata": {"labels": {"a": "b"}}})).await;
    assert_eq!(labelled.code, 200);
}

#[tokio::test]
async fn an_eviction_is_noted_in_what_it_takes() {
    let dock = start().await;
    let pods = "/api/v1/namespaces/default/pods";
    dock.ask("POST", "/api/v1/namespaces/default/serviceaccounts", &json!({"metadata": {"name": "default"}}))
        .await;
    let containers = json!([{"name": "a", "image": "a"}]);
    let pod = json!({"metadata": {"name": "p", "finalizers": ["a.b/c"]}, "spec": {"containers": containers}});
    assert_eq!(dock.ask("POST", pods, &pod).await.code, 201);
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}});
    assert_eq!(dock.ask("POST", &format!("{pods}/p/eviction"), &eviction).await.code, 201);
    let pod = dock.ask("GET", &format!("{pods}/p"), &Value::Null).await.body;
    assert_eq!(pod["status"]["conditions"][0]["type"], "DisruptionTarget");
    // And its status may still be written.
    let condition = json!([{"type": "Ready", "status": "Unknown"}]);
    let status = json!({"status": {"conditions": condition}});
    assert_eq!(dock.ask("PATCH", &format!("{pods}/p/status"), &status).await.code, 200);
}

#[tokio::test]
async fn the_status_of_an_older_autoscaler_says_no_more_than_it_did() {
    let dock = start().await;
    let base =
        |version: &str| format!("/apis/autoscaling/{version}/namespaces/default/horizontalpodautoscalers");
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"});
    let scaler = json!({"metadata": {"name": "h"}, "spec": {"maxReplicas": 2, "scaleTargetRef": target}});
    dock.ask("POST", &base("v1"), &scaler).await;
    let status = json!({"status": {"currentCPUUtilizationPercentage": 30}});
    let path = format!("{}/h/status", base("v1"));
    let mut averages = Vec::new();
    for _ in 0..2 {
        dock.ask("PATCH", &path, &status).await;
        let seen = dock.ask("GET", &format!("{}/h", base("v2")), &Value::Null).await.body;
        averages.push(seen["status"]["currentMetrics"][0]["resource"]["current"]["averageValue"].clone());
    }
    // The second time it was read from the annotation that tells of the first.
    assert_eq!(averages, [Value::Null, json!("0")]);
}

#[tokio::test]
async fn a_rehearsal_counts_from_the_ends_of_the_ranges() {
    let dock = start().await;
    let ports = json!([{"name": "a", "port": 1}, {"name": "b", "port": 2}]);
    let service = json!({"metadata": {"name": "a"}, "spec": {"type": "NodePort", "ports": ports}});
    for _ in 0..2 {
        let spec = dock.ask("POST", &format!("{SERVICES}?dryRun=All"), &service).await.body["spec"].take();
        assert_eq!(spec["clusterIP"], "10.96.0.0");
        assert_eq!(
            (&spec["ports"][0]["nodePort"], &spec["ports"][1]["nodePort"]),
            (&json!(32769), &json!(32770))
        );
    }
}

#[tokio::test]
async fn a_job_without_labels_shows_those_of_its_pods() {
    let dock = start().await;
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    let job = |name: &str, labels: Value| {
        let pod = json!({"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]});
        json!({"metadata": {"name": name}, "spec": {"template": {"metadata": {"labels": labels}, "spec": pod}}})
    };
    for (name, labels, own) in
        [("bare", json!({}), Value::Null), ("labelled", json!({"app": "x"}), json!({".": {}, "f:app": {}}))]
    {
        let made = dock.ask("POST", jobs, &job(name, labels)).await.body;
        assert_eq!(made["metadata"]["labels"], made["spec"]["template"]["metadata"]["labels"]);
        assert_eq!(made["metadata"]["managedFields"][0]["fieldsV1"]["f:metadata"]["f:labels"], own);
        // What is only shown is stored with the next write, though nothing seems to change.
        let path = format!("{jobs}/{name}");
        let versions =
            [made["metadata"].clone(), dock.ask("PUT", &path, &made).await.body["metadata"].take()]
                .map(|metadata| text(&metadata["resourceVersion"]).to_owned());
        assert_eq!(versions[0] == versions[1], name == "labelled", "{name}: {versions:?}");
        let bare = json!({"metadata": {"name": name}, "status": {"active": 1}});
        let status = dock.ask("PUT", &format!("{path}/status"), &bare).await.body;
        assert_eq!(status["metadata"]["labels"], made["metadata"]["labels"]);
        let limit = json!({"spec": {"backoffLimit": 2}});
        let patched = dock.ask("PATCH", &format!("{path}?fieldManager=m"), &limit).await.body;
        let managers = patched["metadata"]["managedFields"].as_array().expect("managers").clone();
        let owner = managers.iter().find(|entry| entry["manager"] == "m").expect("an owner");
        assert_eq!(owner["fieldsV1"], json!({"f:spec": {"f:backoffLimit": {}}}));
    }
}

#[tokio::test]
async fn an_item_without_its_key_has_no_reason() {
    let dock = start().await;
    let owner = |uid: Value| {
        let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": uid});
        json!({"metadata": {"name": "a", "ownerReferences": [owner]}, "spec": {"ports": [{"port": 1}]}})
    };
    assert_eq!(dock.ask("POST", SERVICES, &owner(json!("u"))).await.code, 201);
    let mut owner = owner(Value::Null);
    owner["metadata"]["ownerReferences"][0].as_object_mut().expect("an owner").remove("uid");
    let strategic = [("content-type", "application/strategic-merge-patch+json")];
    let refused = dock.ask_with("PATCH", &format!("{SERVICES}/a"), &owner, &strategic).await;
    assert_eq!((refused.code, refused.body.get("reason")), (500, None));
    assert_eq!(
        refused.body["message"],
        "map: map[apiVersion:v1 kind:ConfigMap name:x] does not contain declared merge key: uid"
    );
}

#[tokio::test]
async fn a_conflict_names_the_place_in_the_store() {
    let dock = start().await;
    let backend = json!({"service": {"name": "a", "port": {"number": 1}}});
    let cases = [
        (SERVICES, json!({"ports": [{"port": 1}]}), "services/specs/default"),
        (
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            json!({"defaultBackend": backend}),
            "ingress/default",
        ),
        ("/api/v1/nodes", json!({}), "minions"),
    ];
    for (collection, spec, place) in cases {
        let mut object =
            dock.ask("POST", collection, &json!({"metadata": {"name": "a"}, "spec": spec})).await.body;
        object["metadata"]["uid"] = json!("11111111-2222-3333-4444-555555555555");
        let refused = dock.ask("PUT", &format!("{collection}/a"), &object).await;
        assert_eq!(refused.code, 409);
        let message = text(&refused.body["message"]);
        assert!(message.contains(&format!("Key: /registry/{place}/a,")), "{message}");
    }
}
