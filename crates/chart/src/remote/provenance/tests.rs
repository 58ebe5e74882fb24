//! Against keys that `GnuPG` made and signatures that Helm made (`testdata/`).

use std::path::{Path, PathBuf};

use super::*;

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/remote/provenance/testdata").join(name)
}

fn ring(name: &str) -> Keyring {
    Keyring::load(&testdata(name)).unwrap()
}

fn archive() -> Vec<u8> {
    std::fs::read(testdata("signed-1.2.3.tgz")).unwrap()
}

fn check(provenance: &[u8], ring: &Keyring) -> Result<String, String> {
    verify(&archive(), provenance, "signed-1.2.3.tgz", ring)
        .map(|verification| verification.to_string())
        .map_err(|error| error.to_string())
}

const RSA: &str = "\
Signed by: Slipway Test RSA (no passphrase) <rsa@slipway.example>
Using Key With Fingerprint: 05F2ED232368A1BA6192A56A4BB9638D7A266CE3
Chart Hash Verified: sha256:";
const ED25519: &str = "\
Signed by: Slipway Test Ed25519 <ed25519@slipway.example>
Using Key With Fingerprint: FC2435F3E641BEF7EB930E1BE660A743EC702E26
Chart Hash Verified: sha256:";

#[test]
fn what_helm_signed_verifies_with_every_kind_of_keyring() {
    for keyring in ["public.gpg", "public.asc", "pubring.kbx", "secret.gpg"] {
        for (provenance, expected) in [("rsa.prov", RSA), ("ed25519.prov", ED25519)] {
            let provenance = std::fs::read(testdata(provenance)).unwrap();
            let said = check(&provenance, &ring(keyring));
            assert!(said.as_ref().is_ok_and(|said| said.starts_with(expected)), "{keyring}: {said:?}");
        }
    }
}

#[test]
fn what_is_signed_here_verifies_and_is_laid_out_as_helm_does() {
    let secret = ring("secret.gpg");
    let metadata = "apiVersion: v2\ndescription: '- a line that starts with a dash and one that does not'\nname: signed\nversion: 1.2.3\n";
    for (key, provenance, expected) in [("rsa@", "rsa.prov", RSA), ("ed25519@", "ed25519.prov", ED25519)] {
        let signer = secret.signer(key, &mut |_| Ok(b"correct horse".to_vec())).unwrap();
        let made = sign(&archive(), "signed-1.2.3.tgz", metadata, &signer).unwrap();
        let by_helm = std::fs::read_to_string(testdata(provenance)).unwrap();
        let until_signature = |text: &str| text.split("SIGNATURE").next().unwrap().to_owned();
        assert_eq!(until_signature(&made), until_signature(&by_helm));
        assert!(made.ends_with("-----END PGP SIGNATURE-----"));
        assert!(check(made.as_bytes(), &ring("public.gpg")).unwrap().starts_with(expected));
    }
}

#[test]
fn forgeries_are_refused() {
    let good = std::fs::read_to_string(testdata("rsa.prov")).unwrap();
    let public = ring("public.gpg");
    let refused = |provenance: &str| check(provenance.as_bytes(), &public).unwrap_err();
    assert_eq!(
        refused(&good.replace("version: 1.2.3", "version: 1.2.4")),
        "openpgp: invalid signature: RSA verification failure"
    );
    assert_eq!(refused("nothing"), "signature block not found");
    let other = verify(&archive(), good.as_bytes(), "other.tgz", &public).unwrap_err();
    assert_eq!(other.to_string(), "provenance does not contain a SHA for a file named \"other.tgz\"");
    let changed = verify(b"changed", good.as_bytes(), "signed-1.2.3.tgz", &public).unwrap_err().to_string();
    assert!(changed.starts_with("sha256 sum does not match for signed-1.2.3.tgz: \"sha256:"), "{changed}");
    assert_eq!(
        check(good.as_bytes(), &ring("expired-secret.gpg")).unwrap_err(),
        "openpgp: signature made by unknown entity"
    );
}

#[test]
fn expired_keys_do_not_count() {
    let secret = ring("expired-secret.gpg");
    let signer = secret.signer("expired@", &mut |_| Err("unasked".into())).unwrap();
    let made = sign(&archive(), "signed-1.2.3.tgz", "name: signed\n", &signer).unwrap();
    assert_eq!(check(made.as_bytes(), &ring("public.gpg")).unwrap_err(), "openpgp: key expired");
}

#[test]
fn keys_are_found_by_their_names() {
    let secret = ring("secret.gpg");
    let find = |ring: &Keyring, id: &str| {
        ring.signer(id, &mut |_| Err("no passphrase".into())).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(find(&secret, "rsa@"), Ok(()));
    assert_eq!(find(&secret, "Slipway Test RSA (no passphrase) <rsa@slipway.example>"), Ok(()));
    assert_eq!(find(&secret, "ed25519@"), Err("no passphrase".to_owned()));
    assert_eq!(find(&secret, "Slipway"), Err("more than one key contain the id \"Slipway\"".to_owned()));
    assert_eq!(find(&secret, "nobody"), Err("private key not found".to_owned()));
    assert_eq!(
        find(&ring("public.gpg"), "rsa@"),
        Err("provided key is not a private key. Try providing a keyring with secret keys".to_owned())
    );
}

#[test]
fn a_wrong_passphrase_is_said_to_be_one() {
    let secret = ring("secret.gpg");
    let mut asked = String::new();
    let signer = secret
        .signer("ed25519@", &mut |name| {
            name.clone_into(&mut asked);
            Ok(b"wrong".to_vec())
        })
        .unwrap();
    let error = sign(b"", "x.tgz", "", &signer).unwrap_err();
    assert_eq!(error.to_string(), "openpgp: invalid data: private key checksum failure");
    assert_eq!(asked, "Slipway Test Ed25519 <ed25519@slipway.example>");
}

#[test]
fn only_archives_with_provenance_are_verified() {
    let dir = tempfile::tempdir().unwrap();
    let said = |path: &Path| {
        verify_file(path, &provenance_path(path), &testdata("public.gpg")).unwrap_err().to_string()
    };
    assert_eq!(said(dir.path()), "unpacked charts cannot be verified");
    let plain = dir.path().join("x.txt");
    std::fs::write(&plain, "").unwrap();
    assert_eq!(said(&plain), "chart must be a tgz file");
    let lonely = dir.path().join("x.tgz");
    assert_eq!(said(&lonely), format!("stat {}: no such file or directory", lonely.display()));
    std::fs::write(&lonely, "").unwrap();
    let prov = provenance_path(&lonely).display().to_string();
    assert_eq!(
        said(&lonely),
        format!("could not load provenance file {prov}: stat {prov}: no such file or directory")
    );
}

#[test]
fn keyrings_that_are_none_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring");
    let load = |contents: &[u8]| {
        std::fs::write(&path, contents).unwrap();
        Keyring::load(&path).map(|ring| ring.keys.len()).map_err(|error| error.to_string())
    };
    let message = load(b"-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n").unwrap_err();
    assert!(message.ends_with("expected a public or private key block, got \"PGP SIGNATURE\""), "{message}");
    assert!(load(b"no keyring at all").is_err());
    assert_eq!(load(b""), Ok(0));
}
