//! The body of a search.

use errors::Result;
use velocypack::Slice;

use super::filter::Filter;
use super::highlight::Marks;
use super::nearest::Nearest;
use super::wrong::wrong;

/// Bytes of the longest query text.
const TEXT_MAX_BYTES: usize = 1024;
/// Maximum number of fields that are searched.
const FIELDS_MAX: usize = 20;
/// Maximum number of facets.
const FACETS_MAX: usize = 10;
/// Default and maximum number of values of a facet.
const FACET_VALUES: (u64, u64) = (10, 1000);
/// Default and maximum number of hits.
const LIMIT: (u64, u64) = (20, 1000);
/// Maximum number of hits that are passed over.
const OFFSET_MAX: u64 = 100_000;
/// Maximum number of words with synonyms, and of synonyms of a word.
const SYNONYMS_MAX: usize = 100;
/// Maximum number of attributes that are returned.
const ATTRIBUTES_MAX: usize = 100;
/// Greatest boost of a field.
const BOOST_MAX: f64 = 1000.0;

/// The names of all settings.
const NAMES: &[&str] = &[
    "query",
    "fields",
    "filter",
    "bindVars",
    "facets",
    "facetLimit",
    "highlight",
    "typos",
    "prefix",
    "matching",
    "synonyms",
    "vector",
    "offset",
    "limit",
    "attributes",
];

/// The settings of a search, checked.
pub(super) struct Settings<'s> {
    pub(super) text: &'s str,
    /// The attributes to search with their boosts; none for all that the view has words of.
    pub(super) fields: Vec<(&'s str, f64)>,
    pub(super) filter: Filter<'s>,
    pub(super) facets: Vec<&'s str>,
    pub(super) facet_limit: u64,
    pub(super) marks: Option<Marks<'s>>,
    /// Words with typing errors match too.
    pub(super) typos: bool,
    /// The last word may be the beginning of one.
    pub(super) prefix: bool,
    /// Each word must match, not only one.
    pub(super) needs_all: bool,
    /// Words in lower case with the texts that may stand for them.
    pub(super) synonyms: Vec<(String, Vec<&'s str>)>,
    pub(super) nearest: Option<Nearest<'s>>,
    pub(super) offset: u64,
    pub(super) limit: u64,
    /// The attributes to return; none for the whole document.
    pub(super) attributes: Vec<&'s str>,
}

impl<'s> Settings<'s> {
    /// Reads a body. Errors: 10 for settings of other names, types or sizes.
    pub(super) fn of(body: Slice<'s>) -> Result<Self> {
        if let Some((name, _)) = body.entries().find(|(name, _)| !NAMES.contains(name)) {
            return Err(wrong(name, &format!("is unknown; known are {}", NAMES.join(", "))));
        }
        let text =
            body.get("query").map_or(Some(""), Slice::as_str).filter(|text| text.len() <= TEXT_MAX_BYTES);
        let text =
            text.ok_or_else(|| wrong("query", &format!("must be a text of at most {TEXT_MAX_BYTES} bytes")))?;
        let nearest = given(body, "vector").map(Nearest::of).transpose()?;
        let marks = match given(body, "highlight") {
            Some(value) if value.as_bool() == Some(false) => None,
            Some(value) => Some(Marks::of(value)?),
            None => None,
        };
        if marks.is_some() && nearest.is_some() {
            return Err(wrong("highlight", "is not possible together with 'vector'"));
        }
        let matching = given(body, "matching").map_or(Some("all"), Slice::as_str);
        let needs_all = match matching {
            Some("all") => true,
            Some("any") => false,
            _ => return Err(wrong("matching", "must be \"all\" or \"any\"")),
        };
        Ok(Settings {
            text,
            fields: fields(body)?,
            filter: Filter::of(given(body, "filter"), given(body, "bindVars"))?,
            facets: texts(body, "facets", FACETS_MAX)?,
            facet_limit: count(body, "facetLimit", FACET_VALUES.0, FACET_VALUES.1)?,
            marks,
            typos: flag(body, "typos")?,
            prefix: flag(body, "prefix")?,
            needs_all,
            synonyms: synonyms(body)?,
            nearest,
            offset: count(body, "offset", 0, OFFSET_MAX)?,
            limit: count(body, "limit", LIMIT.0, LIMIT.1)?,
            attributes: texts(body, "attributes", ATTRIBUTES_MAX)?,
        })
    }
}

fn given<'s>(body: Slice<'s>, name: &str) -> Option<Slice<'s>> {
    body.get(name).filter(|value| !value.is_null())
}

fn flag(body: Slice<'_>, name: &str) -> Result<bool> {
    given(body, name).map_or(Some(true), Slice::as_bool).ok_or_else(|| wrong(name, "must be true or false"))
}

fn count(body: Slice<'_>, name: &str, default: u64, max: u64) -> Result<u64> {
    let value = given(body, name).map_or(Some(default), Slice::as_u64).filter(|value| *value <= max);
    value.ok_or_else(|| wrong(name, &format!("must be an integer from 0 to {max}")))
}

/// Returns the texts of an array.
fn texts<'s>(body: Slice<'s>, name: &str, max: usize) -> Result<Vec<&'s str>> {
    let Some(array) = given(body, name) else { return Ok(Vec::new()) };
    let texts: Option<Vec<&str>> = array.elements().map(Slice::as_str).collect();
    let texts = texts.filter(|texts| array.is_array() && texts.len() <= max);
    texts.ok_or_else(|| wrong(name, &format!("must be an array of at most {max} texts")))
}

fn fields(body: Slice<'_>) -> Result<Vec<(&str, f64)>> {
    let Some(given) = given(body, "fields") else { return Ok(Vec::new()) };
    if given.is_array() {
        return Ok(texts(body, "fields", FIELDS_MAX)?.into_iter().map(|name| (name, 1.0)).collect());
    }
    let expected = format!("must be an array of at most {FIELDS_MAX} attributes, or an object of boosts");
    if !given.is_object() || given.len() > FIELDS_MAX {
        return Err(wrong("fields", &expected));
    }
    let boost = |(name, boost): (_, Slice<'_>)| {
        let boost = boost.as_f64().filter(|boost| *boost > 0.0 && *boost <= BOOST_MAX);
        let reason = format!("has a boost for '{name}' that is no number above 0 and up to {BOOST_MAX}");
        Ok((name, boost.ok_or_else(|| wrong("fields", &reason))?))
    };
    given.entries().map(boost).collect()
}

fn synonyms(body: Slice<'_>) -> Result<Vec<(String, Vec<&str>)>> {
    let Some(given) = given(body, "synonyms") else { return Ok(Vec::new()) };
    let expected = format!("must be an object of at most {SYNONYMS_MAX} words with arrays of as many texts");
    let is_fitting = given.is_object() && given.len() <= SYNONYMS_MAX;
    let mut synonyms = Vec::new();
    for (word, others) in given.entries() {
        let texts: Option<Vec<_>> = others.elements().map(Slice::as_str).collect();
        let texts = texts.filter(|texts| others.is_array() && texts.len() <= SYNONYMS_MAX);
        synonyms.push((word.to_lowercase(), texts.ok_or_else(|| wrong("synonyms", &expected))?));
    }
    if is_fitting { Ok(synonyms) } else { Err(wrong("synonyms", &expected)) }
}
