//! The manifests that charts have in registries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A chart's metadata.
pub const CONFIG_MEDIA_TYPE: &str = "application/vnd.cncf.helm.config.v1+json";
/// A chart's archive.
pub const CHART_MEDIA_TYPE: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
/// A chart's provenance file.
pub const PROVENANCE_MEDIA_TYPE: &str = "application/vnd.cncf.helm.chart.provenance.v1.prov";
/// A chart's archive, as early Helms marked it.
pub const LEGACY_CHART_MEDIA_TYPE: &str = "application/tar+gzip";

pub(super) const MANIFEST_MEDIA_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";
pub(super) const INDEX_MEDIA_TYPE: &str = "application/vnd.oci.image.index.v1+json";

/// The kinds of manifest that are asked for.
pub(super) const ACCEPTED: &str = "application/vnd.docker.distribution.manifest.v2+json, \
    application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.oci.image.manifest.v1+json, \
    application/vnd.oci.image.index.v1+json, application/vnd.oci.artifact.manifest.v1+json";

/// Something in a registry: what it is, its digest, its size.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Descriptor {
    /// The media type.
    pub media_type: String,
    /// The digest, with its algorithm before a colon.
    pub digest: String,
    /// The size in bytes.
    pub size: u64,
}

impl Descriptor {
    /// The descriptor of some bytes.
    pub(super) fn of(media_type: &str, bytes: &[u8]) -> Self {
        Self { media_type: media_type.to_owned(), digest: digest(bytes), size: bytes.len() as u64 }
    }
}

/// The digest of some bytes, as registries write it.
pub(super) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", crate::remote::sha256_hex(bytes))
}

/// An image manifest, as far as charts need it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Manifest {
    pub(super) schema_version: u32,
    pub(super) config: Descriptor,
    pub(super) layers: Vec<Descriptor>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) annotations: BTreeMap<String, String>,
}

/// An index of manifests.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Index {
    pub(super) manifests: Vec<Descriptor>,
}
