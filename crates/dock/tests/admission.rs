//! Policies and webhooks have a say in what is written.

mod wire;

use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use dock::Dock;
use serde_json::{Value, json};

use wire::{Exchange, Webhook};

async fn dock() -> Dock {
    Dock::builder().controllers(false).start().await
}

fn config_map(name: &str, value: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": value}})
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const REGISTRATION: &str = "/apis/admissionregistration.k8s.io/v1";

/// A policy about config maps, with a binding.
async fn policy(dock: &Dock, spec: Value, binding: Value) {
    let mut policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "p"},
        "spec": {"matchConstraints": {"resourceRules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]},
        ]}},
    });
    for (field, value) in spec.as_object().expect("a spec") {
        policy["spec"][field] = value.clone();
    }
    let made = dock.ask("POST", &format!("{REGISTRATION}/validatingadmissionpolicies"), &policy).await;
    assert_eq!(made.code, 201, "{}", made.body);
    let mut bound = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "b"},
        "spec": {"policyName": "p", "validationActions": ["Deny"]},
    });
    for (field, value) in binding.as_object().expect("a spec") {
        bound["spec"][field] = value.clone();
    }
    let made = dock.ask("POST", &format!("{REGISTRATION}/validatingadmissionpolicybindings"), &bound).await;
    assert_eq!(made.code, 201, "{}", made.body);
}

#[tokio::test]
async fn a_policy_refuses_what_is_written_and_what_is_deleted() {
    let dock = dock().await;
    let validations = json!([
        {"expression": "object == null || object.data.a == 'good'", "messageExpression": "'a is ' + object.data.a"},
        {"expression": "request.operation != 'DELETE' || oldObject.metadata.name != 'kept'", "message": "kept", "reason": "Forbidden"},
    ]);
    policy(&dock, json!({"validations": validations}), json!({})).await;

    let refused = dock.ask("POST", MAPS, &config_map("x", "bad")).await;
    assert_eq!(refused.code, 422);
    assert_eq!(
        refused.body["message"],
        "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: a is bad"
    );
    assert_eq!(dock.ask("POST", MAPS, &config_map("kept", "good")).await.code, 201);
    let update = dock.ask("PATCH", &format!("{MAPS}/kept"), &json!({"data": {"a": "bad"}})).await;
    assert_eq!((update.code, &update.body["reason"]), (422, &json!("Invalid")));
    let deletion = dock.ask("DELETE", &format!("{MAPS}/kept"), &Value::Null).await;
    assert_eq!((deletion.code, &deletion.body["reason"]), (403, &json!("Forbidden")));
    // In a collection the request names nobody, but the object is known.
    let collection = dock.ask("DELETE", MAPS, &Value::Null).await;
    assert_eq!(collection.code, 403, "{}", collection.body);
    assert_eq!(dock.ask("GET", &format!("{MAPS}/kept"), &Value::Null).await.code, 200);
}

#[tokio::test]
async fn a_policy_warns_and_knows_who_asks() {
    let dock = dock().await;
    let validations = json!([{"expression": "request.userInfo.username == 'jane' && 'devs' in request.userInfo.groups", "message": "not jane"}]);
    policy(&dock, json!({"validations": validations}), json!({"validationActions": ["Warn"]})).await;
    let told = dock.ask("POST", MAPS, &config_map("x", "1")).await;
    assert_eq!(told.code, 201);
    assert_eq!(
        told.warnings,
        ["299 - \"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': not jane\""]
    );
    let headers = [("impersonate-user", "jane"), ("impersonate-group", "devs")];
    let jane = dock.ask_with("POST", MAPS, &config_map("y", "1"), &headers).await;
    assert_eq!((jane.code, jane.warnings.len()), (201, 0));
}

#[tokio::test]
async fn a_policy_takes_its_parameters_from_objects() {
    let dock = dock().await;
    let spec = json!({
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConditions": [{"name": "not-itself", "expression": "request.name != 'limits'"}],
        "validations": [{"expression": "object.data.a in params.data", "messageExpression": "'known: ' + params.metadata.name"}],
    });
    let reference = json!({"name": "limits", "parameterNotFoundAction": "Deny"});
    policy(&dock, spec, json!({"paramRef": reference})).await;
    let refused = dock.ask("POST", MAPS, &config_map("x", "1")).await;
    let words = refused.body["message"].as_str().unwrap_or_default().to_owned();
    assert!(words.ends_with("failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"), "{words}");
    policy_parameter(&dock).await;
    let refused = dock.ask("POST", MAPS, &config_map("x", "1")).await;
    assert!(
        refused.body["message"].as_str().is_some_and(|words| words.ends_with("known: limits")),
        "{}",
        refused.body
    );
    assert_eq!(dock.ask("POST", MAPS, &config_map("x", "two")).await.code, 201);
}

async fn policy_parameter(dock: &Dock) {
    let mut limits = config_map("limits", "1");
    limits["data"] = json!({"two": "2"});
    // Parameters are looked for before conditions: the policy is in the way of its own parameter until it is taken back.
    let binding = format!("{REGISTRATION}/validatingadmissionpolicybindings/b");
    let bound = dock.ask("GET", &binding, &Value::Null).await.body;
    assert_eq!(dock.ask("DELETE", &binding, &Value::Null).await.code, 200);
    assert_eq!(dock.ask("POST", MAPS, &limits).await.code, 201);
    let again = json!({"apiVersion": bound["apiVersion"], "kind": bound["kind"], "metadata": {"name": "b"}, "spec": bound["spec"]});
    let bindings = format!("{REGISTRATION}/validatingadmissionpolicybindings");
    assert_eq!(dock.ask("POST", &bindings, &again).await.code, 201);
}

/// Registers a webhook about config maps.
async fn register(dock: &Dock, kind: &str, webhook: &Webhook, settings: Value) {
    let mut hook = json!({
        "name": "hook.example.org",
        "clientConfig": webhook.client_config(),
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 1,
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
    });
    for (field, value) in settings.as_object().expect("settings") {
        hook[field] = value.clone();
    }
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": format!("{}-configuration", kind.to_lowercase())},
        "webhooks": [hook],
    });
    let made = dock.ask("POST", &format!("{REGISTRATION}/{}s", kind.to_lowercase()), &configuration).await;
    assert_eq!(made.code, 201, "{}", made.body);
}

fn patch(operations: &Value) -> Value {
    json!({"allowed": true, "patchType": "JSONPatch", "patch": BASE64_STANDARD.encode(operations.to_string())})
}

#[tokio::test]
async fn a_webhook_is_told_everything_and_changes_the_object() {
    let dock = dock().await;
    let webhook =
        Webhook::start(|_| patch(&json!([{"op": "add", "path": "/data/b", "value": "hooked"}]))).await;
    register(&dock, "MutatingWebhookConfiguration", &webhook, json!({})).await;
    let headers = [("impersonate-user", "jane"), ("impersonate-uid", "1"), ("impersonate-extra-team", "a")];
    let made =
        dock.ask_with("POST", &format!("{MAPS}?fieldManager=me"), &config_map("x", "1"), &headers).await;
    assert_eq!((made.code, &made.body["data"]), (201, &json!({"a": "1", "b": "hooked"})));

    let asked = webhook.asked();
    assert_eq!(asked.len(), 1);
    let request = &asked[0]["request"];
    assert_eq!(asked[0]["apiVersion"], "admission.k8s.io/v1");
    for (field, expected) in [
        ("kind", json!({"group": "", "version": "v1", "kind": "ConfigMap"})),
        ("resource", json!({"group": "", "version": "v1", "resource": "configmaps"})),
        ("requestKind", json!({"group": "", "version": "v1", "kind": "ConfigMap"})),
        ("requestResource", json!({"group": "", "version": "v1", "resource": "configmaps"})),
        ("name", json!("x")),
        ("namespace", json!("default")),
        ("operation", json!("CREATE")),
        (
            "userInfo",
            json!({"username": "jane", "uid": "1", "groups": ["system:authenticated"], "extra": {"team": ["a"]}}),
        ),
        ("oldObject", Value::Null),
        ("dryRun", json!(false)),
        ("options", json!({"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"})),
    ] {
        assert_eq!(request[field], expected, "{field}");
    }
    assert_eq!(request["object"]["data"], json!({"a": "1"}));
    assert!(request.get("subResource").is_none());

    let deleted = dock.ask("DELETE", &format!("{MAPS}/x?propagationPolicy=Background"), &Value::Null).await;
    // A deletion cannot be changed.
    assert_eq!(deleted.code, 500);
    let request = webhook.asked().pop().expect("a question")["request"].take();
    assert_eq!(request["operation"], "DELETE");
    assert_eq!(request["object"], Value::Null);
    assert_eq!(request["oldObject"]["data"]["b"], "hooked");
    assert_eq!(
        request["options"],
        json!({"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", "propagationPolicy": "Background"})
    );
}

#[tokio::test]
async fn a_webhook_refuses_in_its_own_words() {
    for (answer, code, reason, message) in [
        (
            json!({"allowed": false}),
            400,
            Value::Null,
            "admission webhook \"hook.example.org\" denied the request without explanation",
        ),
        (
            json!({"allowed": false, "status": {"message": "no", "code": 403, "reason": "Forbidden"}}),
            403,
            json!("Forbidden"),
            "admission webhook \"hook.example.org\" denied the request: no",
        ),
        (
            json!({"allowed": false, "status": {"reason": "Because"}}),
            400,
            json!("Because"),
            "admission webhook \"hook.example.org\" denied the request: Because",
        ),
        (
            json!({"allowed": true, "patch": "W10="}),
            500,
            json!("InternalError"),
            "Internal error occurred: failed calling webhook \"hook.example.org\": received invalid webhook response: validating webhook may not return response.patch",
        ),
    ] {
        let dock = dock().await;
        let webhook = Webhook::start(move |_| answer.clone()).await;
        register(&dock, "ValidatingWebhookConfiguration", &webhook, json!({})).await;
        let refused = dock.ask("POST", MAPS, &config_map("x", "1")).await;
        assert_eq!((refused.code, &refused.body["reason"]), (code, &reason));
        assert_eq!(refused.body["message"], message);
    }
}

#[tokio::test]
async fn what_cannot_be_asked_refuses_unless_it_is_to_be_ignored() {
    let nobody = Webhook::start(|_| Value::Null).await.closed().await;
    let slow = Webhook::slow().await;
    let stranger = Webhook::start(|_| json!({"allowed": true})).await.with_certificate_of(&slow);
    for (webhook, words) in [
        (&nobody, "connect: connection refused"),
        (&slow, "context deadline exceeded"),
        (&stranger, "tls: failed to verify certificate: x509: certificate signed by unknown authority"),
    ] {
        let strict = dock().await;
        register(&strict, "ValidatingWebhookConfiguration", webhook, json!({})).await;
        let refused = strict.ask("POST", MAPS, &config_map("x", "1")).await;
        let message = refused.body["message"].as_str().unwrap_or_default();
        let start = "Internal error occurred: failed calling webhook \"hook.example.org\": failed to call webhook: Post \"https://127.0.0.1:";
        assert_eq!(refused.code, 500);
        assert!(message.starts_with(start) && message.ends_with(words), "{message}");
        let lenient = dock().await;
        register(&lenient, "ValidatingWebhookConfiguration", webhook, json!({"failurePolicy": "Ignore"}))
            .await;
        assert_eq!(lenient.ask("POST", MAPS, &config_map("x", "1")).await.code, 201);
    }
}

#[tokio::test]
async fn webhooks_are_not_asked_about_what_they_are_not_for() {
    let dock = dock().await;
    let webhook = Webhook::start(|_| json!({"allowed": false, "status": {"message": "no"}})).await;
    let settings = json!({
        "objectSelector": {"matchLabels": {"hooked": "yes"}},
        "matchConditions": [{"name": "good", "expression": "object.data.a != 'good'"}],
    });
    register(&dock, "ValidatingWebhookConfiguration", &webhook, settings).await;
    let mut map = config_map("x", "1");
    assert_eq!(dock.ask("POST", MAPS, &map).await.code, 201);
    map["metadata"] = json!({"name": "y", "labels": {"hooked": "yes"}});
    assert_eq!(dock.ask("POST", MAPS, &map).await.code, 400);
    let dry = dock.ask("POST", &format!("{MAPS}?dryRun=All"), &map).await;
    assert_eq!(dry.body["message"], "admission webhook \"hook.example.org\" denied the request: no");
    map["data"]["a"] = "good".into();
    assert_eq!(dock.ask("POST", MAPS, &map).await.code, 201);
    assert_eq!(webhook.asked().len(), 2);
    assert_eq!(webhook.asked()[1]["request"]["dryRun"], true);
}

#[tokio::test]
async fn a_webhook_is_asked_again_if_another_changed_the_object_after_it() {
    let dock = dock().await;
    let seen: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
    let noted = seen.clone();
    let first = Webhook::start(move |review| {
        let data = review["request"]["object"]["data"].as_object().cloned().unwrap_or_default();
        noted.lock().expect("a lock").push(data.keys().cloned().collect());
        json!({"allowed": true})
    })
    .await;
    let second = Webhook::start(|_| patch(&json!([{"op": "add", "path": "/data/z", "value": "1"}]))).await;
    let hook = |name: &str, webhook: &Webhook, policy: &str| {
        json!({
            "name": name,
            "clientConfig": webhook.client_config(),
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "reinvocationPolicy": policy,
        })
    };
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "c"},
        "webhooks": [hook("a.example.org", &first, "IfNeeded"), hook("b.example.org", &second, "Never")],
    });
    let path = format!("{REGISTRATION}/mutatingwebhookconfigurations");
    assert_eq!(dock.ask("POST", &path, &configuration).await.code, 201);
    assert_eq!(dock.ask("POST", MAPS, &config_map("x", "1")).await.body["data"]["z"], "1");
    assert_eq!(*seen.lock().expect("a lock"), [vec!["a".to_owned()], vec!["a".to_owned(), "z".to_owned()]]);
    assert_eq!(second.asked().len(), 1);
    assert_eq!(first.connections(), 1, "the connection is kept");
}

#[tokio::test]
async fn a_service_stands_for_the_address_that_it_names() {
    let dock = dock().await;
    let webhook =
        Webhook::start(|_| json!({"allowed": false, "status": {"message": "behind a service"}})).await;
    let mut config = webhook.client_config();
    config["service"] = json!({"namespace": "default", "name": "hook", "path": "/validate"});
    config.as_object_mut().expect("a config").remove("url");
    register(&dock, "ValidatingWebhookConfiguration", &webhook, json!({"clientConfig": config})).await;
    let missing = dock.ask("POST", MAPS, &config_map("x", "1")).await.body["message"].clone();
    assert_eq!(
        missing,
        "Internal error occurred: failed calling webhook \"hook.example.org\": failed to call webhook: Post \"https://hook.default.svc:443/validate?timeout=1s\": service \"hook\" not found"
    );
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "hook", "annotations": {"dock.slipway.dev/address": webhook.address()}},
        "spec": {"ports": [{"port": 443}]},
    });
    assert_eq!(dock.ask("POST", "/api/v1/namespaces/default/services", &service).await.code, 201);
    let refused = dock.ask("POST", MAPS, &config_map("x", "1")).await.body["message"].clone();
    assert_eq!(refused, "admission webhook \"hook.example.org\" denied the request: behind a service");
}

#[tokio::test]
async fn the_collector_asks_as_everybody_does() {
    let dock = Dock::builder().start().await;
    let webhook = Webhook::start(|_| json!({"allowed": true})).await;
    let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["configmaps"]}]);
    register(&dock, "ValidatingWebhookConfiguration", &webhook, json!({"rules": rules})).await;
    let owner = dock.ask("POST", MAPS, &config_map("owner", "1")).await.body;
    let mut dependent = config_map("owned", "1");
    dependent["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}]);
    assert_eq!(dock.ask("POST", MAPS, &dependent).await.code, 201);
    assert_eq!(dock.ask("DELETE", &format!("{MAPS}/owner"), &Value::Null).await.code, 200);
    for _ in 0..200 {
        if dock.ask("GET", &format!("{MAPS}/owned"), &Value::Null).await.code == 404 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let users: Vec<Value> =
        webhook.asked().iter().map(|review| review["request"]["userInfo"]["username"].clone()).collect();
    assert_eq!(users, ["kubernetes-admin", "system:serviceaccount:kube-system:generic-garbage-collector"]);
}
