"""Checks the embedded cluster with Python's client: client.py KUBECONFIG. One line for each check: ok or FAIL, a name,
and why, with tabs between."""

import sys
import threading

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

config.load_kube_config(sys.argv[1])
core, apps, batch = client.CoreV1Api(), client.AppsV1Api(), client.BatchV1Api()
SPACE = "python"


def check(name):
    def run(function):
        try:
            function()
        except Exception as error:  # every failure is told, and the others are still checked
            print("FAIL", name, " ".join(f"{type(error).__name__}: {error}".split()), sep="\t")
        else:
            print("ok", name, sep="\t")

    return run


def meta(name, **rest):
    return client.V1ObjectMeta(name=name, **rest)


def deployment(image="example.com/web:1"):
    container = client.V1Container(name="web", image=image)
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": "web"}), spec=client.V1PodSpec(containers=[container])
    )
    selector = client.V1LabelSelector(match_labels={"app": "web"})
    spec = client.V1DeploymentSpec(replicas=2, selector=selector, template=template)
    return client.V1Deployment(metadata=meta("web"), spec=spec)


def until(resource_events, wanted):
    for event in resource_events:
        if wanted(event):
            return event
    raise AssertionError("the watch ended first")


@check("version")
def _():
    assert client.VersionApi().get_code().major == "1"


@check("creates a namespace")
def _():
    made = core.create_namespace(client.V1Namespace(metadata=meta(SPACE)))
    assert made.status.phase == "Active"


@check("creates typed objects")
def _():
    core.create_namespaced_config_map(SPACE, client.V1ConfigMap(metadata=meta("map"), data={"a": "b"}))
    service = client.V1Service(
        metadata=meta("web"), spec=client.V1ServiceSpec(selector={"app": "web"}, ports=[client.V1ServicePort(port=80)])
    )
    assert core.create_namespaced_service(SPACE, service).spec.cluster_ip
    assert apps.create_namespaced_deployment(SPACE, deployment()).metadata.generation == 1


@check("stores texts of secrets as bytes")
def _():
    secret = core.create_namespaced_secret(SPACE, client.V1Secret(metadata=meta("login"), string_data={"user": "me"}))
    assert secret.data == {"user": "bWU="} and secret.type == "Opaque"


@check("watches until a deployment is available")
def _():
    watched = watch.Watch()
    events = watched.stream(apps.list_namespaced_deployment, SPACE, timeout_seconds=60)
    until(events, lambda event: event["object"].status.ready_replicas == 2)
    watched.stop()


@check("lists with selectors and in pages")
def _():
    pods = core.list_namespaced_pod(SPACE, label_selector="app=web")
    assert len(pods.items) == 2 and all(pod.status.phase == "Running" for pod in pods.items)
    first = core.list_namespaced_pod(SPACE, limit=1)
    assert len(first.items) == 1 and first.metadata.remaining_item_count == 1
    rest = core.list_namespaced_pod(SPACE, limit=1, _continue=first.metadata._continue)
    assert rest.items[0].metadata.name != first.items[0].metadata.name
    assert core.list_namespaced_pod(SPACE, field_selector="status.phase=Failed").items == []


@check("patches")
def _():
    merged = apps.patch_namespaced_deployment("web", SPACE, {"spec": {"replicas": 3}})
    assert merged.spec.replicas == 3 and merged.metadata.generation == 2
    operations = [{"op": "add", "path": "/data/c", "value": "d"}]
    assert core.patch_namespaced_config_map("map", SPACE, operations).data == {"a": "b", "c": "d"}
    scaled = apps.patch_namespaced_deployment_scale("web", SPACE, {"spec": {"replicas": 1}})
    assert scaled.spec.replicas == 1


@check("replaces, and is told of conflicts")
def _():
    present = core.read_namespaced_config_map("map", SPACE)
    present.data = {"new": "1"}
    assert core.replace_namespaced_config_map("map", SPACE, present).data == {"new": "1"}
    try:
        core.replace_namespaced_config_map("map", SPACE, present)
    except ApiException as error:
        assert error.status == 409
    else:
        raise AssertionError("an old revision was accepted")


@check("is refused what is wrong")
def _():
    wrong = deployment()
    wrong.metadata.name = "other"
    wrong.spec.selector.match_labels = {"app": "other"}
    try:
        apps.create_namespaced_deployment(SPACE, wrong)
    except ApiException as error:
        assert error.status == 422 and "selector" in error.body
    else:
        raise AssertionError("it was accepted")


@check("watches changes as they happen")
def _():
    seen = []
    since = core.list_namespaced_config_map(SPACE).metadata.resource_version

    def look():
        watched = watch.Watch()
        events = watched.stream(
            core.list_namespaced_config_map, SPACE, resource_version=since, timeout_seconds=30
        )
        for event in events:
            if event["object"].metadata.name == "seen":
                seen.append(event["type"])
                if event["type"] == "DELETED":
                    watched.stop()

    looker = threading.Thread(target=look)
    looker.start()
    core.create_namespaced_config_map(SPACE, client.V1ConfigMap(metadata=meta("seen")))
    core.patch_namespaced_config_map("seen", SPACE, {"data": {"a": "b"}})
    core.delete_namespaced_config_map("seen", SPACE)
    looker.join(40)
    assert seen == ["ADDED", "MODIFIED", "DELETED"], seen


@check("runs a job")
def _():
    container = client.V1Container(name="once", image="example.com/once:1")
    template = client.V1PodTemplateSpec(spec=client.V1PodSpec(containers=[container], restart_policy="Never"))
    batch.create_namespaced_job(SPACE, client.V1Job(metadata=meta("once"), spec=client.V1JobSpec(template=template)))
    watched = watch.Watch()
    until(
        watched.stream(batch.list_namespaced_job, SPACE, timeout_seconds=60),
        lambda event: event["object"].status.succeeded == 1,
    )
    watched.stop()


@check("reads logs")
def _():
    pod = core.list_namespaced_pod(SPACE, label_selector="app=web").items[0]
    assert isinstance(core.read_namespaced_pod_log(pod.metadata.name, SPACE), str)


@check("applies by the server")
def _():
    api = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": "b"}}
    made = api.server_side_apply(body=body, namespace=SPACE, field_manager="python")
    assert made.metadata.managedFields[0].operation == "Apply"


@check("uses custom kinds")
def _():
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "anchors.python.example.com"},
        "spec": {
            "group": "python.example.com",
            "scope": "Namespaced",
            "names": {"plural": "anchors", "singular": "anchor", "kind": "Anchor"},
            "versions": [{
                "name": "v1", "served": True, "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }],
        },
    }
    extensions, custom = client.ApiextensionsV1Api(), client.CustomObjectsApi()
    extensions.create_custom_resource_definition(definition)
    watched = watch.Watch()
    established = lambda event: any(
        condition.type == "Established" and condition.status == "True"
        for condition in event["object"].status.conditions or []
    )
    until(watched.stream(extensions.list_custom_resource_definition, timeout_seconds=30), established)
    watched.stop()
    body = {"apiVersion": "python.example.com/v1", "kind": "Anchor", "metadata": {"name": "a"}, "spec": {"weight": 5}}
    custom.create_namespaced_custom_object("python.example.com", "v1", SPACE, "anchors", body)
    listed = custom.list_namespaced_custom_object("python.example.com", "v1", SPACE, "anchors")
    assert listed["items"][0]["spec"]["weight"] == 5
    extensions.delete_custom_resource_definition("anchors.python.example.com")


@check("asks whether it may")
def _():
    attributes = client.V1ResourceAttributes(verb="create", resource="pods", namespace=SPACE)
    review = client.V1SelfSubjectAccessReview(
        spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
    )
    assert client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed


@check("deletes with dependents, and collections")
def _():
    apps.delete_namespaced_deployment("web", SPACE, propagation_policy="Foreground")
    core.delete_collection_namespaced_config_map(SPACE, label_selector="!keep")
    watched = watch.Watch()
    since = core.list_namespace().metadata.resource_version
    core.delete_namespace(SPACE)
    events = watched.stream(
        core.list_namespace, field_selector=f"metadata.name={SPACE}", resource_version=since, timeout_seconds=60
    )
    until(events, lambda event: event["type"] == "DELETED")
    watched.stop()
