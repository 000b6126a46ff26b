//! New services: a folder with the files to begin with, and its `.foxxignore`.

use std::fs;
use std::path::Path;

use options::Options;
use velocypack::{Builder, Slice};

use super::archive::write;
use super::command::Call;
use super::ignore;
use super::options::{EXAMPLE, FORCE};
use super::value::read_file;
use crate::{Console, Failure};

const MAIN: &str = "'use strict';

const createRouter = require('@arangodb/foxx/router');

const router = createRouter();
module.context.use(router);
";

const EXAMPLE_MAIN: &str = "'use strict';

const createRouter = require('@arangodb/foxx/router');

const notes = module.context.collection('notes');
const router = createRouter();
module.context.use(router);

router.get('/notes', (req, res) => {
  res.json(notes.all().toArray());
})
  .summary('Lists the notes')
  .response(['application/json'], 'All notes.');

router.post('/notes', (req, res) => {
  if (typeof req.body.text !== 'string') {
    res.throw(400, 'a note must have a text');
  }
  const { new: note } = notes.save({ text: req.body.text }, { returnNew: true });
  res.status(201).json(note);
})
  .body(['application/json'], 'A note, such as {\"text\": \"Buy milk\"}.')
  .response(201, ['application/json'], 'The new note.')
  .summary('Adds a note');
";

const SETUP: &str = "'use strict';

const { db } = require('@arangodb');

const name = module.context.collectionName('notes');
if (!db._collection(name)) {
  db._createDocumentCollection(name);
}
";

const TEARDOWN: &str = "'use strict';

const { db } = require('@arangodb');

db._drop(module.context.collectionName('notes'));
";

const TEST: &str = "'use strict';

const { expect } = require('chai');

describe('the collection of notes', () => {
  it('exists', () => {
    expect(module.context.collection('notes')).to.be.an('object');
  });
});
";

/// Makes the files of a new service. Errors: one of them exists.
pub(super) fn init(folder: &str, options: &Options, console: &Console) -> Result<(), Failure> {
    let folder = Path::new(folder);
    let failed = |error| Failure::new(format!("{} cannot be created: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    let name = name_of(&folder.canonicalize().map_err(failed)?);
    let is_example = options.get(&EXAMPLE);
    let mut files = vec![("manifest.json", manifest(&name, is_example)?)];
    if is_example {
        let texts = [
            ("index.js", EXAMPLE_MAIN),
            ("scripts/setup.js", SETUP),
            ("scripts/teardown.js", TEARDOWN),
            ("test/notes.js", TEST),
        ];
        files.extend(texts.map(|(name, text)| (name, text.to_owned())));
    } else {
        files.push(("index.js", MAIN.to_owned()));
    }
    if let Some((taken, _)) = files.iter().find(|(name, _)| folder.join(name).exists()) {
        return Err(Failure::new(format!("{} exists already", folder.join(taken).display())));
    }
    for (name, text) in &files {
        write(&folder.join(name), text.as_bytes(), false)?;
    }
    console.info(&format!(
        "the service {name} is in {folder}; `persea foxx install /{name} {folder}` installs it",
        folder = folder.display()
    ));
    Ok(())
}

/// Returns a name for a service in a folder: letters, digits, `-` and `_`, and no digit first.
fn name_of(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    let name: String =
        name.chars().map(|character| if is_plain(character) { character } else { '-' }).collect();
    let name = name.trim_start_matches(|character: char| character.is_ascii_digit() || character == '-');
    if name.is_empty() { "service".to_owned() } else { name.to_owned() }
}

fn manifest(name: &str, is_example: bool) -> Result<String, Failure> {
    let mut manifest = Builder::new();
    manifest.open_object()?;
    let mut texts = vec![("name", name), ("version", "0.0.0"), ("main", "index.js")];
    if is_example {
        texts.push(("tests", "test/**/*.js"));
    }
    for (name, text) in texts {
        manifest.key(name)?;
        manifest.add_str(text)?;
    }
    let mut object = |name: &str, members: &[(&str, &str)]| -> Result<(), Failure> {
        manifest.key(name)?;
        manifest.open_object()?;
        for (name, text) in members {
            manifest.key(name)?;
            manifest.add_str(text)?;
        }
        Ok(manifest.close()?)
    };
    object("engines", &[("arangodb", "^3.0.0")])?;
    if is_example {
        object("scripts", &[("setup", "scripts/setup.js"), ("teardown", "scripts/teardown.js")])?;
    }
    manifest.close()?;
    let mut text = Vec::new();
    velocypack::json::write_pretty(Slice::new(manifest.as_bytes()), None, &mut text);
    text.push(b'\n');
    String::from_utf8(text).map_err(|error| Failure::new(error.to_string()))
}

/// Adds patterns to `.foxxignore` of the working directory, or writes the file anew.
pub(super) fn ignore(call: &Call, options: &Options, console: &Console) -> Result<(), Failure> {
    add_patterns(Path::new(ignore::FILE), &call.from(0), options.get(&FORCE))?;
    console.info(&format!("{} is written", ignore::FILE));
    Ok(())
}

pub(super) fn add_patterns(path: &Path, patterns: &[&str], replaces: bool) -> Result<(), Failure> {
    let mut text = match (replaces, path.exists()) {
        (true, _) => String::new(),
        (false, true) => String::from_utf8(read_file(path, ignore::BYTES_MAX)?)
            .map_err(|_| Failure::new(format!("{} is not UTF-8", path.display())))?,
        (false, false) => ignore::DEFAULTS.iter().map(|pattern| format!("{pattern}\n")).collect(),
    };
    for pattern in patterns {
        if text.lines().any(|line| line.trim() == *pattern) {
            continue;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(pattern);
        text.push('\n');
    }
    ignore::Ignore::parse(&text)?;
    write(path, text.as_bytes(), true)
}
