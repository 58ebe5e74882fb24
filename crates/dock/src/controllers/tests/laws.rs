//! What holds whatever happens.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::action::Propagation;
use super::super::collector::{FOREGROUND, blocks};
use super::super::object::{Object, set};
use super::super::script::READY_AFTER;
use super::super::tank::Tank;
use super::{config_map, deployment, owned_by};

fn propagation() -> impl Strategy<Value = Propagation> {
    prop_oneof![Just(Propagation::Background), Just(Propagation::Foreground), Just(Propagation::Orphan)]
}

/// Ten objects, each with owners among those before it (or ghosts), and some deletions.
#[derive(Debug, Clone)]
struct Family {
    owners: Vec<Vec<(usize, bool)>>,
    held: Vec<bool>,
    deletions: Vec<(usize, Propagation)>,
}

fn family() -> impl Strategy<Value = Family> {
    (
        prop::collection::vec(prop::collection::vec((0_usize..12, any::<bool>()), 0..3), 10),
        prop::collection::vec(prop::bool::weighted(0.2), 10),
        prop::collection::vec((0_usize..10, propagation()), 1..5),
    )
        .prop_map(|(owners, held, deletions)| Family { owners, held, deletions })
}

fn build(family: &Family) -> Tank {
    let mut tank = Tank::new();
    let mut made: Vec<Value> = Vec::new();
    for (number, owners) in family.owners.iter().enumerate() {
        let mut object = config_map(&format!("o{number}"));
        let mut references: BTreeMap<String, Value> = BTreeMap::new();
        for (owner, blocking) in owners {
            let reference = match made.get(*owner) {
                Some(owner) => owned_by(owner, *blocking),
                None if *owner >= 10 => {
                    json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "ghost", "uid": format!("ghost-{owner}")})
                }
                None => continue,
            };
            references.insert(reference.text("uid").to_owned(), reference);
        }
        set(&mut object, "metadata.ownerReferences", references.into_values().collect::<Vec<_>>());
        if family.held[number] {
            set(&mut object, "metadata.finalizers", json!(["example.org/hold"]));
        }
        made.push((*tank.create(object)).clone());
    }
    tank
}

/// Whether an object has an owner that is there and does not wait for its dependents.
fn has_solid_owner(tank: &Tank, object: &Value) -> bool {
    object.owners().iter().any(|reference| {
        tank.find("ConfigMap", reference.text("name")).is_some_and(|owner| {
            owner.uid() == reference.text("uid") && !(owner.is_deleting() && owner.has_finalizer(FOREGROUND))
        })
    })
}

/// Runs until nothing is left to do, and checks after every step.
fn run_checked(tank: &mut Tank) -> Result<(), TestCaseError> {
    for _ in 0..5000 {
        let before: Vec<_> = tank.all("ConfigMap");
        let protected: BTreeSet<String> = before
            .iter()
            .filter(|object| !object.is_deleting() && has_solid_owner(tank, object))
            .map(|object| object.uid().to_owned())
            .collect();
        if !tank.step() {
            return Ok(());
        }
        let after: BTreeMap<String, _> =
            tank.all("ConfigMap").into_iter().map(|object| (object.uid().to_owned(), object)).collect();
        for uid in &protected {
            prop_assert!(
                after.get(uid).is_some_and(|object| !object.is_deleting()),
                "{uid} had a solid owner\n{}",
                tank.log.join("\n")
            );
        }
        for owner in &before {
            let waited = owner.is_deleting() && owner.has_finalizer(FOREGROUND);
            if waited && !after.contains_key(owner.uid()) {
                let blocking = after.values().any(|object| blocks(object, owner.uid()));
                prop_assert!(
                    !blocking,
                    "{} went before its blocking dependents\n{}",
                    owner.name(),
                    tank.log.join("\n")
                );
            }
        }
    }
    prop_assert!(false, "it never settles\n{}", tank.log.join("\n"));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn garbage_collection_is_safe_and_complete(family in family()) {
        let mut tank = build(&family);
        run_checked(&mut tank)?;
        for (number, propagation) in &family.deletions {
            let name = format!("o{number}");
            if tank.find("ConfigMap", &name).is_some() {
                tank.delete("ConfigMap", &name, Some(*propagation));
                run_checked(&mut tank)?;
            }
        }
        for object in tank.all("ConfigMap") {
            // Nothing is left that has owners of which none is there, but what is already going.
            if !object.owners().is_empty() && !object.is_deleting() {
                let waiting = object.owners().iter().any(|reference| tank.find("ConfigMap", reference.text("name")).is_some());
                prop_assert!(waiting, "{} is garbage\n{}", object.name(), tank.log.join("\n"));
            }
        }
        // Without the finalizers of others everything that is going goes.
        for object in tank.all("ConfigMap").into_iter().filter(|object| object.has_finalizer("example.org/hold")) {
            tank.edit("ConfigMap", object.name(), |object| {
                let left: Vec<Value> = object.items("metadata.finalizers").iter().filter(|held| *held != "example.org/hold").cloned().collect();
                set(object, "metadata.finalizers", left);
            });
            run_checked(&mut tank)?;
        }
        let going: Vec<String> = tank.all("ConfigMap").iter().filter(|object| object.is_deleting()).map(|object| object.name().to_owned()).collect();
        prop_assert!(going.is_empty(), "{going:?} never go\n{}", tank.log.join("\n"));
    }

    #[test]
    fn a_deployment_converges_from_any_state(
        changes in prop::collection::vec((0_i64..6, 0_u8..4, any::<bool>(), 0_i64..5, 0_u8..3), 1..6),
        surge in 0_i64..3, unavailable in 0_i64..3, recreate in any::<bool>(), slow in any::<bool>(),
    ) {
        let mut tank = Tank::new();
        let mut web = deployment("web", 2);
        if recreate {
            web["spec"]["strategy"] = json!({"type": "Recreate"});
        } else {
            // Both may not be nothing.
            web["spec"]["strategy"]["rollingUpdate"] = json!({"maxSurge": surge.max(i64::from(unavailable == 0)), "maxUnavailable": unavailable});
        }
        if slow {
            web["spec"]["template"]["metadata"]["annotations"] = json!({READY_AFTER: "2s"});
        }
        tank.create(web);
        tank.settle();
        let mut last = (2, "app:1".to_owned());
        for (replicas, image, paused, seconds, meddling) in changes {
            tank.edit("Deployment", "web", |web| {
                set(web, "spec.replicas", replicas);
                set(web, "spec.paused", paused);
                web["spec"]["template"]["spec"]["containers"][0]["image"] = format!("app:{image}").into();
            });
            last = (replicas, format!("app:{image}"));
            for _ in 0..seconds {
                tank.step();
            }
            if meddling == 1 && let Some(pod) = tank.names("Pod").first() {
                tank.delete("Pod", pod, None);
            }
            if meddling == 2 && let Some(set) = tank.names("ReplicaSet").first() {
                tank.delete("ReplicaSet", set, Some(Propagation::Background));
            }
            tank.turn(seconds);
        }
        tank.edit("Deployment", "web", |web| set(web, "spec.paused", false));
        tank.turn(60);
        let web = tank.get("Deployment", "web");
        let (replicas, image) = last;
        for field in ["replicas", "readyReplicas", "availableReplicas"] {
            prop_assert_eq!(web["status"].count(field), replicas, "{} in {}\n{}", field, &web["status"], tank.log.join("\n"));
        }
        prop_assert_eq!(web["status"].count("observedGeneration"), web.generation());
        let pods = tank.all("Pod");
        prop_assert_eq!(pods.len() as i64, replicas);
        // A set that already has the wanted size keeps the size it was last scaled for in its annotation. The real
        // controller takes that for a change of scale too: then it tells of no progress, and a new set that somebody
        // took away is not made again.
        let of_another_scale = tank.all("ReplicaSet").iter().any(|set| {
            let desired = &set["metadata"]["annotations"]["deployment.kubernetes.io/desired-replicas"];
            set.count("spec.replicas") > 0 && *desired != replicas.to_string().as_str()
        });
        if !of_another_scale {
            prop_assert_eq!(web["status"].count("updatedReplicas"), replicas, "{}\n{}", &web["status"], tank.log.join("\n"));
            prop_assert!(pods.iter().all(|pod| pod["spec"]["containers"][0]["image"] == image.as_str()));
            prop_assert_eq!(&web.condition("Progressing").unwrap()["reason"], "NewReplicaSetAvailable");
        }
    }

    #[test]
    fn the_same_world_comes_to_the_same_end(replicas in 0_i64..5, image in 0_u8..3) {
        let run = || {
            let mut tank = Tank::new();
            tank.create(deployment("web", replicas));
            tank.settle();
            tank.edit("Deployment", "web", |web| web["spec"]["template"]["spec"]["containers"][0]["image"] = format!("app:{image}").into());
            tank.turn(30);
            tank.log
        };
        prop_assert_eq!(run(), run());
    }
}
