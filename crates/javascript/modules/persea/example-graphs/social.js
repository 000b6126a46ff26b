// The example graph `social`: women and men and their relations.
// Its documents are those that ArangoDB's documentation shows.
'use strict';

module.exports = {
  relations: [
    { collection: 'relation', from: ['female', 'male'], to: ['female', 'male'] },
  ],
  documents: {
    female: [
      { _key: 'alice', name: 'Alice' },
      { _key: 'diana', name: 'Diana' },
    ],
    male: [
      { _key: 'bob', name: 'Bob' },
      { _key: 'charly', name: 'Charly' },
    ],
    relation: [
      { _from: 'female/alice', _to: 'male/bob', type: 'married', vertex: 'alice' },
      { _from: 'female/alice', _to: 'male/charly', type: 'friend', vertex: 'alice' },
      { _from: 'male/charly', _to: 'female/diana', type: 'married', vertex: 'charly' },
      { _from: 'male/bob', _to: 'female/diana', type: 'friend', vertex: 'bob' },
    ],
  },
};
