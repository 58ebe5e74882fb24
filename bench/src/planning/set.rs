//! Sets of objects that are made up: layers of a hundred, each object needing ten lower layers.

use std::fmt::Write as _;

/// How many objects share a layer.
pub(super) const PER_LAYER: u32 = 100;

/// How many layers each object says it needs.
const NEEDS: u32 = 10;

/// Writes one object, and says how many layers it declares that it needs: all of them lower ones, so that there is a
/// plan, and drawn at random, so that edges go everywhere.
pub(super) fn document(number: u32, random: &mut Random, text: &mut String) -> u64 {
    const KINDS: [(&str, &str); 5] = [
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "Service"),
        ("apps/v1", "Deployment"),
        ("example.com/v1", "Widget"),
    ];
    let (api_version, kind) = KINDS[number as usize % KINDS.len()];
    let layer = number / PER_LAYER;
    text.clear();
    let _ = write!(
        text,
        "apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: object-{number}\n  labels:\n    app.kubernetes.io/name: large\n    app.kubernetes.io/instance: bench\n  annotations:\n    helm.sh/layer: layer-{layer}\n"
    );
    if layer > 0 {
        text.push_str("    helm.sh/depends-on/layers: ");
        for need in 0..NEEDS {
            let separator = if need == 0 { "" } else { ", " };
            let _ = write!(text, "{separator}layer-{}", random.next() % u64::from(layer));
        }
        text.push('\n');
    }
    text.push_str("spec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n      - name: main\n        image: registry/app:1.0\n");
    if layer > 0 { u64::from(NEEDS) } else { 0 }
}

/// Numbers that look random and are the same in every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }
}
