//! The file system, if the host has one for scripts.

use rquickjs::{Object, Value};

use super::{Call, NativeResult, Table};
use crate::{EntryKind, Packing, Unpacking};

pub(super) const TABLE: Table = &[
    ("hasFiles", |call| call.give(call.host().files().is_some())),
    ("readFile", |call| call.give_bytes(call.files()?.read(&call.text(0)?)?)),
    ("readText", read_text),
    ("writeFile", |call| {
        call.files()?.write(&call.text(0)?, &call.bytes(1)?, call.flag(2))?;
        Ok(call.nothing())
    }),
    ("fileInfo", file_info),
    ("listDirectory", list_directory),
    ("makeDirectory", |call| {
        call.files()?.make_directory(&call.text(0)?, call.flag(1))?;
        Ok(call.nothing())
    }),
    ("removeFile", |call| {
        call.files()?.remove(&call.text(0)?)?;
        Ok(call.nothing())
    }),
    ("removeDirectory", |call| {
        call.files()?.remove_directory(&call.text(0)?, call.flag(1))?;
        Ok(call.nothing())
    }),
    ("renameFile", |call| {
        call.files()?.rename(&call.text(0)?, &call.text(1)?)?;
        Ok(call.nothing())
    }),
    ("copyFile", |call| {
        call.files()?.copy(&call.text(0)?, &call.text(1)?)?;
        Ok(call.nothing())
    }),
    ("linkFile", |call| {
        call.files()?.link(&call.text(0)?, &call.text(1)?)?;
        Ok(call.nothing())
    }),
    ("setFileMode", |call| {
        call.files()?.set_mode(&call.text(0)?, call.number(1)? as u32)?;
        Ok(call.nothing())
    }),
    ("packFiles", pack_files),
    ("unpackFiles", unpack_files),
    ("temporaryDirectory", |call| {
        call.give(call.files()?.temporary_directory().to_string_lossy().into_owned())
    }),
    ("workingDirectory", |call| call.give(call.files()?.working_directory().to_string_lossy().into_owned())),
];

/// `readText(path)`: the content of a file; bytes that are no UTF-8 become U+FFFD.
fn read_text<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let bytes = call.files()?.read(&call.text(0)?)?;
    call.give(String::from_utf8_lossy(&bytes).into_owned())
}

/// `fileInfo(path)`: kind, size and time of the last change; undefined if there is no such entry.
fn file_info<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let Some(metadata) = call.files()?.metadata(&call.text(0)?)? else { return Ok(call.nothing()) };
    let kind = match metadata.kind {
        EntryKind::File => "file",
        EntryKind::Directory => "directory",
        EntryKind::Other => "other",
    };
    let object = Object::new(call.ctx.clone())?;
    object.set("kind", kind)?;
    object.set("size", metadata.bytes as f64)?;
    object.set("mtime", metadata.modified)?;
    Ok(object.into_value())
}

/// `listDirectory(path)`: the names in a directory, sorted.
fn list_directory<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let mut names = call.files()?.list(&call.text(0)?)?;
    names.sort();
    call.give_list(names.iter().map(String::as_str))
}

/// `packFiles(archive, folder, files, password)`: the password may be undefined.
fn pack_files<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let password = call.optional_text(3)?;
    let packing = Packing {
        archive: &call.text(0)?,
        folder: &call.text(1)?,
        files: &call.texts(2)?,
        password: password.as_deref(),
    };
    call.files()?.pack(&packing)?;
    Ok(call.nothing())
}

/// `unpackFiles(archive, folder, skipsPaths, overwrites, password)`: the password may be undefined.
fn unpack_files<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let password = call.optional_text(4)?;
    let unpacking = Unpacking {
        archive: &call.text(0)?,
        folder: &call.text(1)?,
        skips_paths: call.flag(2),
        overwrites: call.flag(3),
        password: password.as_deref(),
    };
    call.files()?.unpack(&unpacking)?;
    Ok(call.nothing())
}
