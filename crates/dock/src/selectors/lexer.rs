//! The words of a label selector.

/// One word, with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) sort: Sort,
    pub(super) text: String,
}

/// The sorts of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    End,
    Close,
    Comma,
    Not,
    DoubleEquals,
    Equals,
    Greater,
    Identifier,
    In,
    Less,
    NotEquals,
    NotIn,
    Open,
}

fn keyword(text: &str) -> Option<Sort> {
    Some(match text {
        ")" => Sort::Close,
        "," => Sort::Comma,
        "!" => Sort::Not,
        "==" => Sort::DoubleEquals,
        "=" => Sort::Equals,
        ">" => Sort::Greater,
        "in" => Sort::In,
        "<" => Sort::Less,
        "!=" => Sort::NotEquals,
        "notin" => Sort::NotIn,
        "(" => Sort::Open,
        _ => return None,
    })
}

fn is_special(sign: char) -> bool {
    "=!(),><".contains(sign)
}

fn is_space(sign: char) -> bool {
    " \t\r\n".contains(sign)
}

/// Cuts a selector into words, the last of which is [`Sort::End`]. A NUL between words ends the selector.
pub(super) fn words(selector: &str) -> Vec<Word> {
    let mut rest = selector;
    let mut words = Vec::new();
    loop {
        rest = rest.trim_start_matches(is_space);
        let Some(first) = rest.chars().next().filter(|&first| first != '\0') else {
            words.push(Word { sort: Sort::End, text: String::new() });
            return words;
        };
        let end = if is_special(first) {
            let two = rest.char_indices().nth(1).map(|(at, sign)| at + sign.len_utf8());
            two.filter(|&end| keyword(&rest[..end]).is_some()).unwrap_or(1)
        } else {
            rest.find(|sign| sign == '\0' || is_special(sign) || is_space(sign)).unwrap_or(rest.len())
        };
        let text = &rest[..end];
        words.push(Word { sort: keyword(text).unwrap_or(Sort::Identifier), text: text.to_owned() });
        rest = &rest[end..];
        if !is_special(first) {
            rest = rest.strip_prefix('\0').unwrap_or(rest);
        }
    }
}
