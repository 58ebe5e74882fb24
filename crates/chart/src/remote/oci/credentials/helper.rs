//! The programs that keep credentials for Docker and its kin: `docker-credential-<name>`, spoken to over pipes.

use std::process::Stdio;

use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::{Credential, CredentialError};

const NOT_FOUND: &str = "credentials not found in native keychain";
/// The name under which a token is kept in place of a password.
const TOKEN_USER: &str = "<token>";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Kept {
    #[serde(rename = "ServerURL", default)]
    server_url: String,
    #[serde(default)]
    username: String,
    #[serde(default)]
    secret: String,
}

pub(super) async fn get(helper: &str, server: &str) -> Result<Credential, CredentialError> {
    let answer = match run(helper, "get", server.as_bytes()).await {
        Err(CredentialError::Helper { message }) if message == NOT_FOUND => return Ok(Credential::default()),
        answer => answer?,
    };
    let kept: Kept = serde_json::from_slice(&answer).map_err(|_| CredentialError::Helper {
        message: format!("docker-credential-{helper}: the answer is not a credential"),
    })?;
    Ok(if kept.username == TOKEN_USER {
        Credential { refresh_token: kept.secret, ..Credential::default() }
    } else {
        Credential { username: kept.username, password: kept.secret, ..Credential::default() }
    })
}

pub(super) async fn store(
    helper: &str,
    server: &str,
    username: &str,
    password: &str,
) -> Result<(), CredentialError> {
    let kept =
        Kept { server_url: server.to_owned(), username: username.to_owned(), secret: password.to_owned() };
    let text = serde_json::to_vec(&kept).map_err(|_| CredentialError::Auth)?;
    run(helper, "store", &text).await.map(drop)
}

pub(super) async fn erase(helper: &str, server: &str) -> Result<(), CredentialError> {
    run(helper, "erase", server.as_bytes()).await.map(drop)
}

async fn run(helper: &str, action: &str, input: &[u8]) -> Result<Vec<u8>, CredentialError> {
    let program = format!("docker-credential-{helper}");
    let fail = |message: String| CredentialError::Helper { message };
    // A file must not be able to name a program outside the search path.
    if helper.contains(['/', '\\']) {
        return Err(fail(format!("{program}: not the name of a credential helper")));
    }
    let said = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            fail(format!("exec: \"{program}\": executable file not found in $PATH"))
        }
        _ => fail(format!("{program}: {}", crate::remote::files::system_words(&error))),
    };
    let mut child = Command::new(&program)
        .arg(action)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
        .map_err(said)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A helper may answer without reading what it is told.
        let _ = stdin.write_all(input).await;
    }
    let output = child.wait_with_output().await.map_err(said)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Err(fail(if message.is_empty() { format!("{program}: {}", output.status) } else { message }))
}

/// The helper that this platform has by default, if it is installed.
pub(super) fn platform_default() -> Option<String> {
    let name = if cfg!(windows) {
        "wincred"
    } else if cfg!(target_os = "macos") {
        "osxkeychain"
    } else if installed("pass") {
        "pass"
    } else {
        "secretservice"
    };
    installed(&format!("docker-credential-{name}")).then(|| name.to_owned())
}

fn installed(program: &str) -> bool {
    let program = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(&program).is_file()))
}
