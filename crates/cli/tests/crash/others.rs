//! What is not the release's own, or is to be kept, survives every command that deletes: whether that was so when the
//! command began, or came about between its plan and its delete, which the gate holds back meanwhile.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Api, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use support::{Cluster, create};
use tokio::task::JoinSet;

use crate::place::{Place, Result};

/// A command that deletes the object `victim`, with what leads there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Road {
    Uninstall,
    Upgrade,
    Rollback,
    /// An install that fails, and is taken out again.
    AtomicInstall,
    /// An upgrade that fails, and is rolled back.
    AtomicUpgrade,
    /// An upgrade that finds its countdown over.
    UpgradeLater,
    Purge,
    /// What a release that is gone has left in the trash.
    PurgeOfUninstalled,
    Sweep,
    /// Bringing back a release finds the countdown of what it had before over.
    Undelete,
}

const ROADS: [Road; 10] = [
    Road::Uninstall,
    Road::Upgrade,
    Road::Rollback,
    Road::AtomicInstall,
    Road::AtomicUpgrade,
    Road::UpgradeLater,
    Road::Purge,
    Road::PurgeOfUninstalled,
    Road::Sweep,
    Road::Undelete,
];

/// What somebody else does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Nothing,
    /// Makes the object anew, with all the marks of the first.
    MakeAnew,
    /// Says that it is another release's.
    Take,
    /// Says that it is to be kept.
    Keep,
}

/// When they do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// Before the command begins.
    Before,
    /// When the delete is on its way.
    AtTheDelete,
}

fn chart(place: &Place, victim: &str) -> Result {
    let directory = place.path("victims");
    std::fs::create_dir_all(directory.join("templates"))?;
    std::fs::write(directory.join("Chart.yaml"), "apiVersion: v2\nname: victims\nversion: 0.1.0\n")?;
    let text = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: stays}}\n\
         {{{{ if .Values.victim }}}}\n---\n{victim}\n{{{{ end }}}}\n\
         {{{{ if .Values.broken }}}}\n---\napiVersion: v1\nkind: Service\nmetadata: {{name: broken}}\nspec: {{ports: [{{port: 99999}}]}}\n{{{{ end }}}}\n"
    );
    std::fs::write(directory.join("templates/all.yaml"), text)?;
    Ok(())
}

/// A `ConfigMap`, with a delay if there is one.
const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: victim\n  annotations: {a: b{{ with .Values.delay }}, slipway.dev/deletion-delay: {{ . }}{{ end }}}\n";

impl Road {
    /// Whether it is the command itself that makes the object.
    fn makes(self) -> bool {
        matches!(self, Self::AtomicInstall | Self::AtomicUpgrade)
    }

    async fn prepare(self, place: &Place) -> Result {
        let commands: &[&[&str]] = match self {
            Self::Uninstall | Self::Upgrade => &[&["install", "--set", "victim=true"]],
            Self::Rollback => &[&["install"], &["upgrade", "--set", "victim=true"]],
            Self::AtomicInstall => &[],
            Self::AtomicUpgrade => &[&["install"]],
            Self::UpgradeLater | Self::Sweep => {
                &[&["install", "--set", "victim=true,delay=1s"], &["upgrade", "--set", "victim=false"]]
            }
            Self::Purge => {
                &[&["install", "--set", "victim=true,delay=1h"], &["upgrade", "--set", "victim=false"]]
            }
            Self::PurgeOfUninstalled => &[&["install", "--set", "victim=true,delay=1h"], &["uninstall"]],
            Self::Undelete => &[
                // It must still count down when the release is taken out.
                &["install", "--set", "victim=true,delay=10s"],
                &["upgrade", "--set", "victim=false"],
                &["uninstall"],
            ],
        };
        for words in commands {
            place.succeed(&command(place, words)).await?;
        }
        if matches!(self, Self::UpgradeLater | Self::Sweep) {
            tokio::time::sleep(Duration::from_millis(1100)).await;
        }
        Ok(())
    }

    /// Ends a countdown that had to outlive what led here: the delay of the live object counts.
    async fn end_countdown<K>(self, api: &Api<K>, name: &str) -> Result
    where
        K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
    {
        if self == Self::Undelete {
            annotate(api, name, "slipway.dev/deletion-delay", "0s").await?;
        }
        Ok(())
    }

    /// The command, and the code that it ends with.
    fn command(self, place: &Place) -> (Vec<String>, i32) {
        let words: &[&str] = match self {
            Self::Uninstall => &["uninstall"],
            Self::Upgrade | Self::UpgradeLater => &["upgrade", "--set", "victim=false"],
            Self::Rollback => &["rollback", "1"],
            Self::AtomicInstall => &["install", "--atomic", "--set", "victim=true,broken=true"],
            Self::AtomicUpgrade => &["upgrade", "--atomic", "--set", "victim=true,broken=true"],
            Self::Purge | Self::PurgeOfUninstalled => &["trash purge"],
            Self::Sweep => &["trash sweep"],
            Self::Undelete => &["undelete"],
        };
        (command(place, words), i32::from(self.makes()))
    }
}

/// A command about the release, with the chart where it needs one.
fn command(place: &Place, words: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = words[0].split(' ').map(ToOwned::to_owned).collect();
    if words[0] != "trash sweep" {
        all.push("victims".to_owned());
    }
    if matches!(words[0], "install" | "upgrade") {
        all.push(place.path("victims").display().to_string());
    }
    all.extend(words[1..].iter().map(ToString::to_string));
    all
}

impl Deed {
    async fn act(self, maps: &Api<ConfigMap>) -> Result {
        match self {
            Self::Nothing => Ok(()),
            Self::MakeAnew => {
                let old = maps.get("victim").await?;
                maps.delete("victim", &DeleteParams::default()).await?;
                support::gone(maps, "victim").await?;
                let marks =
                    json!({"name": "victim", "labels": old.labels(), "annotations": old.annotations()});
                create(maps, json!({"metadata": marks})).await?;
                Ok(())
            }
            Self::Take => annotate(maps, "victim", "meta.helm.sh/release-name", "other").await,
            Self::Keep => annotate(maps, "victim", "helm.sh/resource-policy", "keep").await,
        }
    }
}

async fn annotate<K>(api: &Api<K>, name: &str, key: &str, value: &str) -> Result
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
{
    let change = json!({"metadata": {"annotations": {key: value}}});
    api.patch(name, &PatchParams::default(), &Patch::Merge(change)).await?;
    Ok(())
}

/// Whether an object is there, and nobody deletes it.
async fn survives<K>(api: &Api<K>, name: &str) -> Result<bool>
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
{
    let live = api.get_opt(name).await?;
    Ok(live.is_some_and(|live| live.meta().deletion_timestamp.is_none()))
}

/// Runs a command to its end while somebody acts at its first delete of an object of this path.
async fn run_while(
    place: &Place,
    command: &[String],
    path: &'static str,
    act: impl Future<Output = Result>,
) -> Result<(i32, String)> {
    place.gate.hold(move |method, asked| *method == Method::DELETE && asked.contains(path));
    let running = place.run(command);
    let acting = async {
        place.gate.held().await;
        let acted = act.await;
        place.gate.let_go();
        acted
    };
    let (ended, acted) = tokio::join!(running, async {
        tokio::time::timeout(Duration::from_mins(1), acting).await.map_err(|_| "nothing was deleted")?
    });
    acted?;
    ended
}

async fn case(cluster: &Cluster, road: Road, deed: Deed, when: When) -> Result {
    let case = format!("{road:?}, {deed:?}, {when:?}");
    let place = Place::new(cluster).await?;
    chart(&place, MAP)?;
    road.prepare(&place).await?;
    let maps = place.api::<ConfigMap>();
    road.end_countdown(&maps, "victim").await?;
    let (command, expected) = road.command(&place);
    let (code, told) = match when {
        When::Before => {
            deed.act(&maps).await?;
            place.run(&command).await?
        }
        When::AtTheDelete => {
            Box::pin(run_while(&place, &command, "/configmaps/victim", deed.act(&maps))).await?
        }
    };
    assert_eq!(code, expected, "{case}: {told}");
    assert_eq!(survives(&maps, "victim").await?, deed != Deed::Nothing, "{case}: {told}");
    place.remove().await
}

/// So many commands run side by side.
const AT_ONCE: usize = 4;

async fn all(cases: Vec<(Road, Deed, When)>) -> Result {
    let cluster = Arc::new(Cluster::start().await?);
    let mut running: JoinSet<Result> = JoinSet::new();
    for (road, deed, when) in cases {
        if running.len() >= AT_ONCE {
            ended(running.join_next().await)?;
        }
        let cluster = cluster.clone();
        running.spawn(async move { Box::pin(case(&cluster, road, deed, when)).await });
    }
    while let Some(one) = running.join_next().await {
        ended(Some(one))?;
    }
    Ok(())
}

fn ended(one: Option<std::result::Result<Result, tokio::task::JoinError>>) -> Result {
    match one {
        Some(Ok(result)) => result,
        Some(Err(error)) => std::panic::resume_unwind(error.into_panic()),
        None => Ok(()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_touches_goes() -> Result {
    all(ROADS.map(|road| (road, Deed::Nothing, When::Before)).to_vec()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_touched_before_stays() -> Result {
    let deeds = [Deed::MakeAnew, Deed::Take, Deed::Keep];
    let roads = ROADS.into_iter().filter(|road| !road.makes());
    all(roads.flat_map(|road| deeds.map(|deed| (road, deed, When::Before))).collect()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_touches_at_the_delete_stays() -> Result {
    let deeds = [Deed::MakeAnew, Deed::Take, Deed::Keep];
    all(ROADS.into_iter().flat_map(|road| deeds.map(|deed| (road, deed, When::AtTheDelete))).collect()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_full_of_other_peoples_things_stays() -> Result {
    let cluster = Cluster::start().await?;
    for road in ROADS.into_iter().filter(|road| !road.makes()) {
        let place = Place::new(&cluster).await?;
        let inner = format!("{}-inner", place.name());
        let victim = MAP.replace("ConfigMap", "Namespace").replace("name: victim", &format!("name: {inner}"));
        chart(&place, &victim)?;
        road.prepare(&place).await?;
        let namespaces: Api<Namespace> = Api::all(cluster.client());
        road.end_countdown(&namespaces, &inner).await?;
        let theirs: Api<Secret> = Api::namespaced(cluster.client(), &inner);
        create(&theirs, json!({"metadata": {"name": "theirs"}})).await?;
        let (command, _) = road.command(&place);
        let (code, told) = place.run(&command).await?;
        assert_eq!(code, 0, "{road:?}: {told}");
        assert!(survives(&theirs, "theirs").await?, "{road:?}: {told}");
        assert!(survives(&namespaces, &inner).await?, "{road:?}: {told}");
        namespaces.delete(&inner, &DeleteParams::default()).await?;
        place.remove().await?;
    }
    Ok(())
}

/// A definition of a group of the place's own, and what is of its kind.
fn definition(place: &Place) -> (String, String, Api<DynamicObject>) {
    let group = format!("{}.example.com", place.name());
    let name = format!("buoys.{group}");
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {name}\nspec:\n  group: {group}\n  scope: Namespaced\n  names: {{kind: Buoy, plural: buoys}}\n  versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]\n"
    );
    let resource = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(&group, "v1", "Buoy"), "buoys");
    (name, text, Api::namespaced_with(place.client(), place.name(), &resource))
}

async fn make_buoy(buoys: &Api<DynamicObject>, name: &str) -> Result {
    let group = name.split_once('.').map_or("", |(_, group)| group);
    create(
        buoys,
        json!({"apiVersion": format!("{group}/v1"), "kind": "Buoy", "metadata": {"name": "theirs"}}),
    )
    .await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_of_others_keep_their_definition() -> Result {
    let cluster = Cluster::start().await?;
    for road in ROADS.into_iter().filter(|road| !road.makes()) {
        let place = Place::new(&cluster).await?;
        let (name, text, buoys) = definition(&place);
        let annotations = "\n  annotations: {a: b{{ with .Values.delay }}, slipway.dev/deletion-delay: {{ . }}{{ end }}}\nspec:";
        chart(&place, &text.replacen("\nspec:", annotations, 1))?;
        road.prepare(&place).await?;
        let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
        road.end_countdown(&definitions, &name).await?;
        make_buoy(&buoys, &name).await?;
        let (command, _) = road.command(&place);
        let (code, told) = place.run(&command).await?;
        assert_eq!(code, 0, "{road:?}: {told}");
        assert!(survives(&buoys, "theirs").await?, "{road:?}: {told}");
        assert!(survives(&definitions, &name).await?, "{road:?}: {told}");
        definitions.delete(&name, &DeleteParams::default()).await?;
        place.remove().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_that_are_to_go_stay_with_what_others_have_of_them() -> Result {
    let cluster = Cluster::start().await?;
    // With their resources, made anew by somebody, and theirs alone.
    for (deed, stays) in
        [(Deed::Nothing, false), (Deed::MakeAnew, true), (Deed::Take, true), (Deed::Keep, true)]
    {
        for has_resources in [true, false] {
            let place = Place::new(&cluster).await?;
            let (name, text, buoys) = definition(&place);
            chart(&place, MAP)?;
            std::fs::create_dir_all(place.path("victims/crds"))?;
            std::fs::write(place.path("victims/crds/buoys.yaml"), text)?;
            place.succeed(&command(&place, &["install"])).await?;
            let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
            match deed {
                Deed::Nothing => {}
                Deed::MakeAnew => {
                    let mut old = definitions.get(&name).await?;
                    definitions.delete(&name, &DeleteParams::default()).await?;
                    support::gone(&definitions, &name).await?;
                    old.metadata.uid = None;
                    old.metadata.resource_version = None;
                    old.metadata.managed_fields = None;
                    old.status = None;
                    definitions.create(&PostParams::default(), &old).await?;
                }
                Deed::Take => annotate(&definitions, &name, "meta.helm.sh/release-name", "other").await?,
                Deed::Keep => annotate(&definitions, &name, "helm.sh/resource-policy", "keep").await?,
            }
            if has_resources {
                let established = |live: &CustomResourceDefinition| {
                    let conditions = live.status.as_ref().and_then(|status| status.conditions.as_deref());
                    let conditions = conditions.unwrap_or_default();
                    conditions
                        .iter()
                        .any(|condition| condition.type_ == "Established" && condition.status == "True")
                };
                support::eventually(&definitions, &name, established).await?;
                make_buoy(&buoys, &name).await?;
            }
            let (code, told) = place.run(&command(&place, &["uninstall", "--crds=delete"])).await?;
            let case = format!("{deed:?}, resources: {has_resources}: {told}");
            assert_eq!(code, 0, "{case}");
            assert_eq!(survives(&definitions, &name).await?, stays || has_resources, "{case}");
            if stays || has_resources {
                definitions.delete(&name, &DeleteParams::default()).await?;
            }
            place.remove().await?;
        }
    }
    Ok(())
}

/// A chart with one hook.
fn hook(place: &Place, policy: &str, fails: bool) -> Result {
    let fail = if fails { "dock.slipway.dev/fail: InvalidImageName" } else { "" };
    let text = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: victim\n  annotations: {{helm.sh/hook: pre-install, helm.sh/hook-delete-policy: '{policy}'}}\nspec:\n  backoffLimit: 0\n  template:\n    metadata: {{annotations: {{{fail}}}}}\n    spec: {{restartPolicy: Never, containers: [{{name: main, image: migrate}}]}}\n"
    );
    chart(place, "")?;
    std::fs::write(place.path("victims/templates/hook.yaml"), text)?;
    Ok(())
}

fn job(annotations: &Value) -> Value {
    json!({"metadata": {"name": "victim", "annotations": annotations}, "spec": {"template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "main", "image": "theirs"}],
    }}}})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_the_name_of_a_hook_stays_if_it_is_somebody_elses() -> Result {
    let cluster = Cluster::start().await?;
    for (annotations, code) in [
        // No hook at all.
        (json!({}), 1),
        (json!({"helm.sh/hook": "pre-install", "meta.helm.sh/release-name": "other"}), 1),
        // That of another release of the same chart.
        (json!({"helm.sh/hook": "pre-install", "slipway.dev/hook-of": "elsewhere/other"}), 1),
        (json!({"helm.sh/hook": "pre-install", "helm.sh/resource-policy": "keep"}), 1),
        // What is left of an earlier run of ours, or of Helm's, goes.
        (json!({"helm.sh/hook": "pre-install"}), 0),
    ] {
        let place = Place::new(&cluster).await?;
        hook(&place, "before-hook-creation,hook-succeeded", false)?;
        let jobs = place.api::<Job>();
        create(&jobs, job(&annotations)).await?;
        let (ended, told) = place.run(&command(&place, &["install"])).await?;
        assert_eq!(ended, code, "{annotations}: {told}");
        assert_eq!(survives(&jobs, "victim").await?, code == 1, "{annotations}: {told}");
        place.remove().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_makes_in_the_place_of_a_hook_stays() -> Result {
    let cluster = Cluster::start().await?;
    for (policy, fails) in [("hook-succeeded", false), ("hook-failed", true), ("before-hook-creation", false)]
    {
        let place = Place::new(&cluster).await?;
        hook(&place, policy, fails)?;
        let jobs = place.api::<Job>();
        let is_before = policy == "before-hook-creation";
        if is_before {
            create(&jobs, job(&json!({"helm.sh/hook": "pre-install"}))).await?;
        }
        let install = command(&place, &["install"]);
        let (code, told) = Box::pin(run_while(&place, &install, "/jobs/victim", async {
            jobs.delete("victim", &DeleteParams::background()).await?;
            support::gone(&jobs, "victim").await?;
            create(&jobs, job(&json!({}))).await?;
            Ok(())
        }))
        .await?;
        assert_eq!(code, i32::from(fails || is_before), "{policy}: {told}");
        let live = jobs.get_opt("victim").await?;
        let is_theirs = live.is_some_and(|live| {
            live.metadata.deletion_timestamp.is_none() && !live.annotations().contains_key("helm.sh/hook")
        });
        assert!(is_theirs, "{policy}: {told}");
        place.remove().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_that_only_look_like_ours_stay() -> Result {
    let cluster = Cluster::start().await?;
    let place = Place::new(&cluster).await?;
    chart(&place, MAP)?;
    let secrets = place.api::<Secret>();
    let labels = json!({"slipway.dev/release": "victims", "slipway.dev/what": "inventory", "slipway.dev/revision": "1",
        "owner": "helm", "name": "victims", "version": "1", "status": "deployed"});
    create(&secrets, json!({"metadata": {"name": "a-copy", "labels": labels}, "type": "Opaque"})).await?;
    for words in
        [&["install"][..], &["upgrade"], &["uninstall"], &["undelete"], &["uninstall"], &["trash purge"]]
    {
        place.succeed(&command(&place, words)).await?;
        assert!(survives(&secrets, "a-copy").await?, "{words:?}");
    }
    place.remove().await
}
