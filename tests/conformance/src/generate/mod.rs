//! Makes sequences: what happens in one is decided from a rough idea of what the calls before have left behind, so that
//! most calls are answered with success, and the refused ones are refused for many reasons.

mod change;
mod create;
mod deletion;
mod odd;
mod read;
mod remove;
mod subresource;
mod world;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;

use crate::dice::Dice;
use crate::kinds;
use crate::sequence::{Action, Body, Call, Group, Sequence, Settle, Step, Verb};
use world::World;

pub(crate) use change::MERGE_PATCH;
pub(crate) use create::merge;

/// Calls on a server without controllers: what one call does is over when it is answered.
pub fn sequence() -> impl Strategy<Value = Vec<Step>> {
    (10..=40usize, theme()).prop_perturb(|(length, theme), source| script(length, theme, Dice::new(source)))
}

/// What sort of server the sequences are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One that does nothing by itself.
    Calls,
    /// One with controllers, about which only deletion is asked.
    Controllers,
}

/// The sequence of this number in the run of this seed.
pub fn of_run(mode: Mode, seed: u64, index: u64) -> Sequence {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&index.to_le_bytes());
    let source = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), source);
    let steps = match mode {
        Mode::Calls => sequence().new_tree(&mut runner).map(|tree| tree.current()),
        Mode::Controllers => deletion::deletion().new_tree(&mut runner).map(|tree| tree.current()),
    };
    let steps = steps.unwrap_or_default();
    Sequence { origin: (seed, index), steps }
}

/// The group of kinds that a sequence is mostly about.
fn theme() -> impl Strategy<Value = Group> {
    prop_oneof![
        4 => Just(Group::Config),
        3 => Just(Group::Service),
        2 => Just(Group::Namespace),
        6 => Just(Group::Workload),
        3 => Just(Group::Claim),
        3 => Just(Group::Rbac),
        3 => Just(Group::Networking),
        3 => Just(Group::Policy),
        1 => Just(Group::Definition),
        5 => Just(Group::Custom),
    ]
}

fn script(length: usize, theme: Group, dice: Dice) -> Vec<Step> {
    let mut world = World::new(dice, theme);
    world.open_namespace("⟨tag⟩-a");
    if world.dice.chance(25) {
        world.open_namespace("⟨tag⟩-b");
    }
    if theme == Group::Definition {
        world.define();
    }
    while world.calls() < length {
        match world.dice.weighted(&[
            (20, Verb::Create),
            (7, Verb::Get),
            (9, Verb::List),
            (3, Verb::Watch),
            (10, Verb::Update),
            (8, Verb::PatchJson),
            (8, Verb::PatchMerge),
            (8, Verb::PatchStrategic),
            (14, Verb::Apply),
            (9, Verb::Delete),
            (2, Verb::DeleteCollection),
        ]) {
            _ if world.dice.chance(5) => world.odd(),
            Verb::Create => world.create(),
            Verb::Get => world.get(),
            Verb::List => world.list(),
            Verb::Watch => world.watch(),
            Verb::Delete => world.delete(),
            Verb::DeleteCollection => world.delete_collection(),
            verb if world.dice.chance(20) => world.subresource(verb),
            Verb::Update => world.update(),
            Verb::Apply => world.apply(),
            verb => world.patch(verb),
        }
    }
    world.compare_stored();
    world.close();
    world.steps
}

impl World {
    fn open_namespace(&mut self, name: &str) {
        self.namespaces.push(name.to_owned());
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"seq": "⟨tag⟩"}}});
        self.call(Call {
            body: Body::Json(body),
            ..World::request(Verb::Create, Group::Namespace, "POST", "/api/v1/namespaces".to_owned())
        });
    }

    /// Definitions are few in number and dear, so those of a sequence go when it is over, and nothing may keep them: the
    /// real server has five workers, each of which waits a minute for what a finalizer holds.
    fn close(&mut self) {
        if self.defined {
            let gadgets = (0..self.objects.len())
                .filter(|&object| self.objects[object].kind.plural == kinds::GADGET.plural)
                .map(|object| self.path(object))
                .collect();
            let definition =
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.⟨tag⟩.example.com";
            self.step(Action::Settle(Settle::Cleared(vec![definition.to_owned()], gadgets)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_sequence_again() {
        for mode in [Mode::Calls, Mode::Controllers] {
            let told = |index| format!("{:?}", of_run(mode, 7, index));
            assert_eq!(told(3), told(3));
            assert_ne!(told(3), told(4));
        }
    }

    #[test]
    fn sequences_have_ten_to_fifty_calls() {
        for index in 0..200 {
            let sequence = of_run(Mode::Calls, 1, index);
            let calls = sequence
                .steps
                .iter()
                .filter(|step| matches!(&step.action, Action::Call(call) if !call.check))
                .count();
            assert!((10..=50).contains(&calls), "sequence {index} has {calls} calls");
        }
    }

    #[test]
    fn steps_speak_only_of_steps_before_them() {
        for index in 0..200 {
            for step in of_run(Mode::Calls, 2, index).steps {
                let text = step.to_string();
                for blank in text.split("⟨list-rv ").skip(1).chain(text.split("⟨continue ").skip(1)) {
                    let number: usize =
                        blank.split('⟩').next().and_then(|number| number.parse().ok()).unwrap_or(usize::MAX);
                    assert!(number < step.id, "sequence {index}: {text}");
                }
            }
        }
    }
}
