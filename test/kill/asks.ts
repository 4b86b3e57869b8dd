import type { ExportInput } from '../../functions/export/input.ts';

/** One export of the run. */
export interface Ask {
  readonly intentId: string;
  readonly groupId: string;
  readonly input: Partial<ExportInput> & { readonly dataset: string };
}

const inputs: readonly Ask['input'][] = [
  { dataset: 'flights-2k.json' },
  { dataset: 'birdstrikes.csv', format: 'ndjson' },
  { dataset: 'seattle-weather.csv' },
  { dataset: 'cars.json', format: 'ndjson', compress: true },
  { dataset: 'airports.csv', where: [{ column: 'state', is: 'equals', value: 'TX' }] },
  { dataset: 'zipcodes.csv', columns: ['zip_code', 'city'] },
];

/** So many exports, three to a group, of several datasets. */
export const asks = (count: number): readonly Ask[] =>
  Array.from({ length: count }, (_, i) => ({
    intentId: `export-${i}`,
    groupId: `group-${i % Math.ceil(count / 3)}`,
    input: inputs[i % inputs.length] ?? { dataset: 'cars.json' },
  }));
