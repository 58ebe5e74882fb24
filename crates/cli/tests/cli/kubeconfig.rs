//! How a cluster is found and reached: kubeconfigs, flags and variables as Helm names them, programs that give
//! credentials, proxies, and whom requests are made for.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use base64::Engine as _;
use dock::Dock;
use dock::http::user::User;
use tokio::runtime::Runtime;

use crate::transcript::Session;

const TOKEN: &str = "of-the-administrator";

/// A cluster behind a socket, and nothing in the environment that leads to it.
struct Place {
    session: Session,
    _runtime: Runtime,
    _serving: dock::Serving,
    server: String,
    /// As kubeconfigs have it; empty without TLS.
    authority: String,
}

impl Place {
    fn new(tls: bool) -> Self {
        let runtime = Runtime::new().unwrap();
        let serving = runtime.block_on(async {
            let dock = Dock::builder().token(TOKEN, User::admin()).start().await;
            if tls { dock.serve_tls(0).await.unwrap() } else { dock.serve(0).await.unwrap() }
        });
        let kubeconfig = serving.kubeconfig(Some(TOKEN));
        let authority = kubeconfig.lines().find_map(|line| line.split("certificate-authority-data:").nth(1));
        let authority =
            authority.map(|text| text.trim().trim_end_matches('}').to_owned()).unwrap_or_default();
        let server = serving.url();
        Self { session: Session::new(), _runtime: runtime, _serving: serving, server, authority }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.session.home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A kubeconfig for a server and a user.
    fn kubeconfig(&self, cluster: &str, user: &str) -> String {
        let authority = match self.authority.as_str() {
            "" => String::new(),
            authority => format!(", certificate-authority-data: {authority}"),
        };
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: one\nclusters:\n- {{name: c, cluster: {{{cluster}{authority}}}}}\nusers:\n- {{name: u, user: {{{user}}}}}\ncontexts:\n- {{name: one, context: {{cluster: c, user: u}}}}\n"
        )
    }

    fn usual(&self) -> String {
        self.kubeconfig(&format!("server: '{}'", self.server), &format!("token: {TOKEN}"))
    }

    fn list(&self, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
        let line = [&["list", "-o", "json"], arguments].concat();
        let output = self.session.command(&line).envs(variables.iter().copied()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.code().unwrap(), told.into_owned())
    }

    fn works(&self, arguments: &[&str], variables: &[(&str, &str)]) {
        let (code, told) = self.list(arguments, variables);
        assert_eq!((code, told.as_str()), (0, "[]\n"), "{arguments:?} {variables:?}");
    }

    fn fails(&self, arguments: &[&str], variables: &[(&str, &str)], words: &str) {
        let (code, told) = self.list(arguments, variables);
        assert!(code == 1 && told.contains(words), "{arguments:?} {variables:?}: {told}");
    }
}

/// Whatever a server or a proxy was sent first on each connection.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn all(&self) -> String {
        self.0.lock().unwrap().concat()
    }
}

/// Passes connections on to a server and writes down the heads of the first requests. As a proxy it is told by the
/// client where to connect, and connects to the server all the same.
fn between(server: &str, is_proxy: bool) -> (String, Heard) {
    let target = server.split("://").nth(1).unwrap().trim_end_matches('/').to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let heard = Heard::default();
    let known = heard.clone();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (target, known) = (target.clone(), known.clone());
            thread::spawn(move || pass(stream, &target, &known, is_proxy));
        }
    });
    (format!("http://{address}"), heard)
}

fn pass(client: TcpStream, target: &str, heard: &Heard, is_proxy: bool) {
    let mut reader = BufReader::new(client.try_clone().unwrap());
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") {
        if reader.read_line(&mut request).unwrap_or(0) == 0 {
            return;
        }
    }
    heard.0.lock().unwrap().push(request.clone());
    let mut server = TcpStream::connect(target).unwrap();
    let mut client = client;
    if is_proxy {
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
    } else {
        server.write_all(request.as_bytes()).unwrap();
    }
    let mut answers = server.try_clone().unwrap();
    let back = thread::spawn(move || {
        let _ = std::io::copy(&mut answers, &mut client);
        let _ = client.shutdown(Shutdown::Both);
    });
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = reader.read(&mut bytes) {
        if server.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    let _ = back.join();
}

#[test]
fn files_are_put_together_and_contexts_chosen() {
    let here = Place::new(true);
    let usual = here.file("usual", &here.usual());
    here.works(&["--kubeconfig", usual.to_str().unwrap()], &[]);
    here.works(&[], &[("KUBECONFIG", usual.to_str().unwrap())]);
    std::fs::create_dir(here.session.home.path().join(".kube")).unwrap();
    here.file(".kube/config", &here.usual());
    here.works(&[], &[]);
    std::fs::remove_file(here.session.home.path().join(".kube/config")).unwrap();
    here.fails(&[], &[], "kubernetes cluster unreachable");
    here.fails(&["--kubeconfig", "/nowhere/config"], &[], "/nowhere/config");

    // Clusters and users in one file, contexts in others; one is not there, and the first that says something counts.
    let whole = here.usual();
    let (head, contexts) = whole.split_once("contexts:\n").unwrap();
    let head = head.replace("current-context: one\n", "");
    let first = here.file("first", "current-context: one\n");
    let second = here.file("second", &head);
    let third = here.file("third", &format!("current-context: wrong\ncontexts:\n{contexts}- {{name: wrong, context: {{cluster: none, user: u}}}}\n"));
    let files = [&first, &PathBuf::from("/nowhere/at/all"), &second, &third];
    let files = std::env::join_paths(files).unwrap().into_string().unwrap();
    here.works(&[], &[("KUBECONFIG", &files)]);
    here.works(&["--kube-context", "one"], &[("KUBECONFIG", &files), ("HELM_KUBECONTEXT", "wrong")]);
    here.fails(&["--kube-context", "wrong"], &[("KUBECONFIG", &files)], "unreachable");
    here.fails(
        &[],
        &[("KUBECONFIG", &files), ("HELM_KUBECONTEXT", "missing")],
        "context \"missing\" does not exist",
    );
}

#[test]
fn flags_and_variables_say_all_there_is_to_say() {
    let here = Place::new(true);
    let pem = base64::engine::general_purpose::STANDARD.decode(&here.authority).unwrap();
    let authority = here.file("ca.crt", &String::from_utf8(pem).unwrap());
    let authority = authority.to_str().unwrap();
    let (server, token) = (here.server.as_str(), TOKEN);
    let reached = ["--kube-apiserver", server, "--kube-token", token];
    let with = |more: &[&'static str]| [&reached[..], more].concat();
    here.works(&[&reached[..], &["--kube-ca-file", authority]].concat(), &[]);
    here.fails(&reached, &[], "ertificate");
    here.works(&with(&["--kube-insecure-skip-tls-verify"]), &[]);
    here.works(
        &[],
        &[("HELM_KUBEAPISERVER", server), ("HELM_KUBETOKEN", token), ("HELM_KUBECAFILE", authority)],
    );
    here.works(&reached, &[("HELM_KUBEINSECURE_SKIP_TLS_VERIFY", "true")]);
    // The certificate is for localhost and 127.0.0.1.
    let file = here.file("usual", &here.usual());
    let file = ["--kubeconfig", file.to_str().unwrap()];
    here.works(&[&file[..], &["--kube-tls-server-name", "localhost"]].concat(), &[]);
    here.fails(&file, &[("HELM_KUBETLS_SERVER_NAME", "elsewhere.example")], "ertificate");
    here.fails(
        &[&file[..], &["--kube-token", "wrong"]].concat(),
        &[],
        "asked for the client to provide credentials",
    );
    // Flags beat the kubeconfig.
    let wrong = here.file("wrong", &here.kubeconfig("server: 'https://127.0.0.1:1'", "token: wrong"));
    here.works(&[&["--kubeconfig", wrong.to_str().unwrap()], &reached[..]].concat(), &[]);
    let (code, told) = here.list(&["--embedded", "--kube-apiserver", server], &[]);
    assert!(code == 2 && told.contains("two clusters"), "{told}");
}

#[test]
fn a_program_or_a_file_says_who_asks() {
    let here = Place::new(true);
    let server = format!("server: '{}'", here.server);
    let token = here.file("token", TOKEN);
    let by_file = here.file("by-file", &here.kubeconfig(&server, &format!("tokenFile: {}", token.display())));
    here.works(&["--kubeconfig", by_file.to_str().unwrap()], &[]);

    let credential = format!(
        r#"{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{{"token":"{TOKEN}"}}}}"#
    );
    let program = |script: &str| {
        format!(
            "exec: {{apiVersion: client.authentication.k8s.io/v1, command: /bin/sh, args: ['-c', {script:?}], interactiveMode: Never, env: [{{name: ANSWER, value: '{credential}'}}]}}"
        )
    };
    let by_program = here.file("by-program", &here.kubeconfig(&server, &program("printf %s \"$ANSWER\"")));
    here.works(&["--kubeconfig", by_program.to_str().unwrap()], &[]);
    let fails = here.file("fails", &here.kubeconfig(&server, &program("echo no ticket >&2; exit 3")));
    here.fails(&["--kubeconfig", fails.to_str().unwrap()], &[], "unreachable");
    // A token of the command line makes the program superfluous.
    here.works(&["--kubeconfig", fails.to_str().unwrap(), "--kube-token", TOKEN], &[]);
}

#[test]
fn proxies_are_used_where_they_are_named() {
    let here = Place::new(true);
    let (proxy, heard) = between(&here.server, true);
    let named = format!("server: '{}', proxy-url: '{proxy}'", here.server);
    let file = here.file("proxied", &here.kubeconfig(&named, &format!("token: {TOKEN}")));
    here.works(&["--kubeconfig", file.to_str().unwrap()], &[]);
    assert!(heard.all().starts_with("CONNECT 127.0.0.1:"), "{}", heard.all());

    // Only the proxy knows where this is.
    let (proxy, heard) = between(&here.server, true);
    let cluster = "server: 'https://cluster.invalid:6443', tls-server-name: localhost";
    let file = here.file("far", &here.kubeconfig(cluster, &format!("token: {TOKEN}")));
    let far = ["--kubeconfig", file.to_str().unwrap()];
    here.works(&far, &[("HTTPS_PROXY", &proxy)]);
    assert!(heard.all().starts_with("CONNECT cluster.invalid:6443 "), "{}", heard.all());
    here.fails(&far, &[("HTTPS_PROXY", &proxy), ("NO_PROXY", "other.invalid,.invalid")], "unreachable");
    here.fails(&far, &[("HTTP_PROXY", &proxy)], "unreachable");
    // This machine is never reached through a proxy of the environment.
    let file = here.file("near", &here.usual());
    here.works(&["--kubeconfig", file.to_str().unwrap()], &[("HTTPS_PROXY", "http://127.0.0.1:1")]);
}

#[test]
fn requests_are_made_for_somebody_else() {
    let here = Place::new(false);
    let (server, heard) = between(&here.server, false);
    let token = format!("token: {TOKEN}");
    let file = here.file("between", &here.kubeconfig(&format!("server: '{server}'"), &token));
    let file = ["--kubeconfig", file.to_str().unwrap()];
    here.list(
        &[&file[..], &["--kube-as-user", "alice", "--kube-as-group", "dev", "--kube-as-group", "ops"]]
            .concat(),
        &[],
    );
    let sent = heard.all().to_lowercase();
    for words in ["impersonate-user: alice\r\n", "impersonate-group: dev\r\n", "impersonate-group: ops\r\n"] {
        assert!(sent.contains(words), "{words:?} in {sent}");
    }
    here.list(&file, &[("HELM_KUBEASUSER", "bob"), ("HELM_KUBEASGROUPS", "one,two")]);
    let sent = heard.all().to_lowercase();
    assert!(
        sent.contains("impersonate-user: bob\r\n") && sent.contains("impersonate-group: two\r\n"),
        "{sent}"
    );
    let by_file =
        here.file("as", &here.kubeconfig(&format!("server: '{server}'"), &format!("{token}, as: carol")));
    here.list(&["--kubeconfig", by_file.to_str().unwrap()], &[]);
    assert!(heard.all().to_lowercase().contains("impersonate-user: carol\r\n"), "{}", heard.all());
}

#[test]
fn releases_are_only_in_secrets() {
    let here = Place::new(true);
    let file = here.file("usual", &here.usual());
    let file = ["--kubeconfig", file.to_str().unwrap()];
    here.works(&file, &[("HELM_DRIVER", "secret")]);
    let (code, told) = here.list(&file, &[("HELM_DRIVER", "configmap")]);
    assert!(code == 2 && told.contains("HELM_DRIVER=configmap"), "{told}");
}
