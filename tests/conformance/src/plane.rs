//! The real control plane: started by the scripts in `tests/control-plane`, ended when it is no longer needed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A control plane that ends when this is dropped.
#[derive(Debug)]
pub struct Plane {
    name: String,
    /// The file that tells clients how to reach it.
    pub kubeconfig: PathBuf,
}

/// Why there is no control plane.
#[derive(Debug, thiserror::Error)]
pub enum PlaneError {
    /// Neither the programs nor a Go toolchain to build them are there.
    #[error("{0}")]
    Missing(String),
    /// It does not start.
    #[error("the control plane does not start: {0}")]
    Start(String),
}

impl Plane {
    /// Starts a control plane under this name, of etcd and kube-apiserver alone unless it is to have controllers; builds
    /// it where that is asked for.
    pub fn start(name: &str, controllers: bool, build: bool) -> Result<Self, PlaneError> {
        let output = Command::new(script("up"))
            .args((!controllers).then_some("--api-only"))
            .args((!build).then_some("--no-build"))
            .args(["--while", &std::process::id().to_string()])
            .arg(name)
            .output()
            .map_err(|error| PlaneError::Missing(error.to_string()))?;
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        match output.status.code() {
            Some(0) => {
                let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                Ok(Self { name: name.to_owned(), kubeconfig: path.into() })
            }
            Some(3) => Err(PlaneError::Missing(said)),
            _ => Err(PlaneError::Start(said)),
        }
    }
}

impl Drop for Plane {
    fn drop(&mut self) {
        // Nothing can be done about a control plane that does not end, and its own logs say why.
        let _ = Command::new(script("down")).arg(&self.name).status();
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../control-plane").join(name)
}
