//! Letting go of a set of objects: what can be deleted is, what is held for something outside is stripped, and the rest
//! is left and said to be.

use super::deletion::{Rest, held_by, remove};
use super::place::Places;
use super::{Backing, Inventory, Member, ObjectSet};
use crate::force::is_protected;
use crate::{ActuatorError, Context, Outcome};
use kube::ResourceExt as _;

/// What became of the objects.
#[derive(Debug, Default)]
struct Tally {
    deleted: usize,
    stripped: Vec<String>,
    left: Vec<String>,
}

pub(super) async fn force_delete<S: ObjectSet>(
    set: &S,
    context: &mut Context<S::Object>,
) -> Result<Outcome, ActuatorError> {
    let inventory = Inventory::of(&context.object)?;
    // The other cluster is not asked for: what is in it goes with it, or is not ours to reach any more.
    let own: Vec<_> = inventory.members.iter().filter(|member| !member.in_target).cloned().collect();
    let places = Places::find(set, context, &own).await?;
    let mut tally = Tally::default();
    for member in inventory.members.iter().rev() {
        match &member.backing {
            _ if member.in_target => {
                tally.left.push(format!("{member} (in a cluster that is gone or going)"));
            }
            Backing::CleanedBy(component) => tally.left.push(format!("{member} ({component} takes it away)")),
            backing => let_go(context, &places, member, backing, &mut tally).await?,
        }
    }
    Ok(Outcome::done().describe(tally.told()))
}

async fn let_go<K: crate::Extension>(
    context: &mut Context<K>,
    places: &Places,
    member: &Member,
    backing: &Backing,
    tally: &mut Tally,
) -> Result<(), ActuatorError> {
    let done = async {
        let api = places.of(member).await?;
        if *backing == Backing::Outside {
            let live = api.get_opt(&member.name).await.map_err(|error| super::place::at(member, error))?;
            let Some(live) = live.filter(|live| member.is(live)) else { return Ok(()) };
            let stripped = context.strip(&api, &live).await?;
            let held: Vec<&str> =
                live.finalizers().iter().map(String::as_str).filter(|held| is_protected(held)).collect();
            if !held.is_empty() {
                tally.left.push(format!("{member} (held by the API server's own {})", held.join(", ")));
            }
            if stripped.is_empty() {
                tally.deleted += 1;
            } else {
                tally.stripped.push(format!("{member} ({})", stripped.join(", ")));
            }
            return Ok(());
        }
        match remove(&api, member).await? {
            Rest::Gone => tally.deleted += 1,
            Rest::Terminating(live) => {
                tally.deleted += 1;
                tally.left.push(format!("{member} (deleted, and held by {})", held_by(&live)));
            }
        }
        Ok::<_, ActuatorError>(())
    }
    .await;
    match done {
        // What may not be done will not be allowed by asking again.
        Err(error) if error.codes().any(crate::ErrorCode::is_blocking) => {
            tally.left.push(error.to_string());
            Ok(())
        }
        done => done,
    }
}

impl Tally {
    fn told(&self) -> String {
        let mut parts = vec![format!("{} deleted", self.deleted)];
        if !self.stripped.is_empty() {
            parts.push(format!("finalizers taken off {}", self.stripped.join(", ")));
        }
        if !self.left.is_empty() {
            parts.push(format!("left: {}", self.left.join(", ")));
        }
        parts.join("; ")
    }
}
