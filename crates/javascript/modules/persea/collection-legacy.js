// Methods and constants that ArangoDB's documentation has for collections beside the present ones.
'use strict';

const { run } = require('persea/statement');
const { make } = require('persea/error');

const CONSTANTS = {
  TYPE_DOCUMENT: 2, TYPE_EDGE: 3, STATUS_CORRUPTED: 0, STATUS_NEW_BORN: 1, STATUS_UNLOADED: 2, STATUS_LOADED: 3,
  STATUS_UNLOADING: 4, STATUS_DELETED: 5, STATUS_LOADING: 6,
};

// A condition of AQL that selects the documents of a query, with limits that are set step by step.
class ConditionQuery {
  constructor(collection, source, bindVars) {
    Object.assign(this, { _collection: collection, _source: source, _bindVars: bindVars, _result: 'd', _skip: 0, _limit: undefined });
  }

  skip(count) {
    this._skip += Number(count);
    return this;
  }

  limit(count) {
    this._limit = Number(count);
    return this;
  }

  execute(batchSize) {
    if (this._cursor === undefined) {
      const isLimited = this._skip > 0 || this._limit !== undefined;
      const bindVars = { ...this._bindVars, '@collection': this._collection.name() };
      if (isLimited) {
        Object.assign(bindVars, { skip: this._skip, limit: this._limit === undefined ? 1e15 : this._limit });
      }
      const text = `${this._source} ${isLimited ? 'LIMIT @skip, @limit' : ''} RETURN ${this._result}`;
      this._cursor = run(text, bindVars, { count: true, batchSize }, {}, this._collection._headers);
    }
    return this._cursor;
  }

  toArray() {
    return this.execute().toArray();
  }

  hasNext() {
    return this.execute().hasNext();
  }

  next() {
    return this.execute().next();
  }

  count() {
    return this.execute().count();
  }

  forEach(callback) {
    this.execute().forEach(callback);
  }

  dispose() {
    this.execute().dispose();
  }
}

// A query for documents around a point, the nearest first, or within a distance in metres.
class GeoQuery extends ConditionQuery {
  constructor(collection, index, latitude, longitude, radius) {
    const isPair = index.fields.length === 2;
    const place = isPair ? '[d[@longitude], d[@latitude]]' : index.geoJson ? 'd[@place]' : '[d[@place][1], d[@place][0]]';
    const names = isPair ? { latitude: index.fields[0], longitude: index.fields[1] } : { place: index.fields[0] };
    const within = radius === undefined ? '' : 'FILTER distance <= @radius';
    const source = `FOR d IN @@collection LET distance = GEO_DISTANCE(${place}, [@x, @y]) ${within} SORT distance`;
    super(collection, source, { ...names, x: longitude, y: latitude, ...(radius === undefined ? {} : { radius }) });
  }

  // Adds the distance to each document.
  distance(name = 'distance') {
    this._result = 'MERGE(d, { [@name]: distance })';
    this._bindVars.name = name;
    return this;
  }
}

function geoIndex(collection, wanted) {
  const all = collection.indexes().filter((index) => index.type.startsWith('geo'));
  const found = wanted === undefined ? all[0] : all.find((index) => index.id === (wanted.id || wanted));
  if (found === undefined) {
    throw make('ERROR_QUERY_GEO_INDEX_MISSING', `${collection.name()}: there is no such geo index`);
  }
  return found;
}

// Splits names of attributes and a trailing object of options.
function fieldsOf(given) {
  const last = given[given.length - 1];
  const options = last !== null && typeof last === 'object' && !Array.isArray(last) ? given.pop() : {};
  return { fields: given.flat(), options };
}

// The methods that create an index of one type: `ensureHashIndex("a", "b", { sparse: true })`.
const INDEXES = {
  ensureHashIndex: { type: 'hash', unique: false },
  ensureUniqueConstraint: { type: 'hash', unique: true },
  ensureSkiplist: { type: 'skiplist', unique: false },
  ensureUniqueSkiplist: { type: 'skiplist', unique: true },
};

const METHODS = {
  ensureFulltextIndex(field, minLength) {
    return this.ensureIndex({ type: 'fulltext', fields: [field].flat(), minLength });
  },
  // One attribute with a point (in the order of GeoJSON if the second argument is true), or two.
  ensureGeoIndex(first, second) {
    const isPair = typeof second === 'string';
    return this.ensureIndex({ type: 'geo', fields: isPair ? [first, second] : [first], geoJson: !isPair && second === true });
  },
  // The last argument, of which documents without a place were refused once, has no effect.
  ensureGeoConstraint(first, second, third) {
    return this.ensureGeoIndex(first, typeof second === 'string' || third !== undefined ? second : undefined);
  },
  fulltext(attribute, query) {
    return new ConditionQuery(this, 'FOR d IN FULLTEXT(@@collection, @attribute, @query)', { attribute, query });
  },
  near(latitude, longitude) {
    return new GeoQuery(this, geoIndex(this), latitude, longitude);
  },
  within(latitude, longitude, radius) {
    return new GeoQuery(this, geoIndex(this), latitude, longitude, radius);
  },
  withinRectangle(latitude1, longitude1, latitude2, longitude2) {
    const bindVars = { latitude1, longitude1, latitude2, longitude2 };
    const source = 'FOR d IN WITHIN_RECTANGLE(@@collection, @latitude1, @longitude1, @latitude2, @longitude2)';
    return new ConditionQuery(this, source, bindVars);
  },
  // The same queries on an index of choice.
  geo(wanted) {
    const index = geoIndex(this, wanted);
    return {
      near: (latitude, longitude) => new GeoQuery(this, index, latitude, longitude),
      within: (latitude, longitude, radius) => new GeoQuery(this, index, latitude, longitude, radius),
    };
  },
  range(attribute, left, right) {
    return new ConditionQuery(this, `FOR d IN @@collection FILTER ${path(attribute)} >= @left && ${path(attribute)} < @right SORT ${path(attribute)}`,
      { left, right, ...names(attribute) });
  },
  closedRange(attribute, left, right) {
    return new ConditionQuery(this, `FOR d IN @@collection FILTER ${path(attribute)} >= @left && ${path(attribute)} <= @right SORT ${path(attribute)}`,
      { left, right, ...names(attribute) });
  },
};

function path(attribute) {
  return 'd' + attribute.split('.').map((_, index) => `[@name${index}]`).join('');
}

function names(attribute) {
  return Object.fromEntries(attribute.split('.').map((name, index) => [`name${index}`, name]));
}

// Adds the methods and constants to the class of collections.
function extend(ArangoCollection) {
  for (const [name, index] of Object.entries(INDEXES)) {
    METHODS[name] = function (...given) {
      const { fields, options } = fieldsOf(given);
      return this.ensureIndex({ ...options, ...index, fields });
    };
  }
  for (const [name, value] of Object.entries(METHODS)) {
    Object.defineProperty(ArangoCollection.prototype, name, { value, writable: true, configurable: true });
  }
  for (const [name, value] of Object.entries(CONSTANTS)) {
    Object.defineProperty(ArangoCollection, name, { value, enumerable: true });
    Object.defineProperty(ArangoCollection.prototype, name, { value });
  }
}

module.exports = { extend };
