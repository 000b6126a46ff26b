//! The terms of a document as tantivy reads them.

use tantivy::schema::Field;
use tantivy::schema::document::{Document, ReferenceValue, ReferenceValueLeaf, Value};

use super::layout::{dictionary_field, length_column, lengths_field};
use crate::analysis::Dictionary;
use crate::document::DocumentTerms;

/// The terms of a document, with the columns of its lengths.
#[derive(Debug)]
pub(crate) struct TantivyTerms {
    pub(crate) terms: DocumentTerms,
    lengths: Vec<(String, u64)>,
}

impl TantivyTerms {
    pub(crate) fn new(terms: DocumentTerms) -> Self {
        let lengths = terms.lengths().map(|(prefix, length)| (length_column(prefix), u64::from(length)));
        TantivyTerms { lengths: lengths.collect(), terms }
    }
}

/// A value of one of the fields.
#[derive(Clone, Debug)]
pub(crate) enum FieldValue<'d> {
    Term(&'d [u8]),
    Tokens(&'d str),
    Length(u64),
    Lengths(&'d [(String, u64)]),
}

impl Document for TantivyTerms {
    type Value<'a> = FieldValue<'a>;
    type FieldsValuesIter<'a> = Box<dyn Iterator<Item = (Field, FieldValue<'a>)> + 'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let documents = dictionary_field(Dictionary::Documents);
        let terms = self.terms.terms().map(move |term| (documents, FieldValue::Term(term)));
        let tokens = [
            (Dictionary::Frequencies, &self.terms.frequencies),
            (Dictionary::Positions, &self.terms.positions),
        ];
        let tokens = tokens.into_iter().filter(|(_, tokens)| !tokens.is_empty());
        let tokens = tokens
            .map(|(dictionary, tokens)| (dictionary_field(dictionary), FieldValue::Tokens(tokens.as_str())));
        let lengths = (!self.lengths.is_empty())
            .then_some((lengths_field(), FieldValue::Lengths(self.lengths.as_slice())));
        Box::new(terms.chain(tokens).chain(lengths))
    }
}

/// The numbers of tokens of all fields of a document.
pub(crate) struct LengthsOf<'d>(std::slice::Iter<'d, (String, u64)>);

impl<'d> Iterator for LengthsOf<'d> {
    type Item = (&'d str, FieldValue<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, length)| (name.as_str(), FieldValue::Length(*length)))
    }
}

impl<'a> Value<'a> for FieldValue<'a> {
    type ArrayIter = std::iter::Empty<FieldValue<'a>>;
    type ObjectIter = LengthsOf<'a>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        match self {
            FieldValue::Term(term) => ReferenceValueLeaf::Bytes(term).into(),
            FieldValue::Tokens(tokens) => ReferenceValueLeaf::Str(tokens).into(),
            FieldValue::Length(length) => ReferenceValueLeaf::U64(*length).into(),
            FieldValue::Lengths(lengths) => ReferenceValue::Object(LengthsOf(lengths.iter())),
        }
    }
}
