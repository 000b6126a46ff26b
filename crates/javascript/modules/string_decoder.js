// Texts from bytes that come in pieces, as in Node.js.
'use strict';

const { Buffer } = require('buffer');

// The greatest number of bytes that wait for the rest of a sign.
const SIGN_MAX = 4;

// Returns how many bytes at the end belong to a sign that is not whole.
function unfinished(bytes, encoding) {
  switch (encoding) {
    case 'utf8':
      return unfinishedUtf8(bytes);
    case 'utf16le':
      return unfinishedUtf16(bytes);
    case 'base64':
    case 'base64url':
      return bytes.length % 3;
    default:
      return 0;
  }
}

function unfinishedUtf8(bytes) {
  for (let back = 1; back < SIGN_MAX && back <= bytes.length; ++back) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) {
      continue;
    }
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function unfinishedUtf16(bytes) {
  const odd = bytes.length % 2;
  const high = bytes[bytes.length - odd - 1];
  return bytes.length - odd >= 2 && (high & 0xfc) === 0xd8 ? odd + 2 : odd;
}

const NAMES = { 'utf-8': 'utf8', ucs2: 'utf16le', 'ucs-2': 'utf16le', 'utf-16le': 'utf16le' };

class StringDecoder {
  constructor(encoding = 'utf8') {
    if (!Buffer.isEncoding(encoding)) {
      throw new TypeError(`unknown encoding ${encoding}`);
    }
    const name = String(encoding).toLowerCase();
    this.encoding = NAMES[name] || name;
    this._rest = Buffer.alloc(0);
  }

  // Returns the text of all signs that are whole now.
  write(piece) {
    if (typeof piece === 'string') {
      return piece;
    }
    const bytes = this._rest.length === 0 ? Buffer.from(piece) : Buffer.concat([this._rest, piece]);
    const end = bytes.length - unfinished(bytes, this.encoding);
    this._rest = Buffer.from(bytes.subarray(end));
    return bytes.toString(this.encoding, 0, end);
  }

  // Returns the text of the last piece, whose sign may be broken.
  end(piece) {
    const text = piece === undefined ? '' : this.write(piece);
    const rest = this._rest.toString(this.encoding);
    this._rest = Buffer.alloc(0);
    return text + rest;
  }
}

module.exports = { StringDecoder };
