//! Making a set of objects what it is to be.

use kube::ResourceExt;
use kube::api::{Patch, PatchParams};

use super::deletion::{Rest, remove, wake_when_gone};
use super::place::{Places, at};
use super::{Inventory, Member, ObjectSet};
use crate::{ActuatorError, Context, Outcome};

pub(super) async fn reconcile<S: ObjectSet>(
    set: &S,
    context: &mut Context<S::Object>,
) -> Result<Outcome, ActuatorError> {
    let items = set.objects(context).await?;
    let namespace = context.key().namespace;
    let wanted: Vec<_> = items.iter().map(|item| Member::of(item, namespace.as_deref())).collect();
    let mut inventory = Inventory::of(&context.object)?;
    for member in &wanted {
        inventory.expect(member.clone());
    }
    inventory.store(&mut context.object)?;
    context.save().await?;
    let places = Places::find(set, context, &inventory.members).await?;
    let params = PatchParams::apply(context.manager()).force();
    for (item, member) in items.into_iter().zip(&wanted) {
        let mut object = item.object;
        object.metadata.namespace.clone_from(&member.namespace);
        let api = places.of(member).await?;
        let applied = api.patch(&member.name, &params, &Patch::Apply(&object)).await;
        let applied = applied.map_err(|error| at(member, error))?;
        for known in inventory.members.iter_mut().filter(|known| known.is_same(member)) {
            known.uid = applied.uid();
        }
    }
    let mut left = Vec::new();
    for unwanted in
        inventory.members.iter().filter(|known| !wanted.iter().any(|member| member.is_same(known))).rev()
    {
        let api = places.of(unwanted).await?;
        if let Rest::Terminating(live) = remove(&api, unwanted).await? {
            wake_when_gone(context, &api, unwanted, &live);
            left.push(unwanted.clone());
        }
    }
    inventory.members.retain(|known| {
        wanted.iter().any(|member| member.is_same(known)) || left.iter().any(|member| member.is_same(known))
    });
    inventory.store(&mut context.object)?;
    match left.first() {
        None => Ok(Outcome::done()),
        Some(first) => {
            let others = left.len() - 1;
            let and = if others == 0 { String::new() } else { format!(" and {others} others") };
            Ok(Outcome::progress(90, format!("Waiting for {first}{and} to go")))
        }
    }
}
