// The example graph `mps_graph`: two shortest paths from A to C.
// Its documents are those that ArangoDB's documentation shows.
'use strict';

module.exports = {
  relations: [
    { collection: 'mps_edges', from: ['mps_verts'], to: ['mps_verts'] },
  ],
  documents: {
    mps_verts: [
      { _key: 'A' },
      { _key: 'B' },
      { _key: 'C' },
      { _key: 'D' },
      { _key: 'E' },
      { _key: 'F' },
    ],
    mps_edges: [
      { _from: 'mps_verts/A', _to: 'mps_verts/B', vertex: 'A' },
      { _from: 'mps_verts/A', _to: 'mps_verts/E', vertex: 'A' },
      { _from: 'mps_verts/A', _to: 'mps_verts/D', vertex: 'A' },
      { _from: 'mps_verts/B', _to: 'mps_verts/C', vertex: 'B' },
      { _from: 'mps_verts/D', _to: 'mps_verts/C', vertex: 'D' },
      { _from: 'mps_verts/E', _to: 'mps_verts/F', vertex: 'E' },
      { _from: 'mps_verts/F', _to: 'mps_verts/C', vertex: 'F' },
    ],
  },
};
