//! Reads what a chart depends on from its `Chart.yaml` or `requirements.yaml`, line by line.

/// One entry of `dependencies`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Requirement {
    /// The chart's name.
    pub(crate) name: String,
    /// The version range.
    pub(crate) version: String,
}

/// A top-level scalar of a YAML file.
pub(crate) fn top_level(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| scalar(line, key))
}

/// The entries of the top-level `dependencies` list.
pub(crate) fn dependencies(text: &str) -> Vec<Requirement> {
    let mut all: Vec<Requirement> = Vec::new();
    let mut columns = None;
    for (line, inside) in with_section(text) {
        if !inside {
            continue;
        }
        let mut field = line.trim_start();
        let mut column = line.len() - field.len();
        if let Some(rest) = field.strip_prefix('-')
            && columns.is_none_or(|(item, _)| item == column)
        {
            field = rest.trim_start();
            columns = Some((column, line.len() - field.len()));
            column = line.len() - field.len();
            all.push(Requirement::default());
        }
        let Some(last) = all.last_mut() else { continue };
        if columns.is_none_or(|(_, fields)| fields != column) {
            continue;
        }
        if let Some(name) = scalar(field, "name") {
            last.name = name;
        } else if let Some(version) = scalar(field, "version") {
            last.version = version;
        }
    }
    all.retain(|requirement| !requirement.name.is_empty());
    all
}

/// The same file with every dependency's version range open, so that a neighbour of any version satisfies it.
pub(crate) fn with_open_ranges(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (line, inside) in with_section(text) {
        let field = line.trim_start().trim_start_matches('-').trim_start();
        if inside && scalar(field, "version").is_some() {
            out.push_str(&line[..line.len() - field.len()]);
            out.push_str("version: \">=0.0.0-0\"");
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// Every line, and whether it lies in the top-level `dependencies` list.
fn with_section(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut inside = false;
    text.lines().map(move |line| {
        if line.starts_with("dependencies:") {
            inside = true;
            return (line, false);
        }
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            inside = false;
        }
        (line, inside && !line.trim_start().starts_with('#'))
    })
}

fn scalar(line: &str, key: &str) -> Option<String> {
    let rest = line.strip_prefix(key)?.trim_start().strip_prefix(':')?;
    let rest = rest.trim();
    let value = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => rest[1..].split(quote).next().unwrap_or_default(),
        _ => rest.split(" #").next().unwrap_or_default().trim(),
    };
    Some(value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHART: &str = "\
name: \"web\"  # the name
version: 1.2.3
dependencies:
# a comment
- name: redis
  version: ~1.0.0
  import-values:
    - child: a
      name: not-a-dependency
- alias: db
  name: 'postgresql'
  version: \"10.x\" # any
maintainers:
- name: somebody
";

    #[test]
    fn dependencies_are_read_line_by_line() {
        assert_eq!(top_level(CHART, "name").as_deref(), Some("web"));
        assert_eq!(
            dependencies(CHART),
            [
                Requirement { name: "redis".into(), version: "~1.0.0".into() },
                Requirement { name: "postgresql".into(), version: "10.x".into() },
            ]
        );
    }

    #[test]
    fn only_versions_of_dependencies_are_opened() {
        let open = with_open_ranges(CHART);
        assert_eq!(open.matches(">=0.0.0-0").count(), 2);
        assert!(open.contains("\nversion: 1.2.3\n"));
        assert!(open.contains("  version: \">=0.0.0-0\"\n  import-values:"));
    }
}
