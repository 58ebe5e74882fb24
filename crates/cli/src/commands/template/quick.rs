//! The command lines of `template` that people write every day, read without building the tree of all flags:
//! that takes longer than rendering a small chart.
//!
//! Whatever is not plainly in order here, or is not in this table, is left to the tree; what is read here means
//! the same there, which a test holds this file to.

use std::ffi::OsString;

use super::Arguments;
use crate::flags::GlobalFlags;

/// Where the value of a flag goes.
enum Flag {
    /// The last one counts.
    One(for<'a> fn(&'a mut GlobalFlags, &'a mut Arguments) -> &'a mut Option<String>),
    /// All count.
    Many(fn(&mut Arguments) -> &mut Vec<String>),
    /// It has no value.
    Switch(fn(&mut Arguments) -> &mut bool),
}

impl Flag {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "-n" | "--namespace" => Self::One(|global, _| &mut global.namespace),
            "--kube-version" => Self::One(|_, own| &mut own.cluster.known.kube_version),
            "--version" => Self::One(|_, own| &mut own.source.version),
            "--repo" => Self::One(|_, own| &mut own.source.repo),
            "--name-template" => Self::One(|_, own| &mut own.release.name_template),
            "--output-dir" => Self::One(|_, own| &mut own.selection.output_dir),
            "-f" | "--values" => Self::Many(|own| &mut own.values.values),
            "--set" => Self::Many(|own| &mut own.values.set),
            "--set-string" => Self::Many(|own| &mut own.values.set_string),
            "--set-file" => Self::Many(|own| &mut own.values.set_file),
            "--set-json" => Self::Many(|own| &mut own.values.set_json),
            "--set-literal" => Self::Many(|own| &mut own.values.set_literal),
            "-a" | "--api-versions" => Self::Many(|own| &mut own.cluster.known.api_versions),
            "-s" | "--show-only" => Self::Many(|own| &mut own.selection.show_only),
            "--include-crds" => Self::Switch(|own| &mut own.selection.include_crds),
            "--skip-crds" => Self::Switch(|own| &mut own.selection.skip_crds),
            "--skip-tests" => Self::Switch(|own| &mut own.selection.skip_tests),
            "--no-hooks" => Self::Switch(|own| &mut own.selection.no_hooks),
            "--is-upgrade" => Self::Switch(|own| &mut own.release.is_upgrade),
            "--skip-schema-validation" => {
                Self::Switch(|own| &mut own.processing.preparation.skip_schema_validation)
            }
            _ => return None,
        })
    }
}

/// Reads a whole line, which begins with the program's name; `None` if the tree has to.
pub(crate) fn read(line: &[OsString]) -> Option<(GlobalFlags, Arguments)> {
    let (_program, line) = line.split_first()?;
    let (command, words) = line.split_first()?;
    if command != "template" {
        return None;
    }
    let (mut global, mut own) = (GlobalFlags::default(), Arguments::default());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let word = word.to_str()?;
        if !word.starts_with('-') {
            own.positional.push(word.to_owned());
            continue;
        }
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (word, None),
        };
        let mut value = || match attached {
            Some(value) => Some(value.to_owned()),
            None => words.next().and_then(|value| value.to_str()).map(ToOwned::to_owned),
        };
        match Flag::of(name)? {
            Flag::One(place) => *place(&mut global, &mut own) = Some(value()?),
            Flag::Many(place) => place(&mut own).push(value()?),
            Flag::Switch(place) if attached.is_none() => *place(&mut own) = true,
            Flag::Switch(_) => return None,
        }
    }
    Some((global, own))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, FromArgMatches as _};
    use proptest::prelude::*;

    use super::*;
    use crate::arguments::{self, Command};
    use crate::go_flags::like_go;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(Into::into).collect()
    }

    /// What the whole tree makes of a line.
    fn by_the_tree(line: &[OsString]) -> Option<(GlobalFlags, Arguments)> {
        let matches = like_go(arguments::Arguments::command()).try_get_matches_from(line).ok()?;
        let arguments = arguments::Arguments::from_arg_matches(&matches).ok()?;
        match arguments.command {
            Command::Template(own) => Some((arguments.global, *own)),
            _ => None,
        }
    }

    #[test]
    fn everyday_lines_are_read() {
        for line in [
            "slipway template ./chart",
            "slipway template x ./chart -n shop --set a=b,c=d -f values.yaml --kube-version 1.33",
            "slipway template ./chart --include-crds --namespace=shop --show-only a -s b",
            "slipway template --name-template x ./chart --api-versions a,b --set-string a=--b",
        ] {
            assert!(read(&words(line)).is_some(), "{line}");
        }
    }

    #[test]
    fn the_rest_is_left_to_the_tree() {
        for line in [
            "slipway",
            "slipway lint x",
            "slipway template --nonsense",
            "slipway template --help",
            "slipway template x --include-crds=false",
            "slipway template x -- y",
            "slipway template x --set",
            "slipway template x -nshop",
        ] {
            assert!(read(&words(line)).is_none(), "{line}");
        }
    }

    fn word() -> impl Strategy<Value = String> {
        let flag = prop::sample::select(vec![
            "-n",
            "--namespace",
            "--kube-version",
            "--version",
            "--repo",
            "--name-template",
            "--output-dir",
            "-f",
            "--values",
            "--set",
            "--set-string",
            "--set-file",
            "--set-json",
            "--set-literal",
            "-a",
            "--api-versions",
            "-s",
            "--show-only",
            "--include-crds",
            "--skip-crds",
            "--skip-tests",
            "--no-hooks",
            "--is-upgrade",
            "--skip-schema-validation",
            "--debug",
            "--wait",
            "-h",
        ]);
        let text =
            prop::sample::select(vec!["x", "./chart", "a=b", "a=b,c=d", "-", "--", "", "true", "é", "-n"]);
        prop_oneof![
            3 => text.clone().prop_map(ToOwned::to_owned),
            3 => flag.clone().prop_map(ToOwned::to_owned),
            1 => (flag, text).prop_map(|(flag, text)| format!("{flag}={text}")),
        ]
    }

    proptest! {
        #[test]
        fn what_is_read_means_the_same_in_the_tree(line in prop::collection::vec(word(), 0..7)) {
            let line: Vec<OsString> =
                ["slipway", "template"].map(OsString::from).into_iter().chain(line.into_iter().map(Into::into)).collect();
            if let Some(read) = read(&line) {
                prop_assert_eq!(format!("{read:?}"), format!("{:?}", by_the_tree(&line).unwrap()));
            }
        }
    }
}
