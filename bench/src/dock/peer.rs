//! A server that is measured: it is started for that, and ended.

use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

/// One server.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    kubeconfig: PathBuf,
    processes: Vec<u32>,
    ends: End,
}

enum End {
    /// By its process, which leaves this directory behind.
    Process(Child, PathBuf),
    /// By its script.
    ControlPlane(String),
}

impl Peer {
    /// The embedded cluster, in memory.
    pub(crate) fn memory(slipway: &str) -> io::Result<Self> {
        Self::embedded("dock, memory", slipway, |_| vec!["--memory".into()])
    }

    /// The embedded cluster, on disk: every write is there when it is acknowledged.
    pub(crate) fn disk(slipway: &str) -> io::Result<Self> {
        Self::embedded("dock, disk", slipway, |directory| vec!["--data".into(), directory.into()])
    }

    fn embedded(
        name: &'static str,
        slipway: &str,
        arguments: impl Fn(&Path) -> Vec<std::ffi::OsString>,
    ) -> io::Result<Self> {
        let directory = std::env::temp_dir().join(format!("slipway-bench-{}", std::process::id()));
        std::fs::create_dir_all(&directory)?;
        let kubeconfig = directory.join("kubeconfig");
        let mut process = Command::new(slipway)
            .args(["dock", "serve", "--write-kubeconfig"])
            .arg(&kubeconfig)
            .args(arguments(&directory))
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = process.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        BufReader::new(output).read_line(&mut line)?;
        let processes = vec![process.id()];
        Ok(Self { name, kubeconfig, processes, ends: End::Process(process, directory) })
    }

    /// kube-apiserver and etcd, whose writes need not reach the disk.
    pub(crate) fn control_plane() -> io::Result<Self> {
        Self::real(&["--api-only"])
    }

    /// The same with all controllers, a scheduler, and what plays the kubelet.
    pub(crate) fn with_controllers() -> io::Result<Self> {
        Self::real(&[])
    }

    fn real(flags: &[&str]) -> io::Result<Self> {
        let name = format!("bench-{}", std::process::id());
        let output = Command::new(script("up"))
            .args(flags)
            .args(["--while", &std::process::id().to_string(), &name])
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err(io::Error::other("no control plane could be started"));
        }
        let kubeconfig = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        let list = std::fs::read_to_string(kubeconfig.with_file_name("processes"))?;
        let processes = list.lines().filter_map(|line| line.split('\t').nth(1)?.parse().ok()).collect();
        let ends = End::ControlPlane(name);
        Ok(Self { name: "kube-apiserver", kubeconfig, processes, ends })
    }

    /// Where it is written how to reach it.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// A client of it.
    pub(crate) async fn client(&self) -> io::Result<Client> {
        // Another peer has chosen the same.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let kubeconfig = Kubeconfig::read_from(&self.kubeconfig).map_err(io::Error::other)?;
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(io::Error::other)?;
        engine::connect(config).map_err(io::Error::other)
    }

    /// The resident memory of its processes, in MiB.
    pub(crate) fn memory_now(&self) -> f64 {
        let resident = |process: &u32| {
            let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
            line.trim().strip_suffix(" kB")?.parse::<f64>().ok()
        };
        self.processes.iter().filter_map(resident).sum::<f64>() / 1024.0
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // What does not end by this ends with this process.
        match &mut self.ends {
            End::Process(process, directory) => {
                let _ = process.kill();
                let _ = process.wait();
                let _ = std::fs::remove_dir_all(directory);
            }
            End::ControlPlane(name) => {
                let _ = Command::new(script("down")).arg(name).status();
            }
        }
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/control-plane").join(name)
}
