// Buffers: bytes with encodings, as in Node.js.
'use strict';

const ENCODINGS = { utf8: 'utf8', 'utf-8': 'utf8', ascii: 'latin1', latin1: 'latin1', binary: 'latin1', base64: 'base64',
  base64url: 'base64url', hex: 'hex', ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le', utf16be: 'utf16be' };

function encodingOf(name) {
  const found = ENCODINGS[name === undefined || name === null ? 'utf8' : String(name).toLowerCase()];
  if (found === undefined) {
    throw new TypeError(`unknown encoding ${name}`);
  }
  return found;
}

class Buffer extends Uint8Array {
  // Makes a buffer of a text, an array of bytes, another buffer, or an ArrayBuffer.
  static from(data, encoding, length) {
    if (typeof data === 'string') {
      return wrap(host.encode(data, encodingOf(encoding)));
    }
    if (data instanceof ArrayBuffer) {
      return new Buffer(data, encoding, length);
    }
    const list = data !== null && typeof data === 'object' && data.type === 'Buffer' ? data.data : data;
    return new Buffer(ArrayBuffer.isView(list) ? list : Array.from(list, (byte) => byte & 255));
  }

  static alloc(size, fill, encoding) {
    const buffer = new Buffer(size);
    return fill === undefined ? buffer : buffer.fill(fill, 0, size, encoding);
  }

  static allocUnsafe(size) {
    return new Buffer(size);
  }

  static isBuffer(value) {
    return value instanceof Buffer;
  }

  static isEncoding(name) {
    return ENCODINGS[String(name).toLowerCase()] !== undefined;
  }

  static byteLength(data, encoding) {
    return typeof data === 'string' ? host.encode(data, encodingOf(encoding)).length : data.byteLength;
  }

  static concat(list, length) {
    const total = length === undefined ? list.reduce((sum, part) => sum + part.length, 0) : length;
    const all = new Buffer(total);
    let offset = 0;
    for (const part of list) {
      const fitting = part.subarray(0, Math.max(total - offset, 0));
      all.set(fitting, offset);
      offset += fitting.length;
    }
    return all;
  }

  static compare(left, right) {
    for (let index = 0; index < Math.min(left.length, right.length); ++index) {
      if (left[index] !== right[index]) {
        return left[index] < right[index] ? -1 : 1;
      }
    }
    return Math.sign(left.length - right.length);
  }

  toString(encoding, start = 0, end = this.length) {
    const part = start === 0 && end === this.length ? this : this.subarray(start, end);
    return host.decode(plain(part), encodingOf(encoding));
  }

  toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
  }

  equals(other) {
    return Buffer.compare(this, other) === 0;
  }

  compare(other) {
    return Buffer.compare(this, other);
  }

  write(text, offset = 0, length = this.length - offset, encoding = 'utf8') {
    const bytes = Buffer.from(text, encoding).subarray(0, Math.min(length, this.length - offset));
    this.set(bytes, offset);
    return bytes.length;
  }

  copy(target, targetStart = 0, start = 0, end = this.length) {
    const part = this.subarray(start, Math.min(end, start + target.length - targetStart));
    target.set(part, targetStart);
    return part.length;
  }

  slice(start, end) {
    return this.subarray(start, end);
  }

  fill(value, start = 0, end = this.length, encoding = 'utf8') {
    if (typeof value !== 'string' || value === '') {
      return super.fill(Number(value), start, end);
    }
    const bytes = Buffer.from(value, encoding);
    for (let index = start; index < end; ++index) {
      this[index] = bytes[(index - start) % bytes.length];
    }
    return this;
  }

  indexOf(value, start = 0, encoding = 'utf8') {
    if (typeof value === 'number') {
      return super.indexOf(value, start);
    }
    const bytes = typeof value === 'string' ? Buffer.from(value, encoding) : value;
    for (let index = start; index + bytes.length <= this.length; ++index) {
      if (bytes.every((byte, offset) => this[index + offset] === byte)) {
        return index;
      }
    }
    return -1;
  }

  includes(value, start, encoding) {
    return this.indexOf(value, start, encoding) !== -1;
  }

  inspect() {
    const shown = host.decode(plain(this.subarray(0, 50)), 'hex').replace(/(..)(?=.)/g, '$1 ');
    return `<Buffer ${shown}${this.length > 50 ? ' ...' : ''}>`;
  }
}

// Numbers in both orders of bytes: readUInt16LE, writeDoubleBE and so on.
const NUMBERS = { UInt8: 1, Int8: 1, UInt16: 2, Int16: 2, UInt32: 4, Int32: 4, Float: 4, Double: 8 };
const VIEW = { UInt8: 'Uint8', Int8: 'Int8', UInt16: 'Uint16', Int16: 'Int16', UInt32: 'Uint32', Int32: 'Int32',
  Float: 'Float32', Double: 'Float64' };

function view(buffer) {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

for (const name of Object.keys(NUMBERS)) {
  for (const order of NUMBERS[name] === 1 ? [''] : ['LE', 'BE']) {
    Buffer.prototype[`read${name}${order}`] = function (offset = 0) {
      return view(this)[`get${VIEW[name]}`](offset, order === 'LE');
    };
    Buffer.prototype[`write${name}${order}`] = function (value, offset = 0) {
      view(this)[`set${VIEW[name]}`](offset, value, order === 'LE');
      return offset + NUMBERS[name];
    };
  }
}

// The host takes and gives plain arrays of bytes.
function plain(bytes) {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function wrap(bytes) {
  return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

// Programs of old call `Buffer(...)` and `new Buffer(...)` for what `alloc` and `from` do.
function made(first, ...rest) {
  return typeof first === 'number' ? Buffer.alloc(first) : Buffer.from(first, ...rest);
}

const Callable = new Proxy(Buffer, {
  apply: (target, ignored, given) => made(...given),
  construct: (target, given, caller) => (caller === Callable ? made(...given) : Reflect.construct(target, given, caller)),
});
Object.defineProperty(Buffer.prototype, 'constructor', { value: Callable, writable: true, configurable: true });

module.exports = { Buffer: Callable, SlowBuffer: Buffer, kMaxLength: 0x7fffffff };
