//! Sorting a chart's files into what they mean, and its subcharts into charts of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::values_file::read_values;
use super::{Generation, LoadError, Warnings, read_archive};
use crate::decode::{self, DecodedMetadata};
use crate::path::extension;
use crate::validate::validate;
use crate::{Chart, DecodeError, File};

const OLD_DEPENDENCIES: &str = "Warning: Dependencies are handled in Chart.yaml since apiVersion \"v2\". We recommend migrating dependencies to Chart.yaml.";
const OLD_LOCK: &str = "Warning: Dependency locking is handled in Chart.lock since apiVersion \"v2\". We recommend migrating to Chart.lock.";

/// Makes a chart of its files, in the order they were read.
pub(super) fn assemble(
    files: Vec<File>,
    generation: Generation,
    warnings: &mut Warnings,
) -> Result<Chart, LoadError> {
    let mut chart = Chart::default();
    let mut metadata: Option<DecodedMetadata> = None;
    for file in files.iter().filter(|file| file.name == "Chart.yaml") {
        let metadata = metadata.get_or_insert_default();
        let value = read(file, decode::parse)?;
        read(file, |_| decode::metadata(&value, metadata))?;
        if metadata.metadata.api_version.is_empty() {
            let version = if generation == Generation::Settled { "v1" } else { "v3" };
            version.clone_into(&mut metadata.metadata.api_version);
        }
    }

    let mut subcharts: BTreeMap<String, Vec<File>> = BTreeMap::new();
    for file in &files {
        match file.name.as_str() {
            "Chart.yaml" => {}
            "Chart.lock" => chart.lock = read(file, |data| decode::lock(&decode::parse(data)?))?,
            "values.yaml" => {
                chart.values = Some(Arc::new(read_values(&file.data).map_err(LoadError::Values)?));
            }
            "values.schema.json" => chart.schema = Some(file.data.clone()),
            "requirements.yaml" if generation == Generation::Settled => {
                let metadata = metadata.get_or_insert_default();
                let is_old = metadata.metadata.api_version == "v1";
                if !is_old {
                    warnings.push(OLD_DEPENDENCIES.to_owned());
                }
                let value = read(file, decode::parse)?;
                read(file, |_| decode::metadata(&value, metadata))?;
                if metadata.metadata.api_version == "v1" {
                    chart.files.push(file.clone());
                }
            }
            "requirements.lock" if generation == Generation::Settled => {
                chart.lock = read(file, |data| decode::lock(&decode::parse(data)?))?;
                if metadata.get_or_insert_default().metadata.api_version == "v1" {
                    chart.files.push(file.clone());
                } else {
                    warnings.push(OLD_LOCK.to_owned());
                }
            }
            name if name.starts_with("templates/") => chart.templates.push(file.clone()),
            name if name.starts_with("charts/") && extension(name) != ".prov" => {
                let inner = name["charts/".len()..].to_owned();
                let entry = inner.split('/').next().unwrap_or(&inner).to_owned();
                subcharts.entry(entry).or_default().push(File { name: inner, ..file.clone() });
            }
            _ => chart.files.push(file.clone()),
        }
    }
    chart.raw = files;

    chart.metadata = validate(metadata.ok_or(LoadError::MissingChartYaml)?)?;
    for (entry, files) in subcharts {
        if entry.starts_with(['_', '.']) {
            continue;
        }
        let parent = chart.metadata.name.clone();
        let subchart = if extension(&entry) == ".tgz" {
            packed_subchart(&entry, &files[0], &parent, generation, warnings)
        } else {
            unpacked_subchart(files, generation, warnings)
        };
        chart.dependencies.push(subchart.map_err(|source| match source {
            LoadError::SubchartArchive { .. } => source,
            _ => LoadError::Subchart { name: entry, parent, source: Box::new(source) },
        })?);
    }
    Ok(chart)
}

fn packed_subchart(
    entry: &str,
    file: &File,
    parent: &str,
    generation: Generation,
    warnings: &mut Warnings,
) -> Result<Chart, LoadError> {
    if file.name != entry {
        return Err(LoadError::SubchartArchive {
            parent: parent.to_owned(),
            expected: entry.to_owned(),
            found: file.name.clone(),
        });
    }
    assemble(read_archive(&file.data).map_err(LoadError::Archive)?, generation, warnings)
}

fn unpacked_subchart(
    files: Vec<File>,
    generation: Generation,
    warnings: &mut Warnings,
) -> Result<Chart, LoadError> {
    // Files that stand directly in `charts/` belong to no chart.
    let inner = files.into_iter().filter_map(|file| {
        let name = file.name.split_once('/')?.1.to_owned();
        Some(File { name, ..file })
    });
    assemble(inner.collect(), generation, warnings)
}

fn read<T>(file: &File, decode: impl FnOnce(&[u8]) -> Result<T, DecodeError>) -> Result<T, LoadError> {
    decode(&file.data).map_err(|source| LoadError::Yaml { file: file.name.clone(), source })
}
