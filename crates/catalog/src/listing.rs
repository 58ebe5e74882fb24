//! From a broker's catalog to the classes and plans that show up in the cluster.

use std::collections::BTreeMap;

use crate::kinds::{CatalogRestrictions, Offering, PlanOffer};
use osb::{Catalog, Plan, Service};
use serde_json::{Map, Value};

use crate::object_name;
use crate::restrictions::Restrictions;

/// What shows up of a catalog.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    /// The classes, by the names of their objects.
    pub classes: BTreeMap<String, Offering>,
    /// The plans, by the names of their objects, with the names of their classes' objects.
    pub plans: BTreeMap<String, (String, PlanOffer)>,
}

/// What shows up of a catalog under these restrictions. A class none of whose plans shows up does not either.
///
/// # Errors
/// A restriction that cannot be read.
pub fn listing(catalog: &Catalog, restrictions: Option<&CatalogRestrictions>) -> Result<Listing, String> {
    let nothing = CatalogRestrictions::default();
    let restrictions = restrictions.unwrap_or(&nothing);
    let for_classes = Restrictions::parse(&restrictions.service_class)?;
    let for_plans = Restrictions::parse(&restrictions.service_plan)?;
    let mut listing = Listing::default();
    for service in &catalog.services {
        let class = object_name(&service.id);
        let fields = [
            ("name", class.clone()),
            ("spec.externalName", service.name.clone()),
            ("spec.externalID", service.id.clone()),
            ("spec.bindable", service.bindable.to_string()),
        ];
        if !for_classes.allow(&fields.into()) {
            continue;
        }
        let mut any = false;
        for plan in &service.plans {
            let name = object_name(&plan.id);
            let offer = offer(plan);
            let fields = [
                ("name", name.clone()),
                ("spec.externalName", plan.name.clone()),
                ("spec.externalID", plan.id.clone()),
                ("spec.free", offer.free.to_string()),
                ("spec.clusterServiceClass.name", class.clone()),
                ("spec.serviceClass.name", class.clone()),
            ];
            if for_plans.allow(&fields.into()) {
                any = true;
                listing.plans.insert(name, (class.clone(), offer));
            }
        }
        if any {
            listing.classes.insert(class, offering(service));
        }
    }
    Ok(listing)
}

fn offering(service: &Service) -> Offering {
    Offering {
        external_name: service.name.clone(),
        external_id: service.id.clone(),
        description: service.description.clone(),
        bindable: service.bindable,
        binding_retrievable: service.bindings_retrievable,
        instance_retrievable: service.instances_retrievable,
        plan_updatable: service.plan_updateable,
        external_metadata: service.metadata.clone(),
        tags: service.tags.clone(),
        requires: service.requires.clone(),
    }
}

fn offer(plan: &Plan) -> PlanOffer {
    let schema = |path: &str| -> Option<Map<String, Value>> {
        plan.schemas.as_ref()?.pointer(path)?.as_object().cloned()
    };
    PlanOffer {
        external_name: plan.name.clone(),
        external_id: plan.id.clone(),
        description: plan.description.clone(),
        bindable: plan.bindable,
        // The specification's default is that it costs nothing.
        free: plan.free.unwrap_or(true),
        plan_updatable: plan.plan_updateable,
        maximum_polling_duration: plan
            .maximum_polling_duration
            .and_then(|seconds| i64::try_from(seconds).ok()),
        maintenance_version: plan.maintenance_info.as_ref().map(|info| info.version.clone()),
        external_metadata: plan.metadata.clone(),
        instance_create_parameter_schema: schema("/service_instance/create/parameters"),
        instance_update_parameter_schema: schema("/service_instance/update/parameters"),
        service_binding_create_parameter_schema: schema("/service_binding/create/parameters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_plans_show_up_as_they_may() {
        let catalog = Catalog::read(brokers::catalog().to_string().as_bytes()).unwrap();
        let all = listing(&catalog, None).unwrap();
        assert_eq!(all.classes.keys().collect::<Vec<_>>(), ["service-database"]);
        assert_eq!(all.plans.keys().collect::<Vec<_>>(), ["plan-large", "plan-small"]);
        assert_eq!(all.plans["plan-large"].1.maximum_polling_duration, Some(3600));
        let free = CatalogRestrictions {
            service_plan: vec!["spec.free=true".into()],
            ..CatalogRestrictions::default()
        };
        assert_eq!(listing(&catalog, Some(&free)).unwrap().plans.len(), 1);
        let none = CatalogRestrictions {
            service_plan: vec!["name in (x)".into()],
            ..CatalogRestrictions::default()
        };
        assert_eq!(listing(&catalog, Some(&none)).unwrap(), Listing::default());
    }
}
