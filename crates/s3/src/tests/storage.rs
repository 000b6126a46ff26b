use std::collections::BTreeMap;
use std::io;

use sha2::{Digest, Sha256};
use test_s3::{Fault, Storage};

use crate::signature::hexadecimal;
use crate::upload::PART_BYTES;
use crate::{Bucket, BucketOptions, Error};

fn bucket(storage: &Storage, path: &str) -> Bucket {
    let settings =
        [("access_key_id", "key"), ("secret_access_key", "secret"), ("endpoint", storage.endpoint())];
    let settings: BTreeMap<String, String> =
        settings.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Bucket::new(BucketOptions::read(path, &settings).unwrap()).unwrap()
}

fn bytes(count: u64) -> Vec<u8> {
    (0..count).map(|number| (number * number % 251) as u8).collect()
}

fn sha256(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

fn read(bucket: &Bucket, key: &str) -> Vec<u8> {
    let mut content = Vec::new();
    bucket
        .read(key, &mut |piece| {
            content.extend_from_slice(piece);
            Ok(())
        })
        .unwrap();
    content
}

fn upload(bucket: &Bucket, key: &str, content: &[u8]) -> crate::Result<u64> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let mut noted = 0;
    bucket.put_file(key, file.path(), &sha256(content), &mut |bytes| {
        noted += bytes;
        Ok(())
    })?;
    Ok(noted)
}

#[test]
fn objects_are_written_read_listed_and_removed() {
    let storage = Storage::start().unwrap();
    let bucket = bucket(&storage, "backups/a folder");
    assert_eq!(bucket.get("one").unwrap(), None);
    for number in 0..8 {
        bucket.put(&format!("files/{number} ü+&"), vec![7; number]).unwrap();
    }
    bucket.put("other", "").unwrap();
    assert_eq!(bucket.get("files/3 ü+&").unwrap().as_deref(), Some(&[7, 7, 7][..]));
    let listing = bucket.list("files/").unwrap();
    let sizes: Vec<u64> = listing.objects.iter().map(|object| object.size_bytes).collect();
    assert_eq!(sizes, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!((listing.now_seconds - listing.objects[0].modified_seconds).abs() < 60, "{listing:?}");
    bucket.delete("other").unwrap();
    bucket.delete("other").unwrap();
    assert_eq!(bucket.get("other").unwrap(), None);
    assert!(storage.keys().iter().all(|key| key.starts_with("a folder/files/")));
}

#[test]
fn large_files_go_in_parts() {
    let storage = Storage::start().unwrap();
    let bucket = bucket(&storage, "backups");
    for size in [0, 1, PART_BYTES - 1, PART_BYTES, 2 * PART_BYTES, 2 * PART_BYTES + 1] {
        let content = bytes(size);
        assert_eq!(upload(&bucket, "large", &content).unwrap(), size);
        assert!(read(&bucket, "large") == content, "{size}");
    }
    assert_eq!(storage.open_uploads(), 0);
}

#[test]
fn busy_storages_and_broken_connections_are_asked_again() {
    let storage = Storage::start().unwrap();
    let bucket = bucket(&storage, "backups");
    let content = bytes(3_000_000);
    storage.fail(&[Fault::Busy, Fault::Busy]);
    upload(&bucket, "a", &content).unwrap();
    storage.fail(&[Fault::Half, Fault::Busy, Fault::Half]);
    assert!(read(&bucket, "a") == content);
    let ranges = storage.requests().iter().filter(|request| request.starts_with("GET")).count();
    assert_eq!(ranges, 4);
}

#[test]
fn refusals_have_the_words_of_the_storage() {
    let storage = Storage::start().unwrap();
    let granted = bucket(&storage, "backups");
    storage.fail(&[Fault::Denied]);
    let message = granted.put("a", "x").unwrap_err().to_string();
    assert_eq!(message, "PUT a: the storage answers with status 403, AccessDenied: a test of AccessDenied");
    let missing = bucket(&storage, "elsewhere").get("a").unwrap_err().to_string();
    assert!(missing.contains("NoSuchBucket"), "{missing}");
    let error = granted.read("none", &mut |_| Ok(())).unwrap_err();
    assert!(error.is_missing(), "{error}");
}

#[test]
fn a_broken_off_upload_leaves_nothing() {
    let storage = Storage::start().unwrap();
    let bucket = bucket(&storage, "backups");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes(2 * PART_BYTES)).unwrap();
    let wrong = bucket.put_file("a", file.path(), &sha256(b"other"), &mut |_| Ok(())).unwrap_err();
    assert!(matches!(wrong, Error::Changed { .. }), "{wrong}");
    let sha256 = sha256(&bytes(2 * PART_BYTES));
    let ended = bucket.put_file("a", file.path(), &sha256, &mut |_| Err(io::Error::other("ended")));
    assert_eq!(ended.unwrap_err().to_string(), "ended");
    assert_eq!((storage.keys(), storage.open_uploads()), (vec![], 0));
}
