//! Stand-ins until the crates have them.
#![allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod schema {
    use serde_json::Value;
    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    pub struct PatchError(pub String);
    impl PatchError {
        pub fn code(&self) -> u16 {
            400
        }
    }
    pub fn duplicate_fields(_t: &str) -> Vec<String> {
        Vec::new()
    }
    pub fn go_json_error(_t: &str, e: &serde_json::Error) -> String {
        e.to_string()
    }
    pub fn json_patch(_l: &Value, _t: &str) -> Result<Value, PatchError> {
        Err(PatchError("no json patch".into()))
    }
    pub fn merge_patch(l: &Value, t: &str) -> Result<Value, PatchError> {
        let p: Value = serde_json::from_str(t).map_err(|e| PatchError(e.to_string()))?;
        let mut o = l.clone();
        merge(&mut o, &p);
        Ok(o)
    }
    fn merge(o: &mut Value, p: &Value) {
        let Value::Object(p) = p else {
            *o = p.clone();
            return;
        };
        if !o.is_object() {
            *o = Value::Object(Default::default());
        }
        let m = o.as_object_mut().unwrap();
        for (k, v) in p {
            if v.is_null() {
                m.remove(k);
            } else {
                merge(m.entry(k.clone()).or_insert(Value::Null), v)
            }
        }
    }
    pub fn strategic_merge_patch(_v: ::schema::View<'_>, l: &Value, t: &str) -> Result<Value, PatchError> {
        merge_patch(l, t)
    }
}
