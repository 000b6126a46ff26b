//! Validation of VelocyPack from outside: every byte is checked before anything relies on it.

use crate::format::{
    ARRAY_COMPACT, ARRAY_UNIFORM, BCD, BCD_LAST, BINARY, BINARY_LAST, DOUBLE, EMPTY_ARRAY, EMPTY_OBJECT,
    FALSE, INT, LONG_STRING, Layout, NULL, OBJECT_COMPACT, OBJECT_SORTED, OBJECT_SORTED_LAST,
    OBJECT_UNSORTED_LAST, SHORT_STRING, TRUE, UTC_DATE, layout, value_length,
};
use crate::names::read_name;
use crate::{Error, Limits, Result, Slice};

#[cfg(test)]
mod tests;

/// Checks that `bytes` are exactly one value and returns it.
///
/// It checks all lengths and offsets and the limits. Index tables must point at the members, in the
/// order of their names where the type says so. No object may have a name twice, and text must be
/// UTF-8. It refuses types that no client may send: none, illegal, external, min-key, max-key, BCD
/// numbers, custom types (and so `_id` markers) and reserved ones.
///
/// A valid value may still have an encoding that only this crate's readers know; see
/// [`crate::normalize`].
pub fn validate<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Slice<'a>> {
    if bytes.len() > limits.max_bytes {
        return Err(Error::TooLarge { max_bytes: limits.max_bytes });
    }
    Validator { bytes, max_depth: limits.max_depth, open: Vec::new(), starts: Vec::new() }.run()?;
    Ok(Slice::new(bytes))
}

struct Validator<'a> {
    bytes: &'a [u8],
    max_depth: usize,
    /// The arrays and objects around the current position, outermost first.
    open: Vec<Open>,
    /// The positions of the attributes seen so far, of all open objects.
    starts: Vec<usize>,
}

/// An array or object under validation. Positions count from the start of the input.
#[derive(Clone, Copy)]
struct Open {
    start: usize,
    end: usize,
    data_end: usize,
    layout: Layout,
    /// Members checked so far.
    checked: usize,
    /// Length of every element in an array without table.
    uniform_length: Option<usize>,
    is_object: bool,
    is_sorted: bool,
    /// Index in `starts` of its first attribute.
    first_start: usize,
}

fn invalid(offset: usize, reason: &'static str) -> Error {
    Error::Invalid { offset, reason }
}

impl<'a> Validator<'a> {
    fn run(mut self) -> Result<()> {
        let mut position = self.value(0, self.bytes.len())?;
        while let Some(open) = self.open.last().copied() {
            position = if open.checked < open.layout.count {
                let value = self.begin_member(&open, position)?;
                self.value(value, open.data_end)?
            } else {
                self.end_container(&open, position)?
            };
        }
        if position != self.bytes.len() {
            return Err(invalid(position, "bytes behind the value"));
        }
        Ok(())
    }

    /// Checks a scalar and returns the position after it, or opens an array or object and returns
    /// the position of its first member.
    fn value(&mut self, at: usize, limit: usize) -> Result<usize> {
        let rest = self.bytes.get(at..limit).unwrap_or(&[]);
        let Some(&head) = rest.first() else { return Err(invalid(at, "a value is missing")) };
        let length = match value_length(rest) {
            Some(length) => length,
            None => return Err(invalid(at, "the value is cut off or of a reserved type")),
        };
        match head {
            EMPTY_ARRAY | EMPTY_OBJECT | NULL | FALSE | TRUE | DOUBLE | UTC_DATE => {}
            INT..SHORT_STRING | BINARY..=BINARY_LAST => {}
            SHORT_STRING..=LONG_STRING => self.check_text(at, Slice::new(rest).str_bytes())?,
            ARRAY_UNIFORM..=0x09 | OBJECT_SORTED..=OBJECT_UNSORTED_LAST | ARRAY_COMPACT | OBJECT_COMPACT => {
                return self.open(at, rest.get(..length).unwrap_or(rest));
            }
            BCD..=BCD_LAST => return Err(invalid(at, "BCD numbers are not supported")),
            _ => return Err(invalid(at, "a type that is not allowed here")),
        }
        Ok(at + length)
    }

    fn check_text(&self, at: usize, text: Option<&[u8]>) -> Result<()> {
        match text.map(std::str::from_utf8) {
            Some(Ok(_)) => Ok(()),
            _ => Err(invalid(at, "text that is not UTF-8")),
        }
    }

    fn open(&mut self, at: usize, value: &[u8]) -> Result<usize> {
        if self.open.len() >= self.max_depth {
            return Err(Error::TooDeep { max_depth: self.max_depth });
        }
        let Some(layout) = layout(value) else {
            return Err(invalid(at, "the header of an array or object does not fit its content"));
        };
        let slice = Slice::new(value);
        let head = slice.head();
        let uniform_length = match head {
            ARRAY_UNIFORM..=0x05 => value.get(layout.data..).and_then(value_length),
            _ => None,
        };
        self.open.push(Open {
            start: at,
            end: at + value.len(),
            data_end: at + layout.data_end,
            layout,
            checked: 0,
            uniform_length,
            is_object: slice.is_object(),
            is_sorted: (OBJECT_SORTED..=OBJECT_SORTED_LAST).contains(&head),
            first_start: self.starts.len(),
        });
        Ok(at + layout.data)
    }

    /// Checks the bytes before the value of the next member, which starts at `at`, and returns the
    /// value's position.
    fn begin_member(&mut self, open: &Open, at: usize) -> Result<usize> {
        if let Some(innermost) = self.open.last_mut() {
            innermost.checked += 1;
        }
        let rest = self.bytes.get(at..open.data_end).unwrap_or(&[]);
        if open.is_object {
            self.starts.push(at);
            let Some((name, length)) = read_name(rest) else {
                return Err(invalid(
                    at,
                    "an attribute name has to be a string or the number of a system attribute",
                ));
            };
            self.check_text(at, Some(name))?;
            return Ok(at + length);
        }
        if let Some(expected) = open.uniform_length
            && value_length(rest) != Some(expected)
        {
            return Err(invalid(at, "the elements of an array without index table have to be equally long"));
        }
        if open.layout.table != 0 && self.table_entry(open, open.checked) != Some(at) {
            return Err(invalid(at, "the index table of an array does not point at its elements"));
        }
        Ok(at)
    }

    /// Returns the position of a member according to the index table.
    fn table_entry(&self, open: &Open, index: usize) -> Option<usize> {
        let value = self.bytes.get(open.start..open.end)?;
        open.layout.offset(value, index).map(|offset| open.start + offset)
    }

    /// Checks the bytes after the last member, which ends at `at`, and returns the position after
    /// all.
    fn end_container(&mut self, open: &Open, at: usize) -> Result<usize> {
        if at != open.data_end {
            return Err(invalid(at, "bytes between the last member and the end of an array or object"));
        }
        if open.is_object {
            self.check_names(open)?;
            self.starts.truncate(open.first_start);
        }
        self.open.pop();
        Ok(open.end)
    }

    /// Checks that the index table of an object has all of its attributes, and each name once.
    fn check_names(&self, open: &Open) -> Result<()> {
        let starts = self.starts.get(open.first_start..).unwrap_or(&[]);
        if open.layout.table == 0 {
            return self.check_unique(starts.to_vec());
        }
        let mut by_table = Vec::with_capacity(starts.len());
        for index in 0..open.layout.count {
            match self.table_entry(open, index) {
                Some(entry) if starts.binary_search(&entry).is_ok() => by_table.push(entry),
                _ => {
                    return Err(invalid(
                        open.start,
                        "the index table of an object does not point at its attributes",
                    ));
                }
            }
        }
        if !open.is_sorted {
            let mut entries = by_table.clone();
            entries.sort_unstable();
            if entries != starts {
                return Err(invalid(open.start, "the index table of an object has an attribute twice"));
            }
            return self.check_unique(by_table);
        }
        // The table has as many entries as there are attributes, and no name twice: so it has each
        // of them.
        let names_ascend = by_table.is_sorted_by(|left, right| self.name_at(*left) < self.name_at(*right));
        if !names_ascend {
            return Err(invalid(
                open.start,
                "the index table of an object is not sorted or has a name twice",
            ));
        }
        Ok(())
    }

    fn check_unique(&self, mut starts: Vec<usize>) -> Result<()> {
        starts.sort_unstable_by_key(|start| self.name_at(*start));
        let duplicate = starts
            .windows(2)
            .find(|pair| matches!(pair, [left, right] if self.name_at(*left) == self.name_at(*right)));
        match duplicate.and_then(<[usize]>::first) {
            Some(&start) => {
                Err(Error::DuplicateName { name: String::from_utf8_lossy(self.name_at(start)).into_owned() })
            }
            None => Ok(()),
        }
    }

    fn name_at(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..).and_then(read_name).map_or(&[], |(name, _)| name)
    }
}
