//! Mail addresses as Go's `mail.ParseAddress` reads them, without comments.

/// Whether a text is one address, alone or in angle brackets after a name.
pub(super) fn is_address(text: &str) -> bool {
    let text = text.trim_matches(|sign| " \t".contains(sign));
    if let Some(rest) = text.strip_suffix('>')
        && let Some((name, address)) = split_name(rest)
    {
        return is_display_name(name.trim_matches(|sign| " \t".contains(sign))) && is_address_spec(address);
    }
    is_address_spec(text)
}

/// The name before the angle bracket; brackets inside quotes belong to the name.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' if quoted => {
                signs.next();
            }
            '"' => quoted = !quoted,
            '<' if !quoted => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

fn is_display_name(name: &str) -> bool {
    let mut rest = name;
    while !rest.is_empty() {
        rest = rest.trim_start_matches(|sign| " \t".contains(sign));
        rest = if let Some(after) = quoted_string(rest) {
            after
        } else {
            let end = rest.find(|sign| !is_atom_sign(sign, true)).unwrap_or(rest.len());
            if end == 0 {
                return rest.is_empty();
            }
            &rest[end..]
        };
    }
    true
}

fn is_address_spec(text: &str) -> bool {
    let domain = if let Some(after) = quoted_string(text) {
        after
    } else {
        let end = text.find(|sign| !is_atom_sign(sign, true)).unwrap_or(text.len());
        if !is_dot_atom(&text[..end]) {
            return false;
        }
        &text[end..]
    };
    let Some(domain) = domain.trim_start_matches(|sign| " \t".contains(sign)).strip_prefix('@') else {
        return false;
    };
    let domain = domain.trim_start_matches(|sign| " \t".contains(sign));
    if let Some(inner) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let address = inner.strip_prefix("IPv6:").unwrap_or(inner);
        return address.parse::<std::net::IpAddr>().is_ok();
    }
    is_dot_atom(domain)
}

/// The rest after a string in quotes.
fn quoted_string(text: &str) -> Option<&str> {
    let mut signs = text.strip_prefix('"')?.chars();
    loop {
        match signs.next()? {
            '"' => return Some(signs.as_str()),
            '\\' => {
                signs.next()?;
            }
            sign if sign.is_control() && sign != '\t' => return None,
            _ => {}
        }
    }
}

fn is_dot_atom(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|sign| is_atom_sign(sign, true))
        && !text.starts_with('.')
        && !text.ends_with('.')
        && !text.contains("..")
}

fn is_atom_sign(sign: char, dot: bool) -> bool {
    match sign {
        '.' => dot,
        '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '@' | '\\' | ',' | '"' => false,
        other => (other > ' ' && other < '\u{7f}') || other >= '\u{80}',
    }
}
