// The options of a script: `--name value` as an object.
'use strict';

const WORDS = { true: true, false: false };

// Returns the value of a word: a boolean, a number, or the text itself.
function value(text) {
  if (Object.prototype.hasOwnProperty.call(WORDS, text)) {
    return WORDS[text];
  }
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text;
}

// Adds a value at a path; a second one makes a list of them.
function add(options, path, found) {
  const last = path.length - 1;
  let place = options;
  for (const name of path.slice(0, last)) {
    if (place[name] === null || typeof place[name] !== 'object') {
      place[name] = {};
    }
    place = place[name];
  }
  const name = path[last];
  const before = Object.prototype.hasOwnProperty.call(place, name) ? [].concat(place[name]) : [];
  place[name] = before.length === 0 ? found : [...before, found];
}

// Reads `--name value`, `--name=value` and `--name` alone (true) from a place on. A name with colons
// makes objects: `--a:b 1` is { a: { b: 1 } }.
function parseArgv(words, start = 0) {
  const options = {};
  for (let index = start; index < words.length; ++index) {
    const word = String(words[index]);
    if (!word.startsWith('--')) {
      throw new TypeError(`${word} is no option: options begin with --`);
    }
    const [name, ...parts] = word.slice(2).split('=');
    const next = words[index + 1];
    let text = parts.length > 0 ? parts.join('=') : 'true';
    if (parts.length === 0 && next !== undefined && !String(next).startsWith('--')) {
      text = String(next);
      index += 1;
    }
    const path = name.split(':');
    if (path.some((part) => part === '' || part === '__proto__')) {
      throw new TypeError(`${word} names no option`);
    }
    add(options, path, value(text));
  }
  return options;
}

module.exports = { parseArgv };
