//! Instances and bindings as objects of a chart: awaited until they are ready, taken out in order.

use brokers::{Behaviour, Route};
use catalog::kinds::{ServiceBinding, ServiceInstance};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::ListParams;

use super::shop::Shop;

/// A chart that buys a database, gets access to it, and then starts what uses it. `layers` are annotations for each.
fn chart(shop: &Shop, layers: [&str; 3]) -> String {
    let [database, access, app] = layers;
    let objects = format!(
        "apiVersion: servicecatalog.slipway.dev/v1alpha1
kind: ServiceInstance
metadata: {{name: bookings, annotations: {{{database}}}}}
spec: {{clusterServiceClassExternalName: database, clusterServicePlanExternalName: {{{{ .Values.plan }}}}}}
---
apiVersion: servicecatalog.slipway.dev/v1alpha1
kind: ServiceBinding
metadata: {{name: access, annotations: {{{access}}}}}
spec: {{instanceRef: {{name: bookings}}, secretName: credentials}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: app, annotations: {{{app}}}}}
"
    );
    shop.file("harbour/templates/all.yaml", &objects);
    shop.file("harbour/values.yaml", "plan: small\n");
    let file = shop.file("harbour/Chart.yaml", "apiVersion: v2\nname: harbour\nversion: 1.0.0\n");
    file.trim_end_matches("/Chart.yaml").to_owned()
}

/// What the broker was asked to change, in order.
fn changes(shop: &Shop) -> Vec<Route> {
    let seen = shop.broker.as_ref().unwrap().seen();
    let changing = [Route::Provision, Route::Update, Route::Bind, Route::Unbind, Route::Deprovision];
    seen.iter().map(|seen| seen.route).filter(|route| changing.contains(route)).collect()
}

/// That nothing of the chart is left, nor what the binding gave.
fn nothing_left(shop: &Shop) {
    let client = shop.client();
    shop.runtime.block_on(async {
        let all = ListParams::default();
        let instances = Api::<ServiceInstance>::namespaced(client.clone(), "default");
        assert_eq!(instances.list(&all).await.unwrap().items.len(), 0);
        let bindings = Api::<ServiceBinding>::namespaced(client.clone(), "default");
        assert_eq!(bindings.list(&all).await.unwrap().items.len(), 0);
        let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
        assert!(maps.get_opt("app").await.unwrap().is_none());
        let secrets = Api::<Secret>::namespaced(client, "default");
        assert!(secrets.get_opt("credentials").await.unwrap().is_none());
    });
}

#[test]
fn a_chart_buys_binds_changes_and_gives_back_in_the_order_of_its_layers() {
    let shop = Shop::stocked(&[], Behaviour { polls: Some(1), ..Behaviour::default() });
    let chart = chart(
        &shop,
        [
            "slipway.dev/layer: database",
            "slipway.dev/layer: access, slipway.dev/depends-on-layers: '[\"database\"]'",
            "slipway.dev/layer: app, slipway.dev/depends-on-layers: '[\"access\"]'",
        ],
    );
    let install = shop.slipway(&["install", "line", &chart, "--wait=ordered", "--progress=json"]).unwrap();
    assert_eq!(changes(&shop), [Route::Provision, Route::Bind]);

    // Nothing was applied before what it needs was ready.
    let client = shop.client();
    let applied = |name: &str, words: &str| {
        install
            .lines()
            .position(|line| line.contains(name) && line.contains(words))
            .unwrap_or_else(|| panic!("{name} {words}: {install}"))
    };
    assert!(applied("ServiceInstance", "\"ready\"") < applied("ServiceBinding", "\"applied\""), "{install}");
    assert!(applied("ServiceBinding", "\"ready\"") < applied("ConfigMap", "\"applied\""), "{install}");
    let secrets = Api::<Secret>::namespaced(client, "default");
    assert!(shop.runtime.block_on(secrets.get("credentials")).unwrap().data.is_some());

    // An upgrade is over when the broker has made the change.
    shop.slipway(&["upgrade", "line", &chart, "--set", "plan=large", "--wait=ordered"]).unwrap();
    assert_eq!(changes(&shop), [Route::Provision, Route::Bind, Route::Update]);
    let plans: Vec<_> = shop.broker.as_ref().unwrap().instances().into_values().map(|it| it.plan).collect();
    assert_eq!(plans, ["plan-large"]);

    shop.slipway(&["uninstall", "line", "--wait"]).unwrap();
    assert_eq!(changes(&shop)[3..], [Route::Unbind, Route::Deprovision]);
    nothing_left(&shop);
}

#[test]
fn without_layers_the_broker_is_still_asked_in_order() {
    let shop = Shop::stocked(&[], Behaviour { polls: Some(1), ..Behaviour::default() });
    let chart = chart(&shop, ["", "", ""]);
    shop.slipway(&["install", "line", &chart, "--wait"]).unwrap();
    shop.slipway(&["uninstall", "line", "--wait"]).unwrap();
    assert_eq!(changes(&shop), [Route::Provision, Route::Bind, Route::Unbind, Route::Deprovision]);
    nothing_left(&shop);
}
