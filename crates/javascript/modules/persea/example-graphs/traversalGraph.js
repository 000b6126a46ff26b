// The example graph `traversalGraph`: labelled circles, for filters in traversals.
// Its documents are those that ArangoDB's documentation shows.
'use strict';

module.exports = {
  relations: [
    { collection: 'edges', from: ['circles'], to: ['circles'] },
  ],
  documents: {
    circles: [
      { _key: 'A', label: '1' },
      { _key: 'B', label: '2' },
      { _key: 'C', label: '3' },
      { _key: 'D', label: '4' },
      { _key: 'E', label: '5' },
      { _key: 'F', label: '6' },
      { _key: 'G', label: '7' },
      { _key: 'H', label: '8' },
      { _key: 'I', label: '9' },
      { _key: 'J', label: '10' },
      { _key: 'K', label: '11' },
    ],
    edges: [
      { _from: 'circles/A', _to: 'circles/B', theFalse: false, theTruth: true, label: 'left_bar' },
      { _from: 'circles/B', _to: 'circles/C', theFalse: false, theTruth: true, label: 'left_blarg' },
      { _from: 'circles/C', _to: 'circles/D', theFalse: false, theTruth: true, label: 'left_blorg' },
      { _from: 'circles/B', _to: 'circles/E', theFalse: false, theTruth: true, label: 'left_blub' },
      { _from: 'circles/E', _to: 'circles/F', theFalse: false, theTruth: true, label: 'left_schubi' },
      { _from: 'circles/A', _to: 'circles/G', theFalse: false, theTruth: true, label: 'right_foo' },
      { _from: 'circles/G', _to: 'circles/H', theFalse: false, theTruth: true, label: 'right_blob' },
      { _from: 'circles/H', _to: 'circles/I', theFalse: false, theTruth: true, label: 'right_blub' },
      { _from: 'circles/G', _to: 'circles/J', theFalse: false, theTruth: true, label: 'right_zip' },
      { _from: 'circles/J', _to: 'circles/K', theFalse: false, theTruth: true, label: 'right_zup' },
    ],
  },
};
