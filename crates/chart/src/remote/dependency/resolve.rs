//! From ranges to exact versions.

use gotmpl::semver::Version;

use super::indexes::Indexes;
use super::missing::RepositoryNames;
use super::{DependencyError, Manager, local, lock};
use crate::remote::notice::Notify;
use crate::remote::oci::is_oci;
use crate::remote::repo::Timestamp;
use crate::remote::url::{join_paths, quote};
use crate::{Dependency, Lock};

impl Manager<'_> {
    /// Settles the version of every dependency.
    pub(super) async fn resolve(
        &self,
        wanted: &[Dependency],
        names: &RepositoryNames,
        indexes: &mut Indexes,
        notify: &mut dyn Notify,
    ) -> Result<Lock, DependencyError> {
        let mut locked = Vec::with_capacity(wanted.len());
        let mut missing = Vec::new();
        for dependency in wanted {
            match self.resolve_one(dependency, names, indexes, notify).await? {
                Some(version) => locked.push(Dependency {
                    name: dependency.name.clone(),
                    repository: dependency.repository.clone(),
                    version,
                    ..Dependency::default()
                }),
                None => missing.push(format!(
                    "{} (repository {}, version {})",
                    quote(&dependency.name),
                    quote(&dependency.repository),
                    quote(&dependency.version)
                )),
            }
        }
        if !missing.is_empty() {
            return Err(DependencyError::NoVersion { charts: missing });
        }
        Ok(Lock {
            generated: Timestamp::now().to_string(),
            digest: lock::digest(Some(wanted), &locked)?,
            dependencies: locked,
        })
    }

    /// The version that a dependency gets; `None` when no version fits.
    async fn resolve_one(
        &self,
        dependency: &Dependency,
        names: &RepositoryNames,
        indexes: &mut Indexes,
        notify: &mut dyn Notify,
    ) -> Result<Option<String>, DependencyError> {
        let constraint = local::constraint(dependency, true)?;
        let repository = dependency.repository.as_str();
        if repository.is_empty() {
            local::directory(&join_paths(&["charts", &dependency.name]), &self.chart)?;
            return Ok(Some(dependency.version.clone()));
        }
        if repository.starts_with("file://") {
            let chart = crate::load::load_dir(&local::directory(repository, &self.chart)?)?.chart;
            let version = Version::parse(&chart.metadata.version)?;
            return Ok(constraint.check(&version).then_some(chart.metadata.version));
        }
        let fits = |text: &String| Version::parse(text).is_ok_and(|version| constraint.check(&version));
        if is_oci(repository) {
            // A version that is written out is taken as it is, be it there or not.
            if Version::parse(&dependency.version).is_ok() {
                return Ok(Some(dependency.version.clone()));
            }
            let name = format!("{}/{}", repository.trim_start_matches("oci://"), dependency.name);
            let tags = self.registry.tags(&name).await.map_err(|source| DependencyError::Tags {
                repository: repository.to_owned(),
                source: Box::new(source),
            })?;
            return Ok(Some(tags.into_iter().find(fits).unwrap_or_else(|| dependency.version.clone())));
        }
        let Some(name) = names.get(&dependency.name) else { return Ok(Some(dependency.version.clone())) };
        let index = indexes.get(self.remote, name, notify).map_err(|source| DependencyError::NotCached {
            repository: name.clone(),
            source: Box::new(source),
        })?;
        let versions =
            index.entries.get(&dependency.name).ok_or_else(|| DependencyError::NotInRepository {
                chart: dependency.name.clone(),
                repository: repository.to_owned(),
            })?;
        let offered = versions.iter().filter(|version| !version.urls.is_empty());
        Ok(offered.map(|version| version.metadata.version.clone()).find(fits))
    }
}
