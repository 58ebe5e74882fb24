//! Sorting a chart's files into what they mean, and its subcharts into charts of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::archive::{MAX_CHART_BYTES, read_archive_within};
use super::values_file::read_values;
use super::{Generation, LoadError, Warnings};
use crate::decode::{self, DecodedMetadata};
use crate::path::extension;
use crate::validate::validate;
use crate::{Chart, DecodeError, File};

const OLD_DEPENDENCIES: &str = "Warning: Dependencies are handled in Chart.yaml since apiVersion \"v2\". We recommend migrating dependencies to Chart.yaml.";
const OLD_LOCK: &str = "Warning: Dependency locking is handled in Chart.lock since apiVersion \"v2\". We recommend migrating to Chart.lock.";

/// How deep charts may stand in charts.
const MAX_DEPTH: usize = 100;
/// How much the packed subcharts of a chart may hold together, whatever packs them.
const MAX_PACKED_BYTES: u64 = 5 * MAX_CHART_BYTES;

/// Makes a chart of its files, in the order they were read.
pub(super) fn assemble(
    files: Vec<File>,
    generation: Generation,
    warnings: &mut Warnings,
) -> Result<Chart, LoadError> {
    Assembly { generation, warnings, depth: 0, remaining: MAX_PACKED_BYTES }.chart(files)
}

/// What the charts of one tree share while they are put together.
struct Assembly<'w> {
    generation: Generation,
    warnings: &'w mut Warnings,
    /// How many charts the current one stands in.
    depth: usize,
    /// How many bytes further subcharts may unpack to.
    remaining: u64,
}

impl Assembly<'_> {
    fn chart(&mut self, files: Vec<File>) -> Result<Chart, LoadError> {
        let mut chart = Chart::default();
        let mut metadata: Option<DecodedMetadata> = None;
        for file in files.iter().filter(|file| file.name == "Chart.yaml") {
            let metadata = metadata.get_or_insert_default();
            let value = read(file, decode::parse)?;
            read(file, |_| decode::metadata(&value, metadata))?;
            if metadata.metadata.api_version.is_empty() {
                let version = if self.generation == Generation::Settled { "v1" } else { "v3" };
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
                "requirements.yaml" if self.generation == Generation::Settled => {
                    let metadata = metadata.get_or_insert_default();
                    let is_old = metadata.metadata.api_version == "v1";
                    if !is_old {
                        self.warnings.push(OLD_DEPENDENCIES.to_owned());
                    }
                    let value = read(file, decode::parse)?;
                    read(file, |_| decode::metadata(&value, metadata))?;
                    if metadata.metadata.api_version == "v1" {
                        chart.files.push(file.clone());
                    }
                }
                "requirements.lock" if self.generation == Generation::Settled => {
                    chart.lock = read(file, |data| decode::lock(&decode::parse(data)?))?;
                    if metadata.get_or_insert_default().metadata.api_version == "v1" {
                        chart.files.push(file.clone());
                    } else {
                        self.warnings.push(OLD_LOCK.to_owned());
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
            self.depth += 1;
            let subchart = if self.depth > MAX_DEPTH {
                Err(LoadError::TooDeep { limit: MAX_DEPTH })
            } else if extension(&entry) == ".tgz" {
                self.packed(&entry, &files[0], &parent)
            } else {
                self.unpacked(files)
            };
            self.depth -= 1;
            chart.dependencies.push(subchart.map_err(|source| match source {
                LoadError::SubchartArchive { .. } | LoadError::TooDeep { .. } => source,
                _ => LoadError::Subchart { name: entry, parent, source: Box::new(source) },
            })?);
        }
        Ok(chart)
    }

    fn packed(&mut self, entry: &str, file: &File, parent: &str) -> Result<Chart, LoadError> {
        if file.name != entry {
            return Err(LoadError::SubchartArchive {
                parent: parent.to_owned(),
                expected: entry.to_owned(),
                found: file.name.clone(),
            });
        }
        let files = read_archive_within(&file.data, self.remaining.min(MAX_CHART_BYTES));
        let files = files.map_err(LoadError::PackedSubchart)?;
        self.remaining -= files.iter().map(|file| file.data.len() as u64).sum::<u64>().min(self.remaining);
        self.chart(files)
    }

    fn unpacked(&mut self, files: Vec<File>) -> Result<Chart, LoadError> {
        // Files that stand directly in `charts/` belong to no chart.
        let inner = files.into_iter().filter_map(|file| {
            let name = file.name.split_once('/')?.1.to_owned();
            Some(File { name, ..file })
        });
        self.chart(inner.collect())
    }
}

fn read<T>(file: &File, decode: impl FnOnce(&[u8]) -> Result<T, DecodeError>) -> Result<T, LoadError> {
    decode(&file.data).map_err(|source| LoadError::Yaml { file: file.name.clone(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_subcharts_are_bounded_together() {
        let file = |name: &str, data: &[u8]| File::new(name, data.to_vec());
        let definition = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n");
        let inner = [file("Chart.yaml", definition("b").as_bytes()), file("big", &[b'x'; 5000])];
        let inner = Assembly {
            generation: Generation::Settled,
            warnings: &mut Warnings::new(),
            depth: 0,
            remaining: 0,
        }
        .chart(inner.to_vec())
        .unwrap();
        let packed = crate::package::archive(&inner).unwrap();
        let outer = |count: usize| {
            let mut files = vec![file("Chart.yaml", definition("a").as_bytes())];
            files.extend((0..count).map(|index| file(&format!("charts/b{index}.tgz"), &packed)));
            let warnings = &mut Warnings::new();
            Assembly { generation: Generation::Settled, warnings, depth: 0, remaining: 12_000 }.chart(files)
        };
        assert_eq!(outer(2).unwrap().dependencies.len(), 2);
        let message = outer(3).unwrap_err().to_string();
        let expected =
            "error unpacking subchart b2.tgz in a: decompressed chart is larger than the maximum size";
        assert!(message.starts_with(expected), "{message}");
    }
}
