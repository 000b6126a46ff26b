//! The condition of the view: the words of a query in each field, with typing errors, the last
//! word's prefix, and synonyms.

use database::Session;
use errors::Result;
use velocypack::Slice;

use super::filter::OWN;
use super::settings::Settings;
use super::source::TextSource;
use super::wrong::wrong;
use crate::http::Fields;

/// Maximum number of words of a query, and of all texts that may stand for them.
const WORDS_MAX: usize = 32;
const TEXTS_MAX: usize = 256;

/// Letters from which one typing error is allowed, and two. Source: Meilisearch's defaults.
const ONE_ERROR_LETTERS: usize = 5;
const TWO_ERRORS_LETTERS: usize = 9;

/// Maximum number of similar tokens that are searched for, the most similar ones.
const SIMILAR_TOKENS: usize = 64;

/// The factors of matches that are not the word itself. BM25 gives rare tokens high scores, which
/// most typing errors are.
const SYNONYM_FACTOR: f64 = 0.8;
const PREFIX_FACTOR: f64 = 0.3;
const ERROR_FACTOR: f64 = 0.05;

/// A word of the query.
struct Word {
    letters: usize,
    /// The tokens of the word and of its synonyms, by each Analyzer.
    texts: Vec<Vec<Vec<String>>>,
    /// It may be the beginning of a word.
    is_prefix: bool,
}

/// The words of a query, analyzed.
pub(super) struct Words {
    words: Vec<Word>,
    /// The Analyzers, without repetition.
    analyzers: Vec<String>,
}

impl Words {
    /// Splits and analyzes the query. Errors: 10 for too many words; those of the Analyzers.
    pub(super) fn analyzed(settings: &Settings<'_>, source: &TextSource, session: &Session) -> Result<Words> {
        let mut analyzers: Vec<String> = Vec::new();
        for (_, analyzer) in &source.fields {
            if !analyzers.contains(analyzer) {
                analyzers.push(analyzer.clone());
            }
        }
        let words: Vec<&str> = settings.text.split_whitespace().collect();
        let mut texts: Vec<Vec<&str>> = Vec::new();
        for word in &words {
            let lower = word.to_lowercase();
            let synonyms = settings.synonyms.iter().find(|(name, _)| *name == lower);
            let others = synonyms.into_iter().flat_map(|(_, others)| others.iter().copied());
            texts.push(std::iter::once(*word).chain(others).collect());
        }
        if words.len() > WORDS_MAX || texts.iter().map(Vec::len).sum::<usize>() > TEXTS_MAX {
            let reason = format!("has more than {WORDS_MAX} words, or {TEXTS_MAX} with their synonyms");
            return Err(wrong("query", &reason));
        }
        let tokens = if words.is_empty() { Vec::new() } else { tokens(&texts, &analyzers, session)? };
        let last = words.len().checked_sub(1).filter(|_| !settings.text.ends_with(char::is_whitespace));
        let words = words.iter().zip(tokens).enumerate().map(|(place, (word, texts))| Word {
            letters: word.chars().filter(|character| character.is_alphanumeric()).count(),
            texts,
            is_prefix: settings.prefix && Some(place) == last,
        });
        Ok(Words { words: words.collect(), analyzers })
    }

    /// Returns the condition of SEARCH, and the values of its parameters.
    pub(super) fn condition(&self, settings: &Settings<'_>, source: &TextSource) -> (String, Parameters) {
        let mut parameters = Parameters(Vec::new());
        let mut conditions = Vec::new();
        for word in &self.words {
            let mut alternatives = Vec::new();
            for (number, (path, analyzer)) in source.fields.iter().enumerate() {
                let boost = settings.fields.get(number).map_or(1.0, |(_, boost)| *boost);
                let place = self.analyzers.iter().position(|known| known == analyzer).unwrap_or(0);
                let of_field = word.alternatives(path, place, boost, settings.typos, &mut parameters);
                if !of_field.is_empty() {
                    let analyzer = parameters.add(analyzer);
                    alternatives.push(format!("ANALYZER({}, {analyzer})", of_field.join(" OR ")));
                }
            }
            // Analyzers leave out stop words.
            if !alternatives.is_empty() {
                conditions.push(format!("({})", alternatives.join("\n OR ")));
            }
        }
        let joined = conditions.join(if settings.needs_all { "\nAND " } else { "\nOR " });
        (if joined.is_empty() { "true".to_owned() } else { joined }, parameters)
    }
}

impl Word {
    /// Returns the conditions of which one must be true of a field, with boosts.
    fn alternatives(
        &self,
        path: &str,
        analyzer: usize,
        boost: f64,
        typos: bool,
        parameters: &mut Parameters,
    ) -> Vec<String> {
        let mut conditions = Vec::new();
        for (number, by_analyzer) in self.texts.iter().enumerate() {
            let Some(tokens) = by_analyzer.get(analyzer).filter(|tokens| !tokens.is_empty()) else {
                continue;
            };
            let factor = if number == 0 { 1.0 } else { SYNONYM_FACTOR };
            let equal: Vec<String> =
                tokens.iter().map(|token| format!("{path} == {}", parameters.add(token))).collect();
            conditions.push(format!("BOOST({}, {})", equal.join(" AND "), boost * factor));
            let (0, [token]) = (number, tokens.as_slice()) else { continue };
            if self.is_prefix {
                let token = parameters.add(token);
                conditions.push(format!("BOOST(STARTS_WITH({path}, {token}), {})", boost * PREFIX_FACTOR));
            }
            if typos {
                for similar in self.similar(path, token, parameters) {
                    conditions.push(format!("BOOST({similar}, {})", boost * ERROR_FACTOR));
                }
            }
        }
        conditions
    }

    /// Returns the conditions for typing errors. One in the first letter counts twice.
    fn similar(&self, path: &str, token: &str, parameters: &mut Parameters) -> Vec<String> {
        let errors = match self.letters {
            TWO_ERRORS_LETTERS.. => 2,
            ONE_ERROR_LETTERS.. => 1,
            _ => return Vec::new(),
        };
        let start = token.chars().next().map_or(0, char::len_utf8);
        let (first, rest) = token.split_at(start);
        let (first, rest) = (parameters.add(first), parameters.add(rest));
        let mut conditions =
            vec![format!("LEVENSHTEIN_MATCH({path}, {rest}, {errors}, true, {SIMILAR_TOKENS}, {first})")];
        if errors == 2 {
            let token = parameters.add(token);
            conditions.push(format!("LEVENSHTEIN_MATCH({path}, {token}, 1, true, {SIMILAR_TOKENS})"));
        }
        conditions
    }
}

/// Texts that a query binds.
pub(super) struct Parameters(Vec<String>);

impl Parameters {
    /// Adds a text, and returns its parameter.
    fn add(&mut self, text: &str) -> String {
        let place = self.0.iter().position(|known| known == text).unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        });
        format!("@{OWN}text{place}")
    }

    /// Adds the values of the parameters.
    pub(super) fn bind(&self, fields: &mut Fields<'_>) {
        for (place, text) in self.0.iter().enumerate() {
            fields.text(&format!("{OWN}text{place}"), text);
        }
    }
}

/// Returns the tokens of texts by each Analyzer.
fn tokens(
    texts: &[Vec<&str>],
    analyzers: &[String],
    session: &Session,
) -> Result<Vec<Vec<Vec<Vec<String>>>>> {
    let aql = format!(
        "RETURN (FOR texts IN @{OWN}texts RETURN (FOR text IN texts RETURN \
         (FOR analyzer IN @{OWN}analyzers RETURN TOKENS(text, analyzer))))"
    );
    let bind = Fields::object(|fields| {
        fields.list(&format!("{OWN}texts"), |fields| {
            for texts in texts {
                fields.with(|builder| {
                    builder.open_array()?;
                    texts.iter().try_for_each(|text| builder.add_str(text))?;
                    builder.close()
                });
            }
        });
        fields.list(&format!("{OWN}analyzers"), |fields| {
            for analyzer in analyzers {
                fields.text_element(analyzer);
            }
        });
    })?;
    let reply = super::run(session, &aql, bind)?;
    let rows = Slice::new(&reply).get("result").and_then(|rows| rows.at(0)).unwrap_or(Slice::EMPTY_ARRAY);
    let tokens = |tokens: Slice<'_>| tokens.elements().filter_map(Slice::as_str).map(str::to_owned).collect();
    let by_analyzer = |text: Slice<'_>| text.elements().map(tokens).collect();
    Ok(rows.elements().map(|texts| texts.elements().map(by_analyzer).collect()).collect())
}
