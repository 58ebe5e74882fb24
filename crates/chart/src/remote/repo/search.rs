//! Searching the cached indexes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gotmpl::semver::{Constraint, ConstraintError, Version};

use super::{ChartVersion, Index, RepositoryError, RepositoryFile};
use crate::remote::Remote;
use crate::remote::notice::{Notify, Warning};

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The words; none for everything.
    pub term: Option<String>,
    /// Whether the words are a regular expression.
    pub regexp: bool,
    /// Whether to show every version, not just the newest.
    pub versions: bool,
    /// Whether to show versions that are not stable.
    pub devel: bool,
    /// A range that versions must lie in; empty for all (but see `devel`).
    pub version: String,
}

/// A chart that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The repository, a slash, and the chart.
    pub name: String,
    /// How near it is; the nearest is 0.
    pub score: usize,
    /// The version.
    pub chart: ChartVersion,
}

/// Why a search has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The list of repositories is of no use.
    #[error(transparent)]
    Repositories(#[from] RepositoryError),
    /// The range cannot be read.
    #[error("an invalid version/constraint format: {0}")]
    Constraint(#[from] ConstraintError),
    /// The regular expression cannot be read.
    #[error("{0}")]
    Regexp(String),
}

/// Nothing farther than this is an answer.
const FARTHEST: usize = 25;
const SEPARATOR: char = '\u{b}';

impl Remote {
    /// Looks through the cached indexes of all repositories; the nearest come first.
    pub fn search(&self, query: &Query, notify: &mut dyn Notify) -> Result<Vec<Found>, SearchError> {
        let list = RepositoryFile::load_or_default(&self.paths.repository_config)?;
        if list.repositories.is_empty() {
            return Err(RepositoryError::NoRepositories.into());
        }
        let mut charts = BTreeMap::new();
        for entry in &list.repositories {
            match Index::load(&self.paths.cached_index(&entry.name), notify) {
                Ok(index) => add(&mut charts, &entry.name, index),
                Err(error) => {
                    let warning = Warning::new("repo is corrupt or missing").with("repo", &entry.name);
                    notify.warn(warning.with("error", error.to_string()));
                }
            }
        }
        search(charts, query)
    }
}

/// By name and version, so that a repository that is listed twice counts once.
type Charts = BTreeMap<(String, String), (String, ChartVersion)>;

fn add(charts: &mut Charts, repository: &str, index: Index) {
    for (name, versions) in index.entries {
        let name = crate::remote::url::join_paths(&[repository, &name]);
        for version in versions {
            let line = line(repository, &version);
            charts.insert((name.clone(), version.metadata.version.clone()), (line, version));
        }
    }
}

/// What is searched: the name, the name with its repository, the description, the keywords.
fn line(repository: &str, chart: &ChartVersion) -> String {
    let about = &chart.metadata;
    let (name, description) = (&about.name, &about.description);
    let keywords = about.keywords.join(" ");
    format!("{name}{SEPARATOR}{repository}/{name}{SEPARATOR}{description}{SEPARATOR}{keywords}")
}

fn search(charts: Charts, query: &Query) -> Result<Vec<Found>, SearchError> {
    let matcher = Matcher::new(query)?;
    let mut found: Vec<(Option<Version>, Found)> = Vec::new();
    for ((name, _), (line, chart)) in charts {
        if let Some(score) = matcher.score(&line).filter(|score| *score < FARTHEST) {
            let version = Version::parse(&chart.metadata.version).ok();
            found.push((version, Found { name, score, chart }));
        }
    }
    found.sort_by(|(first_version, first), (second_version, second)| {
        let newest_first = match (first_version, second_version) {
            (Some(a), Some(b)) => b.precedence(a),
            _ => std::cmp::Ordering::Equal,
        };
        first.score.cmp(&second.score).then_with(|| first.name.cmp(&second.name)).then(newest_first)
    });
    let range = match query.version.as_str() {
        "" if query.devel => ">0.0.0-0",
        "" => ">0.0.0",
        range => range,
    };
    let constraint = Constraint::parse(range)?;
    let mut named = BTreeSet::new();
    let fits = |(version, found): (Option<Version>, Found)| {
        let fits = version.is_some_and(|version| constraint.check(&version));
        let fresh = fits && (named.insert(found.name.clone()) || query.versions);
        fresh.then_some(found)
    };
    Ok(found.into_iter().filter_map(fits).collect())
}

enum Matcher {
    Everything,
    Literal(String),
    Regexp(Rc<gotmpl::regexp::Regexp>),
}

impl Matcher {
    fn new(query: &Query) -> Result<Self, SearchError> {
        match &query.term {
            None => Ok(Self::Everything),
            Some(term) if query.regexp => gotmpl::regexp::Regexp::compile(term)
                .map(Self::Regexp)
                .map_err(|error| SearchError::Regexp(error.to_string())),
            Some(term) => Ok(Self::Literal(term.to_lowercase())),
        }
    }

    /// How many parts of the line end before the match; `None` without one.
    fn score(&self, line: &str) -> Option<usize> {
        let before = |line: &str, at: usize| line[..at].matches(SEPARATOR).count();
        match self {
            Self::Everything => Some(0),
            Self::Literal(term) => {
                let line = line.to_lowercase();
                line.find(term.as_str()).map(|at| before(&line, at))
            }
            Self::Regexp(regexp) => {
                let start = |found: &str| found.as_ptr().addr() - line.as_ptr().addr();
                regexp.find(line).map(|found| before(line, start(found)))
            }
        }
    }
}
