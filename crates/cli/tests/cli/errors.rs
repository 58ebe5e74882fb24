//! What a user reads when a chart is wrong. Each fixture is a small chart with one mistake.

use insta::assert_snapshot;

use crate::transcript::{Session, transcript};

#[test]
fn a_missing_value() {
    assert_snapshot!(transcript(&["template", "shop", "missing-value"]));
}

#[test]
fn a_field_of_nothing_deep_in_an_include() {
    assert_snapshot!(transcript(&["template", "shop", "nil-in-include"]));
}

#[test]
fn bad_yaml_after_rendering() {
    assert_snapshot!(transcript(&["template", "shop", "bad-yaml"]));
}

#[test]
fn values_that_violate_the_schema() {
    assert_snapshot!(transcript(&["template", "shop", "bad-values", "--set", "replicas=many,level=loud"]));
}

#[test]
fn a_file_that_violates_the_schema() {
    assert_snapshot!(transcript(&[
        "template",
        "shop",
        "bad-values",
        "-f",
        "bad-values/ci/wrong-values.yaml"
    ]));
}

#[test]
fn an_unknown_function() {
    assert_snapshot!(transcript(&["template", "shop", "unknown-function"]));
}

#[test]
fn a_cycle_of_includes() {
    assert_snapshot!(transcript(&["template", "shop", "include-cycle"]));
}

#[test]
fn a_missing_dependency() {
    assert_snapshot!(transcript(&["template", "shop", "missing-dependency"]));
}

#[test]
fn a_corrupt_archive() {
    let session = Session::new();
    let archive = session.home.path().join("shop-0.1.0.tgz");
    // The right magic number, and then nothing that gzip could make sense of.
    std::fs::write(&archive, [0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
    assert_snapshot!(session.transcript(&["template", "shop", archive.to_str().unwrap()]));
}

/// A gzipped tar archive of files, whatever their names.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, data) in files {
        let mut block = [0; 512];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[100..107].copy_from_slice(b"0000644");
        block[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
        block[148..156].fill(b' ');
        block[156] = b'0';
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend_from_slice(&block);
        tar.extend_from_slice(data);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &tar).unwrap();
    gzip.finish().unwrap()
}

#[test]
fn archives_that_mean_harm_or_are_broken() {
    let chart = b"apiVersion: v2\nname: shop\nversion: 0.1.0\n";
    let definition = ("shop/Chart.yaml", &chart[..]);
    let whole = archive(&[definition, ("shop/values.yaml", &[b'#'; 9000])]);
    let outside = archive(&[definition, ("shop/../../.ssh/authorized_keys", b"ssh-rsa")]);
    for (name, bytes) in [
        ("archive_parent", outside.clone()),
        ("archive_absolute", archive(&[definition, ("shop//etc/passwd", b"root")])),
        ("archive_beside", archive(&[definition, ("README.md", b"# Shop")])),
        ("archive_truncated", whole[..whole.len() / 2].to_vec()),
        ("archive_too_large", archive(&[definition, ("shop/disk.img", &vec![0; 101 << 20])])),
        ("archive_without_definition", archive(&[("shop/values.yaml", b"a: 1\n")])),
        ("archive_subchart", archive(&[definition, ("shop/charts/redis-1.0.0.tgz", &outside)])),
    ] {
        let session = Session::new();
        let file = session.home.path().join("shop-0.1.0.tgz");
        std::fs::write(&file, bytes).unwrap();
        assert_snapshot!(name, session.transcript(&["template", "shop", file.to_str().unwrap()]));
    }
}

#[test]
fn not_an_archive_at_all() {
    assert_snapshot!(transcript(&["template", "shop", "hello/values.yaml"]));
}

#[test]
fn a_chart_that_is_not_there() {
    assert_snapshot!("path_not_found", transcript(&["template", "shop", "./no-such-chart"]));
    assert_snapshot!("name_without_repository", transcript(&["template", "shop", "no-such-chart"]));
    assert_snapshot!("unknown_repository", transcript(&["template", "shop", "nowhere/chart"]));
}

#[test]
fn a_directory_that_is_not_a_chart() {
    assert_snapshot!(transcript(&["template", "shop", "."]));
}

#[test]
fn broken_files() {
    assert_snapshot!("broken_values", transcript(&["template", "shop", "broken-values"]));
    assert_snapshot!("broken_definition", transcript(&["template", "shop", "broken-definition"]));
    assert_snapshot!(
        "broken_values_file",
        transcript(&["template", "shop", "hello", "-f", "broken-values/values.yaml"])
    );
    assert_snapshot!(
        "missing_values_file",
        transcript(&["template", "shop", "hello", "-f", "no-such-file.yaml"])
    );
}

#[test]
fn bad_set() {
    assert_snapshot!("set_without_value", transcript(&["template", "shop", "hello", "--set", "greeting"]));
    assert_snapshot!("set_bad_index", transcript(&["template", "shop", "hello", "--set", "list[x]=1"]));
    assert_snapshot!("set_json", transcript(&["template", "shop", "hello", "--set-json", "greeting={"]));
}

#[test]
fn things_that_need_a_cluster() {
    assert_snapshot!("validate", transcript(&["template", "shop", "hello", "--validate"]));
    assert_snapshot!("dry_run_server", transcript(&["template", "shop", "hello", "--dry-run=server"]));
}
