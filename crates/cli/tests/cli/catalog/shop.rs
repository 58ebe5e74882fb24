//! An operator, a cluster and a broker, and a record of what is said.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Output, Stdio};

use brokers::{Behaviour, Scripted};
use goregexp::Regexp;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tokio::runtime::Runtime;

use crate::transcript::Session;

pub(crate) struct Shop {
    session: Session,
    operator: Child,
    pub(crate) runtime: Runtime,
    pub(crate) broker: Option<Scripted>,
    url: String,
    said: String,
}

impl Shop {
    /// An operator with these flags, and a broker that nobody has registered yet.
    pub(crate) fn open(flags: &[&str], behaviour: Behaviour) -> Self {
        let runtime = Runtime::new().unwrap();
        let broker = runtime.block_on(Scripted::start(behaviour)).unwrap();
        let session = Session::new();
        let mut operator = session
            .command(&["operator", "--embedded", "--log-level", "warn", "--write-kubeconfig"])
            .arg(session.home.path().join("dock.yaml"))
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(operator.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().starts_with("Serving on"));
        assert!(lines.next().unwrap().unwrap().starts_with("Kubeconfig: "));
        let url = broker.url();
        Self { session, operator, runtime, broker: Some(broker), url, said: String::new() }
    }

    /// The same with a registered broker, of which nothing is recorded.
    pub(crate) fn stocked(flags: &[&str], behaviour: Behaviour) -> Self {
        let mut shop = Self::open(flags, behaviour);
        let url = shop.url.clone();
        shop.succeed(&["broker", "create", "acme", "--url", &url, "--wait"]);
        shop
    }

    /// A file that a command may read.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.session.home.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Any command of slipway's, on this cluster.
    pub(crate) fn slipway(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = self.session.command(arguments);
        let output =
            command.arg("--kubeconfig").arg(self.session.home.path().join("dock.yaml")).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let said = format!("{}{}", text(&output.stderr), text(&output.stdout));
        if output.status.success() { Ok(said) } else { Err(said) }
    }

    /// A client of the cluster.
    pub(crate) fn client(&self) -> Client {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let kubeconfig = Kubeconfig::read_from(self.session.home.path().join("dock.yaml")).unwrap();
        let options = KubeConfigOptions::default();
        self.runtime.block_on(async {
            Client::try_from(Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap()).unwrap()
        })
    }

    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    fn command(&self, user: Option<&str>, arguments: &[&str]) -> Command {
        let mut command = self.session.command(&["catalog"]);
        command.args(arguments).arg("--kubeconfig").arg(self.session.home.path().join("dock.yaml"));
        if let Some(user) = user {
            command.args(["--kube-as-user", user, "--kube-as-group", "system:masters"]);
        }
        command
    }

    pub(crate) fn output(&self, user: Option<&str>, arguments: &[&str]) -> Output {
        self.command(user, arguments).output().unwrap()
    }

    /// Runs something that must work; what it says is not recorded.
    pub(crate) fn succeed(&mut self, arguments: &[&str]) -> String {
        let output = self.output(None, arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {told}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs something as a user, and writes down what was said.
    pub(crate) fn say(&mut self, user: &str, arguments: &[&str]) {
        let output = self.output(Some(user), arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let _ = writeln!(self.said, "{user}$ slipway catalog {}", arguments.join(" "));
        let (told, out) = (text(&output.stderr), text(&output.stdout));
        let _ = write!(self.said, "{told}{out}");
        if !output.status.success() {
            let _ = writeln!(self.said, "exit code: {}", output.status.code().unwrap_or(-1));
        }
        self.said.push('\n');
    }

    /// All that was said, without what is different each time.
    pub(crate) fn said(&self) -> String {
        let mut said = self.said.replace(self.session.home.path().to_str().unwrap(), "[HOME]");
        for (pattern, name) in [
            (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "[ID]"),
            (r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC", "[TIME]"),
            (r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]*Z", "[TIME]"),
            (r"http://127\.0\.0\.1:[0-9]+", "[URL]"),
            // Whether a watch sees what lasts for no time at all is luck.
            (r"  [A-Za-z]+RequestInFlight: [^\n]*\n", ""),
        ] {
            let replaced = Regexp::compile(pattern).unwrap().replace_all_literal(&said, name, usize::MAX);
            said = replaced.unwrap();
        }
        said
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let _ = self.operator.kill();
        let _ = self.operator.wait();
    }
}
