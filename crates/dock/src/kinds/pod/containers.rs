//! Containers: of every sort, and what is special about those that run first.

use serde_json::Value;

use super::mounts::{self, Volumes};
use super::options::Options;
use super::volumes::pull_policy;
use super::{env, probes, security};
use crate::field::{FieldError, Path};
use crate::kinds::names;
use crate::kinds::read::Read;
use crate::kinds::report::Errors;
use crate::kinds::resources::{self, Asker};

/// What the containers of one pod are checked against.
pub(super) struct Surroundings<'a> {
    /// The spec of the pod.
    pub(super) spec: &'a Value,
    /// Its volumes that are right.
    pub(super) volumes: Volumes<'a>,
    /// The names of its claims of resources.
    pub(super) claims: Vec<&'a str>,
    /// What is let pass.
    pub(super) options: &'a Options,
}

impl Surroundings<'_> {
    fn grace(&self) -> Option<i64> {
        self.spec.number("terminationGracePeriodSeconds")
    }

    fn host_users(&self) -> bool {
        self.spec.at("hostUsers").as_bool().unwrap_or(true)
    }

    fn common(&self, container: &Value, path: &Path, errors: &mut Errors) {
        let name = container.text("name");
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        } else {
            errors.invalid_each(&path.child("name"), name, names::dns_label(name));
        }
        errors.needs(container, "image", path);
        let policy = container.text("terminationMessagePolicy");
        if policy.is_empty() {
            errors.required(&path.child("terminationMessagePolicy"), "");
        } else {
            let known = ["File", "FallbackToLogsOnError"];
            errors.one_of(policy, &known, &path.child("terminationMessagePolicy"));
        }
        ports(container, &path.child("ports"), errors);
        env::variables(container, &path.child("env"), errors);
        env::sources(container, &path.child("envFrom"), errors);
        mounts::mounts(container, &self.volumes, &path.child("volumeMounts"), errors);
        mounts::devices(container, &self.volumes, &path.child("volumeDevices"), errors);
        pull_policy(container.text("imagePullPolicy"), &path.child("imagePullPolicy"), errors);
        resources::requirements(
            container.at("resources"),
            Asker::Container,
            &self.claims,
            self.options.any_huge_pages,
            &path.child("resources"),
            errors,
        );
        self.resize_policy(container, &path.child("resizePolicy"), errors);
        let context = container.at("securityContext");
        security::container(context, self.host_users(), &path.child("securityContext"), errors);
    }

    fn resize_policy(&self, container: &Value, path: &Path, errors: &mut Errors) {
        let mut seen: Vec<&str> = Vec::new();
        for (index, policy) in container.list("resizePolicy").iter().enumerate() {
            let resource = policy.text("resourceName");
            if seen.contains(&resource) {
                errors.duplicate(&path.index(index), resource);
            }
            seen.push(resource);
            let restart = policy.text("restartPolicy");
            for (value, known) in
                [(resource, ["cpu", "memory"]), (restart, ["NotRequired", "RestartContainer"])]
            {
                if value.is_empty() {
                    errors.required(path, "");
                } else {
                    errors.one_of(value, &known, path);
                }
            }
            if self.spec.text("restartPolicy") == "Never" && restart != "NotRequired" {
                errors.invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
            }
        }
    }

    /// What is wrong with the containers that run together.
    pub(super) fn regular(&self, path: &Path, errors: &mut Errors) {
        let all = self.spec.list("containers");
        if all.is_empty() {
            errors.required(path, "");
            return;
        }
        let mut seen: Vec<&str> = Vec::new();
        for (index, container) in all.iter().enumerate() {
            let path = path.index(index);
            self.common(container, &path, errors);
            let name = container.text("name");
            if seen.contains(&name) {
                errors.duplicate(&path.child("name"), name);
            } else {
                seen.push(name);
            }
            if container.has("lifecycle") {
                probes::lifecycle(container.at("lifecycle"), self.grace(), &path.child("lifecycle"), errors);
            }
            probes::probes(container, self.grace(), &path, errors);
            restart_policy(container, &path, errors);
        }
        host_ports(all, path, errors);
    }

    /// What is wrong with the containers that run first.
    pub(super) fn initial(&self, path: &Path, errors: &mut Errors) {
        let mut seen: Vec<&str> =
            self.spec.list("containers").iter().map(|container| container.text("name")).collect();
        for (index, container) in self.spec.list("initContainers").iter().enumerate() {
            let item = path.index(index);
            self.common(container, &item, errors);
            restart_policy(container, &item, errors);
            let sidecar = container.text("restartPolicy") == "Always";
            let name = container.text("name");
            if seen.contains(&name) {
                errors.duplicate(&item.child("name"), name);
            } else if !name.is_empty() {
                seen.push(name);
            }
            host_ports(std::slice::from_ref(container), path, errors);
            if sidecar {
                if container.has("lifecycle") {
                    let path = item.child("lifecycle");
                    probes::lifecycle(container.at("lifecycle"), self.grace(), &path, errors);
                }
                probes::probes(container, self.grace(), &item, errors);
            } else {
                for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
                    if container.has(field) {
                        errors.forbidden(
                            &item.child(field),
                            "may not be set for init containers without restartPolicy=Always",
                        );
                    }
                }
                if !self.options.any_init_resize {
                    for (index, policy) in container.list("resizePolicy").iter().enumerate() {
                        if policy.text("restartPolicy") == "RestartContainer" {
                            errors.invalid(
                                &item.child("resizePolicy").index(index).child("restartPolicy"),
                                "RestartContainer",
                                "must not be set to 'RestartContainer' for non-sidecar initContainers",
                            );
                        }
                    }
                }
            }
        }
    }

    /// What is wrong with the containers that were added to look into a running pod.
    pub(super) fn ephemeral(&self, path: &Path, errors: &mut Errors) {
        let others: Vec<&str> = ["containers", "initContainers"]
            .iter()
            .flat_map(|field| self.spec.list(field))
            .map(|container| container.text("name"))
            .collect();
        let mut seen = others.clone();
        for (index, container) in self.spec.list("ephemeralContainers").iter().enumerate() {
            let path = path.index(index);
            self.common(container, &path, errors);
            only_for_pods(container, &path, errors);
            let name = container.text("name");
            if seen.contains(&name) {
                errors.duplicate(&path.child("name"), name);
            } else {
                seen.push(name);
            }
            let target = container.text("targetContainerName");
            if !target.is_empty() && !others.contains(&target) {
                errors.not_found(&path.child("targetContainerName"), target);
            }
            let words = "cannot be set for an Ephemeral Container";
            for field in [
                "ports",
                "resources",
                "resizePolicy",
                "restartPolicy",
                "restartPolicyRules",
                "livenessProbe",
                "readinessProbe",
                "startupProbe",
                "lifecycle",
            ] {
                let value = container.at(field);
                let empty = value.is_null()
                    || value.as_object().is_some_and(serde_json::Map::is_empty) && field == "resources";
                if !empty {
                    errors.forbidden(&path.child(field), words);
                }
            }
            for (index, mount) in container.list("volumeMounts").iter().enumerate() {
                for field in ["subPath", "subPathExpr"] {
                    if !mount.text(field).is_empty() {
                        errors.forbidden(&path.child("volumeMounts").index(index).child(field), words);
                    }
                }
            }
        }
    }
}

fn ports(container: &Value, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, port) in container.list("ports").iter().enumerate() {
        let path = path.index(index);
        let name = port.text("name");
        if !name.is_empty() {
            let wrong = names::port_name(name);
            if !wrong.is_empty() {
                errors.invalid_each(&path.child("name"), name, wrong);
            } else if seen.contains(&name) {
                errors.duplicate(&path.child("name"), name);
            } else {
                seen.push(name);
            }
        }
        let number = port.int("containerPort");
        if number == 0 {
            errors.required(&path.child("containerPort"), "");
        } else {
            for words in names::port_number(number) {
                errors.invalid(&path.child("containerPort"), number, words);
            }
        }
        let host = port.int("hostPort");
        if host != 0 {
            for words in names::port_number(host) {
                errors.invalid(&path.child("hostPort"), host, words);
            }
        }
        let protocol = port.text("protocol");
        if protocol.is_empty() {
            errors.required(&path.child("protocol"), "");
        } else {
            errors.one_of(protocol, &["SCTP", "TCP", "UDP"], &path.child("protocol"));
        }
    }
}

fn host_ports(containers: &[Value], path: &Path, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for (index, container) in containers.iter().enumerate() {
        for (number, port) in container.list("ports").iter().enumerate() {
            let host = port.int("hostPort");
            if host == 0 {
                continue;
            }
            let taken = format!("{}/{}/{host}", port.text("protocol"), port.text("hostIP"));
            if seen.contains(&taken) {
                errors.duplicate(&path.index(index).child("ports").index(number).child("hostPort"), taken);
            } else {
                seen.push(taken);
            }
        }
    }
}

fn restart_policy(container: &Value, path: &Path, errors: &mut Errors) {
    let rules = container.list("restartPolicyRules");
    match container.at("restartPolicy").as_str() {
        None if rules.is_empty() => return,
        None => errors
            .required(&path.child("restartPolicy"), "must specify restartPolicy when restart rules are used"),
        Some(policy) => {
            errors.one_of(policy, &["Always", "Never", "OnFailure"], &path.child("restartPolicy"));
        }
    }
    let path = path.child("restartPolicyRules");
    if rules.len() > 20 {
        errors.too_many(&path, rules.len(), 20);
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = path.index(index);
        errors.one_of(rule.text("action"), &["Restart", "RestartAllContainers"], &path.child("action"));
        let codes = rule.at("exitCodes");
        let path = path.child("exitCodes");
        if codes.is_null() {
            errors.required(&path, "must be specified");
            continue;
        }
        errors.one_of(codes.text("operator"), &["In", "NotIn"], &path.child("operator"));
        if codes.list("values").len() > 255 {
            errors.too_many(&path.child("values"), codes.list("values").len(), 255);
        }
    }
}

/// What is wrong with a container of a pod, and let pass in a template.
pub(super) fn only_for_pods(container: &Value, path: &Path, errors: &mut Errors) {
    let image = container.text("image");
    if image.trim() != image {
        errors.push(FieldError::invalid(
            &path.child("image"),
            image,
            "must not have leading or trailing whitespace",
        ));
    }
}
