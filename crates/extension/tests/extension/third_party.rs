//! What a third party has to write.

#[test]
fn an_extension_is_written_in_under_fifty_lines() {
    let example = include_str!("../../examples/fifty_lines.rs");
    assert!(example.lines().count() < 50, "{} lines", example.lines().count());
}
