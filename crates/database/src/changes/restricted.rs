//! Changes as the rules of collections let a user see them.
//!
//! A change is shown if its new document is visible. If only the previous one is, the document
//! looks removed. Without the previous document nobody can tell whether the user saw a removed one,
//! so such removals are not shown.

use std::borrow::Cow;
use std::sync::Arc;

use errors::Result;
use storage::{Change, ChangeKind, Documents, Restriction};
use velocypack::{Builder, Slice};

use crate::session::Session;
use crate::state::access_rules::UserRestrictions;

/// The form in which a user sees a change.
pub(super) enum Shown {
    Unchanged,
    Hidden,
    Changed { kind: ChangeKind, document: Vec<u8>, old: Option<Vec<u8>> },
}

/// Returns the forms of some changes; `None` if no rules restrict the user.
///
/// Errors: 11 for rules that cannot be understood, those of the rules.
pub(super) fn judge(session: &Session, changes: &[Change<'_>]) -> Result<Option<Vec<Shown>>> {
    let Some(restrictions) = session.restrictions() else { return Ok(None) };
    let shown = changes.iter().map(|change| judge_one(session, &restrictions, change));
    shown.collect::<Result<_>>().map(Some)
}

/// Returns the changes in their forms, without those that are hidden.
pub(super) fn apply<'s, 'c: 's>(
    changes: &'s [Change<'c>],
    shown: Option<&'s [Shown]>,
) -> Cow<'s, [Change<'s>]> {
    let Some(shown) = shown else { return Cow::Borrowed(changes) };
    let mut visible = Vec::with_capacity(changes.len());
    for (change, shown) in changes.iter().zip(shown) {
        match shown {
            Shown::Hidden => {}
            Shown::Unchanged => visible.push(*change),
            Shown::Changed { kind, document, old } => visible.push(Change {
                kind: *kind,
                document: Slice::new(document),
                old: old.as_deref().map(Slice::new),
                ..*change
            }),
        }
    }
    Cow::Owned(visible)
}

fn judge_one(session: &Session, restrictions: &UserRestrictions, change: &Change<'_>) -> Result<Shown> {
    let Some(changed) = change.collection.filter(|_| change.kind.is_of_document()) else {
        return Ok(Shown::Unchanged);
    };
    let catalog = session.catalog();
    let mut databases = catalog.databases();
    let collection = databases.find_map(|database| database.collection_by_id(changed.id));
    // The rules of a collection are gone with it.
    let Some(collection) = collection else { return Ok(Shown::Hidden) };
    let Some(rules) = restrictions.rules(collection.definition())? else { return Ok(Shown::Unchanged) };
    let name = collection.shared_name();
    let old = match change.old {
        Some(old) => shown(&*rules, old, name)?,
        None => None,
    };
    if change.kind == ChangeKind::Removed {
        return Ok(match old {
            Some(_) => Shown::Changed { kind: change.kind, document: change.document.bytes().to_vec(), old },
            None => Shown::Hidden,
        });
    }
    match (shown(&*rules, change.document, name)?, old) {
        (Some(document), old) => Ok(Shown::Changed { kind: change.kind, document, old }),
        (None, Some(old)) => {
            let document = removal(change.document)?;
            Ok(Shown::Changed { kind: ChangeKind::Removed, document, old: Some(old) })
        }
        (None, None) => Ok(Shown::Hidden),
    }
}

/// Returns a document as the user sees it; `None` if it is hidden.
fn shown(rules: &dyn Restriction, document: Slice<'_>, collection: &Arc<str>) -> Result<Option<Vec<u8>>> {
    let documents = rules.shown(Documents::of_bytes(document.bytes().to_vec(), collection))?;
    Ok(documents.get(0).map(|document| document.bytes().to_vec()))
}

/// Returns the `_key` and `_rev` of a document, as the change of a removed one has them.
fn removal(document: Slice<'_>) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    builder.open_object()?;
    for name in ["_key", "_rev"] {
        if let Some(value) = document.get(name) {
            builder.key(name)?;
            builder.add_slice(value)?;
        }
    }
    builder.close()?;
    Ok(builder.into_vec())
}
