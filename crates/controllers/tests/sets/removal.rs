//! The document about the order of objects: the basic order of the removal, and the rules that change it.

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::yard::{Done, Yard, a_while};

#[expect(clippy::needless_pass_by_value, reason = "cases are written where they are used")]
fn manifest(object: Value) -> Value {
    json!({ "manifest": object })
}

fn map(name: &str) -> Value {
    manifest(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}))
}

fn secret(name: &str) -> Value {
    manifest(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}))
}

/// A definition of a kind with one or two versions.
fn definition(group: &str, kind: &str, versions: &[&str]) -> Value {
    let plural = format!("{}s", kind.to_lowercase());
    let version = |(place, version): (usize, &&str)| {
        json!({
            "name": version, "served": true, "storage": place == 0,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        })
    };
    let versions: Vec<Value> = versions.iter().enumerate().map(version).collect();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural}, "versions": versions},
    })
}

fn of(group: &str, version: &str, kind: &str, name: &str) -> Value {
    json!({"apiVersion": format!("{group}/{version}"), "kind": kind, "metadata": {"name": name}})
}

fn resource(group: &str, version: &str, kind: &str) -> ApiResource {
    ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") },
        kind: kind.to_owned(),
        plural: format!("{}s", kind.to_lowercase()),
    }
}

/// The account may do everything: the item has objects of the whole cluster.
pub(crate) async fn all_rights(yard: &Yard) -> Done {
    if yard.cluster.on() == support::On::ControlPlane {
        let bindings: Api<k8s_openapi::api::rbac::v1::ClusterRoleBinding> = Api::all(yard.cluster.client());
        let binding = json!({
            "metadata": {"name": format!("{}-is-admin", yard.namespace.name())},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": yard.namespace.name()}],
        });
        support::create(&bindings, binding).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_basic_order_of_the_removal_is_by_the_six_standard_ranks() -> Done {
    let yard = Yard::new().await?;
    all_rights(&yard).await?;
    let client = yard.cluster.client();
    let (own, other) = (
        format!("own-{}.example.com", yard.namespace.name()),
        format!("other-{}.example.com", yard.namespace.name()),
    );
    // A definition that is not the item's.
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    support::create(&definitions, definition(&other, "Gadget", &["v1"])).await?;
    let inner = format!("{}-inner", yard.namespace.name());
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": format!("{}-role", yard.namespace.name())}, "rules": [],
    });
    let manifests = json!([
        manifest(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": inner}})),
        manifest(definition(&own, "Widget", &["v1"])),
        manifest(role),
        map("plain"),
        manifest(of(&other, "v1", "Gadget", "foreign")),
        manifest(of(&own, "v1", "Widget", "own")),
    ]);
    yard.item("i", json!({ "manifests": manifests })).await?;
    yard.deployed("i").await?;
    let here = |resource: ApiResource| -> Api<DynamicObject> {
        Api::namespaced_with(client.clone(), yard.namespace.name(), &resource)
    };
    let everywhere = |group: &str, kind: &str| -> Api<DynamicObject> {
        Api::all_with(client.clone(), &resource(group, "v1", kind))
    };
    let in_order = [
        (here(resource(&own, "v1", "Widget")), "own".to_owned()),
        (here(resource(&other, "v1", "Gadget")), "foreign".to_owned()),
        (here(resource("", "v1", "ConfigMap")), "plain".to_owned()),
        (everywhere("rbac.authorization.k8s.io", "ClusterRole"), format!("{}-role", yard.namespace.name())),
        (everywhere("apiextensions.k8s.io", "CustomResourceDefinition"), format!("widgets.{own}")),
        (everywhere("", "Namespace"), inner),
    ];
    // Each is held, so that one which did not wait for it would show.
    for (api, name) in &in_order {
        hold(api, name, true).await?;
    }
    yard.items.delete("i", &DeleteParams::default()).await?;
    for (place, (api, name)) in in_order.iter().enumerate() {
        let begun = std::time::Instant::now();
        while api.get(name).await?.metadata.deletion_timestamp.is_none() {
            let item = yard.items.get("i").await?;
            assert!(begun.elapsed() < support::PATIENCE, "{name} is not deleted: {:#?}", item.status);
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        for (later, name) in &in_order[place + 1..] {
            assert!(later.get(name).await?.metadata.deletion_timestamp.is_none(), "{name} is too early");
        }
        hold(api, name, false).await?;
    }
    support::gone(&yard.items, "i").await?;
    definitions.delete(&format!("gadgets.{other}"), &DeleteParams::default()).await?;
    Ok(())
}

/// Puts a finalizer on an object, or takes that one off.
async fn hold(api: &Api<DynamicObject>, name: &str, held: bool) -> Result<(), kube::Error> {
    let mut finalizers = api.get(name).await?.finalizers().to_vec();
    finalizers.retain(|finalizer| finalizer != "example.com/hold");
    if held {
        finalizers.push("example.com/hold".to_owned());
    }
    let change = json!({"metadata": {"finalizers": finalizers}});
    api.patch(name, &PatchParams::default(), &Patch::Merge(&change)).await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn all_versions_of_one_definition_are_one_type() -> Done {
    let yard = Yard::new().await?;
    all_rights(&yard).await?;
    let client = yard.cluster.client();
    let group = format!("two-{}.example.com", yard.namespace.name());
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    support::create(&definitions, definition(&group, "Widget", &["v1", "v2"])).await?;
    // The rule says v2, the object is written in v1: it goes after the ConfigMap all the same.
    let rules = json!([{"deletionRank": 350, "types": [format!("{group}/v2/Widget")]}]);
    let manifests = json!([manifest(of(&group, "v1", "Widget", "late")), map("early")]);
    yard.item("i", json!({"manifests": manifests, "deletionOrderRules": rules})).await?;
    yard.deployed("i").await?;
    let widgets: Api<DynamicObject> =
        Api::namespaced_with(client.clone(), yard.namespace.name(), &resource(&group, "v1", "Widget"));
    let maps: Api<DynamicObject> =
        Api::namespaced_with(client, yard.namespace.name(), &resource("", "v1", "ConfigMap"));
    hold(&maps, "early", true).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    a_while().await;
    assert!(widgets.get("late").await?.metadata.deletion_timestamp.is_none());
    hold(&maps, "early", false).await?;
    support::gone(&yard.items, "i").await?;
    definitions.delete(&format!("widgets.{group}"), &DeleteParams::default()).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_only_waits_continues_and_forgives_nothing() -> Done {
    let yard = Yard::new().await?;
    let rules = json!([{"deletionRank": 250, "types": ["v1/ConfigMap"], "waitTimeout": "1s"}]);
    let manifests = json!([map("held"), secret("later")]);
    let spec = json!({"manifests": manifests, "deletionOrderRules": rules, "timeout": "8s"});
    yard.item("i", spec).await?;
    yard.deployed("i").await?;
    let maps: Api<DynamicObject> =
        Api::namespaced_with(yard.cluster.client(), yard.namespace.name(), &resource("", "v1", "ConfigMap"));
    hold(&maps, "held", true).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    let secrets: Api<Secret> = yard.namespace.api();
    support::gone(&secrets, "later").await?;
    let live = maps.get("held").await?;
    assert_eq!(live.finalizers(), ["example.com/hold"], "nothing is forced");
    let failed = support::eventually(&yard.items, "i", |item| {
        let status = item.status.clone().unwrap_or_default();
        status.extension.last_errors.iter().any(|error| error.description.contains("held"))
    })
    .await?;
    let codes = failed.status.unwrap_or_default().extension.last_errors[0].codes.clone();
    assert!(codes.contains(&extension::ErrorCode::CleanupResources), "{codes:?}");
    hold(&maps, "held", false).await?;
    support::gone(&yard.items, "i").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_without_types_is_about_its_rank_and_forces_all_ranks_up_to_it() -> Done {
    let yard = Yard::new().await?;
    let force = json!({"forceTimeout": "5s"});
    let rules = json!([
        {"deletionRank": 250, "types": ["v1/ConfigMap"], "waitTimeout": "1s"},
        {"deletionRank": 300, "waitTimeout": "1s", "forceDeleteAfterWaitTimeout": force},
    ]);
    let manifests = json!([map("lower"), secret("equal")]);
    yard.item("i", json!({"manifests": manifests, "deletionOrderRules": rules})).await?;
    yard.deployed("i").await?;
    let client = yard.cluster.client();
    let of_kind = |kind: &str| -> Api<DynamicObject> {
        Api::namespaced_with(client.clone(), yard.namespace.name(), &resource("", "v1", kind))
    };
    hold(&of_kind("ConfigMap"), "lower", true).await?;
    hold(&of_kind("Secret"), "equal", true).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::gone(&yard.items, "i").await?;
    assert!(yard.maps.get_opt("lower").await?.is_none(), "of a lower rank, and forced too");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_has_rules_of_its_own_for_what_it_no_longer_has() -> Done {
    let yard = Yard::new().await?;
    let force = json!({"enabled": true, "forceTimeout": "5s"});
    let during = json!([{"deletionRank": 300, "waitTimeout": "1s", "forceDeleteAfterWaitTimeout": force}]);
    let spec = |manifests: Value, rules: &Value| json!({"manifests": manifests, "deletionOrderRulesDuringUpdate": rules, "timeout": "20s"});
    yard.item("i", spec(json!([map("stays"), map("goes")]), &during)).await?;
    yard.deployed("i").await?;
    let maps: Api<DynamicObject> =
        Api::namespaced_with(yard.cluster.client(), yard.namespace.name(), &resource("", "v1", "ConfigMap"));
    hold(&maps, "goes", true).await?;
    yard.item("i", spec(json!([map("stays")]), &during)).await?;
    support::gone(&yard.maps, "goes").await?;
    // Deleting the item knows no such rule: it waits.
    hold(&maps, "stays", true).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::eventually(&yard.maps, "stays", |map| map.metadata.deletion_timestamp.is_some()).await?;
    a_while().await;
    a_while().await;
    assert_eq!(yard.maps.get("stays").await?.finalizers(), ["example.com/hold"]);
    hold(&maps, "stays", false).await?;
    support::gone(&yard.items, "i").await?;
    Ok(())
}
