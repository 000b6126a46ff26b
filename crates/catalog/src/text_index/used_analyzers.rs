//! The Analyzers of a text index, kept with its definition.

use analyzers::{Definition, Features, built_in};
use errors::{Error, Result};
use velocypack::Slice;

use crate::properties::{Printer, Properties};

/// The definitions of the Analyzers that users have made and a text index names.
///
/// The index keeps them, so that it opens without reading other collections. They never change: an
/// Analyzer is only ever created or removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsedAnalyzers(Vec<UsedAnalyzer>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct UsedAnalyzer {
    /// The name in the index's definition.
    name: String,
    /// The definition, under the full name.
    definition: Definition,
}

impl UsedAnalyzers {
    /// Looks all names up. Built-in Analyzers are not kept.
    ///
    /// Errors: those of `find`, such as 1202 for a name that no Analyzer has.
    pub fn find<'n>(
        names: impl IntoIterator<Item = &'n str>,
        find: &dyn Fn(&str) -> Result<Definition>,
    ) -> Result<Self> {
        let mut used = UsedAnalyzers::default();
        for name in names {
            if built_in(name).is_none() && used.get(name).is_none() {
                used.0.push(UsedAnalyzer { name: name.to_owned(), definition: find(name)? });
            }
        }
        Ok(used)
    }

    /// Returns the definition of the Analyzer with this name in the index's definition.
    pub fn get(&self, name: &str) -> Option<&Definition> {
        let kept = self.0.iter().find(|used| used.name == name).map(|used| &used.definition);
        kept.or_else(|| built_in(name).map(|analyzer| analyzer.definition()))
    }

    /// Returns true if the index uses the Analyzer with this full name.
    pub fn uses(&self, full_name: &str) -> bool {
        self.0.iter().any(|used| used.definition.name() == full_name)
    }

    /// Returns the features of an Analyzer; none for an unknown one.
    pub(crate) fn features(&self, name: &str) -> Features {
        self.get(name).map_or(Features::NONE, Definition::features)
    }

    pub(crate) fn print_record(&self, printer: &mut Printer<'_>) {
        printer.objects("analyzerDefinitions", &self.0, |used, printer| {
            printer.text("usedAs", &used.name);
            printer.definition(&used.definition);
        });
    }

    /// Reads what [`UsedAnalyzers::print_record`] has written.
    ///
    /// Errors: 10 and 9, as for an Analyzer that is created.
    pub(crate) fn read_record(record: Properties<'_>) -> Result<Self> {
        let array = record.array("analyzerDefinitions")?.unwrap_or(Slice::EMPTY_ARRAY);
        let mut used = UsedAnalyzers::default();
        for element in array.elements() {
            let properties = Properties::of(element, "an Analyzer of an index")?;
            let missing = || Error::corrupt("an Analyzer of an index has no name");
            let name = properties.text("usedAs")?.ok_or_else(missing)?.to_owned();
            let definition = Definition::parse(properties.text("name")?.ok_or_else(missing)?, element)?;
            used.0.push(UsedAnalyzer { name, definition });
        }
        Ok(used)
    }
}
