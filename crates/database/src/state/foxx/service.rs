//! A service as it is installed, and all services of a database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use foxx::{Manifest, Mount, Mounts, configuration, dependency};
use velocypack::{Builder, Slice};

/// The record of a service in the collection `_apps`.
///
/// Source: the form of ArangoDB's documents: `mount`, `checksum`, and in `options` the members
/// `development`, `legacy`, `configuration` and `dependencies`.
#[derive(Clone, Debug)]
pub struct ServiceRecord {
    /// The mount point.
    pub mount: Mount,
    /// The checksum of the bundle.
    pub checksum: String,
    /// True if the files of the service are read again for each request.
    pub is_development: bool,
    /// True if the service was installed for ArangoDB 2.8.
    pub is_legacy: bool,
    /// The values that users gave for the configuration: an object.
    pub configuration: Vec<u8>,
    /// The mount points that users gave for dependencies: an object.
    pub dependencies: Vec<u8>,
}

impl ServiceRecord {
    /// Reads a document of `_apps`. Errors: 3007, or 3013 if it describes no service.
    pub(crate) fn read(document: Slice<'_>) -> Result<Self> {
        let text = |name: &str| document.get(name).and_then(Slice::as_str).map(str::to_owned);
        let malformed = |what: &str| {
            let message = format!("a document of _apps has no {what}");
            Error::new(ErrorCode::ServiceOptionsMalformed, message)
        };
        let mount = Mount::parse(&text("mount").ok_or_else(|| malformed("mount"))?)?;
        let options = document.get("options");
        let option = |name: &str| options.and_then(|options| options.get(name));
        let flag = |name: &str| option(name).and_then(Slice::as_bool).unwrap_or(false);
        let object = |name: &str| match option(name).filter(|value| value.is_object()) {
            Some(value) => Ok(value.bytes().get(..value.byte_len()).unwrap_or_default().to_vec()),
            None => empty_object(),
        };
        Ok(ServiceRecord {
            mount,
            checksum: text("checksum").unwrap_or_default(),
            is_development: flag("development"),
            is_legacy: flag("legacy"),
            configuration: object("configuration")?,
            dependencies: object("dependencies")?,
        })
    }

    /// Writes the attributes of the document into an open object.
    pub(crate) fn write(&self, builder: &mut Builder) -> velocypack::Result<()> {
        builder.key("mount")?;
        builder.add_str(self.mount.as_str())?;
        builder.key("checksum")?;
        builder.add_str(&self.checksum)?;
        builder.key("options")?;
        builder.open_object()?;
        builder.key("development")?;
        builder.add_bool(self.is_development)?;
        builder.key("legacy")?;
        builder.add_bool(self.is_legacy)?;
        builder.key("configuration")?;
        builder.add_slice(Slice::new(&self.configuration))?;
        builder.key("dependencies")?;
        builder.add_slice(Slice::new(&self.dependencies))?;
        builder.close()
    }
}

fn empty_object() -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    builder.open_object()?;
    builder.close()?;
    Ok(builder.into_vec())
}

/// A service that is installed in a database.
#[derive(Debug)]
pub struct InstalledService {
    record: ServiceRecord,
    folder: PathBuf,
    /// The manifest at the time when the service was read.
    manifest: Result<Arc<Manifest>>,
}

impl InstalledService {
    /// Reads the manifest of a service whose files are in a folder.
    pub fn read(record: ServiceRecord, folder: PathBuf) -> Self {
        let manifest = read_manifest(&folder);
        InstalledService { record, folder, manifest }
    }

    /// Returns what the collection of services has of it.
    pub fn record(&self) -> &ServiceRecord {
        &self.record
    }

    /// Returns the mount point.
    pub fn mount(&self) -> &str {
        self.record.mount.as_str()
    }

    /// Returns true if the files of the service are read again for each request.
    pub fn is_development(&self) -> bool {
        self.record.is_development
    }

    /// Returns the folder of the files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the manifest; the present one in development.
    ///
    /// Errors: those of reading it.
    pub fn manifest(&self) -> Result<Arc<Manifest>> {
        match self.is_development() {
            true => read_manifest(&self.folder),
            false => self.manifest.clone(),
        }
    }

    /// Returns the service as the runtime sees it: a VelocyPack object.
    ///
    /// Errors: those of reading the manifest.
    pub fn description(&self) -> Result<Vec<u8>> {
        let manifest = self.manifest()?;
        let set = Slice::new(&self.record.configuration);
        let assigned = Slice::new(&self.record.dependencies);
        let mut builder = Builder::with_capacity(1_024);
        builder.open_object()?;
        for (name, text) in [
            ("mount", self.mount()),
            ("basePath", &self.folder.to_string_lossy()),
            ("checksum", &self.record.checksum),
            ("collectionPrefix", &self.record.mount.collection_prefix()),
        ] {
            builder.key(name)?;
            builder.add_str(text)?;
        }
        builder.key("development")?;
        builder.add_bool(self.is_development())?;
        builder.key("manifest")?;
        builder.add_slice(Slice::new(&manifest.to_velocypack()?))?;
        builder.key("configuration")?;
        builder.add_slice(Slice::new(&configuration::values(&manifest, set)?))?;
        builder.key("dependencies")?;
        builder.add_slice(Slice::new(&dependency::values(&manifest, assigned)?))?;
        builder.key("unmet")?;
        builder.open_array()?;
        for text in
            configuration::missing(&manifest, set).iter().chain(&dependency::missing(&manifest, assigned))
        {
            builder.add_str(text)?;
        }
        builder.close()?;
        builder.close()?;
        Ok(builder.into_vec())
    }
}

fn read_manifest(folder: &Path) -> Result<Arc<Manifest>> {
    Manifest::of_folder(folder).map(Arc::new)
}

/// The services of a database at one moment.
#[derive(Debug, Default)]
pub struct ServiceSet {
    services: Mounts<Arc<InstalledService>>,
}

impl ServiceSet {
    /// Returns the service at a mount point.
    pub fn get(&self, mount: &str) -> Option<&Arc<InstalledService>> {
        self.services.get(mount)
    }

    /// Returns the service that answers a path: the one with the longest mount point.
    pub fn at(&self, path: &str) -> Option<&Arc<InstalledService>> {
        self.services.find(path).map(|(_, service)| service)
    }

    /// Returns all services in the order of their mount points.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<InstalledService>> {
        self.services.iter().map(|(_, service)| service)
    }

    /// Returns the same services, but for one that takes the place at its mount point.
    pub fn with(&self, service: Arc<InstalledService>) -> Self {
        let others = self.services.iter().map(|(mount, service)| (mount.clone(), Arc::clone(service)));
        let mut services: Mounts<_> = others.collect();
        services.insert(service.record.mount.clone(), service);
        ServiceSet { services }
    }
}

impl FromIterator<InstalledService> for ServiceSet {
    fn from_iter<I: IntoIterator<Item = InstalledService>>(services: I) -> Self {
        let entries = services.into_iter().map(|service| (service.record.mount.clone(), Arc::new(service)));
        ServiceSet { services: entries.collect() }
    }
}
