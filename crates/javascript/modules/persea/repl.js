// The functions that an interactive program calls: statements, prompt and completion.
'use strict';

const printer = require('persea/printer');
const { ArangoDatabase, db } = require('persea/database');
const connection = require('persea/connection');
const { send } = connection;

// Words that are statements without brackets.
const WORDS = {
  help: () => require('persea/help').help(),
  exit: () => host.exit(0),
  quit: () => host.exit(0),
  __proto__: null,
};

// Evaluates a statement and prints its value, unless that is undefined.
function evaluate(source, file) {
  const word = WORDS[source.trim().replace(/;$/, '')];
  if (word !== undefined) {
    return void word();
  }
  const value = host.evaluate(source, file);
  if (value !== undefined) {
    globalThis._ = value;
    printer.print(value);
  }
}

// Runs a file in the global scope and returns the value of its last expression. `require` and
// `__dirname` begin at its folder until then.
function runFile(path) {
  const main = host.main;
  const before = [main.filename, globalThis.__filename, globalThis.__dirname];
  const full = path.startsWith('/') ? path : host.workingDirectory() + '/' + path;
  main.filename = full;
  globalThis.__filename = full;
  globalThis.__dirname = full.slice(0, Math.max(full.lastIndexOf('/'), 1));
  try {
    return host.evaluate(host.readText(path), path);
  } finally {
    [main.filename, globalThis.__filename, globalThis.__dirname] = before;
  }
}

// Begins a session: the folders in which modules are looked for, and the arguments of scripts.
function begin(folders) {
  host.roots.push(...folders);
  globalThis.ARGUMENTS = host.arguments();
  Error.prepareStackTrace = trace;
}

// Returns the calls of an error. Code without a name of its own has only its place, as in V8, so
// that scripts find their file in it.
function trace(error, calls) {
  return calls.map((call) => {
    const name = call.getFunctionName();
    const place = call.isNative() ? 'native' : `${call.getFileName()}:${call.getLineNumber()}:${call.getColumnNumber()}`;
    const isNamed = name !== null && name !== '' && name !== '<eval>' && name !== '<anonymous>';
    return isNamed || call.isNative() ? `    at ${name || '<anonymous>'} (${place})\n` : `    at ${place}\n`;
  }).join('');
}

// Throws the syntax error of a file, if it has one.
function checkSyntax(path) {
  host.compileModule(host.readText(path), path);
}

// Returns the names that continue a text such as `db._qu`, and the length of what they replace.
function complete(text) {
  const path = /[\w$.]*$/.exec(text)[0].split('.');
  const start = path.pop();
  let object = globalThis;
  for (const name of path) {
    // Getters of one's own objects could do anything; those of the API only load a module.
    object = object === undefined || object === null ? undefined : object[name];
  }
  const names = object === undefined || object === null ? [] : namesOf(object);
  const found = [...new Set(names)].filter((name) => name.startsWith(start) && /^[A-Za-z_$][\w$]*$/.test(name));
  // Names that begin with an underscore are for those who ask for them.
  const wanted = start === '' && object !== db ? found.filter((name) => !name.startsWith('_')) : found;
  return { length: start.length, names: wanted.sort().map((name) => describe(object, name)) };
}

function namesOf(object) {
  const names = [];
  for (let current = Object(object); current !== null && current !== Object.prototype; current = Object.getPrototypeOf(current)) {
    if (object === db && current === Object.getPrototypeOf(ArangoDatabase.prototype)) {
      names.push(...send('GET', '/_api/collection').result.map((facts) => facts.name));
      break;
    }
    names.push(...Object.getOwnPropertyNames(current));
  }
  return names.filter((name) => name !== 'constructor' && !HIDDEN.has(name));
}

// Methods for the API's own use.
const HIDDEN = new Set(['_path', '_documents', '_indexPath', '_run', '_insert', '_insertEdge', '_manyParameters',
  '_changeMany', '_byExample', '_edges', '_find', '_splitIndex', '_fetch', '_checkUnsent', '_headers']);

// Returns a name, with a bracket behind it if it is a function.
function describe(object, name) {
  for (let current = Object(object); current !== null; current = Object.getPrototypeOf(current)) {
    const found = Object.getOwnPropertyDescriptor(current, name);
    if (found !== undefined) {
      return typeof found.value === 'function' ? name + '(' : name;
    }
  }
  return name;
}

// Returns the public names of an object, for `help`.
function methodsOf(object) {
  const names = [...new Set(namesOf(object))].filter((name) => !name.startsWith('_'));
  return names.sort().map((name) => describe(object, name).replace(/\($/, '()'));
}

// Returns the name of the current database.
function database() {
  return connection.getDatabase();
}

module.exports = { begin, checkSyntax, evaluate, runFile, complete, methodsOf, database };
