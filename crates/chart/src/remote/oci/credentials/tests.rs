//! Files as Helm and Docker write them, and a helper program.

use super::*;

fn file(contents: &str) -> (tempfile::TempDir, CredentialFile) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.json");
    std::fs::write(&path, contents).unwrap();
    let file = CredentialFile::load(&path).unwrap();
    (dir, file)
}

#[tokio::test]
async fn credentials_are_found_in_all_their_forms() {
    let (_dir, file) = file(
        r#"{"auths": {
            "a": {"auth": "dXNlcjpwYXNzOndvcmQ="},
            "https://b/v2/": {"username": "u", "password": "p"},
            "c": {"identitytoken": "refresh"},
            "d": {"registrytoken": "access"},
            "e": {"auth": "bm9jb2xvbg=="}
        }}"#,
    );
    let named = |username: &str, password: &str| Credential {
        username: username.into(),
        password: password.into(),
        ..Credential::default()
    };
    assert_eq!(file.get("a").await.unwrap(), named("user", "pass:word"));
    assert_eq!(file.get("b").await.unwrap(), named("u", "p"));
    assert_eq!(file.get("c").await.unwrap().refresh_token, "refresh");
    assert_eq!(file.get("d").await.unwrap().access_token, "access");
    assert_eq!(file.get("f").await.unwrap(), Credential::default());
    let error = file.get("e").await.unwrap_err().to_string();
    assert_eq!(error, "failed to decode auth field: invalid config format");
}

#[tokio::test]
async fn what_else_is_in_a_file_stays() {
    let (dir, mut file) = file(r#"{"HttpHeaders":{"X":"y"},"auths":{"a":{"auth":"dTpw"}},"psFormat":"t"}"#);
    file.put("b", "u", "p").await.unwrap();
    file.delete("a").await.unwrap();
    let text = std::fs::read_to_string(dir.path().join("config.json")).unwrap();
    let expected = "{\n\t\"HttpHeaders\": {\n\t\t\"X\": \"y\"\n\t},\n\t\"auths\": {\n\t\t\"b\": {\n\t\t\t\"auth\": \"dTpw\"\n\t\t}\n\t},\n\t\"psFormat\": \"t\"\n}";
    assert_eq!(text, expected);
    assert!(matches!(file.put("c", "a:b", "p").await, Err(CredentialError::Colon)));
}

#[test]
fn files_that_are_none_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.json");
    assert!(CredentialFile::load(&path).is_ok());
    std::fs::write(&path, "  \n").unwrap();
    assert!(CredentialFile::load(&path).is_ok());
    for text in ["[]", "{", r#"{"auths":[]}"#, r#"{"credsStore":1}"#] {
        std::fs::write(&path, text).unwrap();
        let error = CredentialFile::load(&path).unwrap_err().to_string();
        assert!(error.contains("invalid config format"), "{error}");
    }
}

#[tokio::test]
async fn helpers_are_programs_on_the_search_path() {
    let (_dir, file) = file(r#"{"credsStore":"no-such-helper-anywhere","credHelpers":{"evil":"../x"}}"#);
    let error = file.get("a").await.unwrap_err().to_string();
    assert_eq!(
        error,
        "exec: \"docker-credential-no-such-helper-anywhere\": executable file not found in $PATH"
    );
    let error = file.get("evil").await.unwrap_err().to_string();
    assert_eq!(error, "docker-credential-../x: not the name of a credential helper");
}

#[test]
fn secrets_are_not_shown() {
    let credential = Credential { username: "u".into(), password: "hunter2".into(), ..Credential::default() };
    assert!(!format!("{credential:?}").contains("hunter2"));
}
