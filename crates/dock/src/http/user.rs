//! Who asks.

use std::collections::BTreeMap;

use http::HeaderMap;
use serde_json::{Value, json};

/// Who asks: from the token, or whom the one with the token acts as.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The UID, if there is one.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// Whatever else is known.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// Somebody who may do everything.
    pub fn admin() -> Self {
        Self::named("kubernetes-admin", &["system:masters"])
    }

    /// Somebody with a name and groups. Everybody who is known is `system:authenticated`.
    pub fn named(name: &str, groups: &[&str]) -> Self {
        let groups = groups.iter().copied().chain(["system:authenticated"]).map(Into::into).collect();
        Self { name: name.into(), groups, ..Self::default() }
    }

    /// Whom the request acts as: the user of the token, unless the headers name another.
    #[must_use]
    pub fn acting(self, headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(name) = text("impersonate-user") else { return self };
        let mut groups: Vec<String> = headers
            .get_all("impersonate-group")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .map(Into::into)
            .collect();
        if let Some((namespace, _)) =
            name.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':'))
            && groups.is_empty()
        {
            groups = vec!["system:serviceaccounts".into(), format!("system:serviceaccounts:{namespace}")];
        }
        if name != "system:anonymous" && !groups.iter().any(|group| group == "system:authenticated") {
            groups.push("system:authenticated".into());
        }
        let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (header, value) in headers {
            if let (Some(key), Ok(value)) =
                (header.as_str().strip_prefix("impersonate-extra-"), value.to_str())
            {
                extra.entry(super::options::decode(key)).or_default().push(value.into());
            }
        }
        Self { name: name.into(), uid: text("impersonate-uid").unwrap_or_default().into(), groups, extra }
    }

    /// The `UserInfo` that admission sees.
    pub fn to_value(&self) -> Value {
        let mut info = json!({"username": self.name, "groups": self.groups});
        if !self.uid.is_empty() {
            info["uid"] = self.uid.as_str().into();
        }
        if !self.extra.is_empty() {
            info["extra"] = json!(self.extra);
        }
        info
    }
}
