//! `text`: the words of a text, normalized, without stop words, stemmed, or their beginnings.

use std::collections::HashSet;
use std::sync::Arc;

use errors::Result;
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::fold::{Case, Folding};
use crate::locale::Locale;
use crate::piece::pieces;
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::stemmer::Stemmer;
use crate::token::{Input, Sink, Token};

#[derive(Debug)]
struct Text {
    locale: Locale,
    case: Case,
    accent: bool,
    stemming: bool,
    stopwords: Vec<String>,
    edge: Option<EdgeNgram>,
}

/// The lengths of the beginnings of words, in characters.
#[derive(Debug, Clone)]
struct EdgeNgram {
    min: Option<u64>,
    max: Option<u64>,
    preserve_original: Option<bool>,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    if properties.text("stopwordsPath")?.is_some_and(|path| !path.is_empty()) {
        let expected = "absent: the server does not read files; list the words in 'stopwords'";
        return Err(properties.wrong("stopwordsPath", expected));
    }
    let edge = properties.object("edgeNgram")?.map(|edge| read_edge(&edge)).transpose()?;
    Ok(Arc::new(Text {
        locale: Locale::parse(properties.required_text("locale")?).without_keywords(),
        case: Case::read(properties, Case::Lower)?,
        accent: properties.boolean("accent", false)?,
        stemming: properties.boolean("stemming", true)?,
        stopwords: properties.texts("stopwords")?.unwrap_or_default(),
        edge,
    }))
}

fn read_edge(properties: &Properties<'_>) -> Result<EdgeNgram> {
    let (min, max) = (properties.number("min", 0, u64::MAX)?, properties.number("max", 0, u64::MAX)?);
    if min.zip(max).is_some_and(|(min, max)| max < min) {
        return Err(properties.wrong("edgeNgram.max", "at least 'edgeNgram.min'"));
    }
    let preserve = properties.value("preserveOriginal").is_some();
    let preserve_original = properties.boolean("preserveOriginal", false)?;
    Ok(EdgeNgram { min, max, preserve_original: preserve.then_some(preserve_original) })
}

impl Kind for Text {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("locale")?;
        out.add_str(&self.locale.to_string())?;
        self.case.print(out)?;
        out.key("stopwords")?;
        out.open_array()?;
        for word in &self.stopwords {
            out.add_str(word)?;
        }
        out.close()?;
        out.key("accent")?;
        out.add_bool(self.accent)?;
        out.key("stemming")?;
        out.add_bool(self.stemming)?;
        self.edge.as_ref().map_or(Ok(()), |edge| edge.print(out))
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        let stemmer = if self.stemming { Stemmer::of(&self.locale.language) } else { None };
        Ok(Box::new(Opened {
            segmenter: WordSegmenter::new_auto(WordBreakInvariantOptions::default()),
            folding: Folding::new(self.case, self.accent, &self.locale),
            stopped: self.stopwords.iter().cloned().collect(),
            stemmer,
            edge: self.edge.as_ref().map(EdgeNgram::bounds),
        }))
    }
}

impl EdgeNgram {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("edgeNgram")?;
        out.open_object()?;
        for (name, number) in [("min", self.min), ("max", self.max)] {
            if let Some(number) = number {
                out.key(name)?;
                out.add_u64(number)?;
            }
        }
        if let Some(preserve) = self.preserve_original {
            out.key("preserveOriginal")?;
            out.add_bool(preserve)?;
        }
        out.close()
    }

    fn bounds(&self) -> Bounds {
        let bound = |given: Option<u64>, default| {
            given.map_or(default, |number| usize::try_from(number).unwrap_or(usize::MAX))
        };
        Bounds {
            min: bound(self.min, 1).max(1),
            max: bound(self.max, usize::MAX),
            preserves_original: self.preserve_original.unwrap_or(false),
        }
    }
}

struct Bounds {
    min: usize,
    max: usize,
    preserves_original: bool,
}

struct Opened {
    segmenter: WordSegmenterBorrowed<'static>,
    folding: Folding,
    stopped: HashSet<String>,
    stemmer: Option<Stemmer>,
    edge: Option<Bounds>,
}

impl Tokenizer for Opened {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        let (mut piece_start, mut position, mut room) = (0, 0, String::new());
        for piece in pieces(text) {
            sink.pause()?;
            let mut start = 0;
            for (end, word_type) in self.segmenter.segment_str(piece).iter_with_word_type() {
                let place = start..end;
                start = end;
                // Blanks and punctuation are segments too.
                if !word_type.is_word_like() {
                    continue;
                }
                let source = piece.get(place.clone()).unwrap_or_default();
                let word = self.folding.apply(source, &mut room);
                // A word of marks alone is empty without accents.
                if word.is_empty() || (!self.stopped.is_empty() && self.stopped.contains(word)) {
                    continue;
                }
                let place = Place { start: piece_start + place.start, len: source.len(), position };
                self.word(word, place, sink)?;
                position += 1;
            }
            piece_start += piece.len();
        }
        Ok(())
    }
}

/// The place of a word.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    /// Bytes in the text.
    len: usize,
    position: u32,
}

impl Place {
    fn token<'a>(self, term: &'a str, len: usize) -> Token<'a> {
        Token::new(term.as_bytes(), self.position, self.start, self.start + len)
    }
}

impl Opened {
    /// Passes the tokens of a normalized word.
    fn word(&self, word: &str, place: Place, sink: &mut dyn Sink) -> Result<()> {
        let stem = self.stemmer.as_ref().map(|stemmer| stemmer.stem(word));
        let term = stem.as_deref().unwrap_or(word);
        match &self.edge {
            Some(bounds) => bounds.beginnings(term, place, sink),
            None => sink.token(place.token(term, place.len)),
        }
    }
}

impl Bounds {
    /// Passes the beginnings of a word, which share its position.
    fn beginnings(&self, word: &str, place: Place, sink: &mut dyn Sink) -> Result<()> {
        // A word that kept its bytes has beginnings at the same places.
        let keeps_places = word.len() == place.len;
        let ends = word.char_indices().map(|(at, character)| at + character.len_utf8());
        let (mut last_end, mut is_whole) = (0, false);
        for end in ends.take(self.max).skip(self.min - 1) {
            let len = if keeps_places { end } else { place.len };
            sink.token(place.token(word.get(..end).unwrap_or_default(), len))?;
            last_end = end;
        }
        is_whole |= last_end == word.len();
        if self.preserves_original && !is_whole { sink.token(place.token(word, place.len)) } else { Ok(()) }
    }
}
