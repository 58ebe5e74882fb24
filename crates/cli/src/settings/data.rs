//! Where Slipway keeps what is its own on this machine.

use std::path::PathBuf;

use super::variable;

/// The directory of the embedded cluster: `SLIPWAY_DATA`, else below the user's data directory, else, where there is no
/// home to write to, one of this user's own below the temporary directory.
pub(crate) fn directory() -> PathBuf {
    let set = |name: &str| variable(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    if let Some(directory) = set("SLIPWAY_DATA") {
        return directory;
    }
    let shared = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")));
    let own = shared.map(|shared| shared.join("slipway"));
    own.filter(|own| std::fs::create_dir_all(own).is_ok() && writable(own)).unwrap_or_else(|| {
        let user =
            set("USER").map_or_else(|| "user".into(), |user| user.display().to_string().replace('/', "-"));
        std::env::temp_dir().join(format!("slipway-{user}"))
    })
}

fn writable(directory: &std::path::Path) -> bool {
    std::fs::metadata(directory).is_ok_and(|metadata| !metadata.permissions().readonly())
        && std::fs::File::options()
            .create(true)
            .append(true)
            .open(directory.join(".writable"))
            .and_then(|_| std::fs::remove_file(directory.join(".writable")))
            .is_ok()
}
