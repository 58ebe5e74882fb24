//! Archives that mean harm, and archives that are merely broken.

use std::io::Write;

use chart::LoadError;
use chart::load::{ArchiveError, load_archive};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

/// One tar member with a name, a type, a size as its header claims it, and data.
fn member(name: &str, kind: u8, claimed: u64, data: &[u8]) -> Vec<u8> {
    let mut block = vec![0_u8; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..107].copy_from_slice(b"0000644");
    block[124..135].copy_from_slice(format!("{claimed:011o}").as_bytes());
    block[136..147].copy_from_slice(b"00000000000");
    block[148..156].copy_from_slice(b"        ");
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block.extend_from_slice(data);
    block.resize(block.len().next_multiple_of(512), 0);
    block
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

const CHART: &[u8] = b"apiVersion: v2\nname: a\nversion: 0.1.0\n";

fn chart_with(members: &[Vec<u8>]) -> Vec<u8> {
    let mut tar = member("a/Chart.yaml", b'0', CHART.len() as u64, CHART);
    for member in members {
        tar.extend_from_slice(member);
    }
    gzip(&tar)
}

fn refusal(archive: &[u8]) -> String {
    match load_archive(archive) {
        Err(LoadError::Archive(error)) => error.to_string(),
        Err(other) => other.to_string(),
        Ok(_) => "nothing".to_owned(),
    }
}

#[test]
fn a_plain_archive_is_read_whatever_stands_at_its_end() {
    let archive = chart_with(&[member("a/values.yaml", b'0', 5, b"x: 1\n")]);
    assert_eq!(load_archive(&archive).unwrap().chart.values.unwrap().len(), 1);
    let ended = chart_with(&[vec![0; 1024], b"rubbish behind the end".to_vec()]);
    assert_eq!(load_archive(&ended).unwrap().chart.name(), "a");
    let linked = chart_with(&[member("a/link", b'2', 0, b""), member("a/dir/", b'5', 0, b"")]);
    assert_eq!(load_archive(&linked).unwrap().chart.raw.len(), 2);
}

#[test]
fn sizes_beyond_the_limit_are_refused_before_they_are_read() {
    let claimed = chart_with(&[member("a/big", b'0', 200 * 1024 * 1024, b"")]);
    assert_eq!(refusal(&claimed), "decompressed chart is larger than the maximum size 104857600");
    let many: Vec<Vec<u8>> =
        (0..3).map(|index| member(&format!("a/{index}"), b'0', 40 << 20, &vec![0; 40 << 20])).collect();
    assert_eq!(refusal(&chart_with(&many)), "decompressed chart is larger than the maximum size 104857600");
    let name_bomb = chart_with(&[member("a/x", b'L', 1 << 30, b"")]);
    assert_eq!(refusal(&name_bomb), "archive/tar: invalid tar header");
}

#[test]
fn broken_archives_are_refused() {
    assert_eq!(refusal(&gzip(b"")), "no files in chart archive");
    assert_eq!(refusal(&gzip(&[7; 512])), "archive/tar: invalid tar header");
    let cut = chart_with(&[member("a/x", b'0', 5000, b"short")]);
    assert_eq!(refusal(&cut), "unexpected EOF");
    let none = gzip(&member("a/README", b'0', 1, b"x"));
    assert_eq!(refusal(&none), "unable to detect chart version, no Chart.yaml found");
    let mut damaged = chart_with(&[member("a/x", b'0', 600, &[b'x'; 600])]);
    let middle = damaged.len() / 2;
    damaged.truncate(middle);
    assert!(matches!(load_archive(&damaged), Err(LoadError::Archive(ArchiveError::Compression(_)))));
}

#[test]
fn subcharts_in_archives_are_bounded_too() {
    let inner = chart_with(&[member("a/big", b'0', 200 << 20, b"")]);
    let outer = chart_with(&[member("a/charts/b.tgz", b'0', inner.len() as u64, &inner)]);
    assert_eq!(refusal(&outer), "error unpacking subchart b.tgz in a: unable to load chart archive");
}

proptest! {
    #[test]
    fn rubbish_is_refused_and_never_followed(name in "[ -~]{1,60}", data in prop::collection::vec(any::<u8>(), 0..900)) {
        let _ = load_archive(&gzip(&data));
        if let Ok(loaded) = load_archive(&chart_with(&[member(&name, b'0', 1, b"x")])) {
            for file in &loaded.chart.raw {
                prop_assert!(!file.name.starts_with('/') && !file.name.split('/').any(|part| part == ".."));
            }
        }
    }
}
