//! Where the objects of a set are: in this cluster or in the other.

use kube::core::DynamicObject;
use kube::{Api, Client};

use super::{Member, ObjectSet};
use crate::kinds::Kinds;
use crate::reconciler::api;
use crate::{ActuatorError, Context, ErrorCode};

/// The clusters of a set.
pub(super) struct Places {
    own: (Client, Kinds),
    target: Option<(Client, Kinds)>,
}

impl Places {
    /// Both clusters; the other only if any of these objects is in it.
    pub(super) async fn find<S: ObjectSet>(
        set: &S,
        context: &Context<S::Object>,
        members: &[Member],
    ) -> Result<Self, ActuatorError> {
        let target = if members.iter().any(|member| member.in_target) {
            let client = set.target(context).await.map_err(|error| error.code(ErrorCode::Dependencies))?;
            client.map(|client| (client, Kinds::default()))
        } else {
            None
        };
        Ok(Self { own: (context.client(), context.environment.kinds.clone()), target })
    }

    /// Where an object is.
    pub(super) async fn of(&self, member: &Member) -> Result<Api<DynamicObject>, ActuatorError> {
        let (client, kinds) = match (&self.target, member.in_target) {
            (_, false) => &self.own,
            (Some(target), true) => target,
            (None, true) => {
                let text = format!("{member} is in another cluster, and there is no client of it");
                return Err(ActuatorError::new(text).code(ErrorCode::Dependencies));
            }
        };
        let found = kinds.find(client, &member.group_version_kind()).await;
        let (resource, namespaced) = found.map_err(|error| at(member, error))?;
        Ok(api(client, &resource, member.namespace.as_deref().filter(|_| namespaced)))
    }
}

/// What went wrong with an object. That the other cluster is not reached is something that people must act on.
pub(super) fn at(member: &Member, error: kube::Error) -> ActuatorError {
    let unreachable = member.in_target && !matches!(error, kube::Error::Api(_));
    let error = ActuatorError::from(error);
    let described = ActuatorError { description: format!("{member}: {}", error.description), ..error };
    if unreachable { described.code(ErrorCode::Dependencies) } else { described }
}
