//! Where Helm keeps its files: the `HELM_*` variables, then the XDG ones, then places below the home directory.

use std::path::{Path, PathBuf};

/// The files and directories of a Helm user, as `helm env` prints them.
///
/// A command line may replace single ones (`--repository-config`, `--registry-config`, …) after reading the
/// environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// `HELM_CACHE_HOME`.
    pub cache_home: PathBuf,
    /// `HELM_CONFIG_HOME`.
    pub config_home: PathBuf,
    /// `HELM_DATA_HOME`.
    pub data_home: PathBuf,
    /// `HELM_PLUGINS`.
    pub plugins: PathBuf,
    /// `HELM_REGISTRY_CONFIG`: credentials of registries, in the format of Docker's `config.json`.
    pub registry_config: PathBuf,
    /// `HELM_REPOSITORY_CONFIG`: `repositories.yaml`.
    pub repository_config: PathBuf,
    /// `HELM_REPOSITORY_CACHE`: the indexes that were downloaded.
    pub repository_cache: PathBuf,
    /// `HELM_CONTENT_CACHE`: downloaded archives, by digest.
    pub content_cache: PathBuf,
    /// The keyring that signatures are checked with unless another is named.
    pub keyring: PathBuf,
    /// Docker's `config.json`, where credentials are looked for after Helm's own; `None` without a home.
    pub docker_config: Option<PathBuf>,
}

impl Paths {
    /// The paths this process's environment asks for.
    pub fn from_env() -> Self {
        Self::new(&|name| std::env::var(name).ok())
    }

    /// The paths that a set of variables asks for.
    pub fn new(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let filled = |name: &str| variable(name).filter(|value| !value.is_empty());
        let home = PathBuf::from(filled("HOME").unwrap_or_default());
        let base = |own: &str, xdg: &str, fallback: &[&str]| {
            if let Some(own) = filled(own) {
                return clean(Path::new(&own));
            }
            let xdg = filled(xdg)
                .map_or_else(|| fallback.iter().fold(home.clone(), |at, part| at.join(part)), PathBuf::from);
            clean(&xdg.join("helm"))
        };
        let mac = cfg!(target_os = "macos");
        let cache_home =
            base("HELM_CACHE_HOME", "XDG_CACHE_HOME", if mac { &["Library", "Caches"] } else { &[".cache"] });
        let config_home = base(
            "HELM_CONFIG_HOME",
            "XDG_CONFIG_HOME",
            if mac { &["Library", "Preferences"] } else { &[".config"] },
        );
        let data_home =
            base("HELM_DATA_HOME", "XDG_DATA_HOME", if mac { &["Library"] } else { &[".local", "share"] });
        // Unlike the homes above, these count as given even when they are empty.
        let or = |name: &str, fallback: PathBuf| variable(name).map_or(fallback, PathBuf::from);
        Self {
            plugins: or("HELM_PLUGINS", data_home.join("plugins")),
            registry_config: or("HELM_REGISTRY_CONFIG", config_home.join("registry/config.json")),
            repository_config: or("HELM_REPOSITORY_CONFIG", config_home.join("repositories.yaml")),
            repository_cache: or("HELM_REPOSITORY_CACHE", cache_home.join("repository")),
            content_cache: or("HELM_CONTENT_CACHE", cache_home.join("content")),
            keyring: keyring(&or("GNUPGHOME", home.join(".gnupg"))),
            docker_config: filled("DOCKER_CONFIG")
                .map(PathBuf::from)
                .or_else(|| filled("HOME").map(|home| Path::new(&home).join(".docker")))
                .map(|dir| dir.join("config.json")),
            cache_home,
            config_home,
            data_home,
        }
    }

    /// The cached index of a repository.
    pub fn cached_index(&self, repository: &str) -> PathBuf {
        self.repository_cache.join(cache_file(repository, "index.yaml"))
    }

    /// The cached list of a repository's chart names, which shells complete from.
    pub fn cached_names(&self, repository: &str) -> PathBuf {
        self.repository_cache.join(cache_file(repository, "charts.txt"))
    }
}

fn cache_file(repository: &str, kind: &str) -> String {
    if repository.is_empty() { kind.to_owned() } else { format!("{repository}-{kind}") }
}

/// `GnuPG`'s old keyring if it is there, else its keybox, else the old one so that errors name the usual place.
fn keyring(gnupg_home: &Path) -> PathBuf {
    let there = |path: &Path| {
        !std::fs::metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    };
    let legacy = gnupg_home.join("pubring.gpg");
    let keybox = gnupg_home.join("pubring.kbx");
    if !there(&legacy) && there(&keybox) { keybox } else { legacy }
}

fn clean(path: &Path) -> PathBuf {
    path.to_str().map_or_else(|| path.to_owned(), |text| PathBuf::from(super::url::clean_path(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(variables: &[(&str, &str)]) -> Paths {
        Paths::new(&|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn places_below_the_home() {
        let paths = paths(&[("HOME", "/home/u")]);
        assert_eq!(paths.cache_home, Path::new("/home/u/.cache/helm"));
        assert_eq!(paths.config_home, Path::new("/home/u/.config/helm"));
        assert_eq!(paths.data_home, Path::new("/home/u/.local/share/helm"));
        assert_eq!(paths.registry_config, Path::new("/home/u/.config/helm/registry/config.json"));
        assert_eq!(paths.content_cache, Path::new("/home/u/.cache/helm/content"));
        assert_eq!(paths.docker_config.as_deref(), Some(Path::new("/home/u/.docker/config.json")));
        assert_eq!(
            paths.cached_index("stable"),
            Path::new("/home/u/.cache/helm/repository/stable-index.yaml")
        );
    }

    #[test]
    fn variables_win() {
        let paths = paths(&[
            ("HOME", "/home/u"),
            ("XDG_CACHE_HOME", "/x/cache"),
            ("HELM_CONFIG_HOME", "/h/config/"),
            ("XDG_CONFIG_HOME", "/x/config"),
            ("HELM_REPOSITORY_CONFIG", "/r.yaml"),
            ("DOCKER_CONFIG", "/d"),
        ]);
        assert_eq!(paths.cache_home, Path::new("/x/cache/helm"));
        assert_eq!(paths.config_home, Path::new("/h/config"));
        assert_eq!(paths.repository_config, Path::new("/r.yaml"));
        assert_eq!(paths.repository_cache, Path::new("/x/cache/helm/repository"));
        assert_eq!(paths.docker_config.as_deref(), Some(Path::new("/d/config.json")));
    }

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn without_a_home_they_are_relative() {
        let paths = paths(&[]);
        assert_eq!(paths.cache_home, Path::new(".cache/helm"));
        assert_eq!(paths.docker_config, None);
    }

    #[test]
    fn a_keybox_stands_in_for_the_old_keyring() {
        let home = tempfile::tempdir().unwrap();
        let gnupg = home.path().to_str().unwrap().to_owned();
        let find = || paths(&[("GNUPGHOME", &gnupg)]).keyring;
        assert_eq!(find(), home.path().join("pubring.gpg"));
        std::fs::write(home.path().join("pubring.kbx"), "").unwrap();
        assert_eq!(find(), home.path().join("pubring.kbx"));
        std::fs::write(home.path().join("pubring.gpg"), "").unwrap();
        assert_eq!(find(), home.path().join("pubring.gpg"));
    }
}
