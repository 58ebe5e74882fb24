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
    own.filter(|own| writable(own)).unwrap_or_else(|| {
        let user =
            set("USER").map_or_else(|| "user".into(), |user| user.display().to_string().replace('/', "-"));
        std::env::temp_dir().join(format!("slipway-{user}"))
    })
}

/// Whether files can be made in a directory, or in what there is already of the way to it.
fn writable(directory: &std::path::Path) -> bool {
    let probe = |existing: &std::path::Path| {
        let file = existing.join(format!(".slipway-{}", std::process::id()));
        std::fs::File::create_new(&file).and_then(|_| std::fs::remove_file(&file)).is_ok()
    };
    directory.ancestors().find(|ancestor| ancestor.exists()).is_some_and(probe)
}
