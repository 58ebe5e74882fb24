//! The order of deployment, as the printer of charts wants it.

use chart::render::output::Section;
use plan::Plan;

/// The manifests of a rendered chart in the order in which a plan deploys them.
pub(crate) fn order(plan: &Plan) -> Vec<Section> {
    let section = |deployed: plan::output::Deployed| Section {
        delimiters: deployed.layer.and_then(|layer| plan.delimiters(layer)),
        manifests: deployed
            .objects
            .into_iter()
            .filter(|object| !plan.intent.entries[object.0 as usize].from_crds)
            .filter_map(|object| plan.object(object).document)
            .map(|(document, _)| document as usize)
            .collect(),
    };
    plan.deployment_order().into_iter().map(section).collect()
}
