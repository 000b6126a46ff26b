//! The fields that every segment has in tantivy.
//!
//! All fields of a schema share three dictionaries, because the path is a part of each term. So new
//! attributes need no new fields in tantivy, and segments of different attributes merge.

use std::fmt::Write;

use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, JsonObjectOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::Compressor;
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager};
use tantivy::{IndexBuilder, IndexSettings};

use crate::analysis::Dictionary;
use crate::encoded_tokens::Decoder;

/// The name of the tokenizer of encoded tokens.
const DECODER: &str = "encoded";

/// The name of the field with the numbers of tokens.
const LENGTHS: &str = "lengths";

/// Returns tantivy's field of a dictionary.
pub(crate) fn dictionary_field(dictionary: Dictionary) -> Field {
    Field::from_field_id(match dictionary {
        Dictionary::Documents => 0,
        Dictionary::Frequencies => 1,
        Dictionary::Positions => 2,
    })
}

/// Returns tantivy's field of the numbers of tokens.
pub(crate) fn lengths_field() -> Field {
    Field::from_field_id(3)
}

/// Returns the parts of an index that are the same in all segments.
pub(crate) fn index_builder() -> IndexBuilder {
    // Tantivy asks for its default tokenizer even for fields without texts.
    let tokenizers = TokenizerManager::default();
    tokenizers.register(DECODER, TextAnalyzer::builder(Decoder::default()).build());
    IndexBuilder::new().schema(schema()).settings(settings()).tokenizers(tokenizers)
}

/// Returns the settings of all segments: nothing is stored by tantivy, and no thread is started.
pub(crate) fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    }
}

fn schema() -> Schema {
    let mut builder = Schema::builder();
    let texts = |option| {
        let indexing = TextFieldIndexing::default().set_tokenizer(DECODER).set_fieldnorms(false);
        TextOptions::default().set_indexing_options(indexing.set_index_option(option))
    };
    builder.add_bytes_field("documents", BytesOptions::default().set_indexed());
    builder.add_text_field("frequencies", texts(IndexRecordOption::WithFreqs));
    builder.add_text_field("positions", texts(IndexRecordOption::WithFreqsAndPositions));
    builder.add_json_field(LENGTHS, JsonObjectOptions::default().set_fast("raw"));
    builder.build()
}

/// Returns the name of the column with the numbers of tokens of the field with this term prefix.
///
/// It is the prefix with all but letters, digits and `_` replaced by their numbers, because some
/// characters have a meaning in tantivy.
pub(crate) fn length_column(prefix: &str) -> String {
    let mut name = String::with_capacity(prefix.len() + 8);
    for character in prefix.chars() {
        if character.is_alphanumeric() || character == '_' {
            name.push(character);
        } else {
            let _ = write!(name, "%{:x}%", u32::from(character));
        }
    }
    name
}

/// Returns the name under which tantivy finds a column of lengths.
pub(crate) fn qualified_length_column(prefix: &str) -> String {
    format!("{LENGTHS}.{}", length_column(prefix))
}
