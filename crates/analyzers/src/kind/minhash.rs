//! `minhash`: the smallest hashes (XXH64) of another analyzer's tokens, which approximate their
//! set.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use errors::Result;
use owner::Interrupt;
use twox_hash::XxHash64;
use velocypack::Builder;

use super::nested::Nested;
use super::{Kind, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

/// Maximum number of hashes of a signature, as of `MINHASH()`: for an error of one in a thousand.
const HASHES_MAX: u64 = 1_000_000;

/// The seed of the hashes, as in ArangoDB's hashes of values. With it, the documented example of
/// two signatures gives the documented similarity.
const SEED: u64 = 0xdead_beef;

#[derive(Debug)]
struct MinHash {
    analyzer: Nested,
    num_hashes: u64,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    const NAME: &str = "analyzer";
    let analyzer = properties.value(NAME).ok_or_else(|| properties.wrong(NAME, "an object"))?;
    Ok(Arc::new(MinHash {
        analyzer: Nested::read(properties, NAME, analyzer)?,
        num_hashes: properties.required_number("numHashes", 1, HASHES_MAX)?,
    }))
}

impl Kind for MinHash {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("analyzer")?;
        self.analyzer.print(out)?;
        out.key("numHashes")?;
        out.add_u64(self.num_hashes)
    }

    fn open(&self, queries: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        let count = usize::try_from(self.num_hashes).unwrap_or(usize::MAX);
        Ok(Box::new(Opened { analyzer: self.analyzer.open(queries)?, count }))
    }

    fn runs_query(&self) -> bool {
        self.analyzer.runs_query()
    }
}

struct Opened {
    analyzer: Box<dyn Tokenizer>,
    count: usize,
}

impl Tokenizer for Opened {
    /// Hashes are in the order in which their tokens first occur, as those of `MINHASH()`. They
    /// form a set, so all have one position, and the place of the whole text.
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        let mut signature = Signature { count: self.count, smallest: BTreeMap::new(), seen: 0, sink };
        self.analyzer.tokens(Input::Text(text), &mut signature)?;
        let mut hashes: Vec<_> = signature.smallest.into_iter().map(|(hash, seen)| (seen, hash)).collect();
        hashes.sort_unstable();
        let mut term = String::new();
        for (_, hash) in hashes {
            term.clear();
            STANDARD_NO_PAD.encode_string(hash.to_le_bytes(), &mut term);
            sink.token(Token::new(term.as_bytes(), 0, 0, text.len()))?;
        }
        Ok(())
    }
}

/// The receiver of tokens that keeps the smallest hashes.
struct Signature<'a> {
    count: usize,
    /// Each hash with the number of the token that had it first.
    smallest: BTreeMap<u64, usize>,
    seen: usize,
    sink: &'a mut dyn Sink,
}

impl Sink for Signature<'_> {
    fn interrupt(&self) -> &Interrupt {
        self.sink.interrupt()
    }

    fn token(&mut self, token: Token<'_>) -> Result<()> {
        self.seen += 1;
        let hash = XxHash64::oneshot(SEED, token.term);
        self.smallest.entry(hash).or_insert(self.seen);
        if self.smallest.len() > self.count {
            self.smallest.pop_last();
        }
        Ok(())
    }
}
