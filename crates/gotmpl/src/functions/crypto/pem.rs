//! PEM: base64 between lines that say what it is.

use crate::functions::encoding::BASE64;

/// Writes a block.
pub(super) fn encode(label: &str, bytes: &[u8]) -> String {
    let body = BASE64.encode(bytes);
    let mut output = format!("-----BEGIN {label}-----\n");
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(64));
        output.push_str(line);
        output.push('\n');
        rest = after;
    }
    output + "-----END " + label + "-----\n"
}

/// The first block in a text: its label and its bytes.
pub(super) fn decode(text: &str) -> Option<(String, Vec<u8>)> {
    let mut rest = text;
    while let Some(start) = rest.find("-----BEGIN ") {
        rest = &rest[start + "-----BEGIN ".len()..];
        if let Some(block) = decode_block(rest) {
            return Some(block);
        }
    }
    None
}

fn decode_block(text: &str) -> Option<(String, Vec<u8>)> {
    let (line, rest) = text.split_once('\n')?;
    let label = line.trim_end().strip_suffix("-----")?;
    let (body, _) = rest.split_once(&format!("-----END {label}-----"))?;
    // Headers are lines with a colon in front of the base64.
    let body: String = body
        .lines()
        .skip_while(|line| line.contains(':'))
        .flat_map(|line| line.chars().filter(|c| !c.is_whitespace()))
        .collect();
    Some((label.to_owned(), BASE64.decode(body.as_bytes()).ok()?))
}
