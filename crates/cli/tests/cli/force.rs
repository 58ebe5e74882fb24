//! `slipway force-delete`, from an item that cannot be deleted to one that is let go, with an operator at work.

use std::io::Write as _;
use std::process::{Command, Stdio};

use api::DeployItem;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::events::v1::Event;
use kube::api::{DeleteParams, ListParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt as _};
use support::{eventually, gone};
use tokio::runtime::Runtime;

use crate::operator::Operator;

const FORCE: &str = "confirmation.slipway.dev/force-deletion";

/// A ConfigMap that somebody holds who will never let go.
const ITEM: &str = "
apiVersion: slipway.dev/v1alpha1
kind: DeployItem
metadata:
  name: shop
spec:
  timeout: 1s
  manifests:
  - manifest:
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: till
        finalizers: [example.org/hold]
";

fn client(operator: &Operator, runtime: &Runtime) -> Client {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let kubeconfig = Kubeconfig::read_from(operator.session.home.path().join("dock.yaml")).unwrap();
    let options = KubeConfigOptions::default();
    runtime.block_on(async {
        Client::try_from(Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap()).unwrap()
    })
}

/// The code, and all that was said.
fn told(mut command: Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// The same at a terminal, at which somebody types; nothing where there is no program that makes one.
fn typed(command: &Command, line: &str) -> Option<String> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let written: Vec<_> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &written.join(" "), "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    for (name, value) in command.get_envs() {
        terminal.env(name, value.unwrap_or_default());
    }
    let mut child = terminal.spawn().ok()?;
    writeln!(child.stdin.as_mut().unwrap(), "{line}").unwrap();
    let output = child.wait_with_output().unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn an_item_that_cannot_be_deleted_is_let_go_when_somebody_confirms_it() {
    let operator = Operator::start(&[]);
    let runtime = Runtime::new().unwrap();
    let client = client(&operator, &runtime);
    let items = Api::<DeployItem>::namespaced(client.clone(), "default");
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let slipway = |arguments: &[&str]| {
        let mut command = operator.session.command(arguments);
        command.arg("--kubeconfig").arg(operator.session.home.path().join("dock.yaml"));
        command
    };
    let file = operator.session.home.path().join("item.yaml");
    std::fs::write(&file, ITEM).unwrap();
    let (code, said) = told(slipway(&["deployitem", "apply", "--wait", "-f", file.to_str().unwrap()]));
    assert_eq!(code, Some(0), "{said}");

    // Not before it is being deleted, nor before it is known not to go.
    let (code, said) = told(slipway(&["force-delete", "deployitem/shop", "--yes"]));
    assert_eq!((code, said.contains("deployitem/shop is not being deleted")), (Some(1), true), "{said}");
    runtime.block_on(items.delete("shop", &DeleteParams::default())).unwrap();
    runtime
        .block_on(eventually(&items, "shop", |item| {
            let errors = item.status.iter().flat_map(|status| &status.extension.last_errors);
            errors.flat_map(|error| &error.codes).any(extension::ErrorCode::is_blocking)
        }))
        .unwrap();

    // It is shown what may stay behind, and somebody has to be asked.
    let asking = ["force-delete", "deployitem/shop"];
    let (code, said) = told(slipway(&asking));
    assert_eq!(code, Some(1), "{said}");
    for words in [
        "deployitem/shop is being deleted, and does not go:",
        "[ERR_CLEANUP_RESOURCES]",
        "May stay behind, without anybody who looks after them:\n  ConfigMap default/till\n",
        "nobody was asked, and nothing was done",
    ] {
        assert!(said.contains(words), "{words:?} in {said}");
    }
    match typed(&slipway(&asking), "something else") {
        Some(said) => assert!(said.contains("nothing was done"), "{said}"),
        None => eprintln!("skipped the question of force-delete: there is no program script"),
    }
    let item = runtime.block_on(items.get("shop")).unwrap();
    assert!(!item.annotations().contains_key(FORCE), "nobody has confirmed anything");
    runtime.block_on(maps.get("till")).unwrap();

    let said = match typed(&slipway(&asking), "shop") {
        Some(said) => said,
        None => told(slipway(&["force-delete", "deployitem/shop", "--yes"])).1,
    };
    assert!(said.contains("deployitem/shop will be let go"), "{said}");
    runtime.block_on(gone(&items, "shop")).unwrap();
    runtime.block_on(gone(&maps, "till")).unwrap();

    let events = Api::<Event>::namespaced(client, "default");
    let events = runtime.block_on(events.list(&ListParams::default())).unwrap();
    let stripped = events.iter().find(|event| event.reason.as_deref() == Some("FinalizersStripped"));
    let note = stripped.and_then(|event| event.note.clone()).unwrap_or_default();
    assert!(note.contains("example.org/hold off ConfigMap default/till"), "{note}");
    let (code, said) = told(slipway(&["force-delete", "deployitem/shop", "--yes"]));
    assert_eq!((code, said.contains("deployitem/shop is not there")), (Some(1), true), "{said}");
    assert_eq!(operator.terminate(), Some(0));
}

#[test]
fn a_script_that_has_decided_is_not_asked() {
    let operator = Operator::start(&[]);
    let runtime = Runtime::new().unwrap();
    let client = client(&operator, &runtime);
    let items = Api::<DeployItem>::namespaced(client, "default");
    let slipway = |arguments: &[&str]| {
        let mut command = operator.session.command(arguments);
        command.arg("--kubeconfig").arg(operator.session.home.path().join("dock.yaml"));
        told(command)
    };
    let file = operator.session.home.path().join("item.yaml");
    std::fs::write(&file, ITEM).unwrap();
    let (code, said) = slipway(&["deployitem", "apply", "--wait", "-f", file.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    runtime.block_on(items.delete("shop", &DeleteParams::default())).unwrap();
    runtime
        .block_on(eventually(&items, "shop", |item| {
            item.status.as_ref().is_some_and(|status| !status.extension.last_errors.is_empty())
        }))
        .unwrap();
    let (code, said) = slipway(&["force-delete", "default/deployitem/shop", "--yes"]);
    assert_eq!((code, said.contains("will be let go")), (Some(0), true), "{said}");
    runtime.block_on(gone(&items, "shop")).unwrap();
}
