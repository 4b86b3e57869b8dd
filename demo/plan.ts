import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One export that the demo asks for. */
export interface Ask {
  readonly intentId: string;
  readonly groupId: string;
  readonly input: {
    readonly dataset: string;
    readonly columns?: string[];
    readonly where?: {
      column: string;
      is: 'equals' | 'less' | 'greater' | 'contains';
      value: string;
    }[];
    readonly format?: 'csv' | 'ndjson';
    readonly compress?: boolean;
  };
}

/** Where the real data lies: the files of the package `vega-datasets`. */
const vega = fileURLToPath(new URL('../node_modules/vega-datasets/data', import.meta.url));

/** The export whose dataset comes late, so that it fails at first. */
export const late = { intentId: 'flights-birds', dataset: 'birdstrikes.csv' } as const;

/** The datasets that the demo's worker knows, by name; `input` is a file of your own. */
export const datasetPaths = (input: string | undefined): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    ['movies.json', 'seattle-weather.csv', 'cars.json', 'flights-200k.json', late.dataset].map(
      (name) => [name, join(vega, name)],
    ),
  ),
  ...(input === undefined ? {} : { [basename(input)]: input }),
});

/** Thirteen exports in four groups, and one of your own file. */
export function asks(input: string | undefined): readonly Ask[] {
  const own: Ask[] =
    input === undefined
      ? []
      : [{ intentId: 'your-file', groupId: 'yours', input: { dataset: basename(input) } }];
  return [...films, ...weather, ...cars, ...flights, ...own];
}

/** Whether the data was installed. */
export const hasData = (): boolean => existsSync(vega);

const films: readonly Ask[] = [
  { intentId: 'films-all', groupId: 'films', input: { dataset: 'movies.json' } },
  {
    intentId: 'films-loved',
    groupId: 'films',
    input: {
      dataset: 'movies.json',
      columns: ['Title', 'Director', 'IMDB Rating'],
      where: [{ column: 'IMDB Rating', is: 'greater', value: '8' }],
    },
  },
  {
    intentId: 'films-archive',
    groupId: 'films',
    input: { dataset: 'movies.json', format: 'ndjson', compress: true },
  },
  {
    intentId: 'films-horror',
    groupId: 'films',
    input: {
      dataset: 'movies.json',
      columns: ['Title', 'Release Date'],
      where: [{ column: 'Major Genre', is: 'equals', value: 'Horror' }],
    },
  },
];

const weather: readonly Ask[] = [
  { intentId: 'weather-all', groupId: 'weather', input: { dataset: 'seattle-weather.csv' } },
  {
    intentId: 'weather-snow',
    groupId: 'weather',
    input: {
      dataset: 'seattle-weather.csv',
      where: [{ column: 'weather', is: 'equals', value: 'snow' }],
    },
  },
  {
    intentId: 'weather-2015',
    groupId: 'weather',
    input: {
      dataset: 'seattle-weather.csv',
      columns: ['date', 'temp_max', 'temp_min'],
      where: [{ column: 'date', is: 'contains', value: '2015-' }],
      format: 'ndjson',
    },
  },
];

const cars: readonly Ask[] = [
  { intentId: 'cars-all', groupId: 'cars', input: { dataset: 'cars.json' } },
  {
    intentId: 'cars-usa',
    groupId: 'cars',
    input: {
      dataset: 'cars.json',
      columns: ['Name', 'Year', 'Horsepower'],
      where: [{ column: 'Origin', is: 'equals', value: 'USA' }],
    },
  },
  {
    intentId: 'cars-archive',
    groupId: 'cars',
    input: { dataset: 'cars.json', format: 'ndjson', compress: true },
  },
];

const flights: readonly Ask[] = [
  {
    intentId: 'flights-late',
    groupId: 'flights',
    input: {
      dataset: 'flights-200k.json',
      where: [{ column: 'delay', is: 'greater', value: '120' }],
    },
  },
  {
    intentId: 'flights-archive',
    groupId: 'flights',
    input: { dataset: 'flights-200k.json', columns: ['delay', 'distance'], compress: true },
  },
  { intentId: late.intentId, groupId: 'flights', input: { dataset: late.dataset } },
];
