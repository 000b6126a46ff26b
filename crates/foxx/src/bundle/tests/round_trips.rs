//! Any files survive an archive and a folder.

use proptest::prelude::*;

use super::*;

fn files() -> impl Strategy<Value = BTreeMap<String, Vec<u8>>> {
    let path = "[a-cä]{1,2}(/[a-c.]{1,2}x){0,3}";
    let contents = prop::collection::vec(any::<u8>(), 0..300);
    prop::collection::btree_map(path, contents, 0..8).prop_map(|mut files| {
        let all: Vec<String> = files.keys().cloned().collect();
        files.retain(|path, _| !all.iter().any(|other| other.starts_with(&format!("{path}/"))));
        files.insert(MANIFEST_NAME.to_owned(), b"{}".to_vec());
        files
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_bundle_survives_the_archive(files in files()) {
        let bundle = Bundle { files };
        let zip = bundle.zip().unwrap();
        let read = Bundle::of_zip(&zip, &SMALL).unwrap();
        prop_assert_eq!(&read, &bundle);
        prop_assert_eq!(read.zip().unwrap(), zip);
        prop_assert_eq!(read.checksum(), bundle.checksum());
    }

    #[test]
    fn changed_archives_are_refused_or_read(
        files in files(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut zip = Bundle { files }.zip().unwrap();
        for (at, byte) in changes {
            let at = at.index(zip.len());
            zip[at] = byte;
        }
        if let Ok(bundle) = Bundle::of_zip(&zip, &SMALL) {
            prop_assert_eq!(Bundle::of_zip(&bundle.zip().unwrap(), &SMALL).unwrap(), bundle);
        }
    }
}

proptest! {
    // Each case waits for the disk once for each file.
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_bundle_survives_the_folder(files in files()) {
        let bundle = Bundle { files };
        let apps = tempfile::tempdir().unwrap();
        let folder = apps.path().join("APP");
        bundle.unpack(&folder, &bundle.checksum()).unwrap();
        prop_assert!(Bundle::is_complete(&folder, &bundle.checksum()));
        prop_assert_eq!(Bundle::of_folder(&folder, &SMALL).unwrap(), bundle);
    }
}
