//! Fields that conditions name.

use errors::Result;

/// A field: the way from the document to the values.
#[derive(Debug, Clone)]
pub struct SearchField<E> {
    /// The steps; at least one.
    pub steps: Vec<SearchStep<E>>,
}

/// A step on the way to a field.
#[derive(Debug, Clone)]
pub enum SearchStep<E> {
    /// An attribute.
    Attribute(Box<str>),
    /// `[value]`: the position of an element if the value is a number, otherwise an attribute.
    Computed(E),
    /// `[*]`: the elements of an array.
    Expansion,
    /// The nested documents of an array.
    Nested,
}

impl<E> SearchField<E> {
    /// Returns the field whose values are the elements of this one's arrays.
    pub(super) fn of_elements(mut self) -> Self {
        if !self.is_expanded() {
            self.steps.push(SearchStep::Expansion);
        }
        self
    }

    /// Returns true if the values are those of elements of an array of the document, or of the
    /// nested document.
    pub fn is_expanded(&self) -> bool {
        let inner = self.steps.iter().rev().take_while(|step| !matches!(step, SearchStep::Nested));
        inner.into_iter().any(|step| matches!(step, SearchStep::Expansion))
    }

    /// Returns the field with other values.
    pub fn try_map<T>(&self, map: &mut dyn FnMut(&E) -> Result<T>) -> Result<SearchField<T>> {
        let steps = self.steps.iter().map(|step| {
            Ok(match step {
                SearchStep::Attribute(name) => SearchStep::Attribute(name.clone()),
                SearchStep::Computed(value) => SearchStep::Computed(map(value)?),
                SearchStep::Expansion => SearchStep::Expansion,
                SearchStep::Nested => SearchStep::Nested,
            })
        });
        Ok(SearchField { steps: steps.collect::<Result<_>>()? })
    }
}
