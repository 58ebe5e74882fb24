//! Who asks.

use std::collections::BTreeMap;

use http::HeaderMap;
use serde_json::{Value, json};

use crate::status::Status;

const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";

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
        let groups = groups.iter().copied().chain([AUTHENTICATED]).map(Into::into).collect();
        Self { name: name.into(), groups, ..Self::default() }
    }

    /// Whom the request acts as: the user of the token, unless the headers name another.
    ///
    /// # Errors
    /// Groups or other things are named, but no user.
    pub fn acting(self, headers: &HeaderMap) -> Result<Self, Status> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut groups: Vec<String> = headers
            .get_all("impersonate-group")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .map(Into::into)
            .collect();
        let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (header, value) in headers {
            if let (Some(key), Ok(value)) =
                (header.as_str().strip_prefix("impersonate-extra-"), value.to_str())
            {
                extra.entry(super::options::decode(key)).or_default().push(value.into());
            }
        }
        let (name, uid) = (text("impersonate-user"), text("impersonate-uid"));
        if name.is_empty() {
            if uid.is_empty() && groups.is_empty() && extra.is_empty() {
                return Ok(self);
            }
            let shown = shown(uid, &groups, &extra);
            return Err(Status::bad_request(format!("requested {shown} without impersonating a user name")));
        }
        if let Some((namespace, _)) =
            name.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':'))
            && groups.is_empty()
        {
            groups = vec!["system:serviceaccounts".into(), format!("system:serviceaccounts:{namespace}")];
        }
        // Everybody is in one of two groups.
        if !groups.iter().any(|group| [AUTHENTICATED, UNAUTHENTICATED].contains(&group.as_str())) {
            let own = if name == "system:anonymous" { UNAUTHENTICATED } else { AUTHENTICATED };
            groups.push(own.into());
        }
        Ok(Self { name: name.into(), uid: uid.into(), groups, extra })
    }

    /// The `UserInfo` that admission sees.
    pub fn to_value(&self) -> Value {
        let mut info = json!({});
        for (field, text) in [("username", &self.name), ("uid", &self.uid)] {
            if !text.is_empty() {
                info[field] = text.as_str().into();
            }
        }
        if !self.groups.is_empty() {
            info["groups"] = json!(self.groups);
        }
        if !self.extra.is_empty() {
            info["extra"] = json!(self.extra);
        }
        info
    }
}

/// What was named without a user, as Go prints it.
fn shown(uid: &str, groups: &[String], extra: &BTreeMap<String, Vec<String>>) -> String {
    let list = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| goyaml::strconv::quote(text)).collect();
        format!("[]string{{{}}}", texts.join(", "))
    };
    let groups = if groups.is_empty() { "[]string(nil)".to_owned() } else { list(groups) };
    let extra = if extra.is_empty() {
        "map[string][]string(nil)".to_owned()
    } else {
        let entries: Vec<String> = extra
            .iter()
            .map(|(key, values)| format!("{}:{}", goyaml::strconv::quote(key), list(values)))
            .collect();
        format!("map[string][]string{{{}}}", entries.join(", "))
    };
    let uid = goyaml::strconv::quote(uid);
    format!("&user.DefaultInfo{{Name:\"\", UID:{uid}, Groups:{groups}, Extra:{extra}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acting(headers: &[(&'static str, &str)]) -> Result<Value, String> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header"));
        }
        User::named("admin", &[]).acting(&map).map(|user| user.to_value()).map_err(|status| status.message)
    }

    #[test]
    fn headers_name_whom_a_request_acts_as() {
        let user = |name: &str, groups: &[&str]| Ok(json!({"username": name, "groups": groups}));
        for (headers, expected) in [
            (vec![], user("admin", &["system:authenticated"])),
            (vec![("impersonate-user", "")], user("admin", &["system:authenticated"])),
            (vec![("impersonate-user", "jane")], user("jane", &["system:authenticated"])),
            (
                vec![("impersonate-user", "jane"), ("impersonate-group", "devs")],
                user("jane", &["devs", "system:authenticated"]),
            ),
            (vec![("impersonate-user", "system:anonymous")], user("system:anonymous", &["system:unauthenticated"])),
            (
                vec![("impersonate-user", "system:serviceaccount:ns:sa")],
                user(
                    "system:serviceaccount:ns:sa",
                    &["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
                ),
            ),
            (
                vec![("impersonate-user", "jane"), ("impersonate-uid", "1"), ("impersonate-extra-acme.com%2fp", "v")],
                Ok(json!({
                    "username": "jane", "uid": "1", "groups": ["system:authenticated"], "extra": {"acme.com/p": ["v"]},
                })),
            ),
            (
                vec![("impersonate-group", "devs"), ("impersonate-extra-x", "1")],
                Err(r#"requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"devs"}, Extra:map[string][]string{"x":[]string{"1"}}} without impersonating a user name"#.to_owned()),
            ),
        ] {
            assert_eq!(acting(&headers), expected, "{headers:?}");
        }
    }
}
