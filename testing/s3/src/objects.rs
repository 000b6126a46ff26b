//! The objects, and the uploads in parts.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// The minimum size in bytes of a part that is not the last.
const PART_BYTES_MIN: usize = 5 << 20;

#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) content: Vec<u8>,
    pub(crate) seconds: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Objects {
    objects: BTreeMap<String, Object>,
    uploads: BTreeMap<String, Upload>,
    last_upload: u64,
}

#[derive(Debug)]
struct Upload {
    key: String,
    parts: BTreeMap<u32, Vec<u8>>,
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl Objects {
    pub(crate) fn keys(&self) -> Vec<String> {
        self.objects.keys().cloned().collect()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Object> {
        self.objects.get(key)
    }

    pub(crate) fn put(&mut self, key: &str, content: Vec<u8>) {
        self.objects.insert(key.to_owned(), Object { content, seconds: now() });
    }

    pub(crate) fn delete(&mut self, key: &str) {
        self.objects.remove(key);
    }

    /// Returns at most `count` objects after the key `after` that begin with `prefix`.
    pub(crate) fn list(&self, prefix: &str, after: &str, count: usize) -> Vec<(&String, &Object)> {
        let behind = self.objects.iter().filter(|(key, _)| key.starts_with(prefix) && key.as_str() > after);
        behind.take(count).collect()
    }

    pub(crate) fn age(&mut self, seconds: u64) {
        for object in self.objects.values_mut() {
            object.seconds = object.seconds.saturating_sub(seconds);
        }
    }

    pub(crate) fn open_uploads(&self) -> usize {
        self.uploads.len()
    }

    pub(crate) fn uploads(&self, prefix: &str) -> Vec<(String, String)> {
        let uploads = self.uploads.iter().filter(|(_, upload)| upload.key.starts_with(prefix));
        uploads.map(|(id, upload)| (id.clone(), upload.key.clone())).collect()
    }

    pub(crate) fn begin(&mut self, key: &str) -> String {
        self.last_upload += 1;
        let id = format!("upload/{}+=", self.last_upload);
        self.uploads.insert(id.clone(), Upload { key: key.to_owned(), parts: BTreeMap::new() });
        id
    }

    /// Takes a part. Returns false for an unknown upload.
    pub(crate) fn add_part(&mut self, id: &str, number: u32, content: Vec<u8>) -> bool {
        let upload = self.uploads.get_mut(id);
        upload.map(|upload| upload.parts.insert(number, content)).is_some()
    }

    pub(crate) fn abort(&mut self, id: &str) {
        self.uploads.remove(id);
    }

    /// Makes the object of an upload. Error: S3's code.
    pub(crate) fn complete(&mut self, id: &str) -> Result<(), &'static str> {
        let upload = self.uploads.get(id).ok_or("NoSuchUpload")?;
        let sizes: Vec<usize> = upload.parts.values().map(Vec::len).collect();
        let all_but_last = sizes.get(..sizes.len().saturating_sub(1)).unwrap_or_default();
        if all_but_last.iter().any(|size| *size < PART_BYTES_MIN) {
            return Err("EntityTooSmall");
        }
        if let Some(upload) = self.uploads.remove(id) {
            self.put(&upload.key, upload.parts.into_values().flatten().collect());
        }
        Ok(())
    }
}
