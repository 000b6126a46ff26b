//! Any bytes as the bundle of a service, as its manifest and as a mount point: they are refused, or
//! what is read survives being written.
//!
//! Random changes of an archive rarely keep its checksums right. So the bytes are also the manifest
//! of a bundle that is made of them.

use foxx::{Bundle, Limits, MANIFEST_NAME, Manifest, Mount, Version};
use velocypack::Slice;

const LIMITS: Limits =
    Limits { packed_bytes: 1 << 20, unpacked_bytes: 1 << 20, entries: 100, path_bytes: 256, depth: 16 };

pub(crate) fn run(bytes: &[u8]) {
    if let Ok(bundle) = Bundle::of_zip(bytes, &LIMITS) {
        let is_outside = |path: &str| path.starts_with('/') || path.split('/').any(|part| part == "..");
        assert!(!bundle.paths().any(is_outside), "paths stay in the bundle");
        let packed = bundle.zip().expect("what was unpacked can be packed");
        assert_eq!(Bundle::of_zip(&packed, &LIMITS).as_ref(), Ok(&bundle), "the archive has the same files");
        if let Some(text) = bundle.file(MANIFEST_NAME) {
            manifest(text, &bundle);
        }
    }
    let script = Bundle::of_script(bytes, &LIMITS);
    let script = script.unwrap_or_else(|_| Bundle::of_script(b"", &LIMITS).expect("an empty script is one"));
    manifest(bytes, &script);
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(mount) = Mount::parse(text)
    {
        assert!(mount.matches(text) && !mount.folder("_system").contains(".."));
    }
}

/// Reads a manifest, and the normalized one, which must be the same again.
fn manifest(text: &[u8], bundle: &Bundle) {
    let Ok(manifest) = Manifest::parse(text) else { return };
    let normalized = manifest.to_velocypack().expect("a manifest has a normalized form");
    let text = velocypack::json::to_json_string(Slice::new(&normalized), None);
    let again = Manifest::parse(text.as_bytes()).expect("a normalized manifest is valid");
    let twice = again.to_velocypack().expect("a manifest has a normalized form");
    assert_eq!(text, velocypack::json::to_json_string(Slice::new(&twice), None));
    if let Some(server) = Version::parse("3.12.0") {
        let _ = manifest.check_engine(&server);
    }
    bundle.matching(manifest.tests());
    let nothing = Slice::EMPTY_OBJECT;
    for described in [
        foxx::configuration::describe(&manifest, nothing, &[]),
        foxx::configuration::values(&manifest, nothing),
        foxx::dependency::describe(&manifest, nothing, &[]),
        foxx::dependency::values(&manifest, nothing),
    ] {
        described.expect("what a manifest defines can be shown");
    }
}
