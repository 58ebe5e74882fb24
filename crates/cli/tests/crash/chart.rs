//! A chart with two layers, a hook and something that goes with its second version.

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
{{ else }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: new}
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

/// Writes the chart into a directory.
pub(crate) fn write(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory.join("templates"))?;
    fs::write(directory.join("Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 0.1.0\n")?;
    fs::write(directory.join("values.yaml"), "version: '1'\n")?;
    fs::write(directory.join("templates/all.yaml"), OBJECTS)?;
    fs::write(directory.join("templates/hook.yaml"), HOOK)
}
