//! One character at a time: Go's package `unicode`, whose mappings never turn one character into two.

/// `unicode.ToUpper`.
pub(super) fn to_upper(character: char) -> char {
    let mut mapped = character.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(upper), None) => upper,
        _ => iota_subscript_to_title(character),
    }
}

/// `unicode.ToLower`.
pub(super) fn to_lower(character: char) -> char {
    let mut mapped = character.to_lowercase();
    match (mapped.next(), mapped.next()) {
        (Some(lower), None) => lower,
        // The dotted capital I is the only one that would become two characters.
        _ => 'i',
    }
}

/// `unicode.ToTitle`, which differs from upper case for digraphs and Georgian.
pub(super) fn to_title(character: char) -> char {
    match character {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10fa}' | '\u{10fd}'..='\u{10ff}' => character,
        _ => to_upper(character),
    }
}

/// Greek letters with iota below: their full upper case is two letters, their simple one a single letter.
fn iota_subscript_to_title(character: char) -> char {
    let shift = match character {
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => 8,
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => 9,
        _ => return character,
    };
    char::from_u32(u32::from(character) + shift).unwrap_or(character)
}

/// `unicode.IsUpper`: letters of the category Lu.
pub(super) fn is_upper(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_uppercase();
    }
    character.is_uppercase() && is_letter(character)
}

/// `unicode.IsLower`: letters of the category Ll.
pub(super) fn is_lower(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_lowercase();
    }
    in_class(r"\p{Ll}", character)
}

/// `unicode.IsTitle`: letters of the category Lt.
pub(super) fn is_title(character: char) -> bool {
    matches!(character,
        '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}' | '\u{1f88}'..='\u{1f8f}' | '\u{1f98}'..='\u{1f9f}'
        | '\u{1fa8}'..='\u{1faf}' | '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}')
}

/// `unicode.IsLetter`.
pub(super) fn is_letter(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphabetic();
    }
    in_class(r"\p{L}", character)
}

/// `unicode.IsDigit`: decimal digits only.
pub(super) fn is_digit(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_digit();
    }
    in_class(r"\p{Nd}", character)
}

/// `unicode.IsPunct`.
pub(super) fn is_punct(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_punctuation() && !"$+<=>^`|~".contains(character);
    }
    in_class(r"\p{P}", character)
}

/// `unicode.IsNumber`.
pub(super) fn is_number(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_digit() } else { character.is_numeric() }
}

/// Whether a character beyond ASCII is in a class of Unicode.
fn in_class(class: &'static str, character: char) -> bool {
    let mut bytes = [0; 4];
    crate::regexp::Regexp::compile(class)
        .is_ok_and(|regexp| regexp.is_match(character.encode_utf8(&mut bytes)))
}
