//! The collections and views of a database, as the server lists them.

use std::collections::BTreeSet;

use velocypack::Slice;

use super::masking::Treatment;
use super::options::Settings;
use crate::Failure;
use crate::archive::names;

/// A collection to dump.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    pub(super) name: String,
    /// The beginning of the names of its files.
    pub(super) stem: String,
    /// Indexes and parameters, as JSON.
    pub(super) structure: String,
    /// True if its documents are dumped.
    pub(super) with_data: bool,
}

/// A view to dump.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) name: String,
    pub(super) id: String,
    /// Its definition, as JSON.
    pub(super) definition: String,
}

/// The part of a database that is dumped.
#[derive(Debug)]
pub(super) struct Inventory {
    pub(super) tick: String,
    pub(super) properties: Option<String>,
    pub(super) collections: Vec<Collection>,
    pub(super) views: Vec<View>,
    /// The system collections that the options leave out.
    pub(super) without: Vec<String>,
}

impl Inventory {
    /// Reads the server's reply and omits unwanted collections and views.
    ///
    /// Errors: a requested collection does not exist.
    pub(super) fn read(reply: Slice<'_>, settings: &Settings) -> Result<Self, Failure> {
        let text = |value: Slice<'_>, name: &str| {
            value.get(name).and_then(Slice::as_str).unwrap_or_default().to_owned()
        };
        let (mut collections, mut known, mut without) = (Vec::new(), BTreeSet::new(), Vec::new());
        for found in reply.get("collections").into_iter().flat_map(Slice::elements) {
            let Some(parameters) = found.get("parameters") else { continue };
            let name = text(parameters, "name");
            let is_deleted = parameters.get("deleted").and_then(Slice::as_bool).unwrap_or(false);
            if is_deleted || name.is_empty() {
                continue;
            }
            known.insert(name.clone());
            let Some(treatment) = treatment(&name, settings) else {
                let is_by_default = settings.collections.is_empty() && !settings.ignored.contains(&name);
                if is_by_default && name.starts_with('_') && !settings.include_system {
                    without.push(name);
                }
                continue;
            };
            let id = [text(parameters, "cid"), text(parameters, "id")].into_iter().find(|id| !id.is_empty());
            collections.push(Collection {
                stem: names::stem(&name, &id.unwrap_or_default()),
                structure: found.to_json_string(),
                with_data: settings.dump_data && treatment != Treatment::Structure,
                name,
            });
        }
        // A collection that maskings exclude exists nevertheless.
        if let Some(missing) = settings.collections.iter().find(|wanted| !known.contains(*wanted)) {
            let hint = if missing.starts_with('_') { "; try --include-system-collections true" } else { "" };
            return Err(Failure::new(format!("the database has no collection {missing:?} to dump{hint}")));
        }
        let mut views = Vec::new();
        for found in reply.get("views").into_iter().flat_map(Slice::elements).filter(|_| settings.dump_views)
        {
            views.push(View {
                name: text(found, "name"),
                id: text(found, "id"),
                definition: found.to_json_string(),
            });
        }
        let properties = reply.get("properties").filter(|properties| properties.is_object());
        let properties = properties.map(Slice::to_json_string);
        Ok(Inventory { tick: text(reply, "tick"), properties, collections, views, without })
    }
}

/// Returns the treatment of a collection; `None` if it is omitted.
fn treatment(name: &str, settings: &Settings) -> Option<Treatment> {
    let is_named = settings.collections.iter().any(|wanted| wanted == name);
    let is_wanted = if settings.collections.is_empty() {
        settings.include_system || !name.starts_with('_')
    } else {
        is_named
    };
    if !is_wanted || settings.ignored.iter().any(|ignored| ignored == name) {
        return None;
    }
    let treatment = settings.maskings.as_ref().map_or(Treatment::Full, |maskings| maskings.treatment(name));
    (treatment != Treatment::Exclude).then_some(treatment)
}
