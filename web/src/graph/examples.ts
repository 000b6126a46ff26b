/**
 * The small example graphs that ArangoDB's documentation describes and uses, with its names of
 * collections and attributes.
 */

type Fields = Record<string, unknown>

/** An edge: the ends as `collection/key`, and its attributes. */
type Edge = [string, string, Fields?]

export interface ExampleGraph {
  name: string
  about: string
  edgeDefinitions: { collection: string; from: string[]; to: string[] }[]
  /** Attributes of vertices by their collections and keys. */
  vertices: Record<string, Record<string, Fields>>
  edges: Record<string, Edge[]>
}

/** Returns vertices whose keys are also their labels. */
const labelled = (keys: string): Record<string, Fields> => Object.fromEntries(keys.split(' ').map((key) => [key, { label: key }]))

const between = (collection: string, pairs: [string, string, Fields?][]): Edge[] => pairs.map(([from, to, fields]) => [`${collection}/${from}`, `${collection}/${to}`, fields])

const circle = (from: string, to: string, label: string): [string, string, Fields] => [from, to, { theFalse: false, theTruth: true, label }]

const city = (population: number, isCapital: boolean, longitude: number, latitude: number): Fields => ({ population, isCapital, geometry: { type: 'Point', coordinates: [longitude, latitude] } })

export const EXAMPLES: ExampleGraph[] = [
  {
    name: 'knows_graph',
    about: 'Five persons who know each other.',
    edgeDefinitions: [{ collection: 'knows', from: ['persons'], to: ['persons'] }],
    vertices: { persons: Object.fromEntries(['Alice', 'Bob', 'Charlie', 'Dave', 'Eve'].map((name) => [name.toLowerCase(), { name }])) },
    edges: { knows: between('persons', [['alice', 'bob', { vertex: 'alice' }], ['bob', 'charlie', { vertex: 'bob' }], ['bob', 'dave', { vertex: 'bob' }], ['eve', 'alice', { vertex: 'eve' }], ['eve', 'bob', { vertex: 'eve' }]]) },
  },
  {
    name: 'traversalGraph',
    about: 'Circles in two branches, for traversals.',
    edgeDefinitions: [{ collection: 'edges', from: ['circles'], to: ['circles'] }],
    vertices: { circles: Object.fromEntries([...'ABCDEFGHIJK'].map((key, at) => [key, { label: String(at + 1) }])) },
    edges: {
      edges: between('circles', [
        circle('A', 'B', 'left_bar'),
        circle('B', 'C', 'left_blarg'),
        circle('C', 'D', 'left_blorg'),
        circle('B', 'E', 'left_blub'),
        circle('E', 'F', 'left_schubi'),
        circle('A', 'G', 'right_foo'),
        circle('G', 'H', 'right_blob'),
        circle('H', 'I', 'right_blub'),
        circle('G', 'J', 'right_zip'),
        circle('J', 'K', 'right_zup'),
      ]),
    },
  },
  {
    name: 'mps_graph',
    about: 'Several shortest paths between two vertices.',
    edgeDefinitions: [{ collection: 'mps_edges', from: ['mps_verts'], to: ['mps_verts'] }],
    vertices: { mps_verts: labelled('A B C D E F') },
    edges: { mps_edges: between('mps_verts', [['A', 'B'], ['A', 'E'], ['A', 'D'], ['B', 'C'], ['D', 'C'], ['E', 'F'], ['F', 'C']]) },
  },
  {
    name: 'routeplanner',
    about: 'Cities of two countries with their places on the map, and highways with their lengths.',
    edgeDefinitions: [
      { collection: 'frenchHighway', from: ['frenchCity'], to: ['frenchCity'] },
      { collection: 'germanHighway', from: ['germanCity'], to: ['germanCity'] },
      { collection: 'internationalHighway', from: ['frenchCity', 'germanCity'], to: ['frenchCity', 'germanCity'] },
    ],
    vertices: {
      frenchCity: { Lyon: city(80_000, false, 4.84, 45.76), Paris: city(4_000_000, true, 2.3508, 48.8567) },
      germanCity: { Berlin: city(3_000_000, true, 13.3833, 52.5167), Cologne: city(1_000_000, false, 6.9528, 50.9364), Hamburg: city(1_000_000, false, 10.0014, 53.5653) },
    },
    edges: {
      frenchHighway: between('frenchCity', [['Paris', 'Lyon', { distance: 550 }]]),
      germanHighway: between('germanCity', [['Berlin', 'Cologne', { distance: 850 }], ['Berlin', 'Hamburg', { distance: 400 }], ['Hamburg', 'Cologne', { distance: 500 }]]),
      internationalHighway: [
        ['germanCity/Berlin', 'frenchCity/Lyon', { distance: 1100 }],
        ['germanCity/Berlin', 'frenchCity/Paris', { distance: 1200 }],
        ['germanCity/Hamburg', 'frenchCity/Paris', { distance: 900 }],
        ['germanCity/Hamburg', 'frenchCity/Lyon', { distance: 1300 }],
        ['germanCity/Cologne', 'frenchCity/Lyon', { distance: 700 }],
        ['germanCity/Cologne', 'frenchCity/Paris', { distance: 550 }],
      ],
    },
  },
]

/** Returns the collections of a graph with the documents to insert. */
export function documentsOf({ vertices, edges }: ExampleGraph): [string, Fields[]][] {
  return [
    ...Object.entries(vertices).map(([name, all]): [string, Fields[]] => [name, Object.entries(all).map(([_key, fields]) => ({ _key, ...fields }))]),
    ...Object.entries(edges).map(([name, all]): [string, Fields[]] => [name, all.map(([_from, _to, fields]) => ({ _from, _to, ...fields }))]),
  ]
}
