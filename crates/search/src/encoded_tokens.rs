//! Tokens on their way to tantivy, as one string.
//!
//! A tantivy document carries the tokens of all fields of one dictionary as one text, and
//! [`Decoder`] is the tokenizer that takes it apart. So any number of fields share a dictionary.
//!
//! ```text
//! group: 01 · length of prefix · prefix
//! token: 02 · position · length of token · token
//! ```
//! Numbers have six bits per byte, the lowest first; bit 6 says that more follow. So the result is
//! valid UTF-8.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

const GROUP: char = '\u{1}';
const TOKEN: char = '\u{2}';

/// Groups of tokens, each with the prefix of its field's terms.
#[derive(Debug, Default)]
pub(crate) struct EncodedTokens(String);

impl EncodedTokens {
    /// Returns the string.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if there are no tokens.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Begins the tokens of a field.
    pub(crate) fn begin(&mut self, prefix: &str) {
        self.0.push(GROUP);
        self.push_number(prefix.len());
        self.0.push_str(prefix);
    }

    /// Adds a token of the field.
    pub(crate) fn push(&mut self, position: u32, token: &str) {
        self.0.push(TOKEN);
        self.push_number(position as usize);
        self.push_number(token.len());
        self.0.push_str(token);
    }

    fn push_number(&mut self, mut number: usize) {
        loop {
            let bits = (number & 0x3F) as u8;
            number >>= 6;
            self.0.push(char::from(if number == 0 { bits } else { bits | 0x40 }));
            if number == 0 {
                return;
            }
        }
    }
}

/// The tokenizer of [`EncodedTokens`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoder {
    token: Token,
}

impl Tokenizer for Decoder {
    type TokenStream<'a> = DecodedTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> DecodedTokens<'a> {
        self.token.reset();
        DecodedTokens { rest: text, prefix_bytes: 0, token: &mut self.token }
    }
}

/// The tokens of an encoded string.
pub(crate) struct DecodedTokens<'a> {
    rest: &'a str,
    prefix_bytes: usize,
    token: &'a mut Token,
}

impl<'a> DecodedTokens<'a> {
    fn tag(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let tag = characters.next();
        self.rest = characters.as_str();
        tag
    }

    fn number(&mut self) -> usize {
        let mut number = 0;
        let mut shift = 0;
        while let Some(&byte) = self.rest.as_bytes().first() {
            self.rest = self.rest.get(1..).unwrap_or_default();
            number |= usize::from(byte & 0x3F) << shift;
            shift += 6;
            if byte & 0x40 == 0 {
                break;
            }
        }
        number
    }

    fn text(&mut self) -> &'a str {
        let length = self.number();
        let (text, rest) = self.rest.split_at_checked(length).unwrap_or_default();
        self.rest = rest;
        text
    }
}

impl TokenStream for DecodedTokens<'_> {
    fn advance(&mut self) -> bool {
        loop {
            match self.tag() {
                Some(GROUP) => {
                    let prefix = self.text();
                    self.token.text.clear();
                    self.token.text.push_str(prefix);
                    self.prefix_bytes = prefix.len();
                }
                Some(TOKEN) => {
                    self.token.position = self.number();
                    let text = self.text();
                    self.token.text.truncate(self.prefix_bytes);
                    self.token.text.push_str(text);
                    return true;
                }
                _ => return false,
            }
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_several_fields_come_out_as_they_went_in() {
        let mut encoded = EncodedTokens::default();
        encoded.begin("a\0");
        encoded.push(0, "x");
        encoded.push(4_000_000_000, "");
        encoded.begin("b\u{1}ü");
        encoded.push(63, "\u{2}ä\0");
        encoded.push(64, &"long".repeat(100));
        let mut decoder = Decoder::default();
        let mut tokens = Vec::new();
        decoder
            .token_stream(encoded.as_str())
            .process(&mut |token| tokens.push((token.text.clone(), token.position)));
        let long = format!("b\u{1}ü{}", "long".repeat(100));
        let expected = [("a\0x", 0), ("a\0", 4_000_000_000), ("b\u{1}ü\u{2}ä\0", 63), (&long, 64)];
        assert_eq!(tokens, expected.map(|(text, position)| (text.to_owned(), position)));
    }
}
