//! The charts that are deployed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// A chart in a directory of its own, which goes with it.
#[derive(Debug, Clone)]
pub(crate) struct Chart(Arc<Directory>);

#[derive(Debug)]
struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        // What stays is in the directory for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The finalizer that goes after a second.
pub(crate) const FINALIZER: &str = "example.com/slow";

impl Chart {
    pub(crate) fn path(&self) -> &Path {
        &self.0.0
    }

    /// So many `ConfigMap`s, all of which the version changes.
    pub(crate) fn maps(count: usize) -> io::Result<Self> {
        Self::new("maps", &many(count, ""))
    }

    /// The same, held by a finalizer.
    pub(crate) fn held(count: usize) -> io::Result<Self> {
        Self::new("held", &many(count, &format!(", finalizers: [{FINALIZER}]")))
    }

    /// So many Deployments, each in a layer of its own after the one before.
    pub(crate) fn layers(count: usize) -> io::Result<Self> {
        let mut text = String::new();
        for number in 0..count {
            let after = if number == 0 {
                String::new()
            } else {
                format!(", helm.sh/depends-on/layers: layer-{}", number - 1)
            };
            let _ = write!(
                text,
                "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: layer-{number}, annotations: {{helm.sh/layer: layer-{number}{after}}}}}\nspec:\n  selector: {{matchLabels: {{app: layer-{number}}}}}\n  template:\n    metadata: {{labels: {{app: layer-{number}}}}}\n    spec: {{containers: [{{name: main, image: app}}]}}\n"
            );
        }
        Self::new("layers", &text)
    }

    fn new(name: &str, template: &str) -> io::Result<Self> {
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let directory =
            std::env::temp_dir().join(format!("slipway-bench-{}-{number}", std::process::id())).join(name);
        fs::create_dir_all(directory.join("templates"))?;
        fs::write(directory.join("Chart.yaml"), format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n"))?;
        fs::write(directory.join("values.yaml"), "version: 1\n")?;
        fs::write(directory.join("templates/all.yaml"), template)?;
        Ok(Self(Arc::new(Directory(directory))))
    }
}

fn many(count: usize, metadata: &str) -> String {
    format!(
        "{{{{- range $number := until {count} }}}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: map-{{{{ $number }}}}{metadata}}}\ndata: {{version: '{{{{ $.Values.version }}}}', text: {{{{ repeat 8 \"some settings of an application \" | quote }}}}}}\n{{{{- end }}}}\n"
    )
}
