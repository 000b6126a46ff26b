//! Schemas as clients name them: `name:type,name:type`.

use errors::{Error, Result};

use crate::column::{Column, ColumnType, MAX_COLUMNS, MAX_DEPTH, RowSchema, Rows};

impl RowSchema {
    /// Reads a schema of the form `a:int64,b:list<utf8>,c:struct<d:json>`.
    ///
    /// The types are `bool`, `int64`, `float64`, `utf8`, `json`, `list<type>` and
    /// `struct<name:type,...>`. A name has none of the characters `,:<>`. Attributes that the
    /// schema does not name are left out. Errors: 400.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = Parser { text, at: 0, columns: 0 };
        let columns = parser.columns(0)?;
        if parser.at < text.len() {
            return Err(parser.expected("a comma or the end"));
        }
        Ok(RowSchema { columns, rows: Rows::Named })
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Bytes that were read.
    at: usize,
    /// Columns that were read.
    columns: usize,
}

impl Parser<'_> {
    fn columns(&mut self, depth: usize) -> Result<Vec<Column>> {
        let mut columns: Vec<Column> = Vec::new();
        let mut names = std::collections::HashSet::new();
        loop {
            let name = self.word();
            if name.is_empty() {
                return Err(self.expected("the name of a column"));
            }
            if !names.insert(name.clone()) {
                return Err(Error::bad_parameter(format!(
                    "the schema names the column `{name}` twice; each column has one type"
                )));
            }
            self.skip(':', "a colon and a type")?;
            let kind = self.kind(depth)?;
            columns.push(Column { name, kind });
            if !self.found(',') {
                return Ok(columns);
            }
        }
    }

    fn kind(&mut self, depth: usize) -> Result<ColumnType> {
        self.columns += 1;
        if self.columns > MAX_COLUMNS {
            return Err(Error::bad_parameter(format!(
                "the schema has more than {MAX_COLUMNS} columns; name fewer"
            )));
        }
        let begin = self.at;
        let word = self.word();
        if matches!(word.as_str(), "list" | "struct") && depth >= MAX_DEPTH {
            return Err(Error::bad_parameter(format!(
                "the schema is nested deeper than {MAX_DEPTH} levels; use `json` there"
            )));
        }
        match word.as_str() {
            "bool" => Ok(ColumnType::Bool),
            "int64" => Ok(ColumnType::Int64),
            "float64" => Ok(ColumnType::Float64),
            "utf8" => Ok(ColumnType::Utf8),
            "json" => Ok(ColumnType::Json),
            "list" => {
                self.skip('<', "`<` and a type")?;
                let element = self.kind(depth + 1)?;
                self.skip('>', "`>`")?;
                Ok(ColumnType::List(Box::new(element)))
            }
            "struct" => {
                self.skip('<', "`<` and columns")?;
                let columns = self.columns(depth + 1)?;
                self.skip('>', "a comma or `>`")?;
                Ok(ColumnType::Struct(columns))
            }
            _ => {
                self.at = begin;
                Err(self.expected("a type (bool, int64, float64, utf8, json, list<>, struct<>)"))
            }
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn word(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find([',', ':', '<', '>']).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let trimmed = word.trim().to_owned();
        self.at += end;
        trimmed
    }

    fn found(&mut self, wanted: char) -> bool {
        let blanks = self.rest().len() - self.rest().trim_start().len();
        let is_there = self.rest().trim_start().starts_with(wanted);
        if is_there {
            self.at += blanks + wanted.len_utf8();
        }
        is_there
    }

    fn skip(&mut self, wanted: char, name: &str) -> Result<()> {
        if self.found(wanted) { Ok(()) } else { Err(self.expected(name)) }
    }

    fn expected(&self, wanted: &str) -> Error {
        Error::bad_parameter(format!("the schema is wrong at byte {}; it needs {wanted} there", self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        ColumnType::Struct(RowSchema::parse(text).unwrap().columns).to_string()
    }

    #[test]
    fn a_schema_is_read_as_it_is_written() {
        let text = "a:int64,b:list<utf8>,c d:struct<e:json,f:list<struct<g:bool,h:float64>>>";
        assert_eq!(shown(text), format!("struct<{text}>"));
        assert_eq!(shown(" a : int64 , b:list< utf8 >"), "struct<a:int64,b:list<utf8>>");
    }

    #[test]
    fn a_wrong_schema_says_where_it_is_wrong() {
        for (text, part) in [
            ("", "byte 0; it needs the name"),
            ("a", "byte 1; it needs a colon"),
            ("a:int", "byte 2; it needs a type"),
            ("a:int64,", "byte 8; it needs the name"),
            ("a:list<int64", "byte 12; it needs `>`"),
            ("a:int64>", "byte 7; it needs a comma or the end"),
            ("a:int64,a:utf8", "column `a` twice"),
        ] {
            let error = RowSchema::parse(text).unwrap_err();
            assert!(error.message().contains(part), "{text}: {}", error.message());
        }
        let deep = format!("a:{}int64{}", "list<".repeat(100_000), ">".repeat(100_000));
        assert!(RowSchema::parse(&deep).unwrap_err().message().contains("deeper than 8 levels"));
        let wide: Vec<String> = (0..=MAX_COLUMNS).map(|place| format!("c{place}:bool")).collect();
        assert!(RowSchema::parse(&wide.join(",")).unwrap_err().message().contains("more than 10000"));
    }
}
