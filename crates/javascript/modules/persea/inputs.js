// Inputs of a session of a shell in the server: scripts in the global scope, whose values are shown.
'use strict';

const printer = require('persea/printer');
const { ArangoError } = require('persea/error');

// The longest text of a value that is shown, in characters.
const MOST_CHARACTERS = 100000;

printer.state.isPretty = true;

// Returns true if an input that begins with a brace is an object rather than a block.
function isObject(source) {
  if (!/^\s*\{/.test(source)) {
    return false;
  }
  try {
    host.compileModule('return (' + source + '\n);', 'input');
    return true;
  } catch {
    return false;
  }
}

// Runs an input, and returns the text of its value, or of the exception that it did not catch.
exports.run = (source) => {
  try {
    const value = host.evaluate(isObject(source) ? '(' + source + '\n)' : source, 'input');
    if (value === undefined) {
      return {};
    }
    globalThis._ = value;
    return { shown: printer.text(value).slice(0, MOST_CHARACTERS) };
  } catch (error) {
    const text = error instanceof ArangoError ? `ArangoError ${error.errorNum}: ${error.errorMessage}` : String(error);
    return { exception: text.slice(0, MOST_CHARACTERS) };
  }
};
