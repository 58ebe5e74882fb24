//! The name of a manager that does not give one.

use crate::gotext::printable;

/// The most bytes that a manager's name may have.
const LONGEST: usize = 128;

/// The name of the manager behind a request: the one it gives, else what stands before the first slash of its user
/// agent, as far as it can be printed.
pub fn manager_name(given: &str, user_agent: &str) -> String {
    if !given.is_empty() {
        return given.into();
    }
    let mut name = String::new();
    for c in user_agent.split('/').next().unwrap_or_default().chars().filter(|c| printable(*c)) {
        if name.len() + c.len_utf8() > LONGEST {
            break;
        }
        name.push(c);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_or_taken_from_the_agent() {
        for (given, agent, name) in [
            ("flux", "kubectl/v1", "flux"),
            ("", "kubectl/v1.36.0 (linux/amd64)", "kubectl"),
            ("", "curl", "curl"),
            ("", "my\tagent\u{200b} é/1", "myagent é"),
            ("", "/x", ""),
            ("", "", ""),
        ] {
            assert_eq!(manager_name(given, agent), name);
        }
        assert_eq!(manager_name("", &"é".repeat(100)), "é".repeat(64));
    }
}
