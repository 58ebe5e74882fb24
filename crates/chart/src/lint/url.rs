//! Whether a text looks like an address of the web or of mail; the same coarse checks that Helm makes.

/// An address with a scheme, as a request could use it.
pub(super) fn is_request_url(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
        && !text.contains(' ')
        && !has_control(text)
}

/// An address whose scheme may be left out but which names a host.
pub(super) fn is_url(text: &str) -> bool {
    if text.len() >= 2083
        || text.len() <= 3
        || text.starts_with('.')
        || has_control(text)
        || text.contains(' ')
    {
        return false;
    }
    let rest = match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        Some(_) => return false,
        None => text.strip_prefix("mailto:").unwrap_or(text),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.split(':').next().unwrap_or(host);
    host == "localhost" || (host.contains('.') && host.split('.').all(is_label))
}

/// A local part, an at sign and a host with a dot.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let local_ok = !local.is_empty()
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && local.chars().all(|c| !c.is_whitespace() && !c.is_control() && !"(),:;<>@[\\]\"".contains(c));
    let host_ok = host.contains('.') && host.split('.').all(is_label);
    let top = host.rsplit('.').next().unwrap_or(host);
    local_ok && host_ok && top.chars().all(|c| c.is_alphabetic() || c == '-') && top.chars().count() >= 2
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn is_label(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.ends_with('-')
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

fn has_control(text: &str) -> bool {
    text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_other_texts() {
        for good in ["https://example.com/x", "file:///etc", "http://localhost", "git+ssh://a/b"] {
            assert!(is_request_url(good), "{good}");
        }
        for bad in ["example.com", "", "://x", "https://a b"] {
            assert!(!is_request_url(bad), "{bad}");
        }
        for good in ["example.com", "https://example.com", "http://localhost:80/x"] {
            assert!(is_url(good), "{good}");
        }
        for bad in ["nonsense", "http://", ".com", "a b.com"] {
            assert!(!is_url(bad), "{bad}");
        }
        for good in ["a@b.de", "first.last+tag@sub.example.com"] {
            assert!(is_email(good), "{good}");
        }
        for bad in ["a", "a@b", "@b.de", "a@b.1", "a b@c.de", "a@-b.de"] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
