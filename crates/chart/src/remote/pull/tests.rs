//! `pull` into directories.

use super::*;
use crate::remote::notice::Transcript;
use crate::remote::testing::{Server, archive, remote};

#[tokio::test]
async fn charts_are_pulled_and_unpacked() {
    let home = tempfile::tempdir().unwrap();
    let remote = remote(home.path());
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/remote/provenance/testdata");
    let read = |name: &str| std::fs::read(data.join(name)).unwrap();
    let server = Server::with_files([
        ("/signed-1.2.3.tgz".to_owned(), read("signed-1.2.3.tgz")),
        ("/signed-1.2.3.tgz.prov".to_owned(), read("rsa.prov")),
    ]);
    let destination = home.path().join("out");
    std::fs::create_dir(&destination).unwrap();
    let mut options =
        PullOptions { destination: destination.clone(), provenance: true, ..PullOptions::default() };
    let mut heard = Transcript::default();
    let address = server.url("/signed-1.2.3.tgz");
    remote.pull(&address, &options, &mut heard).await.unwrap();
    assert!(destination.join("signed-1.2.3.tgz").exists());
    assert!(destination.join("signed-1.2.3.tgz.prov").exists());
    assert_eq!(heard.said, "");

    options.source.verify = true;
    options.source.keyring = data.join("public.gpg");
    options.untar = true;
    options.untar_dir = "deep".into();
    remote.pull(&address, &options, &mut heard).await.unwrap();
    assert!(heard.said.starts_with("Signed by: Slipway Test RSA (no passphrase) <rsa@slipway.example>\n"));
    assert_eq!(
        std::fs::read_to_string(destination.join("deep/signed/values.yaml")).unwrap(),
        "replicas: 1\n"
    );
    let again = remote.pull(&address, &options, &mut heard).await.unwrap_err();
    let there = destination.join("deep/signed-1.2.3.tgz");
    assert_eq!(
        again.to_string(),
        format!("failed to untar: a file or directory with the name {} already exists", there.display())
    );
}

#[test]
fn unpacking_stays_in_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    unpack(dir.path(), &archive("app", "1.0.0")).unwrap();
    assert!(dir.path().join("app/Chart.yaml").exists());
    let outside = tempfile::tempdir().unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path(), dir.path().join("linked")).unwrap();
        let error = unpack(dir.path(), &archive("linked", "1.0.0")).unwrap_err();
        assert_eq!(error.to_string(), "linked/Chart.yaml leaves the chart's directory");
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    assert_eq!(unpack(dir.path(), b"no archive").unwrap_err().to_string(), "gzip: invalid header");
}
