//! Smith's own cases that are about neither order, ownership nor delays.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::yard::{Done, Yard, condition, map, map_with, message, says};

#[tokio::test(flavor = "multi_thread")]
async fn detect_infinite_update_cycles() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map_with("one", json!({}), json!({"a": "ours"})), map("two")])).await?;
    yard.ready("b").await?;
    // Somebody who changes it whenever it is put right.
    let changes: Arc<AtomicUsize> = Arc::default();
    let fighting = tokio::spawn({
        let (maps, changes) = (yard.maps.clone(), Arc::clone(&changes));
        async move {
            loop {
                let found = maps.get("one").await;
                let data = found.ok().and_then(|map| map.data).unwrap_or_default();
                if data.get("a").is_some_and(|a| a == "ours") {
                    let parameters =
                        PatchParams { field_manager: Some("meddler".to_owned()), ..PatchParams::default() };
                    let change = Patch::Merge(json!({"data": {"a": "theirs"}}));
                    if maps.patch("one", &parameters, &change).await.is_ok() {
                        changes.fetch_add(1, Ordering::Relaxed);
                    }
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    });
    let bundle = yard.standing("b", "one", "Error").await?;
    let words = message(&bundle, "one", "Error");
    assert!(words.contains("changed again and again by meddler"), "{words}");
    assert!(says(&bundle, "two", "Ready"), "the others are as they were");
    let before = changes.load(Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(changes.load(Ordering::Relaxed), before, "it is left alone for a while");
    fighting.abort();
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_early_validation() -> Done {
    let yard = Yard::new().await?;
    // It never becomes ready, so that the values are never there.
    let gate = map_with(
        "gate",
        json!({"helm.sh/readiness-success": "[\"{.open} == true\"]"}),
        json!({"delay": "1h"}),
    );
    let app = |name: &str, example: Value| {
        let mut app = map_with(name, json!({"slipway.dev/deletion-delay": "!{delay}"}), json!({}));
        app["references"] =
            json!([{"name": "delay", "resource": "gate", "path": "data.delay", "example": example}]);
        app
    };
    yard.apply("b", json!([gate, app("good", json!("24h")), app("bad", json!("soon"))])).await?;
    let bundle = yard.standing("b", "bad", "Error").await?;
    let words = message(&bundle, "bad", "Error");
    assert!(words.contains("with the examples of its references") && words.contains("\"soon\""), "{words}");
    assert!(says(&bundle, "good", "Blocked"), "{bundle:#?}");
    assert!(yard.maps.get_opt("bad").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn cleanup_of_invalid_plugin() -> Done {
    let yard = Yard::new().await?;
    let plugin = json!({"name": "p", "spec": {"plugin": {"name": "secret", "objectName": "s"}}});
    let refused = yard.apply("b", json!([map("one"), plugin])).await;
    let words = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(words.contains("spec.resources[1].spec.plugin"), "{words}");
    assert!(yard.bundles.get_opt("b").await?.is_none(), "nothing was made that would have to be cleaned up");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn cleanup_of_neither_plugin_or_object() -> Done {
    let yard = Yard::new().await?;
    yard.apply("b", json!([map("one"), map("two")])).await?;
    yard.ready("b").await?;
    let nothing = json!({"name": "nothing", "spec": {"object": {}}});
    yard.apply("b", json!([map("one"), nothing])).await?;
    let bundle = yard.standing("b", "nothing", "Error").await?;
    assert_eq!(condition(&bundle, "Ready"), Some("False"));
    yard.maps.get("two").await?;
    // Deleted, it goes with all it has, whatever is wrong with it.
    yard.bundles.delete("b", &DeleteParams::default()).await?;
    support::gone(&yard.bundles, "b").await?;
    assert!(yard.maps.get_opt("one").await?.is_none() && yard.maps.get_opt("two").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_longer_than_allowed_has_failed_and_is_ready_when_it_is() -> Done {
    let yard = Yard::new().await?;
    let gate = map_with("gate", json!({"helm.sh/readiness-success": "[\"{.open} == true\"]"}), json!({}));
    yard.apply_spec("b", json!({"resources": [gate], "readinessTimeout": "2s"})).await?;
    let bundle = yard.standing("b", "gate", "InProgress").await?;
    assert!(!says(&bundle, "gate", "Error"), "not at once");
    let bundle = yard.standing("b", "gate", "Error").await?;
    let words = message(&bundle, "gate", "Error");
    assert!(words.contains("it is not ready after 2s"), "{words}");
    yard.apply_spec("b", json!({"resources": [map("gate")], "readinessTimeout": "2s"})).await?;
    yard.ready("b").await?;
    Ok(())
}
