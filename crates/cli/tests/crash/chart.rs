//! A chart with two layers, a hook, something that goes with its second version, and something that is only stamped then.

use std::fs;
use std::io;
use std::path::Path;

/// Which version of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    First,
    Second,
}

const OBJECTS: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  annotations: {helm.sh/layer: base}
data: {version: '{{ .Values.version }}'}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: database
  annotations: {helm.sh/layer: database, helm.sh/depends-on/layers: base}
spec:
  selector: {matchLabels: {app: database}}
  template:
    metadata: {labels: {app: database}}
    spec: {containers: [{name: main, image: 'postgres:{{ .Values.version }}'}]}
---
apiVersion: v1
kind: Service
metadata:
  name: database
  annotations: {helm.sh/layer: database, helm.sh/depends-on/layers: base}
spec:
  selector: {app: database}
  ports: [{port: 5432}]
{{ if eq .Values.version \"1\" }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: old}
---
apiVersion: v1
kind: Secret
metadata:
  name: old
  annotations: {helm.sh/layer: base}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: delayed, annotations: {slipway.dev/deletion-delay: 1h}}
{{ else }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: new}
{{ end }}
{{ range $number := until (int .Values.large) }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: large-{{ $number }}}
data: {text: {{ $.Files.Get (printf \"large-%d\" $number) | quote }}}
{{ end }}
";

const HOOK: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: 'pre-install,pre-upgrade', helm.sh/hook-delete-policy: 'before-hook-creation,hook-succeeded'}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: migrate}]}
";

/// So many objects do not fit into one Secret, whether as a record or, with what order they came in, as an inventory.
pub(crate) const LARGE: usize = 2;

/// Writes the chart into a directory.
pub(crate) fn write(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory.join("templates"))?;
    fs::write(directory.join("Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 0.1.0\n")?;
    fs::write(directory.join("values.yaml"), "version: '1'\nlarge: 0\n")?;
    fs::write(directory.join("templates/all.yaml"), OBJECTS)?;
    fs::write(directory.join("templates/hook.yaml"), HOOK)
}

/// Adds what does not fit into one Secret.
pub(crate) fn enlarge(directory: &Path) -> io::Result<()> {
    for number in 0..LARGE {
        fs::write(directory.join(format!("large-{number}")), noise(800 << 10, number as u64 + 1))?;
    }
    Ok(())
}

/// Text that cannot be compressed by much.
fn noise(length: usize, mut lot: u64) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    let mut letter = || {
        lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(letters[(lot >> 58) as usize])
    };
    (0..length).map(|_| letter()).collect()
}
