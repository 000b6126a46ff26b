//! The definitions of functions that users write. `javascript` runs them.

use catalog::AccessLevel;
use catalog::user_function::{FUNCTIONS_COLLECTION, UserFunction, function_key, namespace_prefix};
use errors::{Error, ErrorCode, Result};
use kv::BlockLimits;
use storage::{
    DOCUMENT_WAIT, DocumentScanSpec, Durability, KeyBound, OverwriteMode, Snapshot, WriteKind, WriteOptions,
};
use velocypack::{Builder, Slice};

use crate::documents::WriteMode;
use crate::javascript::check_function;
use crate::session::Session;

const READ_LIMITS: BlockLimits = BlockLimits { rows: 1_000, bytes: 4 << 20 };
const MODE: WriteMode = WriteMode { durability: Durability::Buffered, wait: DOCUMENT_WAIT };

impl Session {
    /// Returns the functions of the database by name, all or those of a namespace. Errors: 1580,
    /// 1203, 11.
    pub fn user_functions(&self, namespace: Option<&str>) -> Result<Vec<UserFunction>> {
        let prefix = namespace.map(namespace_prefix).transpose()?.unwrap_or_default();
        let snapshot = self.instance().store().snapshot()?;
        let mut functions = Vec::new();
        self.scan_functions(&snapshot, &prefix, |document| {
            functions.extend(UserFunction::from_document(document));
        })?;
        Ok(functions)
    }

    /// Returns the function with this key, whatever the user may read.
    pub(crate) fn user_function(&self, key: &str) -> Result<Option<UserFunction>> {
        let snapshot = self.instance().store().snapshot()?;
        let database = self.database_in(snapshot.catalog())?;
        let Some(functions) = database.collection(FUNCTIONS_COLLECTION) else { return Ok(None) };
        let documents = snapshot.get(functions, &[key])?;
        let offset = documents.offsets.first().copied().flatten();
        let document = offset.map(|offset| documents.block.slice(offset as usize));
        Ok(document.and_then(UserFunction::from_document))
    }

    /// Stores a function. Returns true if the name is new. Errors: 1580, 1581, 10, 11.
    pub fn store_user_function(&self, body: Slice<'_>) -> Result<bool> {
        self.require_database(AccessLevel::ReadWrite)?;
        let function = UserFunction::parse(body)?;
        check_function(self, &function)?;
        let mut document = Builder::with_capacity(function.code.len() + 128);
        document.open_object()?;
        document.key("_key")?;
        document.add_str(&function_key(&function.name)?)?;
        function.print(&mut document)?;
        document.close()?;
        let document = document.into_vec();
        let (_, outcome) = self.write(FUNCTIONS_COLLECTION, MODE, |transaction, functions| {
            let options = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
            transaction.insert(functions, Slice::new(&document), &options)
        })?;
        Ok(outcome.kind == WriteKind::Inserted)
    }

    /// Removes a function. Errors: 1580, 1582, 11.
    pub fn remove_user_function(&self, name: &str) -> Result<()> {
        self.require_database(AccessLevel::ReadWrite)?;
        let key = function_key(name)?;
        let removed = self.write(FUNCTIONS_COLLECTION, MODE, |transaction, functions| {
            transaction.remove(functions, &key, Slice::NONE, &WriteOptions::default())
        });
        match removed {
            Err(error) if error.code() == ErrorCode::DocumentNotFound => Err(Error::new(
                ErrorCode::QueryFunctionNotFound,
                format!("no AQL user function with name '{name}' found"),
            )),
            removed => removed.map(drop),
        }
    }

    /// Removes all functions of a namespace, and returns their number. Errors: 1580, 11.
    pub fn remove_user_functions(&self, namespace: &str) -> Result<usize> {
        self.require_database(AccessLevel::ReadWrite)?;
        let prefix = namespace_prefix(namespace)?;
        let (_, removed) = self.write(FUNCTIONS_COLLECTION, MODE, |transaction, functions| {
            let mut keys = Vec::new();
            self.scan_functions(&transaction.view(), &prefix, |document| {
                keys.extend(document.get("_key").and_then(Slice::as_str).map(str::to_owned));
            })?;
            for key in &keys {
                transaction.remove(functions, key, Slice::NONE, &WriteOptions::default())?;
            }
            Ok(keys.len())
        })?;
        Ok(removed)
    }

    /// Visits the documents whose keys start with a prefix.
    fn scan_functions(
        &self,
        snapshot: &Snapshot,
        prefix: &str,
        mut visit: impl FnMut(Slice<'_>),
    ) -> Result<()> {
        self.require_collection(FUNCTIONS_COLLECTION, AccessLevel::ReadOnly)?;
        let functions = self.database_in(snapshot.catalog())?.require_collection(FUNCTIONS_COLLECTION)?;
        let from_key = KeyBound { key: prefix.to_owned(), inclusive: true };
        let spec = DocumentScanSpec { from_key: Some(from_key), ..DocumentScanSpec::default() };
        let mut scan = snapshot.scan(functions, &spec)?;
        while let Some(documents) = scan.next_block(READ_LIMITS)? {
            for document in documents.iter() {
                let key = document.get("_key").and_then(Slice::as_str).unwrap_or_default();
                if !key.starts_with(prefix) {
                    return Ok(());
                }
                visit(document);
            }
        }
        Ok(())
    }
}
