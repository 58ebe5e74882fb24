//! The rules for `Chart.yaml`.

use std::path::Path;

use gotmpl::semver::{Constraint, Version};
use goyaml::{Value, strconv};

use super::url::{is_email, is_request_url, is_url};
use super::{Findings, Severity, refuse_if};
use crate::Metadata;
use crate::decode::{self, DecodedMetadata};
use crate::path::{base, io_message};

const FILE: &str = "Chart.yaml";

pub(super) fn check(directory: &Path, findings: &mut Findings) {
    let path = directory.join(FILE);
    findings.error(FILE, refuse_if(path.is_dir(), || "should be a file, not a directory".to_owned()));

    let data =
        std::fs::read(&path).map_err(|error| format!("read {}: {}", path.display(), io_message(&error)));
    let value =
        data.and_then(|data| decode::parse(&data).map_err(|error| error.to_string()).map(|v| (data, v)));
    let decoded = value.and_then(|(data, value)| {
        let mut decoded = DecodedMetadata::default();
        decode::metadata(&value, &mut decoded).map_err(|error| error.to_string())?;
        Ok((data, value, decoded))
    });
    let (data, value, decoded) = match decoded {
        Ok(parts) => parts,
        Err(error) => {
            findings.error(FILE, Err(format!("unable to parse YAML\n\t{error}")));
            return;
        }
    };
    let strict = strictly(&data, &value)
        .map_err(|error| format!("failed to strictly parse chart metadata file\n\t{error}"));
    findings.warning(FILE, strict);

    let metadata = &decoded.metadata;
    findings.error(FILE, name(metadata));
    findings.error(FILE, api_version(metadata));
    findings.error(FILE, is_text(&value, "version"));
    findings.error(FILE, version(metadata));
    findings.error(FILE, is_text(&value, "appVersion"));
    findings.error(FILE, maintainers(&decoded));
    findings.error(FILE, sources(metadata));
    findings.check(
        Severity::Info,
        FILE,
        refuse_if(metadata.icon.is_empty(), || "icon is recommended".to_owned()),
    );
    let bad_icon = !metadata.icon.is_empty() && !is_request_url(&metadata.icon);
    findings.error(FILE, refuse_if(bad_icon, || format!("invalid icon URL '{}'", metadata.icon)));
    let version = &metadata.api_version;
    let dated = |set: bool, what: &str, it: &str| {
        refuse_if(set && !is_current(version), || format!("{what} not valid in {it}apiVersion '{version}'. "))
    };
    findings.error(
        FILE,
        dated(!metadata.chart_type.is_empty(), "chart type is", "")
            .map_err(|text| text + "It is valid in apiVersion 'v2'"),
    );
    let has_dependencies =
        metadata.dependencies.as_ref().is_some_and(|dependencies| !dependencies.is_empty());
    findings.error(
        FILE,
        dated(has_dependencies, "dependencies are", "the Chart file with ")
            .map_err(|text| text + "They are valid in apiVersion 'v2'"),
    );
    let loose = Version::parse_strict(&metadata.version).is_err();
    findings.warning(
        FILE,
        refuse_if(loose, || format!("version '{}' is not a valid SemVerV2", metadata.version)),
    );
}

fn is_current(api_version: &str) -> bool {
    matches!(api_version, "v2" | "v3")
}

/// Fields that `Chart.yaml` does not have, and fields given twice.
fn strictly(data: &[u8], value: &Value) -> Result<(), String> {
    const FIELDS: [&str; 17] = [
        "name",
        "home",
        "sources",
        "version",
        "description",
        "keywords",
        "maintainers",
        "icon",
        "apiVersion",
        "condition",
        "tags",
        "appVersion",
        "deprecated",
        "annotations",
        "kubeVersion",
        "dependencies",
        "type",
    ];
    const MAINTAINER: [&str; 3] = ["name", "email", "url"];
    // The last is not Helm's: it says which subcharts come before.
    const DEPENDENCY: [&str; 9] = [
        "name",
        "version",
        "repository",
        "condition",
        "tags",
        "enabled",
        "import-values",
        "alias",
        "depends-on",
    ];
    let text = std::str::from_utf8(data).map_err(|error| error.to_string())?;
    goyaml::from_str_strict(text).map_err(|error| error.to_string())?;
    unknown_field(value, &FIELDS)?;
    for (list, known) in [("maintainers", MAINTAINER.as_slice()), ("dependencies", &DEPENDENCY)] {
        for item in value.get(list).and_then(Value::as_sequence).unwrap_or_default() {
            unknown_field(item, known)?;
        }
    }
    Ok(())
}

fn unknown_field(value: &Value, known: &[&str]) -> Result<(), String> {
    let Some(fields) = value.as_mapping() else { return Ok(()) };
    match fields.keys().find(|key| !known.iter().any(|known| key.eq_ignore_ascii_case(known))) {
        Some(unknown) => Err(format!(
            "error unmarshaling JSON: while decoding JSON: json: unknown field {}",
            strconv::quote(unknown)
        )),
        None => Ok(()),
    }
}

fn name(metadata: &Metadata) -> Result<(), String> {
    refuse_if(metadata.name.is_empty(), || "name is required".to_owned())?;
    refuse_if(base(&metadata.name) != metadata.name, || {
        format!("chart name {} is invalid", strconv::quote(&metadata.name))
    })
}

fn api_version(metadata: &Metadata) -> Result<(), String> {
    const ALLOWED: &str = "The value must be either \"v1\" or \"v2\"";
    match metadata.api_version.as_str() {
        "" => Err(format!("apiVersion is required. {ALLOWED}")),
        "v1" | "v2" | "v3" => Ok(()),
        other => Err(format!("apiVersion '{other}' is not valid. {ALLOWED}")),
    }
}

/// Versions that YAML reads as numbers lose digits.
fn is_text(value: &Value, key: &str) -> Result<(), String> {
    let found = match value.get(key) {
        None | Some(Value::String(_)) => return Ok(()),
        Some(Value::Null) => "<nil>",
        Some(Value::Bool(_)) => "bool",
        Some(Value::Sequence(_)) => "[]interface {}",
        Some(Value::Mapping(_)) => "map[string]interface {}",
        Some(_) => "float64",
    };
    Err(format!("{key} should be of type string but it's of type {found}"))
}

fn version(metadata: &Metadata) -> Result<(), String> {
    refuse_if(metadata.version.is_empty(), || "version is required".to_owned())?;
    let version = Version::parse(&metadata.version)
        .map_err(|_| format!("version '{}' is not a valid SemVer", metadata.version))?;
    let above_zero = Constraint::parse(">0.0.0-0").map_err(|error| error.to_string())?;
    match above_zero.reasons(&version).first() {
        Some(reason) if !above_zero.check(&version) => Err(format!("version {reason}")),
        _ => Ok(()),
    }
}

fn maintainers(decoded: &DecodedMetadata) -> Result<(), String> {
    refuse_if(decoded.null_maintainer, || "a maintainer entry is empty".to_owned())?;
    for maintainer in &decoded.metadata.maintainers {
        let (name, email, url) = (&maintainer.name, &maintainer.email, &maintainer.url);
        refuse_if(name.is_empty(), || "each maintainer requires a name".to_owned())?;
        refuse_if(!email.is_empty() && !is_email(email), || {
            format!("invalid email '{email}' for maintainer '{name}'")
        })?;
        refuse_if(!url.is_empty() && !is_url(url), || {
            format!("invalid url '{url}' for maintainer '{name}'")
        })?;
    }
    Ok(())
}

fn sources(metadata: &Metadata) -> Result<(), String> {
    let bad = metadata.sources.iter().find(|source| !is_request_url(source));
    bad.map_or(Ok(()), |source| Err(format!("invalid source URL '{source}'")))
}
