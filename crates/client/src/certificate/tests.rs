use std::path::PathBuf;

use super::*;

fn file(name: &str) -> PathBuf {
    Path::new("src/tests").join(name)
}

#[test]
fn a_keyfile_has_names_a_time_and_its_key() {
    let (chain, keys_match) = Certificate::of_keyfile(&file("certificate.pem")).unwrap();
    let expected = Certificate {
        names: vec!["localhost".to_owned(), "127.0.0.1".to_owned()],
        not_before: 1_577_836_800,
        not_after: 4_733_510_400,
    };
    assert_eq!((chain, keys_match), (vec![expected.clone()], true));
    assert!(expected.is_for("LOCALHOST") && expected.is_for("127.0.0.1"));
    assert!(!expected.is_for("localhost.example") && !expected.is_for(""));
    let wildcard = Certificate { names: vec!["*.example.org".to_owned()], ..expected };
    assert!(wildcard.is_for("db.example.org"));
    assert!(!wildcard.is_for("a.db.example.org") && !wildcard.is_for("example.org"));
    let (chain, _) = Certificate::of_keyfile(&file("authority.pem")).unwrap();
    assert_eq!(chain[0].names, ["localhost"], "the common name");
}

#[test]
fn certificates_are_read_from_a_text() {
    let text = std::fs::read_to_string(file("certificate.pem")).unwrap();
    let other = std::fs::read_to_string(file("authority.pem")).unwrap();
    let facts = Certificate::of_pem(&(text + &other)).unwrap();
    assert_eq!(facts.len(), 2);
    assert_eq!(facts[0].names, ["localhost", "127.0.0.1"]);
    assert!(Certificate::of_pem("nothing").unwrap().is_empty());
    assert!(Certificate::of_pem("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").is_err());
}

#[test]
fn the_key_of_another_certificate_is_found() {
    let read = |name: &str| std::fs::read_to_string(file(name)).unwrap();
    let (own, other) = (read("certificate.pem"), read("authority.pem"));
    let key = other.find("-----BEGIN PRIVATE KEY").unwrap();
    let certificate = own.find("-----END CERTIFICATE-----\n").unwrap() + 26;
    let mixed = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(mixed.path(), [&own[..certificate], &other[key..]].concat()).unwrap();
    assert!(!Certificate::of_keyfile(mixed.path()).unwrap().1);
    std::fs::write(mixed.path(), &own[..certificate]).unwrap();
    let error = Certificate::of_keyfile(mixed.path()).unwrap_err().to_string();
    assert!(error.contains("no private key"), "{error}");
    std::fs::write(mixed.path(), "").unwrap();
    let error = Certificate::of_keyfile(mixed.path()).unwrap_err().to_string();
    assert!(error.contains("no certificate"), "{error}");
}

#[test]
fn broken_certificates_are_refused() {
    let der = CertificateDer::from_pem_file(file("certificate.pem")).unwrap();
    for end in 0..der.len() {
        assert!(x509::parse(&der[..end]).is_err(), "{end}");
    }
    for at in 0..der.len() {
        let mut broken = der.to_vec();
        broken[at] ^= 0xff;
        // A changed byte of a name or a key leaves a certificate.
        let _ = x509::parse(&broken);
    }
    let error = Certificate::parse(&der[..40]).unwrap_err().to_string();
    assert!(error.contains("not valid X.509"), "{error}");
}
