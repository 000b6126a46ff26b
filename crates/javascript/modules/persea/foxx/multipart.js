// Bodies of several parts (RFC 2046, section 5.1).
'use strict';

const { HttpError } = require('persea/foxx/errors');

// The most parts of a body, and the most characters of the headers of one.
const PARTS_MAX = 1000;
const HEADERS_MAX = 16384;

const wrong = (reason) => new HttpError(400, `the request body is not valid multipart data: ${reason}`);

// Returns a parameter of a header: `name="a"`.
function parameter(header, name) {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(header || '');
  return found === null ? undefined : found[1] === undefined ? found[2] : found[1].replace(/\\(.)/g, '$1');
}

function headersOf(text) {
  const headers = {};
  for (const line of text.split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) {
      const name = line.slice(0, at).trim().toLowerCase();
      Object.defineProperty(headers, name, { value: line.slice(at + 1).trim(), enumerable: true, writable: true, configurable: true });
    }
  }
  return headers;
}

// Returns the parts of a body: their data (a Buffer), headers, and `name` and `filename` if they are there.
function parse(body, contentType) {
  const boundary = parameter(contentType, 'boundary');
  if (!boundary || boundary.length > 70) {
    throw wrong('its content type has no boundary of 1 to 70 characters');
  }
  // One character for each byte, so that searches are those of texts.
  const text = body.toString('latin1');
  const delimiter = `\r\n--${boundary}`;
  const parts = [];
  let at = text.startsWith(`--${boundary}`) ? boundary.length + 2 : end(text, delimiter, 0) + delimiter.length;
  while (!text.startsWith('--', at)) {
    const line = end(text, '\r\n', at);
    const close = text.startsWith('\r\n\r\n', line) ? line : text.indexOf('\r\n\r\n', line + 2);
    if (close === -1 || close - line > HEADERS_MAX) {
      throw wrong('the headers of a part have no end, or are too long');
    }
    const headers = headersOf(Buffer.from(text.slice(line + 2, close), 'latin1').toString('utf8'));
    const next = end(text, delimiter, close + 2);
    const part = { headers, data: body.slice(close + 4, Math.max(next, close + 4)) };
    for (const name of ['name', 'filename']) {
      const value = parameter(headers['content-disposition'], name);
      if (value !== undefined) {
        part[name] = value;
      }
    }
    parts.push(part);
    if (parts.length > PARTS_MAX) {
      throw wrong(`it has more than ${PARTS_MAX} parts`);
    }
    at = next + delimiter.length;
  }
  return parts;
}

function end(text, wanted, from) {
  const found = text.indexOf(wanted, from);
  if (found === -1) {
    throw wrong('it ends before its last boundary');
  }
  return found;
}

module.exports = { parse };
