//! The walk that docs/walk.md tells, step by step.

use crate::releases::{Place, shop};

fn walk(file: &str) -> String {
    format!("{}/../../examples/walk/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn upgrade<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["upgrade", "--install", "shop", shop(), "--wait=ordered"], more].concat()
}

#[test]
fn five_minutes_in_the_shop() {
    let here = Place::new();
    here.succeed(&upgrade(&[]));

    let (_, told) = here.succeed(&upgrade(&["--set", "ingress.enabled=false"]));
    assert!(told.contains("gone       Ingress.networking.k8s.io default/shop"), "{told}");
    let (_, told) = here.succeed(&["rollback", "shop"]);
    assert!(told.contains("created    Ingress.networking.k8s.io default/shop"), "{told}");

    let broken = walk("broken.yaml");
    let (code, out, told) = here.run(&upgrade(&["-f", &broken, "--timeout", "10s"]));
    assert!(code == 1 && out.contains("STATUS: failed") && !out.contains("NOTES"), "{out}{told}");
    let (out, _) = here.succeed(&["why", "shop"]);
    assert!(out.contains("Deployment.apps default/shop-api: it is not ready"), "{out}");
    assert!(out.contains("CrashLoopBackOff"), "{out}");
    here.succeed(&["rollback", "shop", "3"]);

    let (delayed, without) = (walk("delayed.yaml"), walk("without-mug.yaml"));
    here.succeed(&upgrade(&["-f", &delayed]));
    let (_, told) = here.succeed(&upgrade(&["-f", &without]));
    assert!(told.contains("counting   Product.shop.example.com default/shop-mug: until"), "{told}");
    assert!(here.succeed(&["trash", "list"]).0.contains("shop-mug"));
    let (out, _) = here.succeed(&["trash", "restore", "shop", "product/shop-mug"]);
    assert!(out.contains("is out of the trash"), "{out}");

    let (code, _, told) = here.run(&["uninstall", "shop", "--timeout", "5s"]);
    assert!(code == 1 && told.contains("finalizers shop.example.com/stock"), "{told}");
    let (out, _) = here.succeed(&["why", "product/shop-t-shirt"]);
    assert!(out.contains("finalizer shop.example.com/stock holds it"), "{out}");
    let rules = walk("rules.yaml");
    let (out, told) = here.succeed(&["uninstall", "shop", "--deletion-rules", &rules]);
    assert!(told.contains("forced     Product.shop.example.com default/shop-t-shirt"), "{told}");
    assert!(out.contains("release \"shop\" uninstalled"), "{out}");
    let gone = told.find("gone       Product.shop.example.com default/shop-t-shirt");
    assert!(gone < told.find("deleting   StatefulSet.apps default/shop-database"), "{told}");
    let (out, _) = here.succeed(&["undelete", "shop"]);
    assert!(out.contains("STATUS: deployed"), "{out}");
}
