import type { Ask } from '../kill/asks.ts';

/** Of datasets that the sample's worker brings along. */
const inputs: readonly Ask['input'][] = [
  { dataset: 'cars.json' },
  { dataset: 'flights-2k.json' },
  { dataset: 'birdstrikes.csv', format: 'ndjson' },
  { dataset: 'seattle-weather.csv' },
  { dataset: 'cars.json', format: 'ndjson', compress: true },
];

/** Three hundred exports of sixty groups. */
export const asks: readonly Ask[] = Array.from({ length: 300 }, (_, i) => ({
  intentId: `export-${i}`,
  groupId: `group-${i % 60}`,
  input: inputs[i % inputs.length] ?? { dataset: 'cars.json' },
}));
