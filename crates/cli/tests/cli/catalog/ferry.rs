//! The example that has everything in one application, as its README walks through it.

use api::{Bundle, DeployItem};
use brokers::{Behaviour, Route};
use catalog::kinds::ServiceInstance;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ListParams};
use kube::{Api, ResourceExt as _};
use support::{eventually, gone};

use super::shop::Shop;

const BUNDLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ferry/bundle.yaml");
const ITEM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ferry/item.yaml");

#[test]
fn the_ferry_line_is_launched_and_taken_out_as_its_readme_says() {
    let on = ["--feature-gates", "DeclarativeDelete=true"];
    let mut shop = Shop::stocked(&on, Behaviour { may_delete: None, ..Behaviour::default() });
    shop.slipway(&["bundle", "apply", "-f", BUNDLE, "--wait"]).unwrap();
    let client = shop.client();
    let instances = Api::<ServiceInstance>::namespaced(client.clone(), "default");
    let secrets = Api::<Secret>::namespaced(client.clone(), "default");
    let bundles = Api::<Bundle>::namespaced(client.clone(), "default");
    let items = Api::<DeployItem>::namespaced(client.clone(), "default");
    let maps = Api::<ConfigMap>::namespaced(client, "default");

    // What the broker gave has become settings, and everything came in order.
    let settings = shop.runtime.block_on(secrets.get("settings")).unwrap().data.unwrap();
    assert_eq!(settings["url"].0, b"redis://user@sessions:5432");
    let asked = |shop: &Shop| -> Vec<Route> {
        let seen = shop.broker.as_ref().unwrap().seen();
        let changes = seen.iter().map(|seen| seen.route);
        changes.filter(|route| !matches!(route, Route::Catalog | Route::FetchBinding)).collect()
    };
    assert_eq!(asked(&shop), [Route::Provision, Route::Provision, Route::Bind]);
    let users = shop.broker.as_ref().unwrap().seen_of(Route::Provision);
    assert!(users.iter().all(|it| it.username().as_deref() == Some("system:serviceaccount:default:default")));
    shop.slipway(&["deployitem", "apply", "-f", ITEM, "--wait"]).unwrap();

    // A delete that the broker refuses is taken back.
    shop.broker.as_ref().unwrap().behave(|it| it.may_delete = Some("alice".to_owned()));
    let refused = shop.output(Some("bob"), &["deprovision", "bookings", "--declarative", "--wait"]);
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && words.contains("bob may not delete"), "{words}");
    assert!(shop.output(Some("bob"), &["undo", "bookings", "--wait"]).status.success());
    shop.broker.as_ref().unwrap().behave(|it| it.may_delete = None);
    shop.slipway(&["bundle", "apply", "-f", BUNDLE, "--wait"]).unwrap();

    // The rule takes the finalizer off that nobody looks after.
    shop.runtime.block_on(async {
        assert!(maps.get("timetable").await.is_ok());
        items.delete("ferry-app", &DeleteParams::default()).await.unwrap();
        gone(&items, "ferry-app").await.unwrap();
        gone(&maps, "timetable").await.unwrap();
    });

    // The binding goes before its instance; the bookings count down, and are wanted again.
    let bookings = shop.runtime.block_on(instances.get("bookings")).unwrap();
    shop.runtime.block_on(async {
        bundles.delete("ferry", &DeleteParams::default()).await.unwrap();
        gone(&bundles, "ferry").await.unwrap();
    });
    let order: Vec<_> =
        asked(&shop).into_iter().filter(|it| matches!(it, Route::Unbind | Route::Deprovision)).collect();
    // The first was bob's.
    assert_eq!(order, [Route::Deprovision, Route::Unbind, Route::Deprovision]);
    let left = shop.runtime.block_on(instances.list(&ListParams::default())).unwrap().items;
    assert_eq!(left.iter().map(ServiceInstance::name_any).collect::<Vec<_>>(), ["bookings"]);
    assert!(
        left[0].annotations().contains_key("slipway.dev/deletion-timestamp"),
        "{:?}",
        left[0].annotations()
    );
    shop.slipway(&["bundle", "apply", "-f", BUNDLE, "--wait"]).unwrap();
    let again = shop.runtime.block_on(instances.get("bookings")).unwrap();
    assert_eq!(again.uid(), bookings.uid(), "they were never gone");
    assert!(!again.annotations().contains_key("slipway.dev/deletion-timestamp"));
    shop.runtime.block_on(async {
        bundles.delete("ferry", &DeleteParams::default()).await.unwrap();
        gone(&bundles, "ferry").await.unwrap();
    });

    // The broker closes down for good, and what it had is let go of.
    shop.broker = None;
    shop.runtime.block_on(async {
        instances.delete("bookings", &DeleteParams::default()).await.unwrap();
        eventually(&instances, "bookings", |it| {
            let errors = it.status.as_ref().map(|status| &status.extension.last_errors);
            errors
                .is_some_and(|errors| errors.iter().any(|error| error.description.contains("no connection")))
        })
        .await
        .unwrap();
    });
    let said = shop.slipway(&["force-delete", "serviceinstance/bookings", "--yes"]).unwrap();
    assert!(said.contains("what the broker knows as"), "{said}");
    shop.runtime.block_on(gone(&instances, "bookings")).unwrap();
}
