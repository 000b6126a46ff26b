//! The query of a search.

use database::Session;
use errors::Result;

use super::condition::{Parameters, Words};
use super::filter::OWN;
use super::settings::Settings;
use super::source::TextSource;
use crate::http::Fields;
use crate::route::query_parts::path;

/// The least number of hits of each list that is fused with another.
const DEPTH_MIN: u64 = 100;

/// The number that stands for all hits among the facets.
const TOTAL: i32 = -1;

/// A query with the values of its parameters.
pub(super) struct Composed<'c> {
    pub(super) aql: String,
    settings: &'c Settings<'c>,
    source: &'c TextSource,
    parameters: Parameters,
}

impl<'c> Composed<'c> {
    /// Writes the query. Errors: 10 for names that are none; those of the filter.
    pub(super) fn of(
        settings: &'c Settings<'c>,
        source: &'c TextSource,
        words: &Words,
        session: &Session,
    ) -> Result<Composed<'c>> {
        settings.filter.check(session)?;
        let (condition, parameters) = words.condition(settings, source);
        let filter = settings.filter.statements();
        let all = format!("FOR d IN @@{OWN}view\nSEARCH {condition}\n{filter}");
        let hits = match &settings.nearest {
            None => texts(&all, settings, source),
            Some(nearest) => {
                let depth = DEPTH_MIN.max(settings.offset + settings.limit);
                let near = nearest.subquery(&filter, depth, session)?;
                fused(&all, &near, depth, nearest.weight, settings)
            }
        };
        let mut aql = format!("LET hits = (\n{hits})\n");
        let mut total = format!("FIRST(\n{all}COLLECT WITH COUNT INTO total\nRETURN total)");
        let mut facets = String::new();
        if !settings.facets.is_empty() {
            // Words alone are counted without a look at the documents.
            let reads_all = !filter.is_empty();
            aql.push_str(&format!("LET counts = (\n{all}{})\n", counts(settings, reads_all)?));
            if reads_all {
                total = format!("SUM(FOR c IN counts FILTER c.facet == {TOTAL} RETURN c.count)");
            }
            let each = (0..settings.facets.len()).map(|number| {
                format!(
                    "(FOR c IN counts FILTER c.facet == {number} SORT c.count DESC, c.value LIMIT {} \
                     RETURN {{value: c.value, count: c.count}})",
                    settings.facet_limit
                )
            });
            facets = each.collect::<Vec<_>>().join(",\n");
        }
        aql.push_str(&format!("RETURN {{hits, total: {total}, facets: [{facets}]}}"));
        Ok(Composed { aql, settings, source, parameters })
    }

    /// Returns the values of the parameters.
    pub(super) fn bind(&self) -> Result<Vec<u8>> {
        Fields::object(|fields| {
            fields.text(&format!("@{OWN}view"), &self.source.view);
            self.parameters.bind(fields);
            self.settings.filter.bind(fields);
            if let Some(nearest) = &self.settings.nearest {
                nearest.bind(fields);
            }
            if !self.settings.attributes.is_empty() {
                fields.list(&format!("{OWN}attributes"), |fields| {
                    for name in &self.settings.attributes {
                        fields.text_element(name);
                    }
                });
            }
        })
    }
}

/// Returns the query of the best texts.
fn texts(all: &str, settings: &Settings<'_>, source: &TextSource) -> String {
    let (offset, limit) = (settings.offset, settings.limit);
    let mut row = format!("id: d._id, score, document: {}", document(settings));
    if settings.marks.is_some() {
        let names: Vec<String> =
            source.fields.iter().map(|(path, _)| format!("\"{}\"", attribute(path))).collect();
        row.push_str(&format!(", offsets: OFFSET_INFO(d, [{}]), texts: d", names.join(", ")));
    }
    format!("{all}LET score = BM25(d)\nSORT score DESC\nLIMIT {offset}, {limit}\nRETURN {{{row}}}")
}

/// Returns the query of the best of texts and vectors.
fn fused(all: &str, near: &str, depth: u64, weight: f64, settings: &Settings<'_>) -> String {
    let (offset, limit) = (settings.offset, settings.limit);
    format!(
        "FOR hit IN FUSE_RANKS([\n({all}SORT BM25(d) DESC\nLIMIT {depth}\nRETURN d._id),\n({near})\n], \
         {{weights: [1, {weight}], limit: {}}})\nLIMIT {offset}, {limit}\nLET d = DOCUMENT(hit.id)\n\
         RETURN {{id: hit.id, score: hit.score, ranks: hit.ranks, document: {}}}",
        offset + limit,
        document(settings)
    )
}

/// Returns the statements that count the values of all facets in one pass, and perhaps all hits. An
/// array has several values.
fn counts(settings: &Settings<'_>, with_total: bool) -> Result<String> {
    let mut pairs = Vec::new();
    if with_total {
        pairs.push(format!("[{TOTAL}, 0]"));
    }
    for (number, name) in settings.facets.iter().enumerate() {
        pairs.push(format!("[{number}, {}]", path("d", name)?));
    }
    Ok(format!(
        "FOR pair IN [{}]\nFOR value IN (IS_ARRAY(pair[1]) ? UNIQUE(pair[1]) : [pair[1]])\n\
         COLLECT facet = pair[0], item = value WITH COUNT INTO count\n\
         RETURN {{facet, value: item, count}}",
        pairs.join(", ")
    ))
}

/// Returns the expression of a hit's document.
fn document(settings: &Settings<'_>) -> String {
    match settings.attributes.is_empty() {
        true => "d".to_owned(),
        false => format!("KEEP(d, APPEND([\"_id\"], @{OWN}attributes))"),
    }
}

/// Returns the attribute of a path of `d`: ``d.`a`.`b` `` is `a.b`.
fn attribute(path: &str) -> String {
    path.strip_prefix("d.").unwrap_or(path).replace(['`', '"'], "")
}
