//! The order in which goyaml writes the keys of a map: letters after everything else, numbers by value.

/// Whether `a` comes before `b`. goyaml v3 also puts letters first where they follow a digit.
pub(super) fn less(a: &str, b: &str, v3: bool) -> bool {
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    if same == a.len() || same == b.len() {
        return a.len() < b.len();
    }
    let same = (0..=same).rev().find(|&at| a.is_char_boundary(at)).unwrap_or(0);
    let (common, rest_a, rest_b) = (&a[..same], &a[same..], &b[same..]);
    let (Some(x), Some(y)) = (rest_a.chars().next(), rest_b.chars().next()) else {
        return rest_a.len() < rest_b.len();
    };
    match (is_letter(x), is_letter(y)) {
        (true, true) => return x < y,
        (false, false) => {}
        (letter, _) => {
            let after_digit = v3 && common.chars().next_back().is_some_and(is_digit);
            return letter == after_digit;
        }
    }
    let zero = x == '0' || y == '0';
    // A zero that differs counts only behind a digit that is not zero: `a10` and `a1`.
    let lead = zero && common.chars().rev().take_while(|&c| is_digit(c)).any(|c| c != '0');
    let (number_a, length_a) = number(rest_a, lead);
    let (number_b, length_b) = number(rest_b, lead);
    (number_a, length_a, x) < (number_b, length_b, y)
}

fn number(text: &str, lead: bool) -> (i64, usize) {
    let digits = text.chars().take_while(|&c| is_digit(c));
    digits.fold((i64::from(lead), 0), |(value, length), c| {
        let digit = i64::from(u32::from(c)) - i64::from(u32::from('0'));
        (value.wrapping_mul(10).wrapping_add(digit), length + 1)
    })
}

fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { c.is_alphabetic() && !c.is_numeric() }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_order() {
        let pairs = [
            ("a-b", "ab"),
            ("a2", "a10"),
            ("2", "10"),
            ("A", "a"),
            ("_b", "A"),
            ("a", "a0"),
            ("a1", "a01"),
            ("", "-"),
            ("x9y10", "x10y2"),
            ("é", "日"),
        ];
        for (a, b) in pairs {
            assert!(less(a, b, false) && !less(b, a, false), "{a:?} before {b:?}");
            assert!(!less(a, a, false));
        }
        assert!(less("a1-", "a1b", false) && less("a1b", "a1-", true));
    }
}
