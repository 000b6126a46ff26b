// Streams, as in Node.js, but without anything that runs beside a script: what is written arrives
// at once, and what is pushed waits until somebody reads it.
'use strict';

const EventEmitter = require('events');
const { Buffer } = require('buffer');
const { StringDecoder } = require('string_decoder');

class Stream extends EventEmitter {}

// Adds the methods of a stream that can be read.
const reading = (Base) => class extends Base {
  constructor(options = {}) {
    super(options);
    this.readable = true;
    this.readableEnded = false;
    this._pieces = [];
    this._isPushed = false;
    this._isFlowing = false;
    this._readsObjects = Boolean(options.objectMode || options.readableObjectMode);
    if (typeof options.read === 'function') {
      this._read = options.read;
    }
    if (options.encoding) {
      this.setEncoding(options.encoding);
    }
  }

  _read() {}

  setEncoding(encoding) {
    this._decoder = new StringDecoder(encoding);
    return this;
  }

  // Adds a piece; null is the end.
  push(piece, encoding) {
    if (piece === null) {
      const rest = this._decoder === undefined ? '' : this._decoder.end();
      if (rest !== '') {
        this._pieces.push(rest);
      }
      this._isPushed = true;
    } else {
      this._pieces.push(this._formed(piece, encoding));
    }
    this._flow();
    return !this._isPushed;
  }

  _formed(piece, encoding) {
    if (this._readsObjects) {
      return piece;
    }
    const bytes = typeof piece === 'string' ? Buffer.from(piece, encoding) : Buffer.from(piece);
    return this._decoder === undefined ? bytes : this._decoder.write(bytes);
  }

  // Returns the next piece, or null if there is none.
  read() {
    if (this._pieces.length === 0 && !this._isPushed) {
      this._read();
    }
    if (this._pieces.length === 0) {
      this._end();
      return null;
    }
    const piece = this._pieces.shift();
    this.emit('data', piece);
    return piece;
  }

  on(event, listener) {
    super.on(event, listener);
    if (event === 'data') {
      this.resume();
    }
    return this;
  }

  resume() {
    this._isFlowing = true;
    this._flow();
    return this;
  }

  pause() {
    this._isFlowing = false;
    return this;
  }

  isPaused() {
    return !this._isFlowing;
  }

  pipe(target, options = {}) {
    this.on('end', () => {
      if (options.end !== false) {
        target.end();
      }
    });
    target.emit('pipe', this);
    this.on('data', (piece) => target.write(piece));
    return target;
  }

  *[Symbol.iterator]() {
    for (let piece = this.read(); piece !== null; piece = this.read()) {
      yield piece;
    }
  }

  async *[Symbol.asyncIterator]() {
    yield* this;
  }

  _flow() {
    if (this._isFlowing && !this._isInFlow) {
      this._isInFlow = true;
      while (this._isFlowing && this.read() !== null);
      this._isInFlow = false;
    }
  }

  _end() {
    if (this._isPushed && !this.readableEnded) {
      this.readableEnded = true;
      this.readable = false;
      this.emit('end');
    }
  }
};

// Adds the methods of a stream that can be written.
const writing = (Base) => class extends Base {
  constructor(options = {}) {
    super(options);
    this.writable = true;
    this.writableEnded = false;
    this.writableFinished = false;
    this._writesObjects = Boolean(options.objectMode || options.writableObjectMode);
    for (const name of ['write', 'final']) {
      if (typeof options[name] === 'function') {
        this['_' + name] = options[name];
      }
    }
  }

  _write(piece, encoding, done) {
    done();
  }

  _final(done) {
    done();
  }

  write(piece, encoding, done) {
    const [name, callback] = typeof encoding === 'function' ? [undefined, encoding] : [encoding, done];
    if (this.writableEnded) {
      this._failed(new Error('write after end'), callback);
      return false;
    }
    const formed = this._writesObjects || typeof piece !== 'string' ? piece : Buffer.from(piece, name);
    this._write(formed, name || 'buffer', (error) => this._failed(error, callback));
    return true;
  }

  end(piece, encoding, done) {
    const callback = [piece, encoding, done].find((given) => typeof given === 'function');
    if (piece !== undefined && piece !== null && typeof piece !== 'function') {
      this.write(piece, typeof encoding === 'string' ? encoding : undefined);
    }
    if (!this.writableEnded) {
      this.writableEnded = true;
      this.writable = false;
      this._final((error) => {
        this._failed(error, callback);
        this.writableFinished = !error;
        this.emit(error ? 'close' : 'finish');
      });
    }
    return this;
  }

  _failed(error, callback) {
    if (callback !== undefined) {
      callback(error);
    }
    if (error) {
      this.emit('error', error);
    }
  }
};

class Readable extends reading(Stream) {
  // Returns a stream of the members of something that can be iterated.
  static from(list, options) {
    const members = list[Symbol.iterator]();
    return new Readable({
      objectMode: true,
      ...options,
      read() {
        const { done, value } = members.next();
        this.push(done ? null : value);
      },
    });
  }
}

class Writable extends writing(Stream) {}

class Duplex extends writing(reading(Stream)) {}

class Transform extends Duplex {
  constructor(options = {}) {
    super(options);
    for (const name of ['transform', 'flush']) {
      if (typeof options[name] === 'function') {
        this['_' + name] = options[name];
      }
    }
  }

  _transform(piece, encoding, done) {
    done(null, piece);
  }

  _flush(done) {
    done();
  }

  _write(piece, encoding, done) {
    this._transform(piece, encoding, (error, made) => this._pushed(error, made, done));
  }

  _final(done) {
    this._flush((error, made) => {
      this._pushed(error, made, done);
      this.push(null);
    });
  }

  _pushed(error, made, done) {
    if (!error && made !== undefined && made !== null) {
      this.push(made);
    }
    done(error);
  }
}

class PassThrough extends Transform {}

// Joins streams, and calls `done` at the end of the last one, or with the first error.
function pipeline(...given) {
  const done = typeof given[given.length - 1] === 'function' ? given.pop() : () => {};
  const streams = given.flat();
  const last = streams[streams.length - 1];
  let isDone = false;
  const once = (error) => {
    if (!isDone) {
      isDone = true;
      done(error);
    }
  };
  streams.forEach((stream) => stream.on('error', once));
  last.on('finish', () => once());
  streams.reduce((from, to) => from.pipe(to));
  return last;
}

module.exports = Object.assign(Stream, { Stream, Readable, Writable, Duplex, Transform, PassThrough, pipeline });
