//! Packing a chart into an archive, laid out as Helm lays it out.
//!
//! `Chart.yaml` comes first and is written anew from the metadata, then the lock, the values, the schema, the
//! templates and all other files; subcharts follow in the same order, unpacked, below `charts/`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::{Compression, GzBuilder};
use gotmpl::semver;

use crate::checks::{MissingDependencies, dependencies_present};
use crate::path::{base, io_message, join};
use crate::show::metadata_yaml;
use crate::{Chart, Lock, Metadata};

/// The extra field by which Helm marks its archives.
const GZIP_EXTRA: &[u8] = b"rr\x28\x00aHR0cHM6Ly95b3V0dS5iZS96OVV6MWljandyTQo=";
const GZIP_COMMENT: &str = "Helm";

/// What is changed while packing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageOptions {
    /// Another version of the chart.
    pub version: Option<String>,
    /// Another version of the application.
    pub app_version: Option<String>,
    /// One time for all files, so that equal charts make equal archives (`SOURCE_DATE_EPOCH`).
    pub source_date: Option<SystemTime>,
}

/// Why a chart cannot be packed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// The version is none.
    #[error("{source}")]
    Version {
        /// What was given.
        version: String,
        /// What is wrong with it.
        source: semver::VersionError,
    },
    /// Something is declared but not there.
    #[error(transparent)]
    Dependencies(#[from] MissingDependencies),
    /// The schema is not JSON.
    #[error("failed to save: invalid JSON in values.schema.json")]
    Schema,
    /// The name would lead elsewhere.
    #[error("failed to save: invalid chart name \"{0}\"")]
    Name(String),
    /// Metadata or lock cannot be written.
    #[error("failed to save: {0}")]
    Yaml(#[from] goyaml::Error),
    /// The archive cannot be written.
    #[error("failed to save: open {}: {}", path.display(), io_message(source))]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Applies the options to a loaded chart, and checks that it can be packed.
pub fn prepare(chart: &mut Chart, options: &PackageOptions) -> Result<(), PackageError> {
    if let Some(version) = &options.version {
        chart.metadata.version.clone_from(version);
    }
    semver::Version::parse(&chart.metadata.version)
        .map_err(|source| PackageError::Version { version: chart.metadata.version.clone(), source })?;
    if let Some(version) = &options.app_version {
        chart.metadata.app_version.clone_from(version);
    }
    if let Some(time) = options.source_date {
        stamp(chart, time);
    }
    Ok(dependencies_present(chart)?)
}

/// Gives every file the same time.
pub fn stamp(chart: &mut Chart, time: SystemTime) {
    let files = chart.raw.iter_mut().chain(&mut chart.templates).chain(&mut chart.files);
    files.for_each(|file| file.modified = Some(time));
    chart.dependencies.iter_mut().for_each(|subchart| stamp(subchart, time));
}

/// Writes `<name>-<version>.tgz` into a directory, and says where it is.
pub fn save(chart: &Chart, directory: &Path) -> Result<PathBuf, PackageError> {
    let path = directory.join(format!("{}-{}.tgz", chart.metadata.name, chart.metadata.version));
    let archive = archive(chart)?;
    let io = |source| PackageError::Io { path: path.clone(), source };
    std::fs::create_dir_all(directory).map_err(io)?;
    std::fs::write(&path, archive).map_err(io)?;
    Ok(path)
}

/// The archive of a chart.
pub fn archive(chart: &Chart) -> Result<Vec<u8>, PackageError> {
    let mut tar = Tar::default();
    add_chart(&mut tar, chart, "")?;
    let mut gzip = GzBuilder::new()
        .extra(GZIP_EXTRA)
        .comment(GZIP_COMMENT)
        .operating_system(255)
        .write(Vec::new(), Compression::default());
    let in_memory = |source| PackageError::Io { path: PathBuf::new(), source };
    gzip.write_all(&tar.finish()).map_err(in_memory)?;
    gzip.finish().map_err(in_memory)
}

fn add_chart(tar: &mut Tar, chart: &Chart, prefix: &str) -> Result<(), PackageError> {
    let metadata = &chart.metadata;
    if base(&metadata.name) != metadata.name {
        return Err(PackageError::Name(metadata.name.clone()));
    }
    let root = join(&[prefix, &metadata.name]);
    let time_of = |name: &str| chart.raw_file(name).and_then(|file| file.modified);
    // Old charts keep their dependencies in requirements.yaml, which is among the files.
    let old = metadata.api_version == "v1";
    let written = if old { &Metadata { dependencies: None, ..metadata.clone() } } else { metadata };
    tar.add(&join(&[&root, "Chart.yaml"]), metadata_yaml(written)?.as_bytes(), time_of("Chart.yaml"));
    if let (Some(lock), "v2" | "v3") = (&chart.lock, metadata.api_version.as_str()) {
        tar.add(&join(&[&root, "Chart.lock"]), lock_yaml(lock)?.as_bytes(), time_of("Chart.lock"));
    }
    if let Some(values) = chart.raw_file("values.yaml") {
        tar.add(&join(&[&root, "values.yaml"]), &values.data, values.modified);
    }
    if let Some(schema) = &chart.schema {
        serde_json::from_slice::<serde::de::IgnoredAny>(schema).map_err(|_| PackageError::Schema)?;
        tar.add(&join(&[&root, "values.schema.json"]), schema, time_of("values.schema.json"));
    }
    for file in chart.templates.iter().chain(&chart.files) {
        tar.add(&join(&[&root, &file.name]), &file.data, file.modified);
    }
    let below = join(&[&root, "charts"]);
    chart.dependencies.iter().try_for_each(|subchart| add_chart(tar, subchart, &below))
}

/// The lock as `Chart.lock` has it.
pub fn lock_yaml(lock: &Lock) -> Result<String, goyaml::Error> {
    goyaml::to_string(lock)
}

/// A tar archive in the making.
#[derive(Default)]
struct Tar(Vec<u8>);

const BLOCK: usize = 512;

impl Tar {
    fn add(&mut self, name: &str, data: &[u8], modified: Option<SystemTime>) {
        let modified = modified.unwrap_or_else(SystemTime::now);
        let since = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        // Go rounds to the nearest second where the format has no room for fractions.
        let seconds = since.as_secs() + u64::from(since.subsec_nanos() >= 500_000_000);
        if let Some((prefix, short)) = split_name(name) {
            self.header(short, prefix, b'0', data.len(), seconds);
        } else {
            let record = pax_record("path", name);
            let directory = name.rsplit_once('/').map_or("", |(directory, _)| directory);
            let header_name = join(&[directory, "PaxHeaders.0", base(name)]);
            self.header(cut(&ascii(&header_name), 100), "", b'x', record.len(), 0);
            self.data(record.as_bytes());
            self.header(cut(&ascii(name), 100), "", b'0', data.len(), seconds);
        }
        self.data(data);
    }

    fn header(&mut self, name: &str, prefix: &str, kind: u8, size: usize, modified: u64) {
        let mut block = [0_u8; BLOCK];
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, name.as_bytes());
        put(100, format!("{:07o}", if kind == b'x' { 0 } else { 0o644 }).as_bytes());
        put(108, b"0000000");
        put(116, b"0000000");
        put(124, format!("{size:011o}").as_bytes());
        put(136, format!("{modified:011o}").as_bytes());
        put(148, b"        ");
        put(156, &[kind]);
        put(257, b"ustar\x0000");
        put(329, b"0000000");
        put(337, b"0000000");
        put(345, prefix.as_bytes());
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.0.extend_from_slice(&block);
    }

    fn data(&mut self, data: &[u8]) {
        self.0.extend_from_slice(data);
        self.0.resize(self.0.len().next_multiple_of(BLOCK), 0);
    }

    fn finish(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + 2 * BLOCK, 0);
        self.0
    }
}

/// A name as the header's two fields hold it; `None` if they cannot.
fn split_name(name: &str) -> Option<(&str, &str)> {
    if !name.is_ascii() {
        return None;
    }
    if name.len() <= 100 {
        return Some(("", name));
    }
    let mut length = name.len().min(156);
    if name.as_bytes()[length - 1] == b'/' && length == name.len() {
        length -= 1;
    }
    let at = name[..length].rfind('/').filter(|at| *at > 0)?;
    let (prefix, short) = (&name[..at], &name[at + 1..]);
    (short.len() <= 100 && !short.is_empty() && prefix.len() <= 155).then_some((prefix, short))
}

/// `<length> <key>=<value>\n`, where the length counts itself.
fn pax_record(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len() + rest.len().to_string().len();
    if length.to_string().len() + rest.len() != length {
        length += 1;
    }
    format!("{length}{rest}")
}

fn ascii(text: &str) -> String {
    text.chars().filter(char::is_ascii).collect()
}

fn cut(text: &str, length: usize) -> &str {
    text.get(..length).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::File;
    use crate::load::{load_archive, read_archive};

    fn chart() -> Chart {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let file = |name: &str, text: &str| File { modified: Some(time), ..File::new(name, text.to_owned()) };
        let long = format!("files/{}/{}.txt", "d".repeat(120), "f".repeat(90));
        let files = vec![
            file("Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
            file("values.yaml", "x: 1 # kept\n"),
            file("templates/a.yaml", "a"),
            file("README.md", "read"),
            file(&long, "long"),
            file("files/é.txt", "utf8"),
            file("charts/b/Chart.yaml", "apiVersion: v2\nname: b\nversion: 2.0.0\n"),
            file("charts/b/templates/b.yaml", "b"),
        ];
        crate::load::load_files(files).unwrap().chart
    }

    #[test]
    fn what_is_packed_can_be_loaded() {
        let packed = archive(&chart()).unwrap();
        let names: Vec<String> = read_archive(&packed).unwrap().into_iter().map(|file| file.name).collect();
        let long = format!("files/{}/{}.txt", "d".repeat(120), "f".repeat(90));
        assert_eq!(
            names,
            [
                "Chart.yaml",
                "values.yaml",
                "templates/a.yaml",
                "README.md",
                &long,
                "files/é.txt",
                "charts/b/Chart.yaml",
                "charts/b/templates/b.yaml"
            ]
        );
        let loaded = load_archive(&packed).unwrap().chart;
        assert_eq!(loaded.metadata, chart().metadata);
        assert_eq!(loaded.raw_file("values.yaml").unwrap().text(), "x: 1 # kept\n");
        assert_eq!(loaded.dependencies[0].name(), "b");
    }

    #[test]
    fn equal_charts_make_equal_archives() {
        assert_eq!(archive(&chart()).unwrap(), archive(&chart()).unwrap());
    }

    #[test]
    fn versions_are_replaced_and_checked() {
        let mut chart = chart();
        let options = PackageOptions {
            version: Some("2.1.0".into()),
            app_version: Some("x".into()),
            source_date: None,
        };
        prepare(&mut chart, &options).unwrap();
        assert_eq!((chart.metadata.version.as_str(), chart.metadata.app_version.as_str()), ("2.1.0", "x"));
        let options = PackageOptions { version: Some("nonsense".into()), ..PackageOptions::default() };
        assert!(matches!(prepare(&mut chart, &options), Err(PackageError::Version { .. })));
    }
}
