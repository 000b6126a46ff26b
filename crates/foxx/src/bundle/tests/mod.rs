mod archives;
mod folders;
mod round_trips;

use super::*;

/// Limits that tests reach.
const SMALL: Limits =
    Limits { packed_bytes: 1 << 20, unpacked_bytes: 1 << 20, entries: 50, path_bytes: 100, depth: 5 };

fn bundle(files: &[(&str, &str)]) -> Bundle {
    Bundle {
        files: files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
    }
}

fn paths(bundle: &Bundle) -> Vec<&str> {
    bundle.paths().collect()
}

#[test]
fn one_script_is_a_service() {
    let bundle = Bundle::of_script(b"module.exports = 1;", &SMALL).unwrap();
    assert_eq!(paths(&bundle), ["index.js", "manifest.json"]);
    assert_eq!(bundle.manifest().unwrap().main(), Some("index.js"));
    let error = Bundle::of_script(b"\xFF", &SMALL).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ServiceSourceError);
    assert!(Bundle::of_script(&vec![b' '; SMALL.unpacked_bytes + 1], &SMALL).is_err());
}

#[test]
fn a_manifest_without_main_has_index_js_if_it_is_there() {
    let main = |files: &[(&str, &str)]| bundle(files).manifest().unwrap().main().map(str::to_owned);
    assert_eq!(main(&[("manifest.json", "{}")]), None);
    assert_eq!(main(&[("manifest.json", "{}"), ("index.js", "")]).as_deref(), Some("index.js"));
    let in_lib = [("manifest.json", r#"{"lib": "src"}"#), ("index.js", "")];
    assert_eq!(main(&in_lib), None);
    let named = [("manifest.json", r#"{"main": "app"}"#), ("index.js", "")];
    assert_eq!(main(&named).as_deref(), Some("app"));
    assert_eq!(bundle(&[]).manifest().unwrap_err().code(), ErrorCode::ServiceManifestNotFound);
}

#[test]
fn files_are_found_as_people_and_modules_name_them() {
    let bundle = bundle(&[
        ("ReadMe", "other"),
        ("README.md", "text"),
        ("a.js", ""),
        ("b/index.js", ""),
        ("data.json", ""),
        ("test/x.js", ""),
        ("test/deep/y.js", ""),
        ("test/y.json", ""),
    ]);
    assert_eq!(bundle.readme(), Some(&b"text"[..]));
    let modules = ["a", "a.js", "b", "data", "c"].map(|path| bundle.module(path));
    assert_eq!(modules, [Some("a.js"), Some("a.js"), Some("b/index.js"), Some("data.json"), None]);
    let patterns = ["test/**/*.js", "a.js", "["].map(str::to_owned);
    assert_eq!(bundle.matching(&patterns), ["a.js", "test/deep/y.js", "test/x.js"]);
}

#[test]
fn the_checksum_tells_files_apart() {
    let of = |files: &[(&str, &str)]| bundle(files).checksum();
    // Computed by hand with sha256sum.
    assert_eq!(of(&[]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    let different = [
        of(&[("a", "b")]),
        of(&[("ab", "")]),
        of(&[("", "ab")]),
        of(&[("a", ""), ("b", "")]),
        of(&[("a", "b"), ("c", "")]),
    ];
    for (at, first) in different.iter().enumerate() {
        assert!(first.len() == 64 && !different[at + 1..].contains(first));
    }
}
