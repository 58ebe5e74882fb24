//! The embedded cluster as a process: what it has acknowledged is there after any end, and commands share it.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::transcript::Session;

/// A process that serves, and how it is asked.
struct Server {
    process: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(data: &Path) -> Self {
        let session = Session::new();
        let config = session.home.path().join("kubeconfig");
        let mut process = Command::new(env!("CARGO_BIN_EXE_slipway"))
            .args(["dock", "serve", "--plain-http", "--data"])
            .arg(data)
            .arg("--write-kubeconfig")
            .arg(&config)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.strip_prefix("Serving on http://").unwrap().to_owned();
        let text = std::fs::read_to_string(&config).unwrap();
        let token = text.lines().find_map(|line| line.trim().strip_prefix("token: ")).unwrap().to_owned();
        Self { process, address, token }
    }

    /// Ends it as a power cut would.
    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Asks once; nothing if the connection broke before the answer was complete.
    fn ask(&self, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: dock\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.token,
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let code = head.split(' ').nth(1)?.parse().ok()?;
        Some((code, body.to_owned()))
    }
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// What a client knows of its writes.
#[derive(Default)]
struct Known {
    /// Their creation was acknowledged, and nothing since is in doubt.
    there: BTreeSet<String>,
    /// Their deletion was acknowledged.
    gone: BTreeSet<String>,
}

/// Creates objects, and deletes every third, until the server is no more.
fn write_until_the_end(server: &Server, prefix: &str, ended: &AtomicBool, known: &Mutex<Known>) {
    for number in 0.. {
        if ended.load(Ordering::Relaxed) {
            return;
        }
        let name = format!("{prefix}-{number}");
        let text = "x".repeat(number % 3000);
        let body = format!(r#"{{"metadata":{{"name":"{name}"}},"data":{{"text":"{text}"}}}}"#);
        let Some((code, answer)) = server.ask("POST", MAPS, &body) else { return };
        assert_eq!(code, 201, "{answer}");
        if number % 3 < 2 {
            known.lock().unwrap().there.insert(name);
            continue;
        }
        let Some((code, answer)) = server.ask("DELETE", &format!("{MAPS}/{name}"), "") else { return };
        assert_eq!(code, 200, "{answer}");
        known.lock().unwrap().gone.insert(name);
    }
}

fn names(server: &Server) -> BTreeSet<String> {
    let (code, answer) = server.ask("GET", MAPS, "").unwrap();
    assert_eq!(code, 200, "{answer}");
    // The names of our objects are in no other place of the answer.
    answer.split("\"name\":\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

#[test]
fn what_was_acknowledged_is_there_after_every_kill() {
    let rounds = std::env::var("SLIPWAY_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let data = tempfile::tempdir().unwrap();
    let known = Mutex::new(Known::default());
    for round in 0..rounds {
        let server = Server::start(data.path());
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let (server, ended, known) = (&server, &ended, &known);
                scope.spawn(move || {
                    write_until_the_end(server, &format!("map-{round}-{writer}"), ended, known);
                });
            }
            // Another moment each time: in the middle of a commit, of an answer, of nothing.
            std::thread::sleep(Duration::from_millis(60 + 37 * (round % 11)));
            let killed =
                Command::new("kill").args(["-9", &server.process.id().to_string()]).status().unwrap();
            assert!(killed.success());
            ended.store(true, Ordering::Relaxed);
        });
        server.kill();
        let again = Server::start(data.path());
        let there = names(&again);
        let known = known.lock().unwrap();
        let lost: Vec<_> = known.there.difference(&there).collect();
        let back: Vec<_> = known.gone.intersection(&there).collect();
        assert!(lost.is_empty() && back.is_empty(), "lost: {lost:?}; back again: {back:?}");
        again.kill();
    }
    let known = known.lock().unwrap();
    assert!(known.there.len() > rounds as usize && !known.gone.is_empty(), "hardly anything was written");
}

#[test]
fn commands_share_the_embedded_cluster_and_take_over_from_each_other() {
    let session = Session::new();
    let data = session.home.path().join("data");
    let chart = session.home.path().join("asks");
    std::fs::create_dir_all(chart.join("templates")).unwrap();
    std::fs::write(chart.join("Chart.yaml"), "apiVersion: v2\nname: asks\nversion: 0.1.0\n").unwrap();
    let template = r#"apiVersion: v1
kind: ConfigMap
metadata:
  name: found
data:
  map: {{ ((lookup "v1" "ConfigMap" "default" "one").data).text | default "nothing" | quote }}
  missing: {{ lookup "v1" "Secret" "default" "none" | toJson | quote }}
  namespaces: {{ len (lookup "v1" "Namespace" "" "").items | quote }}
  version: {{ .Capabilities.KubeVersion.Major | quote }}
  deployments: {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" | quote }}
"#;
    std::fs::write(chart.join("templates/map.yaml"), template).unwrap();
    let ask = || {
        let mut command =
            session.command(&["template", "x", chart.to_str().unwrap(), "--dry-run=server", "--embedded"]);
        let output = command.env("SLIPWAY_DATA", &data).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let nothing = ask();
    assert!(nothing.contains("map: \"nothing\"") && nothing.contains("missing: \"{}\""), "{nothing}");
    assert!(nothing.contains("namespaces: \"4\"") && nothing.contains("deployments: \"true\""), "{nothing}");

    let server = Server::start(&data);
    let body = r#"{"metadata":{"name":"one"},"data":{"text":"something"}}"#;
    assert_eq!(server.ask("POST", MAPS, body).unwrap().0, 201);
    let several: Vec<String> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert!(several.iter().all(|text| text.contains("map: \"something\"")), "{several:?}");
    server.kill();
    assert!(ask().contains("map: \"something\""));
}

#[test]
fn two_clusters_are_refused() {
    insta::assert_snapshot!(crate::transcript::transcript(&[
        "template",
        "x",
        "chart",
        "--embedded",
        "--kube-context",
        "other"
    ]));
}
