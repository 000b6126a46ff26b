// The example graph `knows_graph`: persons who know each other.
// Its documents are those that ArangoDB's documentation shows.
'use strict';

module.exports = {
  relations: [
    { collection: 'knows', from: ['persons'], to: ['persons'] },
  ],
  documents: {
    persons: [
      { _key: 'alice', name: 'Alice' },
      { _key: 'bob', name: 'Bob' },
      { _key: 'charlie', name: 'Charlie' },
      { _key: 'dave', name: 'Dave' },
      { _key: 'eve', name: 'Eve' },
    ],
    knows: [
      { _from: 'persons/alice', _to: 'persons/bob', vertex: 'alice' },
      { _from: 'persons/bob', _to: 'persons/charlie', vertex: 'bob' },
      { _from: 'persons/bob', _to: 'persons/dave', vertex: 'bob' },
      { _from: 'persons/eve', _to: 'persons/alice', vertex: 'eve' },
      { _from: 'persons/eve', _to: 'persons/bob', vertex: 'eve' },
    ],
  },
};
