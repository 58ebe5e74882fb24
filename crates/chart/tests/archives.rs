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
fn paths_that_mean_harm_are_refused() {
    for (name, message) in [
        ("a/../../etc/passwd", "chart illegally references parent directory"),
        ("a/templates/../../x", "chart illegally references parent directory"),
        ("a/..", "chart illegally references parent directory"),
        ("a//etc/passwd", "chart illegally contains absolute paths"),
        ("a\\..\\..\\x", "chart illegally references parent directory"),
        ("a/c:/windows", "chart contains illegally named files"),
        ("elsewhere", "chart illegally contains content outside the base directory: \"elsewhere\""),
        ("Chart.yaml/x", "chart yaml not in base directory"),
    ] {
        assert_eq!(refusal(&chart_with(&[member(name, b'0', 1, b"x")])), message, "{name}");
    }
    // The part that all names share is taken off, whatever it is: this is the file etc/passwd of the chart.
    let rooted = load_archive(&chart_with(&[member("/etc/passwd", b'0', 1, b"x")])).unwrap().chart;
    assert_eq!(rooted.files[0].name, "etc/passwd");
}

#[test]
fn links_hold_nothing_and_lead_nowhere() {
    for kind in [b'1', b'2', b'3', b'4', b'6'] {
        let chart = load_archive(&chart_with(&[member("a/templates/x.yaml", kind, 700, b"")])).unwrap().chart;
        assert_eq!(chart.templates[0].data.len(), 0, "kind {}", char::from(kind));
    }
}

#[test]
fn marks_at_the_start_of_files_are_left_out() {
    let marked = |text: &str| format!("\u{feff}{text}").into_bytes();
    let file = |name: &str, text: &str| {
        let data = marked(text);
        member(name, b'0', data.len() as u64, &data)
    };
    let chart = String::from_utf8_lossy(CHART);
    let tar =
        [file("a/Chart.yaml", &chart), file("a/values.yaml", "x: 1\n"), file("a/templates/t", "kind: A\n")];
    let chart = load_archive(&gzip(&tar.concat())).unwrap().chart;
    assert_eq!((chart.name(), chart.values.as_ref().unwrap().len()), ("a", 1));
    assert_eq!(chart.templates[0].text(), "kind: A\n");
}

#[test]
fn charts_of_every_generation_are_loaded() {
    for (version, loads_as) in
        [("apiVersion: v1\n", "v1"), ("", "v1"), ("apiVersion: v2\n", "v2"), ("apiVersion: v3\n", "v3")]
    {
        let text = format!("{version}name: a\nversion: 0.1.0\n");
        let tar = member("a/Chart.yaml", b'0', text.len() as u64, text.as_bytes());
        assert_eq!(load_archive(&gzip(&tar)).unwrap().chart.metadata.api_version, loads_as);
    }
    let text = b"apiVersion: v4\nname: a\nversion: 0.1.0\n";
    assert_eq!(
        refusal(&gzip(&member("a/Chart.yaml", b'0', text.len() as u64, text))),
        "unsupported chart version"
    );
}

#[test]
fn sizes_that_no_file_can_have_are_refused() {
    let with_size = |field: &[u8; 12]| {
        let mut block = member("a/x", b'0', 0, b"");
        block[124..136].copy_from_slice(field);
        block[148..156].copy_from_slice(b"        ");
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        refusal(&chart_with(&[block]))
    };
    let header = "archive/tar: invalid tar header";
    assert_eq!(with_size(b"\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"), header);
    assert_eq!(with_size(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), header);
    assert_eq!(with_size(b"777x7777777\0"), header);
    let too_large = "decompressed chart is larger than the maximum size 104857600";
    assert_eq!(with_size(b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff"), too_large);
    let record = |record: &str| {
        let members =
            [member("x", b'x', record.len() as u64, record.as_bytes()), member("a/x", b'0', 1, b"x")];
        refusal(&chart_with(&members))
    };
    assert_eq!(record("29 size=18446744073709551615\n"), header);
    assert_eq!(record("28 size=9223372036854775808\n"), header);
    assert_eq!(record("11 size=-1\n"), header);
    assert_eq!(record("28 size=9223372036854775807\n"), too_large);
    assert_eq!(record("99 path=a\n"), header);
}

#[test]
fn files_without_end_are_refused() {
    let empty = member("a/x", b'0', 0, b"");
    assert_eq!(refusal(&chart_with(&[empty.repeat(100_001)])), "chart archive holds more than 100000 files");
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
    assert_eq!(
        refusal(&outer),
        "error unpacking subchart b.tgz in a: decompressed chart is larger than the maximum size 104857600"
    );
}

#[test]
fn charts_within_charts_without_end_are_refused() {
    let unpacked = |depth: usize| {
        let charts = (1..=depth).map(|level| {
            let data = CHART.to_vec();
            let name = format!("a/{}Chart.yaml", "charts/a/".repeat(level));
            let long = [member("x", b'L', name.len() as u64, name.as_bytes())].concat();
            [long, member("a/x", b'0', data.len() as u64, &data)].concat()
        });
        chart_with(&charts.collect::<Vec<_>>())
    };
    assert!(load_archive(&unpacked(100)).is_ok());
    assert_eq!(refusal(&unpacked(101)), "charts are nested more than 100 deep");

    let mut packed = chart_with(&[]);
    for _ in 0..101 {
        packed = chart_with(&[member("a/charts/a.tgz", b'0', packed.len() as u64, &packed)]);
    }
    assert_eq!(refusal(&packed), "charts are nested more than 100 deep");
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
