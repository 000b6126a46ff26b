// The example graph `routeplanner`: cities and their distances by road.
// Its documents are those that ArangoDB's documentation shows.
'use strict';

module.exports = {
  relations: [
    { collection: 'germanHighway', from: ['germanCity'], to: ['germanCity'] },
    { collection: 'frenchHighway', from: ['frenchCity'], to: ['frenchCity'] },
    { collection: 'internationalHighway', from: ['frenchCity', 'germanCity'], to: ['frenchCity', 'germanCity'] },
  ],
  documents: {
    frenchCity: [
      { _key: 'Lyon', population: 80000, isCapital: false, geometry: {type: 'Point', coordinates: [4.84, 45.76]} },
      { _key: 'Paris', population: 4000000, isCapital: true, geometry: {type: 'Point', coordinates: [2.3508, 48.8567]} },
    ],
    germanCity: [
      { _key: 'Berlin', population: 3000000, isCapital: true, geometry: {type: 'Point', coordinates: [13.3833, 52.5167]} },
      { _key: 'Cologne', population: 1000000, isCapital: false, geometry: {type: 'Point', coordinates: [6.9528, 50.9364]} },
      { _key: 'Hamburg', population: 1000000, isCapital: false, geometry: {type: 'Point', coordinates: [10.0014, 53.5653]} },
    ],
    germanHighway: [
      { _from: 'germanCity/Berlin', _to: 'germanCity/Cologne', distance: 850 },
      { _from: 'germanCity/Berlin', _to: 'germanCity/Hamburg', distance: 400 },
      { _from: 'germanCity/Hamburg', _to: 'germanCity/Cologne', distance: 500 },
    ],
    frenchHighway: [
      { _from: 'frenchCity/Paris', _to: 'frenchCity/Lyon', distance: 550 },
    ],
    internationalHighway: [
      { _from: 'germanCity/Berlin', _to: 'frenchCity/Lyon', distance: 1100 },
      { _from: 'germanCity/Berlin', _to: 'frenchCity/Paris', distance: 1200 },
      { _from: 'germanCity/Hamburg', _to: 'frenchCity/Paris', distance: 900 },
      { _from: 'germanCity/Hamburg', _to: 'frenchCity/Lyon', distance: 1300 },
      { _from: 'germanCity/Cologne', _to: 'frenchCity/Lyon', distance: 700 },
      { _from: 'germanCity/Cologne', _to: 'frenchCity/Paris', distance: 550 },
    ],
  },
};
