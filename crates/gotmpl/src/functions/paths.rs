//! Slash-separated paths, as Go's package `path` takes them apart. Paths of the system are the same on Unix.

use super::{Args, Context, Function, FunctionError};
use crate::value::types::{BOOL, STRING};
use crate::value::{Text, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("base", &[STRING], STRING, base),
    Function::new("dir", &[STRING], STRING, dir),
    Function::new("clean", &[STRING], STRING, clean),
    Function::new("ext", &[STRING], STRING, ext),
    Function::new("isAbs", &[STRING], BOOL, is_abs),
    Function::new("osBase", &[STRING], STRING, base),
    Function::new("osDir", &[STRING], STRING, dir),
    Function::new("osClean", &[STRING], STRING, clean),
    Function::new("osExt", &[STRING], STRING, ext),
    Function::new("osIsAbs", &[STRING], BOOL, is_abs),
];

fn base(_: &Context, args: Args<'_>) -> Result {
    let path = args.carried(0);
    if path.is_empty() {
        return Ok(".".into());
    }
    let trimmed = path.trim_end_matches('/');
    let name = trimmed.rsplit('/').next().unwrap_or_default();
    Ok(Text::landed(if name.is_empty() { "/" } else { name }).into())
}

fn dir(_: &Context, args: Args<'_>) -> Result {
    let path = args.carried(0);
    Ok(Text::landed(&cleaned(&path[..path.rfind('/').map_or(0, |slash| slash + 1)])).into())
}

fn clean(_: &Context, args: Args<'_>) -> Result {
    Ok(Text::landed(&cleaned(&args.carried(0))).into())
}

fn ext(_: &Context, args: Args<'_>) -> Result {
    let path = args.carried(0);
    let name = path.rsplit('/').next().unwrap_or_default();
    Ok(Text::landed(name.rfind('.').map_or("", |dot| &name[dot..])).into())
}

fn is_abs(_: &Context, args: Args<'_>) -> Result {
    Ok(args.carried(0).starts_with('/').into())
}

/// `path.Clean`: no empty, `.` or inner `..` elements.
fn cleaned(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut elements: Vec<&str> = Vec::new();
    for element in path.split('/') {
        match element {
            "" | "." => {}
            ".." if elements.last().is_some_and(|last| *last != "..") => {
                elements.pop();
            }
            ".." if rooted => {}
            other => elements.push(other),
        }
    }
    match (rooted, elements.join("/")) {
        (true, joined) => format!("/{joined}"),
        (false, joined) if joined.is_empty() => ".".to_owned(),
        (false, joined) => joined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_as_go_cleans_them() {
        for (path, expected) in [
            ("", "."),
            ("/", "/"),
            ("//a//b/", "/a/b"),
            ("a/../../b", "../b"),
            ("/../a", "/a"),
            ("./a/./b/..", "a"),
            ("a/..", "."),
        ] {
            assert_eq!(cleaned(path), expected, "{path}");
        }
    }
}
