//! Requests that policies decide about, with the words of the real server.

use std::sync::Arc;

use cel::{Authorizer, Decision, Question};
use serde_json::{Value, json};

use super::*;
use crate::admission::attributes::{Group, Target};
use crate::http::user::User;
use crate::kinds::Rules;
use crate::requests::Operation;

/// Allows to get, and nothing else.
struct Readers;

impl Authorizer for Readers {
    fn authorize(&self, question: &Question<'_>) -> Decision {
        Decision { allowed: question.verb == "get", ..Decision::default() }
    }
}

/// Config maps by name, in the namespace `ns`.
struct Maps(Vec<(&'static str, Value)>);

impl Parameters for Maps {
    fn namespaced(&self, api_version: &str, kind: &str) -> Option<bool> {
        (api_version == "v1" && kind == "ConfigMap").then_some(true)
    }

    fn get(&self, _: &str, _: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let found = self.0.iter().find(|(known, _)| *known == name && namespace == "ns");
        found.map(|(_, map)| Arc::new(map.clone()))
    }

    fn list(&self, _: &str, _: &str, _: &str) -> Vec<Arc<Value>> {
        self.0.iter().map(|(_, map)| Arc::new(map.clone())).collect()
    }
}

fn policy(spec: &Value) -> Value {
    let mut object = json!({
        "metadata": {"name": "p"},
        "spec": {"matchConstraints": {"resourceRules": [{
            "apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["deployments"],
        }]}},
    });
    for (field, value) in spec.as_object().into_iter().flatten() {
        object["spec"][field] = value.clone();
    }
    PolicyRules.default(&mut object);
    object
}

fn binding(actions: &[&str]) -> Value {
    json!({"metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": actions}})
}

fn judge_with(policy: &Value, binding: &Value, object: &Value, maps: &Maps) -> Verdict {
    let (policy, binding) = (Policy::read(policy), [Arc::new(Binding::read(binding))]);
    let user = User::named("jane", &["devs"]);
    let namespace = json!({"metadata": {"name": "ns", "labels": {"team": "a"}}});
    let attributes = Attributes {
        operation: Operation::Create,
        target: Target {
            group: Group { name: "apps", version: "v1" },
            resource: "deployments",
            kind: "Deployment",
            kind_group: Group { name: "apps", version: "v1" },
        },
        versions: None,
        equivalents: &[],
        subresource: "",
        name: "x",
        namespace: "ns",
        object: Some(object),
        old_object: None,
        namespace_object: Some(&namespace),
        user: &user,
        dry_run: false,
        options: None,
    };
    decide(&[Hook { policy: &policy, bindings: &binding }], &attributes, maps, &Readers)
}

#[expect(clippy::needless_pass_by_value, reason = "tables read better without references")]
fn judge(spec: Value, actions: &[&str]) -> Verdict {
    let object = json!({"metadata": {"name": "x", "labels": {"app": "web"}}, "spec": {"replicas": 7}});
    judge_with(&policy(&spec), &binding(actions), &object, &Maps(Vec::new()))
}

fn refusal(verdict: &Verdict) -> &str {
    verdict.refusal.as_ref().map_or("", |status| &status.message)
}

const PREFIX: &str =
    "deployments.apps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ";

#[test]
fn a_validation_that_fails_refuses_in_its_words() {
    for (validation, words, code, reason) in [
        (
            json!({"expression": "object.spec.replicas <= 5"}),
            "failed expression: object.spec.replicas <= 5",
            422,
            "Invalid",
        ),
        (
            json!({"expression": "object.spec.replicas <= 5", "message": "too many", "reason": "Forbidden"}),
            "too many",
            403,
            "Forbidden",
        ),
        (
            json!({
                "expression": "object.spec.replicas <= variables.most",
                "messageExpression": "'at most ' + string(variables.most)",
                "message": "too many",
            }),
            "at most 5",
            422,
            "Invalid",
        ),
        (
            json!({"expression": "object.spec.nope == 1"}),
            "expression 'object.spec.nope == 1' resulted in error: no such key: nope",
            422,
            "Invalid",
        ),
        (
            json!({"expression": "authorizer.requestResource.check('delete').allowed()"}),
            "failed expression: authorizer.requestResource.check('delete').allowed()",
            422,
            "Invalid",
        ),
        (
            json!({"expression": "variables.wrong"}),
            "expression 'variables.wrong' resulted in error: composited variable \"wrong\" fails to evaluate: \
             no such key: x",
            422,
            "Invalid",
        ),
    ] {
        let variables = json!([
            {"name": "most", "expression": "5"},
            {"name": "wrong", "expression": "object.x == 1"},
        ]);
        let verdict = judge(json!({"variables": variables, "validations": [validation]}), &["Deny"]);
        assert_eq!(refusal(&verdict), format!("{PREFIX}{words}"));
        let status = verdict.refusal.unwrap();
        assert_eq!((status.code.as_u16(), &*status.reason), (code, reason));
    }
}

#[test]
fn a_policy_admits_what_it_is_not_about_or_what_passes() {
    for spec in [
        json!({"validations": [{"expression": "object.spec.replicas == 7"}]}),
        json!({"validations": [{"expression": "request.userInfo.username == 'jane' && 'devs' in request.userInfo.groups"}]}),
        json!({"validations": [{"expression": "namespaceObject.metadata.labels.team == 'a'"}]}),
        json!({"validations": [{"expression": "authorizer.requestResource.check('get').allowed()"}]}),
        json!({"validations": [{"expression": "oldObject == null && request.operation == 'CREATE'"}]}),
        json!({"matchConditions": [{"name": "no", "expression": "false"}], "validations": [{"expression": "false"}]}),
        json!({"failurePolicy": "Ignore", "validations": [{"expression": "object.nope"}]}),
        json!({"failurePolicy": "Ignore", "validations": [{"expression": "object.nope == 1"}]}),
        json!({
            "validations": [{"expression": "false"}],
            "matchConstraints": {"resourceRules": [{
                "apiGroups": ["apps"], "apiVersions": ["*"], "operations": ["UPDATE"], "resources": ["*"],
            }]},
        }),
        json!({
            "validations": [{"expression": "false"}],
            "matchConstraints": {
                "namespaceSelector": {"matchLabels": {"team": "b"}},
                "resourceRules": [{
                    "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"],
                }],
            },
        }),
        json!({
            "validations": [{"expression": "false"}],
            "matchConstraints": {
                "objectSelector": {"matchLabels": {"app": "other"}},
                "resourceRules": [{
                    "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"],
                }],
            },
        }),
        json!({
            "validations": [{"expression": "false"}],
            "matchConstraints": {
                "excludeResourceRules": [{
                    "apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["deployments"],
                    "resourceNames": ["x"],
                }],
                "resourceRules": [{
                    "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"],
                }],
            },
        }),
    ] {
        assert_eq!(refusal(&judge(spec.clone(), &["Deny"])), "", "{spec}");
    }
}

#[test]
fn warnings_and_audit_do_not_refuse() {
    let verdict =
        judge(json!({"validations": [{"expression": "false", "message": "no"}]}), &["Warn", "Audit"]);
    assert_eq!(refusal(&verdict), "");
    assert_eq!(
        verdict.warnings,
        ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"]
    );
    assert!(
        verdict.audit["validation.policy.admission.k8s.io/validation_failure"].contains("\"message\":\"no\"")
    );
    let annotated = json!({
        "validations": [{"expression": "true"}],
        "auditAnnotations": [{"key": "k", "valueExpression": "'v ' + object.metadata.name"}],
    });
    assert_eq!(judge(annotated, &["Deny"]).audit["p/k"], "v x");
}

#[test]
fn parameters_are_found_by_name_and_by_label() {
    let spec = json!({
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": "object.spec.replicas <= int(params.data.most)"}],
    });
    let object = json!({"metadata": {"name": "x"}, "spec": {"replicas": 7}});
    let maps = || {
        Maps(vec![
            ("five", json!({"metadata": {"labels": {"a": "b"}}, "data": {"most": "5"}})),
            ("ten", json!({"data": {"most": "10"}})),
        ])
    };
    let judge = |reference: Value, action: &str| {
        let mut binding = binding(&["Deny"]);
        binding["spec"]["paramRef"] = reference;
        binding["spec"]["paramRef"]["parameterNotFoundAction"] = action.into();
        refusal(&judge_with(&policy(&spec), &binding, &object, &maps())).to_owned()
    };
    let failed = format!("{PREFIX}failed expression: object.spec.replicas <= int(params.data.most)");
    assert_eq!(judge(json!({"name": "five"}), "Deny"), failed);
    assert_eq!(judge(json!({"name": "ten"}), "Deny"), "");
    assert_eq!(judge(json!({"selector": {"matchLabels": {"a": "b"}}}), "Deny"), failed);
    assert_eq!(judge(json!({"name": "none"}), "Allow"), "");
    assert_eq!(
        judge(json!({"name": "none"}), "Deny"),
        format!(
            "{PREFIX}failed to configure binding: no params found for policy binding with `Deny` \
             parameterNotFoundAction"
        )
    );
}

#[test]
fn policies_are_checked_when_they_are_written() {
    let errors = |spec: Value| {
        let found: Vec<String> =
            PolicyRules.validate(&policy(&spec)).iter().map(ToString::to_string).collect();
        found.join("\n")
    };
    assert_eq!(errors(json!({"validations": [{"expression": "object.spec.replicas <= 5"}]})), "");
    assert_eq!(
        errors(json!({"validations": [{"expression": "object.x ==", "reason": "Nope"}]})).lines().next(),
        Some(
            "spec.validations[0].expression: Invalid value: \"object.x ==\": compilation failed: ERROR: <input>:1:12: \
             Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', \
             NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
        )
    );
    for (spec, words) in [
        (
            json!({"validations": [{"expression": "1"}]}),
            "spec.validations[0].expression: Invalid value: \"1\": must evaluate to bool but got int",
        ),
        (
            json!({"validations": [{"expression": "true", "messageExpression": "1"}]}),
            "spec.validations[0].messageExpression: Invalid value: \"1\": must evaluate to string but got int",
        ),
        (
            json!({"validations": [{"expression": "variables.n > 'a'"}], "variables": [{"name": "n", "expression": "1"}]}),
            "spec.validations[0].expression: Invalid value: \"variables.n > 'a'\": compilation failed: ERROR: \
             <input>:1:13: found no matching overload for '_>_' applied to '(int, string)'\n | variables.n > 'a'\n \
             | ............^",
        ),
        (
            json!({}),
            "spec.validations: Required value: validations or auditAnnotations must contain at least one item\n\
             spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item",
        ),
        (
            json!({"failurePolicy": "Never", "validations": [{"expression": "true"}]}),
            "spec.failurePolicy: Unsupported value: \"Never\": supported values: \"Fail\", \"Ignore\"",
        ),
    ] {
        assert_eq!(errors(spec), words);
    }
}

#[test]
fn bindings_are_checked_when_they_are_written() {
    let errors = |spec: Value| -> Vec<String> {
        BindingRules.validate(&json!({"spec": spec})).iter().map(ToString::to_string).collect()
    };
    assert!(errors(json!({"policyName": "p", "validationActions": ["Deny"]})).is_empty());
    assert_eq!(
        errors(json!({"validationActions": ["Deny", "Warn"], "paramRef": {}})),
        [
            "spec.policyName: Required value",
            "spec.paramRef: Required value: one of name or selector must be specified",
            "spec.paramRef.parameterNotFoundAction: Required value",
            "spec.validationActions: Invalid value: [\"Deny\",\"Warn\"]: must not contain both Deny and Warn (repeating \
             the same validation failure information in the API response and headers serves no purpose)",
        ]
    );
}
