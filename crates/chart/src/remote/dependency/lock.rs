//! The lock: its digest and its file.

use std::path::Path;

use serde::Serialize;

use super::DependencyError;
use crate::remote::files::{self, PathError};
use crate::remote::sha256_hex;
use crate::{Dependency, Lock};

/// The digest that ties a lock to what `Chart.yaml` wants.
pub fn digest(wanted: Option<&[Dependency]>, locked: &[Dependency]) -> Result<String, goyaml::json::Error> {
    hash(&(wanted, locked))
}

/// The digest that Helm 2 wrote into `requirements.lock`.
pub fn digest_of_helm2(wanted: Option<&[Dependency]>) -> Result<String, goyaml::json::Error> {
    #[derive(Serialize)]
    struct Requirements<'a> {
        dependencies: Option<&'a [Dependency]>,
    }
    hash(&Requirements { dependencies: wanted })
}

fn hash<T: Serialize>(value: &T) -> Result<String, goyaml::json::Error> {
    Ok(format!("sha256:{}", sha256_hex(goyaml::json::to_string(value)?.as_bytes())))
}

/// Writes the lock into a chart's directory, under the name that charts of its generation use.
pub(super) fn write(chart: &Path, lock: &Lock, legacy: bool) -> Result<(), DependencyError> {
    let name = if legacy { "requirements.lock" } else { "Chart.lock" };
    let path = chart.join(name);
    if let Ok(target) = std::fs::read_link(&path) {
        return Err(DependencyError::Link { name, target: target.display().to_string() });
    }
    match std::fs::symlink_metadata(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(PathError::new("lstat", &path)(error).into());
        }
        _ => {}
    }
    Ok(files::write(&path, goyaml::to_string(lock)?.as_bytes(), 0o644)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependency(name: &str, version: &str, repository: &str) -> Dependency {
        Dependency {
            name: name.into(),
            version: version.into(),
            repository: repository.into(),
            ..Dependency::default()
        }
    }

    #[test]
    fn digests_are_helms() {
        let wanted = [Dependency {
            alias: "db".into(),
            tags: vec!["a".into()],
            ..dependency("pg", "^1", "https://x")
        }];
        let locked = [dependency("pg", "1.2.3", "https://x")];
        // sha256 of [[{"name":"pg","version":"^1","repository":"https://x","tags":["a"],"alias":"db"}],
        //            [{"name":"pg","version":"1.2.3","repository":"https://x"}]] without the space.
        let text = r#"[[{"name":"pg","version":"^1","repository":"https://x","tags":["a"],"alias":"db"}],[{"name":"pg","version":"1.2.3","repository":"https://x"}]]"#;
        assert_eq!(
            digest(Some(&wanted), &locked).unwrap(),
            format!("sha256:{}", sha256_hex(text.as_bytes()))
        );
        let none = format!("sha256:{}", sha256_hex(b"[null,[]]"));
        assert_eq!(digest(None, &[]).unwrap(), none);
        let text = r#"{"dependencies":[{"name":"pg","version":"1.2.3","repository":"https://x"}]}"#;
        assert_eq!(
            digest_of_helm2(Some(&locked)).unwrap(),
            format!("sha256:{}", sha256_hex(text.as_bytes()))
        );
    }

    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let lock = Lock {
            generated: "2026-01-01T00:00:00Z".into(),
            digest: "sha256:x".into(),
            dependencies: vec![dependency("a", "1.0.0", "")],
        };
        write(dir.path(), &lock, false).unwrap();
        insta::assert_snapshot!(std::fs::read_to_string(dir.path().join("Chart.lock")).unwrap(), @r#"
        dependencies:
        - name: a
          repository: ""
          version: 1.0.0
        digest: sha256:x
        generated: "2026-01-01T00:00:00Z"
        "#);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/elsewhere", dir.path().join("requirements.lock")).unwrap();
            let error = write(dir.path(), &lock, true).unwrap_err();
            assert_eq!(error.to_string(), "the requirements.lock file is a symlink to \"/elsewhere\"");
        }
    }
}
