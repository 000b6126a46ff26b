//! From a document to its terms.

mod terms;

use errors::Result;
use owner::Interrupt;
use velocypack::{Kind, Slice};

use crate::path::{push_attribute, push_element, push_nested};
use crate::schema::{Node, Schema, Settings};
use crate::term::{Presence, Value};

pub(crate) use terms::DocumentTerms;

/// Returns the terms of a document, after those of its nested documents.
///
/// The interrupt is the owner's, who waits for the terms. Errors: those of the interrupt.
///
/// The order makes a block: the nested documents of an element precede the element, and all precede
/// the document itself.
pub(crate) fn analyze(
    schema: &Schema,
    key: &str,
    revision: u64,
    document: Slice<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<DocumentTerms>> {
    let (path, current) = (String::new(), DocumentTerms::default());
    let mut walk = Walk { path, current, done: Vec::new(), interrupt };
    walk.visit(Place { node: Some(&schema.root), inherited: None, expanded: false }, document)?;
    if !schema.is_link {
        walk.add_missing(&schema.root, Some(document));
    }
    let mut root = walk.current;
    root.finish_root(key, revision);
    root.columns = schema.columns.of(document)?;
    walk.done.push(root);
    // All rows of a segment have the same columns.
    for terms in &mut walk.done {
        terms.columns.resize_with(schema.columns.len(), Vec::new);
    }
    Ok(walk.done)
}

/// The part of the schema that holds for a value.
#[derive(Clone, Copy)]
struct Place<'s> {
    node: Option<&'s Node>,
    /// The settings of a field above that includes all below it.
    inherited: Option<&'s Settings>,
    /// The value is an element of the array that the node expands.
    expanded: bool,
}

impl<'s> Place<'s> {
    fn settings(&self) -> Option<&'s Settings> {
        self.node.and_then(|node| node.settings.as_deref()).or(self.inherited)
    }

    fn child(&self, name: &str) -> Option<Place<'s>> {
        let node = self.node.and_then(|node| node.children.get(name));
        let inherited = self.settings().filter(|settings| settings.include_all);
        (node.is_some() || inherited.is_some()).then_some(Place { node, inherited, expanded: false })
    }

    fn expands(&self) -> bool {
        !self.expanded && self.node.is_some_and(|node| node.expand)
    }
}

/// A walk through one document.
struct Walk<'i> {
    path: String,
    current: DocumentTerms,
    done: Vec<DocumentTerms>,
    interrupt: &'i Interrupt,
}

impl Walk<'_> {
    fn visit(&mut self, place: Place<'_>, value: Slice<'_>) -> Result<()> {
        if place.expands() && !value.is_array() {
            // Only arrays have elements.
            return Ok(());
        }
        if let Some(settings) = place.settings()
            && self.add_whole(settings, value)?
        {
            return Ok(());
        }
        match value.kind() {
            Kind::Array => self.visit_array(place, value),
            Kind::Object => self.visit_object(place, value),
            _ => place.settings().map_or(Ok(()), |settings| self.add_leaf(settings, value)),
        }
    }

    /// Adds the terms of Analyzers that take values of any type. Returns true if all do.
    fn add_whole(&mut self, settings: &Settings, value: Slice<'_>) -> Result<bool> {
        let mut count = 0;
        for analysis in settings.analyses.iter().filter(|analysis| analysis.analyzer.takes_values()) {
            count += 1;
            self.current.add_analyzed(&self.path, analysis, value.into(), self.interrupt)?;
        }
        Ok(count > 0 && count == settings.analyses.len())
    }

    /// Adds null for each field of an inverted index that a value lacks. It equals null there, but
    /// is not present. In an array no element is missing.
    fn add_missing(&mut self, node: &Node, value: Option<Slice<'_>>) {
        if node.expand || node.nested.is_some() {
            return;
        }
        for (name, child) in &node.children {
            let attribute = value.filter(|value| value.is_object()).and_then(|value| value.get(name));
            let end = self.path.len();
            push_attribute(&mut self.path, name);
            if attribute.is_none() && child.settings.is_some() && !child.expand && child.nested.is_none() {
                self.current.add_absence(&self.path);
            }
            self.add_missing(child, attribute);
            self.path.truncate(end);
        }
    }

    fn visit_object(&mut self, place: Place<'_>, object: Slice<'_>) -> Result<()> {
        if place.settings().is_some() {
            self.current.add_presence(&self.path, &Presence::Any);
        }
        for (name, value) in object.entries() {
            let Some(child) = place.child(name) else { continue };
            let end = self.path.len();
            push_attribute(&mut self.path, name);
            self.visit(child, value)?;
            self.path.truncate(end);
        }
        Ok(())
    }

    fn visit_array(&mut self, place: Place<'_>, array: Slice<'_>) -> Result<()> {
        if let Some(nested) = place.node.and_then(|node| node.nested.as_deref()) {
            return self.visit_nested(nested, array);
        }
        let settings = place.settings();
        if settings.is_some() {
            self.current.add_presence(&self.path, &Presence::Any);
        }
        if place.expands() {
            let element = Place { expanded: true, ..place };
            array.elements().try_for_each(|value| self.visit(element, value))?;
        } else if let Some(settings) = settings.filter(|settings| settings.search_field) {
            for (index, value) in array.elements().enumerate() {
                let end = self.path.len();
                if settings.track_positions {
                    push_element(&mut self.path, index);
                }
                self.visit(place, value)?;
                self.path.truncate(end);
            }
        }
        Ok(())
    }

    /// Makes a document of each element.
    fn visit_nested(&mut self, node: &Node, array: Slice<'_>) -> Result<()> {
        self.current.add_presence(&self.path, &Presence::Any);
        self.current.add_presence(&self.path, &Presence::Nested);
        let end = self.path.len();
        push_nested(&mut self.path);
        for element in array.elements().filter(|element| element.is_object()) {
            let parent = std::mem::take(&mut self.current);
            self.current.add_presence(&self.path, &Presence::Any);
            self.visit(Place { node: Some(node), inherited: None, expanded: false }, element)?;
            let nested = std::mem::replace(&mut self.current, parent);
            self.done.push(nested);
        }
        self.path.truncate(end);
        Ok(())
    }

    fn add_leaf(&mut self, settings: &Settings, value: Slice<'_>) -> Result<()> {
        let value = if value.is_null() {
            Value::Null
        } else if let Some(value) = value.as_bool() {
            Value::Bool(value)
        } else if let Some(number) = value.as_number() {
            Value::Number(number)
        } else if let Some(text) = value.as_str() {
            if settings.analyses.is_empty() {
                self.current.add_presence(&self.path, &Presence::Any);
            }
            self.current.add_presence(&self.path, &Presence::String);
            for analysis in settings.analyses.iter().filter(|analysis| !analysis.analyzer.takes_values()) {
                self.current.add_analyzed(&self.path, analysis, text.into(), self.interrupt)?;
            }
            return Ok(());
        } else {
            return Ok(());
        };
        self.current.add_value(&self.path, &value);
        Ok(())
    }
}
