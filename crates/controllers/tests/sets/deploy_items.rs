//! The document about the order of objects, sentence by sentence, and what an item offers beside it.

use base64::Engine as _;
use controllers::Features;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::yard::{Done, Yard, a_while, stamp};

#[expect(clippy::needless_pass_by_value, reason = "cases are written where they are used")]
fn map(name: &str, data: Value) -> Value {
    json!({"manifest": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}})
}

fn secret(name: &str) -> Value {
    json!({"manifest": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}})
}

async fn hold<K>(api: &Api<K>, name: &str, held: bool) -> Result<K, kube::Error>
where
    K: kube::Resource + Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    let finalizers = if held { json!(["example.com/hold"]) } else { Value::Null };
    let change = json!({"metadata": {"finalizers": finalizers}});
    api.patch(name, &PatchParams::default(), &Patch::Merge(&change)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn manifests_are_deployed_without_a_release() -> Done {
    let yard = Yard::new().await?;
    yard.item("i", json!({"manifests": [map("one", json!({"a": "b"}))]})).await?;
    let item = yard.deployed("i").await?;
    let one = yard.maps.get("one").await?;
    assert_eq!(one.labels()["slipway.dev/deployitem"], "i");
    assert_eq!(item.status.unwrap_or_default().objects.len(), 1);
    let secrets: Api<Secret> = yard.namespace.api();
    let names: Vec<String> =
        secrets.list(&ListParams::default()).await?.iter().map(ResourceExt::name_any).collect();
    assert!(!names.iter().any(|name| name.starts_with("sh.helm.release")), "{names:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_removal_is_successful_if_all_objects_are_gone() -> Done {
    let yard = Yard::new().await?;
    yard.item("i", json!({"manifests": [map("one", json!({})), secret("two")]})).await?;
    yard.deployed("i").await?;
    hold(&yard.maps, "one", true).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::eventually(&yard.maps, "one", |map| map.metadata.deletion_timestamp.is_some()).await?;
    a_while().await;
    yard.items.get("i").await?;
    hold(&yard.maps, "one", false).await?;
    support::gone(&yard.items, "i").await?;
    let secrets: Api<Secret> = yard.namespace.api();
    assert!(secrets.get_opt("two").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deletion_continues_with_the_next_rank_only_if_all_objects_before_are_gone() -> Done {
    let yard = Yard::new().await?;
    let rules = json!([{"deletionRank": 350, "types": ["v1/ConfigMap"]}]);
    let manifests = json!([map("late", json!({})), secret("early")]);
    yard.item("i", json!({"manifests": manifests, "deletionOrderRules": rules})).await?;
    yard.deployed("i").await?;
    let secrets: Api<Secret> = yard.namespace.api();
    hold(&secrets, "early", true).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::eventually(&secrets, "early", |secret| secret.metadata.deletion_timestamp.is_some()).await?;
    a_while().await;
    assert!(yard.maps.get("late").await?.metadata.deletion_timestamp.is_none());
    hold(&secrets, "early", false).await?;
    support::gone(&yard.items, "i").await?;
    assert!(yard.maps.get_opt("late").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_wait_the_finalizers_of_what_is_left_are_removed() -> Done {
    let yard = Yard::new().await?;
    let force = json!({"enabled": true, "forceTimeout": "5s"});
    let rules = json!([{"deletionRank": 300, "waitTimeout": "1s", "forceDeleteAfterWaitTimeout": force}]);
    yard.item("i", json!({"manifests": [map("one", json!({}))], "deletionOrderRules": rules})).await?;
    yard.deployed("i").await?;
    hold(&yard.maps, "one", true).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::gone(&yard.items, "i").await?;
    assert!(yard.maps.get_opt("one").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_update_no_longer_has_is_deleted() -> Done {
    let yard = Yard::new().await?;
    yard.item("i", json!({"manifests": [map("one", json!({})), map("two", json!({}))]})).await?;
    yard.deployed("i").await?;
    yard.item("i", json!({"manifests": [map("one", json!({}))]})).await?;
    support::gone(&yard.maps, "two").await?;
    yard.maps.get("one").await?;
    Ok(())
}

fn delayed(name: &str, delay: &str) -> Value {
    let annotations = json!({"slipway.dev/deletion-delay": delay});
    let metadata = json!({"name": name, "annotations": annotations});
    json!({"manifest": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_update_no_longer_has_and_has_a_delay_goes_when_that_is_over() -> Done {
    let yard = Yard::new().await?;
    yard.item("i", json!({"manifests": [map("one", json!({})), delayed("two", "2s")]})).await?;
    yard.deployed("i").await?;
    yard.item("i", json!({"manifests": [map("one", json!({}))]})).await?;
    support::eventually(&yard.maps, "two", |map| stamp(map).is_some()).await?;
    support::gone(&yard.maps, "two").await?;
    yard.maps.get("one").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_counts_down_already_outlives_the_item_and_goes_in_its_time() -> Done {
    let yard = Yard::new().await?;
    yard.item("i", json!({"manifests": [map("one", json!({})), delayed("two", "4s")]})).await?;
    yard.deployed("i").await?;
    yard.item("i", json!({"manifests": [map("one", json!({}))]})).await?;
    support::eventually(&yard.maps, "two", |map| stamp(map).is_some()).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::gone(&yard.items, "i").await?;
    yard.maps.get("two").await?;
    support::gone(&yard.maps, "two").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn exists_externally_false_takes_everything_down_and_then_the_item() -> Done {
    let yard =
        Yard::with(Features { declarative_delete: true, delete_after: true, ..Features::default() }).await?;
    let spec = |exists: bool| json!({"manifests": [map("one", json!({}))], "existsExternally": exists});
    yard.item("i", spec(true)).await?;
    yard.deployed("i").await?;
    yard.item("i", spec(false)).await?;
    support::gone(&yard.items, "i").await?;
    assert!(yard.maps.get_opt("one").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_gone_by_exists_externally_can_be_left_to_its_user() -> Done {
    let yard =
        Yard::with(Features { declarative_delete: true, delete_after: false, ..Features::default() }).await?;
    let spec = |exists: bool| json!({"manifests": [map("one", json!({}))], "existsExternally": exists});
    yard.item("i", spec(true)).await?;
    yard.deployed("i").await?;
    yard.item("i", spec(false)).await?;
    support::eventually(&yard.items, "i", |item| {
        let status = item.status.as_ref();
        let deleted = status.and_then(|status| status.extension.condition("Deleted"));
        deleted.is_some_and(|deleted| deleted.status == "True")
    })
    .await?;
    assert!(yard.maps.get_opt("one").await?.is_none());
    a_while().await;
    yard.items.get("i").await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::gone(&yard.items, "i").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_say_what_may_be_done_to_an_object() -> Done {
    let yard = Yard::new().await?;
    support::create(&yard.maps, json!({"metadata": {"name": "ignored"}, "data": {"a": "theirs"}})).await?;
    let manifests = |value: &str| {
        let of = |name: &str, policy: &str| {
            let mut entry = map(name, json!({"a": value}));
            entry["policy"] = policy.into();
            entry
        };
        json!({"manifests": [of("kept", "keep"), of("ignored", "ignore"), of("fixed", "immutable"), of("plain", "manage")]})
    };
    yard.item("i", manifests("one")).await?;
    yard.deployed("i").await?;
    yard.item("i", manifests("two")).await?;
    yard.deployed("i").await?;
    let value = |map: ConfigMap| map.data.unwrap_or_default()["a"].clone();
    assert_eq!(value(yard.maps.get("plain").await?), "two");
    assert_eq!(value(yard.maps.get("kept").await?), "two");
    assert_eq!(value(yard.maps.get("fixed").await?), "one");
    assert_eq!(value(yard.maps.get("ignored").await?), "theirs");
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::gone(&yard.items, "i").await?;
    assert!(yard.maps.get_opt("plain").await?.is_none());
    assert!(yard.maps.get_opt("fixed").await?.is_none());
    yard.maps.get("kept").await?;
    yard.maps.get("ignored").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_is_deployed_after_and_deleted_before_what_it_depends_on() -> Done {
    let yard = Yard::new().await?;
    yard.item("app", json!({"manifests": [map("app", json!({}))], "dependsOn": ["db"]})).await?;
    support::eventually(&yard.items, "app", |item| {
        let status = item.status.as_ref();
        let ready = status.and_then(|status| status.extension.condition("Ready"));
        ready.is_some_and(|ready| ready.reason == "DependenciesNotReady")
    })
    .await?;
    assert!(yard.maps.get_opt("app").await?.is_none());
    yard.item("db", json!({"manifests": [map("db", json!({}))]})).await?;
    yard.deployed("app").await?;
    yard.items.delete("db", &DeleteParams::default()).await?;
    a_while().await;
    yard.maps.get("db").await?;
    yard.items.delete("app", &DeleteParams::default()).await?;
    support::gone(&yard.items, "app").await?;
    support::gone(&yard.items, "db").await?;
    assert!(yard.maps.get_opt("db").await?.is_none());
    Ok(())
}

/// A chart with one ConfigMap, as an archive.
pub(crate) fn archive() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let chart = directory.path().join("tiny");
    std::fs::create_dir_all(chart.join("templates"))?;
    std::fs::write(chart.join("Chart.yaml"), "apiVersion: v2\nname: tiny\nversion: 0.1.0\n")?;
    std::fs::write(
        chart.join("templates/map.yaml"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n  annotations: {{ .Values.annotations | default dict | toJson }}\ndata:\n  a: {{ .Values.a | quote }}\n",
    )?;
    let out = std::process::Command::new("tar")
        .args(["-czf", "-", "-C"])
        .arg(directory.path())
        .arg("tiny")
        .output()?;
    Ok(out.stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chart_is_a_release_as_helm_stores_it_if_helm_deployment_is_true() -> Done {
    let yard = Yard::new().await?;
    let archive = base64::engine::general_purpose::STANDARD.encode(archive()?);
    let spec = |value: &str| json!({"chart": {"archive": archive}, "values": {"a": value}});
    yard.item("shop", spec("one")).await?;
    let item = yard.deployed("shop").await?;
    assert_eq!(item.status.unwrap_or_default().revision, Some(1));
    let secrets: Api<Secret> = yard.namespace.api();
    secrets.get("sh.helm.release.v1.shop.v1").await?;
    yard.item("shop", spec("two")).await?;
    let item = yard.deployed("shop").await?;
    assert_eq!(item.status.unwrap_or_default().revision, Some(2));
    assert_eq!(yard.maps.get("shop").await?.data.unwrap_or_default()["a"], "two");
    yard.items.delete("shop", &DeleteParams::default()).await?;
    support::gone(&yard.items, "shop").await?;
    assert!(yard.maps.get_opt("shop").await?.is_none());
    assert!(secrets.get_opt("sh.helm.release.v1.shop.v2").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_release_leaves_in_the_trash_goes_at_its_instant() -> Done {
    let yard = Yard::new().await?;
    let archive = base64::engine::general_purpose::STANDARD.encode(archive()?);
    let values = json!({"a": "b", "annotations": {"slipway.dev/deletion-delay": "3s"}});
    yard.item("shop", json!({"chart": {"archive": archive}, "values": values})).await?;
    yard.deployed("shop").await?;
    yard.items.delete("shop", &DeleteParams::default()).await?;
    support::gone(&yard.items, "shop").await?;
    assert!(stamp(&yard.maps.get("shop").await?).is_some());
    support::gone(&yard.maps, "shop").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_needs_neither_the_chart_nor_the_values() -> Done {
    let yard = Yard::new().await?;
    let archive = base64::engine::general_purpose::STANDARD.encode(archive()?);
    let source = json!({"metadata": {"name": "chart"}, "binaryData": {"chart.tgz": archive}});
    support::create(&yard.maps, source).await?;
    support::create(&yard.maps, json!({"metadata": {"name": "values"}, "data": {"values.yaml": "a: from"}}))
        .await?;
    yard.item(
        "shop",
        json!({
            "chart": {"configMap": {"name": "chart"}}, "helmDeployment": false,
            "valuesFrom": [{"configMap": {"name": "values"}}],
        }),
    )
    .await?;
    yard.deployed("shop").await?;
    assert_eq!(yard.maps.get("shop").await?.data.unwrap_or_default()["a"], "from");
    yard.maps.delete("chart", &DeleteParams::default()).await?;
    yard.maps.delete("values", &DeleteParams::default()).await?;
    yard.items.delete("shop", &DeleteParams::default()).await?;
    support::gone(&yard.items, "shop").await?;
    assert!(yard.maps.get_opt("shop").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn drift_is_corrected_at_its_interval() -> Done {
    let yard = Yard::new().await?;
    let spec = json!({"manifests": [map("one", json!({"a": "b"}))], "driftCorrection": {"interval": "1s"}});
    yard.item("i", spec).await?;
    yard.deployed("i").await?;
    yard.maps.patch("one", &PatchParams::default(), &Patch::Merge(json!({"data": {"a": "c"}}))).await?;
    support::eventually(&yard.maps, "one", |map| {
        map.data.as_ref().is_some_and(|data| data.get("a").is_some_and(|a| a == "b"))
    })
    .await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_without_uninstall_leaves_the_objects() -> Done {
    let yard = Yard::new().await?;
    yard.item("i", json!({"manifests": [map("one", json!({}))]})).await?;
    yard.deployed("i").await?;
    let change = json!({"metadata": {"annotations": {"slipway.dev/delete-without-uninstall": "true"}}});
    yard.items.patch("i", &PatchParams::default(), &Patch::Merge(&change)).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::gone(&yard.items, "i").await?;
    yard.maps.get("one").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn by_force_what_does_not_go_loses_its_finalizers_and_that_is_on_record() -> Done {
    let yard = Yard::new().await?;
    let spec = json!({"manifests": [map("one", json!({})), secret("two")], "timeout": "1s"});
    yard.item("i", spec).await?;
    yard.deployed("i").await?;
    hold(&yard.maps, "one", true).await?;
    let secrets: Api<Secret> = yard.namespace.api();
    hold(&secrets, "two", true).await?;
    yard.items.delete("i", &DeleteParams::default()).await?;
    support::eventually(&yard.items, "i", |item| {
        let errors = item.status.iter().flat_map(|status| &status.extension.last_errors);
        errors.flat_map(|error| &error.codes).any(extension::ErrorCode::is_blocking)
    })
    .await?;
    let change = json!({"metadata": {"annotations": {"confirmation.slipway.dev/force-deletion": "true"}}});
    yard.items.patch("i", &PatchParams::default(), &Patch::Merge(&change)).await?;
    support::gone(&yard.items, "i").await?;
    assert!(yard.maps.get_opt("one").await?.is_none());
    assert!(secrets.get_opt("two").await?.is_none());
    let events: Api<k8s_openapi::api::events::v1::Event> = yard.namespace.api();
    let told = events.list(&ListParams::default()).await?;
    let stripped = told.iter().filter(|event| event.reason.as_deref() == Some("FinalizersStripped"));
    assert_eq!(stripped.count(), 2);
    Ok(())
}
