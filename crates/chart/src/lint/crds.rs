//! The rules for `crds/`: definitions and nothing else, and no templates.

use std::path::Path;

use super::document::{documents, parse};
use super::{Findings, refuse_if};
use crate::load::load_unchecked;
use crate::render::is_crd;
use crate::{Chart, File};

const DIRECTORY: &str = "crds/";

pub(super) fn check(directory: &Path, findings: &mut Findings) {
    let Ok(about) = std::fs::metadata(directory.join("crds")) else { return };
    if !findings.error(DIRECTORY, refuse_if(!about.is_dir(), || "not a directory".to_owned())) {
        return;
    }
    let chart = match load_unchecked(directory) {
        Ok(loaded) => loaded.chart,
        Err(error) => {
            findings.error(DIRECTORY, Err(error.to_string()));
            return;
        }
    };
    let mut files = Vec::new();
    collect(&chart, &mut files);
    for file in files {
        for document in documents(&file.data) {
            match document.and_then(parse) {
                Err(error) => {
                    findings.error(&file.name, Err(format!("unable to parse YAML: {error}")));
                    return;
                }
                Ok(None) => {}
                Ok(Some(head)) => {
                    let is_extension = head.api_version.starts_with("apiextensions.k8s.io");
                    findings.error(
                        &file.name,
                        refuse_if(!is_extension, || "apiVersion is not in 'apiextensions.k8s.io'".to_owned()),
                    );
                    let is_definition = head.kind == "CustomResourceDefinition";
                    findings.error(
                        &file.name,
                        refuse_if(!is_definition, || {
                            "object kind is not 'CustomResourceDefinition'".to_owned()
                        }),
                    );
                }
            }
        }
    }
}

fn collect<'c>(chart: &'c Chart, files: &mut Vec<&'c File>) {
    files.extend(chart.files.iter().filter(|file| is_crd(&file.name)));
    chart.dependencies.iter().for_each(|subchart| collect(subchart, files));
}
