//! The rules for templates, applied to what they render to.

use std::path::Path;
use std::rc::Rc;

use goyaml::{Mapping, Value, strconv};

use super::document::{Head, documents, parse};
use super::{Findings, LintOptions, deprecated, names, refuse_if};
use crate::load::{Warnings, load_unchecked};
use crate::path::{extension, join};
use crate::prepare::{coalesce, process_dependencies, table_from};
use crate::render::{Release, RenderOptions, render_templates};
use crate::{Capabilities, schema};

const DIRECTORY: &str = "templates/";

pub(super) fn check(directory: &Path, values: &Mapping, options: &LintOptions, findings: &mut Findings) {
    let path = directory.join("templates");
    if !findings.warning(DIRECTORY, refuse_if(!path.exists(), || "directory does not exist".to_owned()))
        || !findings.error(DIRECTORY, refuse_if(!path.is_dir(), || "not a directory".to_owned()))
    {
        return;
    }
    let chart = match load_unchecked(directory) {
        Ok(loaded) => loaded.chart,
        Err(error) => {
            findings.error(DIRECTORY, Err(error.to_string()));
            return;
        }
    };
    let mut warnings = Warnings::new();
    let Ok(tree) = process_dependencies(&chart, values, &mut warnings) else { return };
    // Helm coalesces twice here; the second time meets values that already hold everything.
    let Ok(once) = coalesce(&tree, &table_from(values), false, &mut warnings) else { return };
    let Ok(values) = coalesce(&tree, &once, false, &mut warnings) else { return };
    if !options.skip_schema_validation
        && let Err(error) = schema::validate(&tree, &values, None)
    {
        findings.error(DIRECTORY, Err(error.to_string()));
        return;
    }
    let kube_version = options.kube_version.clone().unwrap_or_default();
    let mut render = RenderOptions::new(Rc::clone(&options.environment));
    render.lint = true;
    render.capabilities = Capabilities::offline(options.kube_version.clone(), &[]);
    render.release = Release {
        name: "test-release".to_owned(),
        namespace: options.namespace.clone(),
        revision: 0,
        is_upgrade: false,
    };
    let rendered = match render_templates(&tree, &values, &render) {
        Ok(rendered) => rendered,
        Err(error) => {
            findings.error(DIRECTORY, Err(error.to_string()));
            return;
        }
    };
    let chart_name = tree.name();
    for template in &chart.templates {
        let name = &template.name;
        findings.error(name, allowed_extension(name));
        let is_yaml = matches!(extension(name).to_lowercase().as_str(), ".yaml" | ".yml");
        let rendered = rendered.get(&join(&[&chart_name, name])).map(|text| &text[..]).unwrap_or_default();
        let content = &*goyaml::text_of(rendered);
        if !is_yaml || content.trim().is_empty() {
            continue;
        }
        findings.warning(name, top_indent(content));
        for document in documents(rendered) {
            match document.and_then(parse) {
                Err(error) => {
                    findings.error(name, Err(format!("unable to parse YAML: {error}")));
                    return;
                }
                Ok(None) => {}
                Ok(Some(head)) => {
                    findings.warning(name, names::check(&head));
                    findings.warning(name, deprecated::check(&head, &kube_version));
                    findings.error(name, has_selector(&head, content));
                    findings.error(name, list_annotations(&head));
                }
            }
        }
    }
}

fn allowed_extension(name: &str) -> Result<(), String> {
    let extension = extension(name);
    refuse_if(!matches!(extension, ".yaml" | ".yml" | ".tpl" | ".txt"), || {
        format!("file extension '{extension}' not valid. Valid extensions are .yaml, .yml, .tpl, or .txt")
    })
}

/// White space before the first line's text breaks some readers.
fn top_indent(content: &str) -> Result<(), String> {
    let first = content.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    refuse_if(first.starts_with([' ', '\t']), || {
        let quoted = strconv::quote(first);
        format!("document starts with an illegal indent: {quoted}, which may cause parsing problems")
    })
}

fn has_selector(head: &Head, content: &str) -> Result<(), String> {
    let needs_one = matches!(head.kind.as_str(), "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet");
    let has_one = content.contains("matchLabels") || content.contains("matchExpressions");
    refuse_if(needs_one && !has_one, || {
        let name = strconv::quote(&head.name);
        format!("a {} must contain matchLabels or matchExpressions, and {name} does not", head.kind)
    })
}

fn list_annotations(head: &Head) -> Result<(), String> {
    if head.kind != "List" {
        return Ok(());
    }
    let items = head.value.get("items").and_then(Value::as_sequence).unwrap_or_default();
    let keeps =
        |item: &Value| item.get_path(["metadata", "annotations", "helm.sh/resource-policy"]).is_some();
    refuse_if(items.iter().any(keeps), || {
        "annotation 'helm.sh/resource-policy' within List objects are ignored".to_owned()
    })
}
