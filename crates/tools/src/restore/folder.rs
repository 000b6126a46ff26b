//! The contents of a dump's folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use velocypack::{Builder, Limits, Slice, json};

use super::options::Settings;
use crate::archive::info::Info;
use crate::archive::{key, names};
use crate::encrypted::Files;
use crate::{Console, Failure};

/// The dump of a database.
#[derive(Debug)]
pub(super) struct Dump {
    pub(super) info: Info,
    /// The collections in the order of their creation.
    pub(super) collections: Vec<Collection>,
    pub(super) views: Vec<View>,
}

/// A collection of a dump.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    pub(super) name: String,
    pub(super) is_edge: bool,
    /// The file of its structure.
    pub(super) file: PathBuf,
    /// `parameters` and `indexes`, a VelocyPack object.
    pub(super) structure: Vec<u8>,
    /// Its data files, in order.
    pub(super) data: Vec<PathBuf>,
}

/// A view of a dump.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) name: String,
    /// True if it consists of indexes, which must exist first.
    pub(super) is_alias: bool,
    /// The definition, as JSON.
    pub(super) definition: String,
}

impl Dump {
    /// Reads a folder. Errors: files that are unreadable or have an invalid content.
    pub(super) fn read(folder: &Path, settings: &Settings, console: &Console) -> Result<Self, Failure> {
        key::check(folder, &settings.files)?;
        let info = read_info(folder, settings, console)?;
        let mut files = Vec::new();
        for entry in folder.read_dir().map_err(|error| failure(folder, &error))? {
            let entry = entry.map_err(|error| failure(folder, &error))?;
            files.extend(entry.file_name().into_string());
        }
        files.sort();
        check_is_dump(folder, &files)?;
        let data = data_files(&files);
        let mut dump = Dump { info, collections: Vec::new(), views: Vec::new() };
        for file in &files {
            let path = folder.join(file);
            if let Some(stem) = file.strip_suffix(names::STRUCTURE) {
                if let Some(mut collection) = read_collection(&path, stem, settings)? {
                    let of = [
                        format!("{}_{}", collection.name, names::md5_hex(&collection.name)),
                        stem.to_owned(),
                        collection.name.clone(),
                    ];
                    let found = of.iter().find_map(|stem| data.get(stem.as_str()));
                    collection.data = found.into_iter().flatten().map(|file| folder.join(file)).collect();
                    dump.collections.push(collection);
                }
            } else if file.ends_with(names::VIEW) {
                dump.views.extend(read_view(&path, settings)?);
            }
        }
        dump.collections
            .sort_by_key(|found| (found.is_edge, !found.name.starts_with('_'), found.name.clone()));
        for (wanted, is_there) in settings
            .collections
            .iter()
            .map(|name| (name, dump.collections.iter().any(|found| found.name == *name)))
            .chain(
                settings.views.iter().map(|name| (name, dump.views.iter().any(|found| found.name == *name))),
            )
        {
            if !is_there {
                return Err(Failure::new(format!("{} has no {wanted:?}", folder.display())));
            }
        }
        Ok(dump)
    }
}

/// Returns the data files of each stem: one, or the parts from 0 on without a gap.
fn data_files(files: &[String]) -> BTreeMap<&str, Vec<&String>> {
    let mut parts: BTreeMap<&str, BTreeMap<Option<usize>, &String>> = BTreeMap::new();
    for file in files {
        if let Some((stem, part)) = names::parse_data_file(file) {
            let known = parts.entry(stem).or_default().entry(part).or_insert(file);
            // The readable one of several forms goes first, as in arangorestore.
            if known.len() > file.len() {
                *known = file;
            }
        }
    }
    parts.into_iter().map(|(stem, parts)| (stem, chosen(&parts))).collect()
}

fn chosen<'a>(parts: &BTreeMap<Option<usize>, &'a String>) -> Vec<&'a String> {
    match parts.get(&None) {
        Some(whole) => vec![*whole],
        None => (0..).map_while(|part| parts.get(&Some(part)).copied()).collect(),
    }
}

/// Checks that a folder is a dump.
///
/// Any other folder would be restored as an empty dump, and the restore would seem to have
/// succeeded.
fn check_is_dump(folder: &Path, files: &[String]) -> Result<(), Failure> {
    let is_of_dump = |file: &String| {
        file == names::INFO || file.ends_with(names::STRUCTURE) || file.ends_with(names::VIEW)
    };
    if files.iter().any(is_of_dump) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{} does not contain a dump; to restore several databases, each in its own folder, use --all-databases true",
        folder.display()
    )))
}

fn read_info(folder: &Path, settings: &Settings, console: &Console) -> Result<Info, Failure> {
    let path = folder.join(names::INFO);
    let info = settings.files.read(&path).ok().and_then(|text| Info::parse(&text));
    let Some(info) = info else {
        console.warning(&format!("{} is missing or cannot be read; dumps of 2.x have none", path.display()));
        return Ok(Info::default());
    };
    if info.is_complete == Some(false) && !settings.force {
        return Err(Failure::new(format!(
            "the dump in {} is incomplete because it was interrupted; --force restores what is there",
            folder.display()
        )));
    }
    Ok(info)
}

fn read_collection(path: &Path, stem: &str, settings: &Settings) -> Result<Option<Collection>, Failure> {
    let structure = read_json(path, &settings.files)?;
    let wrong = |what: &str| Failure::new(format!("{}: {what}", path.display()));
    let parameters = Slice::new(&structure).get("parameters").filter(|parameters| parameters.is_object());
    let parameters = parameters.ok_or_else(|| wrong("expecting an object with 'parameters'"))?;
    let name = parameters.get("name").and_then(Slice::as_str).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| wrong("'parameters.name' must be the collection's name"))?;
    // A name that cannot be a file's differs from that of its file.
    let named = if stem == name || !names::is_plain(name) { name } else { names::collection_of(stem) };
    let is_deleted = parameters.get("deleted").and_then(Slice::as_bool).unwrap_or(false);
    let is_wanted = |name| !is_deleted && settings.wants_collection(name);
    if named != name && settings.creates() && (is_wanted(name) || is_wanted(named)) {
        return Err(wrong(&format!(
            "the file's name does not fit the collection {name:?} in it; with --create-collection false the file's name counts"
        )));
    }
    // Users rename files to load documents into another collection.
    if !is_wanted(named) {
        return Ok(None);
    }
    let is_edge = parameters.get("type").and_then(Slice::as_u64) == Some(3);
    let name = named.to_owned();
    Ok(Some(Collection { name, is_edge, file: path.to_owned(), structure, data: Vec::new() }))
}

fn read_view(path: &Path, settings: &Settings) -> Result<Option<View>, Failure> {
    let definition = read_json(path, &settings.files)?;
    let definition = Slice::new(&definition);
    let text = |name: &str| definition.get(name).and_then(Slice::as_str);
    let name = text("name").ok_or_else(|| {
        Failure::new(format!("{}: expecting an object with the view's 'name'", path.display()))
    })?;
    let is_alias = text("type") == Some("search-alias");
    let view = View { name: name.to_owned(), is_alias, definition: definition.to_json_string() };
    Ok(settings.wants_view(name).then_some(view))
}

fn read_json(path: &Path, files: &Files) -> Result<Vec<u8>, Failure> {
    let text = files.read(path).map_err(|error| failure(path, &error))?;
    let mut builder = Builder::new();
    json::parse(&text, &Limits::default(), &mut builder).map_err(|error| {
        let hint = if files.are_encrypted() { format!("; {}", key::PROBABLY_WRONG) } else { String::new() };
        Failure::new(format!("{}: {error}{hint}", path.display()))
    })?;
    Ok(builder.into_vec())
}

pub(super) fn failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot be read: {error}", path.display()))
}
