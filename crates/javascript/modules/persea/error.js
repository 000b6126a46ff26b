// ArangoDB's errors: the class, and the table of codes.
'use strict';

// Returns the first frame of a stack trace outside of the API's own modules.
function place(stack) {
  for (const line of String(stack).split('\n')) {
    const frame = /at (?:.*\()?([^()]*):(\d+):(\d+)\)?$/.exec(line.trim());
    if (frame !== null && !frame[1].startsWith('persea:')) {
      return { file: frame[1], line: Number(frame[2]), column: Number(frame[3]) };
    }
  }
  return {};
}

class ArangoError extends Error {
  // Makes an error from the body of a reply, or from an object with `errorNum` and `errorMessage`.
  constructor(data) {
    const facts = typeof data === 'string' ? { errorMessage: data } : data || {};
    const number = facts.errorNum || 0;
    super(facts.errorMessage || message(number));
    this.error = true;
    this.code = facts.code || 0;
    this.errorNum = number;
    this.errorMessage = this.message;
  }

  get name() {
    return 'ArangoError';
  }

  get isArangoError() {
    return true;
  }

  get fileName() {
    return place(this.stack).file;
  }

  get lineNumber() {
    return place(this.stack).line;
  }

  toString() {
    return `ArangoError ${this.errorNum}: ${this.errorMessage}`;
  }
}

let codes;
const statuses = new Map();

// The table of codes: `errors.ERROR_ARANGO_CONFLICT.code` is 1200.
function errors() {
  if (codes === undefined) {
    codes = {};
    for (const [name, code, message, status] of host.errorCodes()) {
      codes['ERROR_' + name] = { code, message };
      statuses.set(code, status);
    }
    for (const [name, code, message] of require('persea/error-names')) {
      codes['ERROR_' + name] = codes['ERROR_' + name] || { code, message };
    }
  }
  return codes;
}

function message(number) {
  for (const name in errors()) {
    if (codes[name].code === number) {
      return codes[name].message;
    }
  }
  return 'unknown error';
}

// Returns the error with the name of a code.
function make(name, text) {
  const { code, message } = errors()[name];
  return new ArangoError({ errorNum: code, code: statuses.get(code), errorMessage: text === undefined ? message : text });
}

module.exports = { ArangoError, errors, make };
