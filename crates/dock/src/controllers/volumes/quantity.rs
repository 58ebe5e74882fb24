//! Sizes of storage.

/// The number that a quantity stands for: `10Gi`, `500M`, `1e9`.
pub(super) fn parse(text: &str) -> Option<f64> {
    let end = text
        .find(|letter: char| letter.is_ascii_alphabetic() && !matches!(letter, 'e' | 'E'))
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    // A lone E is exa, not the beginning of an exponent.
    let (number, suffix) = match number.strip_suffix('E') {
        Some(rest) => (rest, if suffix == "i" { "Ei" } else { "E" }),
        None => (number, suffix),
    };
    let number: f64 = number.parse().ok()?;
    let factor = match suffix {
        "" => 1.0,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024.0,
        "Mi" => 1024.0_f64.powi(2),
        "Gi" => 1024.0_f64.powi(3),
        "Ti" => 1024.0_f64.powi(4),
        "Pi" => 1024.0_f64.powi(5),
        "Ei" => 1024.0_f64.powi(6),
        _ => return None,
    };
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        let cases = [
            ("10", Some(10.0)),
            ("1Gi", Some(1_073_741_824.0)),
            ("500M", Some(5e8)),
            ("1.5Ki", Some(1536.0)),
            ("1e3", Some(1000.0)),
            ("2E", Some(2e18)),
            ("1Ei", Some(1024.0_f64.powi(6))),
            ("100m", Some(0.1)),
            ("", None),
            ("many", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }
}
