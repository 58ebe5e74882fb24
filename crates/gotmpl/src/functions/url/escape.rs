//! Percent-encoding, by what part of a URL it is in.

use super::parse::Problem;

/// A part of a URL, each with characters of its own that need no escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Path,
    User,
    Host,
    Zone,
    Fragment,
}

fn must_escape(byte: u8, part: Part) -> bool {
    let plain = match part {
        Part::Path => b"$&+,/:;=@".as_slice(),
        Part::User => b"$&+,;=",
        Part::Host | Part::Zone => b"!$&'()*+,;=:[]<>\"",
        Part::Fragment => b"$&+,/:;=?@!()*",
    };
    !(byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || plain.contains(&byte))
}

pub(super) fn escape(text: &[u8], part: Part) -> Vec<u8> {
    let mut output = Vec::with_capacity(text.len());
    for byte in text {
        if must_escape(*byte, part) {
            output.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            output.push(*byte);
        }
    }
    output
}

pub(super) fn unescape(text: &[u8], part: Part) -> Result<Vec<u8>, Problem> {
    let mut output = Vec::with_capacity(text.len());
    let mut position = 0;
    while position < text.len() {
        let byte = text[position];
        if byte != b'%' {
            if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && must_escape(byte, part) {
                return Err(Problem::HostCharacter(char::from(byte)));
            }
            output.push(byte);
            position += 1;
            continue;
        }
        let sequence = &text[position..text.len().min(position + 3)];
        let invalid = || Problem::Escape(String::from_utf8_lossy(sequence).into_owned());
        let digit = |index: usize| {
            let byte = sequence.get(index)?;
            char::from(*byte).to_digit(16)
        };
        let (Some(high), Some(low)) = (digit(1), digit(2)) else {
            return Err(invalid());
        };
        let value = (high * 16 + low) as u8;
        let literal_percent = sequence == b"%25";
        // In a host, only what is not ASCII may be escaped; in a zone also what would be invalid in a host.
        if part == Part::Host && high < 8 && !literal_percent {
            return Err(invalid());
        }
        if part == Part::Zone && !literal_percent && value != b' ' && must_escape(value, Part::Host) {
            return Err(invalid());
        }
        output.push(value);
        position += 3;
    }
    Ok(output)
}
