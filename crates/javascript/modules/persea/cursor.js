// Cursors of queries.
'use strict';

const { send, sendUnless } = require('persea/connection');
const { make } = require('persea/error');

class ArangoQueryCursor {
  // Makes a cursor of a reply, whose attribute `extra` few scripts look at: it stays packed until then.
  constructor(reply, headers) {
    this._rows = reply.result;
    this._index = 0;
    this._id = reply.id;
    this._hasMore = reply.hasMore === true;
    this._count = reply.count;
    this._extra = reply.extra;
    this._cached = reply.cached === true;
    this._planCacheKey = reply.planCacheKey;
    this._headers = headers;
    this._disposed = false;
  }

  hasNext() {
    if (this._index < this._rows.length) {
      return true;
    }
    while (this._hasMore && this._index >= this._rows.length) {
      this._fetch();
    }
    return this._index < this._rows.length;
  }

  next() {
    if (this._index < this._rows.length || this.hasNext()) {
      const index = this._index++;
      const row = this._rows[index];
      this._rows[index] = undefined;
      return row;
    }
    if (this._disposed) {
      throw make('ERROR_CURSOR_NOT_FOUND');
    }
    return undefined;
  }

  toArray() {
    const rows = this._index === 0 ? this._rows : this._rows.slice(this._index);
    while (this._hasMore) {
      this._fetch();
      for (const row of this._rows) {
        rows.push(row);
      }
    }
    this._rows = [];
    this._index = 0;
    return rows;
  }

  forEach(callback) {
    for (let index = 0; this.hasNext(); ++index) {
      callback(this.next(), index);
    }
  }

  *[Symbol.iterator]() {
    while (this.hasNext()) {
      yield this.next();
    }
  }

  count() {
    return this._count;
  }

  getExtra() {
    this._extra = host.unpack(this._extra);
    return this._extra || {};
  }

  get data() {
    return this._rows;
  }

  get planCacheKey() {
    return this._planCacheKey;
  }

  getBatchSize() {
    return this._rows.length;
  }

  dispose() {
    this._rows = [];
    this._index = 0;
    if (this._hasMore) {
      this._hasMore = false;
      sendUnless(404, 'DELETE', `/_api/cursor/${encodeURIComponent(this._id)}`, undefined, this._headers);
    }
    this._disposed = true;
  }

  _fetch() {
    const reply = send('POST', `/_api/cursor/${encodeURIComponent(this._id)}`, undefined, this._headers, 'extra');
    this._rows = reply.result;
    this._index = 0;
    this._hasMore = reply.hasMore === true;
    if (reply.extra !== undefined) {
      this._extra = reply.extra;
    }
  }

  toString() {
    return '[object ArangoQueryCursor]';
  }
}

module.exports = { ArangoQueryCursor };
