//! Helm's `lookup` in templates, on a live cluster.

use engine::Served;
use gotmpl::Value;
use gotmpl::functions::FunctionError;
use gotmpl::value::Entries;
use kube::Api;
use kube::api::ListParams;
use kube::core::DynamicObject;

use super::Cluster;

impl Cluster {
    /// An object, or a list if there is no name; an empty map if there is no such object.
    pub(crate) fn lookup(
        &self,
        served: &Served,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Value, FunctionError> {
        let failed = |error: &kube::Error| FunctionError::new(engine::with_causes(error));
        let Some(found) = served.kind(api_version, kind) else {
            return Err(FunctionError::new(format!(
                "unable to get apiresource from unstructured: {api_version}, Kind={kind}: the server could not find the requested resource"
            )));
        };
        let api: Api<DynamicObject> = if found.namespaced && !namespace.is_empty() {
            Api::namespaced_with(self.client(), namespace, &found.resource)
        } else {
            Api::all_with(self.client(), &found.resource)
        };
        let text = if name.is_empty() {
            let list = self.wait(api.list(&ListParams::default())).map_err(|error| failed(&error))?;
            serde_json::to_string(&list)
        } else {
            match self.wait(api.get_opt(name)).map_err(|error| failed(&error))? {
                Some(object) => serde_json::to_string(&object),
                None => return Ok(Value::map(Entries::new())),
            }
        };
        let text = text.map_err(|error| FunctionError::new(error.to_string()))?;
        let value = goyaml::json::from_str(&text).map_err(|error| FunctionError::new(error.to_string()))?;
        Ok(Value::from(value))
    }
}
