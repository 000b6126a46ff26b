//! Judges values by a compiled schema.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use aql_value::{Charge, Interrupt, MemoryAccount};
use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice, order};

use crate::node::{ArrayKeyword, Keyword, NodeId, ObjectKeyword, Properties, Schema, TextKeyword};
use crate::number::fits_number;

/// Maximum depth of a validation: the nesting of the document times the schemas that judge the same
/// value within each other. Deeper ones fail with error 32.
pub const DEPTH_MAX: usize = 1_000;

/// The units of work between two checks of the interrupt. Each takes well below a microsecond.
const UNITS_PER_CHECK: usize = 256;

/// The bytes of a value that are read in one unit of work.
const BYTES_PER_UNIT: usize = 64;

/// Bytes of memory for a verdict that is kept.
const VERDICT_BYTES: u64 = 48;

impl Schema {
    /// Returns true if a document has the schema. Attributes at its top level whose names are in
    /// `hidden` are not seen.
    ///
    /// The interrupt is checked on the way, and the account pays for what is kept until the end.
    /// Errors: those of the interrupt and of the account, 32 for a document and a schema that
    /// together are deeper than [`DEPTH_MAX`].
    pub fn is_valid(
        &self,
        document: Slice<'_>,
        hidden: &[&str],
        interrupt: &Interrupt,
        memory: &Arc<MemoryAccount>,
    ) -> Result<bool> {
        let mut validation = Validation {
            schema: self,
            root: document,
            hidden,
            interrupt,
            account: memory,
            units: Cell::new(0),
            depth: Cell::new(0),
            memory: Charge::new(Arc::clone(memory)),
            verdicts: HashMap::new(),
        };
        validation.has(0, document)
    }
}

struct Validation<'a> {
    schema: &'a Schema,
    root: Slice<'a>,
    hidden: &'a [&'a str],
    interrupt: &'a Interrupt,
    account: &'a Arc<MemoryAccount>,
    /// Units of work since the last check of the interrupt.
    units: Cell<usize>,
    depth: Cell<usize>,
    memory: Charge,
    /// The verdicts of nodes that others refer to, by the node and the value's address.
    verdicts: HashMap<(NodeId, usize), bool>,
}

impl<'a> Validation<'a> {
    /// Returns true if a value has the schema of a node.
    fn has(&mut self, node: NodeId, value: Slice<'a>) -> Result<bool> {
        let Some(compiled) = self.schema.nodes.get(node) else { return Ok(true) };
        // Values without parts are judged faster than they are remembered.
        let is_remembered = compiled.is_referenced && (value.is_object() || value.is_array());
        let place = (node, value.bytes().as_ptr().addr());
        if is_remembered && let Some(verdict) = self.verdicts.get(&place) {
            return Ok(*verdict);
        }
        if self.depth.get() == DEPTH_MAX {
            let message = format!("validation of a schema is nested more than {DEPTH_MAX} levels deep");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        self.depth.set(self.depth.get() + 1);
        let verdict = self.has_all(&compiled.keywords, value);
        self.depth.set(self.depth.get() - 1);
        let verdict = verdict?;
        if is_remembered {
            self.memory.grow(VERDICT_BYTES)?;
            self.verdicts.insert(place, verdict);
        }
        Ok(verdict)
    }

    fn has_all(&mut self, keywords: &'a [Keyword], value: Slice<'a>) -> Result<bool> {
        for keyword in keywords {
            if !self.fits(keyword, value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Counts a unit of work, and checks the interrupt now and then.
    fn tick(&self) -> Result<()> {
        self.work(1)
    }

    /// Counts units of work, and checks the interrupt now and then.
    fn work(&self, units: usize) -> Result<()> {
        let units = self.units.get().saturating_add(units);
        if units < UNITS_PER_CHECK {
            self.units.set(units);
            return Ok(());
        }
        self.units.set(0);
        self.interrupt.check()
    }

    /// Counts the work of reading a whole value.
    fn work_on(&self, value: Slice<'_>) -> Result<()> {
        self.work(value.byte_len() / BYTES_PER_UNIT + 1)
    }

    fn fits(&mut self, keyword: &'a Keyword, value: Slice<'a>) -> Result<bool> {
        self.tick()?;
        Ok(match keyword {
            Keyword::Never => false,
            Keyword::Types(types) => types.contains(value),
            Keyword::Enum(values) => self.is_one_of(values, value)?,
            Keyword::Reference(node) => self.has(*node, value)?,
            Keyword::AllOf(nodes) => self.count(nodes, value, |_, failed| failed > 0)?.1 == 0,
            Keyword::AnyOf(nodes) => self.count(nodes, value, |passed, _| passed > 0)?.0 > 0,
            Keyword::OneOf(nodes) => self.count(nodes, value, |passed, _| passed > 1)?.0 == 1,
            Keyword::Not(node) => !self.has(*node, value)?,
            Keyword::If { condition, then, otherwise } => {
                let branch = if self.has(*condition, value)? { then } else { otherwise };
                branch.map_or(Ok(true), |node| self.has(node, value))?
            }
            Keyword::Number(keyword) => match value.as_number() {
                Some(number) => fits_number(keyword, value, number),
                None => true,
            },
            Keyword::Text(keyword) => match value.as_str() {
                Some(text) => self.fits_text(keyword, text)?,
                None => true,
            },
            Keyword::Array(keyword) => !value.is_array() || self.fits_array(keyword, value)?,
            Keyword::Object(keyword) => !value.is_object() || self.fits_object(keyword, value)?,
        })
    }

    /// Counts the nodes whose schema the value has, and those whose schema it has not, until the
    /// answer is known.
    fn count(
        &mut self,
        nodes: &[NodeId],
        value: Slice<'a>,
        is_known: impl Fn(usize, usize) -> bool,
    ) -> Result<(usize, usize)> {
        let (mut passed, mut failed) = (0, 0);
        for node in nodes {
            if self.has(*node, value)? {
                passed += 1
            } else {
                failed += 1
            }
            if is_known(passed, failed) {
                break;
            }
        }
        Ok((passed, failed))
    }

    fn is_one_of(&self, values: &[Vec<u8>], value: Slice<'a>) -> Result<bool> {
        if self.is_root(value) && value.is_object() {
            self.work_on(value)?;
            let shown = self.without_hidden(value).map_err(Error::internal)?;
            return self.equals_any(values, Slice::new(&shown));
        }
        self.equals_any(values, value)
    }

    fn without_hidden(&self, object: Slice<'a>) -> velocypack::Result<Vec<u8>> {
        let mut shown = Builder::new();
        shown.open_object()?;
        for (name, value) in self.entries(object) {
            shown.key(name)?;
            shown.add_slice(value)?;
        }
        shown.close()?;
        Ok(shown.into_vec())
    }

    fn equals_any(&self, values: &[Vec<u8>], value: Slice<'_>) -> Result<bool> {
        for known in values {
            self.tick()?;
            let known = Slice::new(known);
            // AQL's order knows no difference between a missing attribute and null.
            if known.len() == value.len() {
                self.work_on(known)?;
                if order::equal(known, value) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn fits_text(&self, keyword: &TextKeyword, text: &str) -> Result<bool> {
        self.work(text.len() / BYTES_PER_UNIT)?;
        let count = |most: u64| text.chars().take(usize::try_from(most).unwrap_or(usize::MAX)).count() as u64;
        Ok(match keyword {
            TextKeyword::MinLength(least) => count(*least) >= *least,
            TextKeyword::MaxLength(most) => count(most.saturating_add(1)) <= *most,
            TextKeyword::Format(format) => format.fits(text),
            // A text on which the expression takes too many steps does not match.
            TextKeyword::Pattern(pattern) => pattern.is_match(text, self.interrupt)?.unwrap_or(false),
        })
    }

    fn fits_array(&mut self, keyword: &'a ArrayKeyword, value: Slice<'a>) -> Result<bool> {
        match keyword {
            ArrayKeyword::MinItems(least) => Ok(value.len() as u64 >= *least),
            ArrayKeyword::MaxItems(most) => Ok(value.len() as u64 <= *most),
            ArrayKeyword::UniqueItems => self.are_unique(value),
            ArrayKeyword::Items { first, rest } => {
                for (at, element) in value.elements().enumerate() {
                    self.tick()?;
                    if let Some(node) = first.get(at).copied().or(*rest)
                        && !self.has(node, element)?
                    {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            ArrayKeyword::Contains(node) => {
                for element in value.elements() {
                    self.tick()?;
                    if self.has(*node, element)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn are_unique(&mut self, array: Slice<'a>) -> Result<bool> {
        let bytes = array.len() as u64 * VERDICT_BYTES;
        self.memory.grow(bytes)?;
        let mut known: HashMap<u64, Vec<Slice<'a>>> = HashMap::with_capacity(array.len());
        let mut verdict = true;
        'elements: for element in array.elements() {
            self.work_on(element)?;
            let equals = known.entry(order::hash(element)).or_default();
            for known in &*equals {
                self.work_on(element)?;
                if order::equal(*known, element) {
                    verdict = false;
                    break 'elements;
                }
            }
            equals.push(element);
        }
        self.memory.shrink(bytes);
        Ok(verdict)
    }

    fn fits_object(&mut self, keyword: &'a ObjectKeyword, object: Slice<'a>) -> Result<bool> {
        match keyword {
            ObjectKeyword::MinProperties(least) => Ok(self.count_shown(object) >= *least),
            ObjectKeyword::MaxProperties(most) => Ok(self.count_shown(object) <= *most),
            ObjectKeyword::Required(names) => {
                self.work(names.len())?;
                Ok(names.iter().all(|name| self.contains(object, name)))
            }
            ObjectKeyword::RequiredWith(name, others) => {
                self.work(others.len())?;
                Ok(!self.contains(object, name) || others.iter().all(|name| self.contains(object, name)))
            }
            ObjectKeyword::SchemaWith(name, node) => {
                Ok(!self.contains(object, name) || self.has(*node, object)?)
            }
            ObjectKeyword::Names(node) => self.are_names_valid(*node, object),
            ObjectKeyword::Properties(properties) => self.fits_properties(properties, object),
        }
    }

    fn fits_properties(&mut self, properties: &'a Properties, object: Slice<'a>) -> Result<bool> {
        // Few named attributes of a large object are looked up, all others are gone through.
        let looks_up = properties.patterns.is_empty() && properties.rest.is_none();
        if looks_up && properties.named.len() < object.len() {
            for (name, node) in &properties.named {
                self.tick()?;
                if let Some(value) = object.get(name).filter(|_| !self.is_hidden(object, name))
                    && !self.has(*node, value)?
                {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        for (name, value) in object.entries() {
            self.tick()?;
            if !self.is_hidden(object, name) && !self.fits_property(properties, name, value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fits_property(&mut self, properties: &'a Properties, name: &str, value: Slice<'a>) -> Result<bool> {
        let named = properties.named.binary_search_by(|(known, _)| known.as_str().cmp(name));
        let named = named.ok().and_then(|at| properties.named.get(at));
        let mut is_known = named.is_some();
        if let Some((_, node)) = named
            && !self.has(*node, value)?
        {
            return Ok(false);
        }
        for (pattern, node) in &properties.patterns {
            self.work(name.len() / BYTES_PER_UNIT + 1)?;
            if pattern.is_match(name, self.interrupt)?.unwrap_or(false) {
                is_known = true;
                if !self.has(*node, value)? {
                    return Ok(false);
                }
            }
        }
        match properties.rest {
            Some(rest) if !is_known => self.has(rest, value),
            _ => Ok(true),
        }
    }

    /// Names are judged as values of their own, whose verdicts are not kept.
    fn are_names_valid(&mut self, node: NodeId, object: Slice<'a>) -> Result<bool> {
        for (name, _) in self.entries(object) {
            let mut value = Builder::new();
            value.add_str(name).map_err(Error::internal)?;
            let value = value.into_vec();
            let mut of_name = Validation {
                schema: self.schema,
                root: Slice::new(&value),
                hidden: &[],
                interrupt: self.interrupt,
                account: self.account,
                units: self.units.clone(),
                depth: self.depth.clone(),
                memory: Charge::new(Arc::clone(self.account)),
                verdicts: HashMap::new(),
            };
            let is_valid = of_name.has(node, Slice::new(&value))?;
            self.units.set(of_name.units.get());
            self.tick()?;
            if !is_valid {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_root(&self, value: Slice<'_>) -> bool {
        value.bytes().as_ptr() == self.root.bytes().as_ptr()
    }

    fn is_hidden(&self, object: Slice<'_>, name: &str) -> bool {
        self.hidden.contains(&name) && self.is_root(object)
    }

    fn contains(&self, object: Slice<'_>, name: &str) -> bool {
        !self.is_hidden(object, name) && object.get(name).is_some()
    }

    fn count_shown(&self, object: Slice<'_>) -> u64 {
        let hidden = self.hidden.iter().filter(|name| self.is_root(object) && object.get(name).is_some());
        (object.len() - hidden.count()) as u64
    }

    fn entries(&self, object: Slice<'a>) -> impl Iterator<Item = (&'a str, Slice<'a>)> {
        let (hidden, is_root) = (self.hidden, self.is_root(object));
        object.entries().filter(move |(name, _)| !(is_root && hidden.contains(name)))
    }
}
