//! `multi_delimiter`: the parts between several delimiters.

use std::sync::Arc;

use errors::Result;
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

/// Tokens between two pauses.
const TOKENS_PER_PAUSE: u32 = 1024;

#[derive(Debug, Clone)]
struct MultiDelimiter {
    delimiters: Vec<String>,
    /// True for each byte that begins a delimiter.
    begins: Box<[bool; 256]>,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    const NAME: &str = "delimiters";
    let delimiters = properties.texts(NAME)?.ok_or_else(|| properties.wrong(NAME, "an array of strings"))?;
    let mut sorted = delimiters.clone();
    sorted.sort_unstable();
    if sorted.first().is_some_and(String::is_empty) {
        return Err(properties.wrong(NAME, "an array of non-empty strings"));
    }
    // In this order a prefix precedes those that begin with it.
    let overlap =
        sorted.windows(2).find(|pair| matches!(pair, [first, next] if next.starts_with(first.as_str())));
    if let Some([first, next]) = overlap {
        let expected =
            format!("an array of strings, none of which begins with another, as '{next}' with '{first}'");
        return Err(properties.wrong(NAME, expected));
    }
    let mut begins = Box::new([false; 256]);
    for first in delimiters.iter().filter_map(|delimiter| delimiter.as_bytes().first()) {
        begins[usize::from(*first)] = true;
    }
    Ok(Arc::new(MultiDelimiter { delimiters, begins }))
}

impl Kind for MultiDelimiter {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("delimiters")?;
        out.open_array()?;
        for delimiter in &self.delimiters {
            out.add_str(delimiter)?;
        }
        out.close()
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(self.clone()))
    }
}

impl Tokenizer for MultiDelimiter {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text().map(str::as_bytes) else { return Ok(()) };
        let mut start = 0;
        for position in 0.. {
            if position % TOKENS_PER_PAUSE == 0 {
                sink.pause()?;
            }
            let rest = text.get(start..).unwrap_or_default();
            let found = self.find(rest);
            let len = found.map_or(rest.len(), |(at, _)| at);
            sink.token(Token::new(rest.get(..len).unwrap_or_default(), position, start, start + len))?;
            let Some((_, delimiter)) = found else { break };
            start += len + delimiter;
        }
        Ok(())
    }
}

impl MultiDelimiter {
    /// Returns the place and the length of the first delimiter.
    fn find(&self, text: &[u8]) -> Option<(usize, usize)> {
        let candidates = text.iter().enumerate().filter(|(_, byte)| self.begins[usize::from(**byte)]);
        candidates.into_iter().find_map(|(at, _)| {
            let rest = text.get(at..).unwrap_or_default();
            let found = self.delimiters.iter().find(|delimiter| rest.starts_with(delimiter.as_bytes()));
            found.map(|delimiter| (at, delimiter.len()))
        })
    }
}
