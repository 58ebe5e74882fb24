//! The short hashes in the names of what controllers make.

mod dump;

use serde_json::Value;

const PRIME: u32 = 16_777_619;
const BASIS: u32 = 2_166_136_261;

/// The hash of a Pod template: the label `pod-template-hash` and the end of a `ReplicaSet`'s name.
pub(super) fn template_hash(template: &Value, collisions: Option<i64>) -> String {
    let mut bytes = dump::template(template).into_bytes();
    if let Some(collisions) = collisions {
        let mut counted = [0; 8];
        counted[..4].copy_from_slice(&(collisions as u32).to_le_bytes());
        bytes.extend_from_slice(&counted);
    }
    safe(bytes.iter().fold(BASIS, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(PRIME)))
}

/// The hash of what a revision holds, as the real one takes it: FNV-1 of its JSON.
pub(super) fn revision_hash(data: &str, collisions: Option<i64>) -> String {
    let counted = collisions.map(|collisions| collisions.to_string()).unwrap_or_default();
    let hash = data
        .bytes()
        .chain(counted.bytes())
        .fold(BASIS, |hash, byte| hash.wrapping_mul(PRIME) ^ u32::from(byte));
    safe(hash)
}

/// A number in letters and digits that spell no words.
fn safe(number: u32) -> String {
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    number
        .to_string()
        .bytes()
        .map(|digit| char::from(ALPHABET[usize::from(digit) % ALPHABET.len()]))
        .collect()
}

/// JSON as Go writes it: `<`, `>` and `&` are escaped, as are two line separators.
pub(super) fn go_json(value: &Value) -> String {
    let mut written = String::new();
    for letter in value.to_string().chars() {
        match letter {
            '<' => written.push_str("\\u003c"),
            '>' => written.push_str("\\u003e"),
            '&' => written.push_str("\\u0026"),
            '\u{2028}' => written.push_str("\\u2028"),
            '\u{2029}' => written.push_str("\\u2029"),
            other => written.push(other),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_spelt_as_the_real_server_does() {
        assert_eq!(safe(0), "4");
        assert_eq!(safe(1_234_567_890), "56789bcdf4");
    }

    /// A template that uses most of what there is.
    fn rich() -> Value {
        json!({"metadata": {"labels": {"app": "web", "tier": "front"}, "annotations": {"a/b": "c d"}}, "spec": {"containers": [{"name": "app", "image": "nginx:1", "command": ["sh", "-c"], "args": ["sleep 1"], "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": true}}}, {"name": "C", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}}, {"name": "D", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}], "envFrom": [{"configMapRef": {"name": "c"}}], "ports": [{"containerPort": 80, "name": "http", "protocol": "TCP"}], "resources": {"limits": {"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "2G"}, "requests": {"cpu": "2"}}, "livenessProbe": {"httpGet": {"path": "/", "port": "http", "scheme": "HTTP"}, "periodSeconds": 10, "failureThreshold": 3, "successThreshold": 1, "timeoutSeconds": 1}, "readinessProbe": {"tcpSocket": {"port": 80}}, "volumeMounts": [{"name": "data", "mountPath": "/data", "readOnly": true}], "securityContext": {"runAsUser": 1000, "capabilities": {"drop": ["ALL"]}, "allowPrivilegeEscalation": false}, "imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}], "initContainers": [{"name": "setup", "image": "setup:1", "restartPolicy": "Always", "resources": {}}], "volumes": [{"name": "data", "emptyDir": {"sizeLimit": "1Mi"}}, {"name": "conf", "configMap": {"name": "c", "defaultMode": 420, "items": [{"key": "a", "path": "b"}]}}, {"name": "pvc", "persistentVolumeClaim": {"claimName": "x"}}], "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "x", "operator": "In", "values": ["1", "2"]}]}}}]}}, "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}], "nodeSelector": {"a": "b"}, "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}], "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler", "securityContext": {"fsGroup": 2000}, "serviceAccountName": "sa", "serviceAccount": "sa", "terminationGracePeriodSeconds": 30, "imagePullSecrets": [{"name": "pull"}], "hostNetwork": true}})
    }

    #[test]
    fn templates_have_the_hashes_of_the_real_controllers() {
        let plain = json!({
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [{
                    "image": "nginx:1", "imagePullPolicy": "IfNotPresent", "name": "app", "resources": {},
                    "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                }],
                "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
                "securityContext": {}, "terminationGracePeriodSeconds": 30,
            },
        });
        assert_eq!(template_hash(&plain, None), "846464c99d");
        assert_eq!(template_hash(&rich(), None), "7bddb6744b");
    }

    #[test]
    fn collisions_change_the_hash() {
        let template = json!({"spec": {"containers": []}});
        let hashes = [None, Some(0), Some(1), Some(2)].map(|count| template_hash(&template, count));
        for (place, hash) in hashes.iter().enumerate() {
            assert!(!hashes[place + 1..].contains(hash), "{hashes:?}");
        }
    }

    #[test]
    fn fnv_is_the_known_one() {
        // The published values of FNV-1 and FNV-1a for "a".
        assert_eq!(
            "a".bytes().fold(BASIS, |hash, byte| hash.wrapping_mul(PRIME) ^ u32::from(byte)),
            0x050c_5d7e
        );
        assert_eq!(
            "a".bytes().fold(BASIS, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME)),
            0xe40c_292c
        );
    }

    #[test]
    fn json_is_escaped_as_go_does() {
        assert_eq!(go_json(&json!({"a": "<b>&"})), r#"{"a":"\u003cb\u003e\u0026"}"#);
    }
}
