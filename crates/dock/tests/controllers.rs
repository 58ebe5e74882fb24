//! The controllers at work on a whole server, through its requests, with a clock that stands until it is turned.

use dock::Dock;
use dock::clock::Clock;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tower_service::Service;

struct Harbour {
    dock: Dock,
}

impl Harbour {
    async fn open() -> Self {
        let clock = Clock::standing(Timestamp::constant(1_800_000_000, 0));
        let harbour = Self { dock: Dock::builder().clock(clock).start().await };
        harbour.dock.settle().await;
        harbour
    }

    async fn ask(&self, method: Method, path: &str, kind: &str, body: Option<Value>) -> (u16, Value) {
        let mut request = Request::builder().method(method).uri(path);
        if body.is_some() {
            request = request.header("content-type", kind);
        }
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let request = request.body(Full::new(bytes::Bytes::from(body))).expect("the request is well formed");
        let answer = self.dock.clone().call(request).await.expect("an answer");
        let code = answer.status().as_u16();
        let body = answer.into_body().collect().await.expect("a whole answer").to_bytes();
        (code, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    async fn create(&self, path: &str, object: Value) -> Value {
        let (code, answer) = self.ask(Method::POST, path, "application/json", Some(object)).await;
        assert_eq!(code, 201, "{answer}");
        self.dock.settle().await;
        answer
    }

    async fn get(&self, path: &str) -> Option<Value> {
        let (code, answer) = self.ask(Method::GET, path, "", None).await;
        match code {
            200 => Some(answer),
            404 => None,
            _ => panic!("{path}: {answer}"),
        }
    }

    async fn patch(&self, path: &str, change: Value) -> Value {
        let (code, answer) =
            self.ask(Method::PATCH, path, "application/merge-patch+json", Some(change)).await;
        assert_eq!(code, 200, "{answer}");
        self.dock.settle().await;
        answer
    }

    async fn delete(&self, path: &str, propagation: &str) {
        let options = json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": propagation});
        let (code, answer) = self.ask(Method::DELETE, path, "application/json", Some(options)).await;
        assert!(code < 300, "{answer}");
        self.dock.settle().await;
    }

    async fn turn(&self, seconds: i64) {
        self.dock.clock().advance(SignedDuration::from_secs(seconds));
        self.dock.settle().await;
    }

    async fn list(&self, path: &str) -> Vec<Value> {
        self.get(path).await.expect("collections are always there")["items"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }
}

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const REPLICA_SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";
const PODS: &str = "/api/v1/namespaces/default/pods";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn deployment(name: &str, replicas: i64) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "app": name } },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } },
            "template": {
                "metadata": { "labels": { "app": name } },
                "spec": { "containers": [{ "name": "app", "image": "app:1" }] },
            },
        },
    })
}

#[tokio::test]
async fn a_new_cluster_is_furnished() {
    let harbour = Harbour::open().await;
    assert!(harbour.get("/api/v1/nodes/dock").await.unwrap()["status"]["conditions"].is_array());
    assert!(harbour.get("/apis/storage.k8s.io/v1/storageclasses/standard").await.is_some());
    for namespace in ["default", "kube-system", "kube-public", "kube-node-lease"] {
        assert!(
            harbour.get(&format!("/api/v1/namespaces/{namespace}/serviceaccounts/default")).await.is_some()
        );
        assert!(
            harbour
                .get(&format!("/api/v1/namespaces/{namespace}/configmaps/kube-root-ca.crt"))
                .await
                .is_some()
        );
    }
}

#[tokio::test]
async fn a_deployment_comes_up_rolls_and_goes() {
    let harbour = Harbour::open().await;
    harbour.create(DEPLOYMENTS, deployment("web", 3)).await;
    let path = format!("{DEPLOYMENTS}/web");
    let web = harbour.get(&path).await.unwrap();
    assert_eq!(web["status"]["availableReplicas"], 3, "{web}");
    assert_eq!(web["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "1");
    harbour
        .patch(
            &path,
            json!({"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:2"}]}}}}),
        )
        .await;
    let web = harbour.get(&path).await.unwrap();
    assert_eq!(web["status"]["updatedReplicas"], 3, "{web}");
    let pods = harbour.list(PODS).await;
    assert_eq!(pods.len(), 3);
    assert!(pods.iter().all(|pod| pod["spec"]["containers"][0]["image"] == "app:2"));
    assert!(pods.iter().all(|pod| pod["status"]["phase"] == "Running"));
    harbour.delete(&path, "Foreground").await;
    assert!(harbour.get(&path).await.is_none());
    assert!(harbour.list(REPLICA_SETS).await.is_empty());
    assert!(harbour.list(PODS).await.is_empty());
}

#[tokio::test]
async fn dependents_go_in_the_foreground_before_their_owner() {
    let harbour = Harbour::open().await;
    let map = |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let owner = harbour.create(CONFIG_MAPS, map("owner")).await;
    let mut child = map("child");
    child["metadata"]["finalizers"] = json!(["example.org/hold"]);
    child["metadata"]["annotations"] = json!({"dock.slipway.dev/finalizer-after": "5s"});
    child["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"], "blockOwnerDeletion": true,
    }]);
    harbour.create(CONFIG_MAPS, child).await;
    harbour.delete(&format!("{CONFIG_MAPS}/owner"), "Foreground").await;
    assert!(harbour.get(&format!("{CONFIG_MAPS}/owner")).await.is_some());
    harbour.turn(4).await;
    assert!(harbour.get(&format!("{CONFIG_MAPS}/owner")).await.is_some());
    harbour.turn(1).await;
    assert!(harbour.get(&format!("{CONFIG_MAPS}/child")).await.is_none());
    assert!(harbour.get(&format!("{CONFIG_MAPS}/owner")).await.is_none());
}

#[tokio::test]
async fn a_namespace_empties_itself() {
    let harbour = Harbour::open().await;
    harbour
        .create(
            "/api/v1/namespaces",
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}, "spec": {"finalizers": ["kubernetes"]}}),
        )
        .await;
    harbour.create("/apis/apps/v1/namespaces/team/deployments", deployment("web", 2)).await;
    assert_eq!(harbour.list("/api/v1/namespaces/team/pods").await.len(), 2);
    harbour.delete("/api/v1/namespaces/team", "Background").await;
    let left = harbour.get("/api/v1/namespaces/team").await;
    assert_eq!(left, None);
    assert!(harbour.list("/api/v1/namespaces/team/pods").await.is_empty());
}

#[tokio::test]
async fn a_job_completes_and_its_pods_log() {
    let harbour = Harbour::open().await;
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    harbour
        .create(
            jobs,
            json!({
                "apiVersion": "batch/v1", "kind": "Job",
                "metadata": {"name": "work", "annotations": {"dock.slipway.dev/log": "done\n", "dock.slipway.dev/ready-after": "3s"}},
                "spec": {
                    "completions": 1, "parallelism": 1, "backoffLimit": 6,
                    "selector": {"matchLabels": {"job-name": "work"}}, "manualSelector": true,
                    "template": {
                        "metadata": {"labels": {"job-name": "work"}},
                        "spec": {"restartPolicy": "Never", "containers": [{"name": "app", "image": "app:1"}]},
                    },
                },
            }),
        )
        .await;
    let job = harbour.get(&format!("{jobs}/work")).await.unwrap();
    assert_eq!(job["status"]["active"], 1, "{job}");
    harbour.turn(3).await;
    let job = harbour.get(&format!("{jobs}/work")).await.unwrap();
    assert_eq!(job["status"]["succeeded"], 1, "{job}");
    let pod = harbour.list(PODS).await.remove(0);
    let path = format!("{PODS}/{}/log", pod["metadata"]["name"].as_str().unwrap());
    let request = Request::builder().uri(path).body(Full::new(bytes::Bytes::new())).unwrap();
    let answer = harbour.dock.clone().call(request).await.unwrap();
    assert_eq!(answer.into_body().collect().await.expect("a whole answer").to_bytes(), "done\n");
}

#[tokio::test]
async fn a_claim_is_bound() {
    let harbour = Harbour::open().await;
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    harbour
        .create(
            claims,
            json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"], "storageClassName": "standard",
                    "resources": {"requests": {"storage": "1Gi"}},
                },
            }),
        )
        .await;
    let claim = harbour.get(&format!("{claims}/data")).await.unwrap();
    assert_eq!(claim["status"]["phase"], "Bound", "{claim}");
    harbour.delete(&format!("{claims}/data"), "Background").await;
    assert!(harbour.get(&format!("{claims}/data")).await.is_none());
    assert!(harbour.list("/api/v1/persistentvolumes").await.is_empty());
}

#[tokio::test]
async fn a_quota_refuses_what_is_too_much_until_something_is_given_back() {
    let harbour = Harbour::open().await;
    let quota =
        json!({"metadata": {"name": "few"}, "spec": {"hard": {"configmaps": "3", "requests.cpu": "1"}}});
    harbour.create("/api/v1/namespaces/default/resourcequotas", quota).await;
    let status = "/api/v1/namespaces/default/resourcequotas/few";
    let used = || async { harbour.get(status).await.unwrap()["status"]["used"].clone() };
    // The certificate of the server counts too.
    assert_eq!(used().await, json!({"configmaps": "1", "requests.cpu": "0"}));

    for name in ["a", "b"] {
        harbour.create(CONFIG_MAPS, json!({"metadata": {"name": name}})).await;
    }
    let third = json!({"metadata": {"name": "c"}});
    let (code, answer) =
        harbour.ask(Method::POST, CONFIG_MAPS, "application/json", Some(third.clone())).await;
    assert_eq!((code, &answer["reason"]), (403, &json!("Forbidden")));
    assert_eq!(
        answer["message"],
        "configmaps \"c\" is forbidden: exceeded quota: few, requested: configmaps=1, used: configmaps=3, limited: \
         configmaps=3"
    );

    let silent =
        json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}});
    let (code, answer) = harbour.ask(Method::POST, PODS, "application/json", Some(silent)).await;
    assert_eq!(code, 403);
    assert_eq!(
        answer["message"],
        "pods \"p\" is forbidden: failed quota: few: must specify requests.cpu for: app"
    );

    harbour.delete(&format!("{CONFIG_MAPS}/a"), "Background").await;
    assert_eq!(used().await["configmaps"], "2");
    harbour.create(CONFIG_MAPS, third).await;
    assert_eq!(used().await["configmaps"], "3");
}

#[tokio::test]
async fn pods_count_until_they_end() {
    let harbour = Harbour::open().await;
    let quota =
        json!({"metadata": {"name": "few"}, "spec": {"hard": {"requests.cpu": "1", "count/pods": "9"}}});
    harbour.create("/api/v1/namespaces/default/resourcequotas", quota).await;
    let used = || async {
        harbour.get("/api/v1/namespaces/default/resourcequotas/few").await.unwrap()["status"]["used"].clone()
    };
    let container = json!({"name": "app", "image": "app:1", "resources": {"requests": {"cpu": "700m"}}});
    let pod = |name: &str, restart: &str| json!({"metadata": {"name": name}, "spec": {"restartPolicy": restart, "containers": [container]}});
    harbour.create(PODS, pod("runs-through", "Never")).await;
    assert_eq!(used().await, json!({"count/pods": "1", "requests.cpu": "0"}));
    harbour.create(PODS, pod("one", "Always")).await;
    assert_eq!(used().await, json!({"count/pods": "2", "requests.cpu": "700m"}));
    let two = pod("two", "Always");
    let (code, answer) = harbour.ask(Method::POST, PODS, "application/json", Some(two.clone())).await;
    assert_eq!(code, 403, "{answer}");

    harbour.delete(&format!("{PODS}/one"), "Background").await;
    harbour.turn(60).await;
    assert_eq!(used().await, json!({"count/pods": "1", "requests.cpu": "0"}));
    harbour.create(PODS, two).await;
}
